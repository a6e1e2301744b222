// SPDX-License-Identifier: MIT
#include "scene/schema.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/param_table.h"
#include "core/status.h"
#include "core/text.h"
#include "scene/forms.h"

// the number as the table writes it: 0.02, not the nearest float
static json_t *makeNumber(double value) {
    char text[32];
    wbFormatFloat((float)value, text, sizeof text);
    value = strtod(text, NULL);
    return value == floor(value) && fabs(value) < 1e15 ? json_integer((json_int_t)value) : json_real(value);
}

static json_t *makeNumbers(const double *values, int count) {
    json_t *array = json_array();
    for (int i = 0; i < count; i++) json_array_append_new(array, makeNumber(values[i]));
    return array;
}

static json_t *makeRange(const char *type, const wbParam *param) {
    return json_pack("{s:s, s:o, s:o}", "type", type, "minimum", makeNumber(param->min), "maximum",
                     makeNumber(param->max));
}

static json_t *makeChoices(const char *choices) {
    json_t *names = json_array();
    for (const char *at = choices; *at;) {
        size_t length = strcspn(at, "|");
        json_array_append_new(names, json_stringn(at, length));
        at += length + (at[length] == '|');
    }
    return names;
}

static json_t *makeList(json_t *items, int minCount, int maxCount) {
    return json_pack("{s:s, s:o, s:i, s:i}", "type", "array", "items", items, "minItems", minCount,
                     "maxItems", maxCount);
}

static json_t *makeType(const wbParam *param, json_t **defaultValue) {
    double first = param->defaultValue[0];
    switch (param->type) {
    case wb_paramFloat:
        *defaultValue = makeNumber(first);
        return makeRange("number", param);
    case wb_paramInt:
        *defaultValue = makeNumber(first);
        return makeRange("integer", param);
    case wb_paramBool:
        *defaultValue = json_boolean(first != 0);
        return json_pack("{s:s}", "type", "boolean");
    case wb_paramAuto:
        *defaultValue = wbParam_IsAuto(param, first) ? json_string("auto") : makeNumber(first);
        return json_pack("{s:[o, {s:s}]}", "anyOf",
                         makeRange(wbParam_IsWhole(param) ? "integer" : "number", param), "const", "auto");
    case wb_paramVec3:
        *defaultValue = makeNumbers(param->defaultValue, 3);
        return makeList(makeRange("number", param), 2, 3);
    case wb_paramSize:
        *defaultValue = makeNumbers(param->defaultValue, 2);
        return makeList(makeRange("integer", param), 2, 2);
    case wb_paramEnum:
        break;
    }
    json_t *names = makeChoices(param->choices);
    *defaultValue = json_copy(json_array_get(names, (size_t)first));
    return json_pack("{s:o}", "enum", names);
}

static bool isListed(const char *const *names, const char *name) {
    for (; names && *names; names++) {
        if (strcmp(*names, name) == 0) return true;
    }
    return false;
}

static json_t *makeRow(const wbParam *param, bool required) {
    json_t *defaultValue = NULL;
    json_t *row = makeType(param, &defaultValue);
    json_t *text =
        param->unit[0] ? json_sprintf("%s (%s)", param->sentence, param->unit) : json_string(param->sentence);
    json_object_set_new(row, "description", text);
    if (required)
        json_decref(defaultValue);
    else
        json_object_set_new(row, "default", defaultValue);
    return row;
}

// An object of the rows of a group.
static json_t *makeGroup(const wbParamTable *table, const char *group) {
    json_t *rows = json_object();
    for (int i = 0; i < table->count; i++) {
        const wbParam *param = &table->params[i];
        if (wbIsInGroup(param, group))
            json_object_set_new(rows, param->name + strlen(group) + 1, makeRow(param, false));
    }
    return json_pack("{s:s, s:o, s:b}", "type", "object", "properties", rows, "additionalProperties", 0);
}

// `others` holds the schemas of the keys that are not rows; taken over
static json_t *makeObject(const wbForm *form, json_t *others) {
    json_t *rows = json_object(), *required = json_array();
    for (int i = 0; i < form->table->count; i++) {
        const wbParam *param = &form->table->params[i];
        const wbGroupName group = wbGetGroup(param);
        if (!group.text[0])
            json_object_set_new(rows, param->name, makeRow(param, isListed(form->required, param->name)));
        else if (!json_object_get(rows, group.text))
            json_object_set_new(rows, group.text, makeGroup(form->table, group.text));
    }
    json_object_update(rows, others);
    json_decref(others);
    for (int i = 0; form->required && form->required[i]; i++)
        json_array_append_new(required, json_string(form->required[i]));
    return json_pack("{s:s, s:s, s:o, s:o, s:b}", "description", form->table->sentence, "type", "object",
                     "properties", rows, "required", required, "additionalProperties", 0);
}

static json_t *makeArrayOf(json_t *items) { return json_pack("{s:s, s:o}", "type", "array", "items", items); }

static json_t *makeString(const char *description) {
    return json_pack("{s:s, s:s}", "description", description, "type", "string");
}

static json_t *makeDomain(void) {
    json_t *sides = json_object();
    for (int i = 0; i < wb_sideCount; i++)
        json_object_set_new(sides, wb_sideNames[i], makeObject(&wb_sideForm, NULL));
    json_t *all = json_pack("{s:s, s:s, s:o, s:b}", "description",
                            "the ends of the box; back and front only in 3 dimensions", "type", "object",
                            "properties", sides, "additionalProperties", 0);
    wbForm form = wbMakeDomainForm();
    return makeObject(&form, json_pack("{s:o}", "sides", all));
}

static json_t *makeName(void) {
    json_t *name = makeString("unique among all objects and sections");
    json_object_set_new(name, "pattern", json_string("^[A-Za-z][A-Za-z0-9_-]{0,62}$"));
    return name;
}

static json_t *makeEmitter(void) {
    wbForm form = wbMakeEmitterForm();
    return makeObject(&form,
                      json_pack("{s:o, s:o}", "name", makeName(), "fluid",
                                makeString("what comes out; may be left out if there is only one fluid")));
}

static json_t *makeDrain(void) {
    wbForm form = wbMakeDrainForm();
    return makeObject(&form,
                      json_pack("{s:o, s:o}", "name", makeName(), "emitter",
                                makeString("a pump: this disc emits what is drained, and nothing else")));
}

static json_t *makeCollider(void) {
    wbForm form = wbMakeColliderForm();
    json_t *point = makeArrayOf(json_pack("{s:s}", "type", "number")), *path = makeArrayOf(point);
    json_object_set_new(
        path, "description",
        json_string("pipe, trough: points of the middle line (of the floor); polygon: corners"));
    return makeObject(&form,
                      json_pack("{s:o, s:o, s:o}", "name", makeName(), "mesh",
                                makeString("a closed mesh beside the scene: OBJ, STL or PLY"), "path", path));
}

static json_t *makeMechanism(void) {
    wbForm form = wbMakeMechanismForm();
    json_t *parts = makeArrayOf(makeString("a collider's name"));
    json_object_set_new(parts, "description",
                        json_string("what it moves; of a lock: the upper and the lower gate"));
    return makeObject(&form, json_pack("{s:o, s:o}", "name", makeName(), "colliders", parts));
}

static json_t *makeSoftBody(void) {
    wbForm form = wbMakeSoftBodyForm();
    json_t *pins = makeArrayOf(json_pack("{s:s}", "type", "integer"));
    json_object_set_new(
        pins, "description",
        json_string("particles that stay where they are: from 0, or from the end, where -1 is the last"));
    json_t *attach = makeArrayOf(
        makeObject(&wb_attachForm, json_pack("{s:o}", "body", makeString("the body that holds it"))));
    json_object_set_new(attach, "description",
                        json_string("particles that bodies hold, and that hold these"));
    return makeObject(&form, json_pack("{s:o, s:o, s:o, s:o}", "name", makeName(), "mesh",
                                       makeString("a mesh beside the scene: OBJ, STL or PLY"), "pins", pins,
                                       "attach", attach));
}

static json_t *makePoints(const char *description) {
    json_t *points = makeArrayOf(makeArrayOf(json_pack("{s:s}", "type", "number")));
    json_object_set_new(points, "description", json_string(description));
    return points;
}

static json_t *makeRigidBody(void) {
    wbForm form = wbMakeRigidBodyForm();
    json_t *parts = makeArrayOf(
        makeObject(&wb_partForm, json_pack("{s:o}", "points", makePoints("hull, polygon: corners"))));
    json_object_set_new(parts, "description", json_string("compound: what it is made of"));
    return makeObject(&form, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "name", makeName(), "mesh",
                                       makeString("mesh, hull: a file beside the scene, OBJ, STL or PLY"),
                                       "points", makePoints("hull, polygon: corners"), "heights",
                                       makePoints("heights: rows along x, one behind the other along z"),
                                       "parts", parts, "copies", makeObject(&wb_copiesForm, NULL)));
}

static json_t *makeJoint(void) {
    wbForm form = wbMakeJointForm();
    json_t *pair = json_pack("{s:s, s:{s:[s, s]}}", "type", "array", "items", "type", "string", "null");
    json_t *bodies = json_pack("{s:s, s:[o, {s:s}]}", "description",
                               "two names, one of which may be null: the world; or the name of a body with "
                               "copies: a chain, with anchors halfway",
                               "anyOf", pair, "type", "string");
    return makeObject(&form, json_pack("{s:o, s:o}", "name", makeName(), "bodies", bodies));
}

static json_t *makeForce(void) {
    wbForm form = wbMakeForceForm();
    json_t *bodies = json_pack("{s:s, s:[{s:s, s:{s:s}}, {s:s}]}", "description",
                               "names, in pairs where it ties bodies; a name of copies is all of "
                               "them; or \"all\"",
                               "anyOf", "type", "array", "items", "type", "string", "type", "string");
    return makeObject(&form, json_pack("{s:o, s:o}", "name", makeName(), "bodies", bodies));
}

static json_t *makeSource(void) {
    wbForm form = wbMakeSourceForm();
    return makeObject(&form, json_pack("{s:o, s:o}", "name", makeName(), "mesh",
                                       makeString("a closed mesh beside the scene: OBJ, STL or PLY")));
}

static json_t *makeProbe(void) {
    wbForm form = wbMakeProbeForm();
    return makeObject(&form, json_pack("{s:o, s:o, s:o}", "name", makeName(), "fluid",
                                       makeString("in liquids: which; without it all fluids"), "collider",
                                       makeString("force: which")));
}

static json_t *makeGrab(void) {
    wbForm form = wbMakeGrabForm();
    return makeObject(
        &form, json_pack("{s:o, s:o}", "name", makeName(), "of",
                         makeString("the soft body, rigid body or collider that it holds, or KIND#NUMBER; "
                                    "without it, it pushes fluids")));
}

// Of the first solver of fluids that has it.
static json_t *makeFluidGroup(void) {
    int count;
    const wbSolverInfo *const *solvers = wbGetSolvers(&count);
    for (int s = 0; s < count; s++) {
        const wbParamTable *table = wbGetParams(solvers[s]->name);
        for (int i = 0; i < table->count && solvers[s]->isFluid; i++)
            if (wbIsInGroup(&table->params[i], WB_FLUID_GROUP)) {
                json_t *group = makeGroup(table, WB_FLUID_GROUP);
                json_object_set_new(group, "description",
                                    json_sprintf("particles of different sizes, with the solver %s; all of "
                                                 "its fluids have them",
                                                 solvers[s]->name));
                return group;
            }
    }
    return json_object();
}

static json_t *makeFluid(void) {
    json_t *mesh =
        makeObject(&wb_fillMeshForm,
                   json_pack("{s:o}", "mesh", makeString("a closed mesh beside the scene: OBJ, STL or PLY")));
    return makeObject(&wb_fluidForm,
                      json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", makeName(), WB_FLUID_GROUP,
                                makeFluidGroup(), "blocks", makeArrayOf(makeObject(&wb_blockForm, NULL)),
                                "balls", makeArrayOf(makeObject(&wb_ballForm, NULL)), "meshes",
                                makeArrayOf(mesh), "random", makeArrayOf(makeObject(&wb_randomForm, NULL)),
                                "particles", makeArrayOf(makeObject(&wb_particleForm, NULL))));
}

static json_t *makeScriptEntry(void) {
    json_t *value = json_pack("{s:s, s:[s, s, s, s]}", "description", "what it is set to", "type", "number",
                              "boolean", "string", "array");
    return makeObject(&wb_scriptForm,
                      json_pack("{s:o, s:o}", "set",
                                makeString("\"section.name\" or \"object.name\" of a live parameter"),
                                "value", value));
}

static void addSections(json_t *properties, const wbParamTable *tables, int count) {
    for (int i = 0; i < count; i++) {
        wbForm form = wbMakeSectionForm(&tables[i]);
        json_object_set_new(properties, tables[i].section, makeObject(&form, NULL));
    }
}

static json_t *makeCamera(const wbParamTable *table) {
    const wbForm form = wbMakeSectionForm(table);
    json_t *keys = makeArrayOf(makeObject(&wb_cameraKeyForm, NULL));
    json_object_set_new(keys, "description",
                        json_string("a camera that moves, by time; position and target are theirs then"));
    return makeObject(&form, json_pack("{s:o}", "keys", keys));
}

static json_t *makeScene(void) {
    json_t *properties = json_object();
    json_object_set_new(properties, "$schema", makeString("address of this schema, for editors"));
    json_object_set_new(properties, "title", makeString("a few words; without it the file's name"));
    json_object_set_new(properties, "description", makeString("what there is to see"));
    int count;
    const wbParamTable *const *worldTables = wbGetParamTables(&count);
    for (int i = 0; i < count; i++) addSections(properties, worldTables[i], 1);
    json_object_set_new(properties, "domain", makeDomain());
    json_object_set_new(properties, "fluids", makeArrayOf(makeFluid()));
    json_object_set_new(properties, "emitters", makeArrayOf(makeEmitter()));
    json_object_set_new(properties, "drains", makeArrayOf(makeDrain()));
    json_object_set_new(properties, "colliders", makeArrayOf(makeCollider()));
    json_object_set_new(properties, "mechanisms", makeArrayOf(makeMechanism()));
    json_object_set_new(properties, "softBodies", makeArrayOf(makeSoftBody()));
    json_object_set_new(properties, "bodies", makeArrayOf(makeRigidBody()));
    json_object_set_new(properties, "rigidBodies", json_pack("{s:s}", "$ref", "#/properties/bodies"));
    json_object_set_new(properties, "joints", makeArrayOf(makeJoint()));
    json_object_set_new(properties, "forces", makeArrayOf(makeForce()));
    json_object_set_new(properties, "sources", makeArrayOf(makeSource()));
    json_object_set_new(properties, "probes", makeArrayOf(makeProbe()));
    json_object_set_new(properties, "grabs", makeArrayOf(makeGrab()));
    json_object_set_new(properties, "script", makeArrayOf(makeScriptEntry()));
    const wbParamTable *tables = wbGetSceneParamTables(&count);
    addSections(properties, tables, count);
    json_object_set_new(properties, "camera", makeCamera(&tables[0]));
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:b}", "$schema",
                     "https://json-schema.org/draft/2020-12/schema", "title", "Wirbel scene", "description",
                     "Generated by wirbel params --schema. SI units, y is up; vectors are as long as "
                     "world.dimensions says.",
                     "type", "object", "properties", properties, "additionalProperties", 0);
}

wbStatus wbWriteSceneSchema(FILE *file) {
    json_t *schema = makeScene();
    // room for numbers that are not whole: as many digits as a float has
    int failed = json_dumpf(schema, file, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    json_decref(schema);
    if (failed || fputc('\n', file) == EOF || fflush(file) == EOF)
        return wbError(wb_errorFile, "cannot write the schema: %s", strerror(errno));
    return wb_okStatus;
}
