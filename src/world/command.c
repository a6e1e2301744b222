// SPDX-License-Identifier: MIT
#include "world/command.h"

#include <stdio.h>
#include <string.h>

#include "core/param_table.h"
#include "core/status.h"
#include "core/text.h"
#include "world/soft.h"

enum { WORD_SIZE = 192 };

// clang-format off
#define BLOCK_ROWS(F, A, I, B, E, V, S)                                                                      \
    V(min, 0, 0, 0, -1e9f, 1e9f, "m", 1, "lower corner")                                                     \
    V(max, 0, 0, 0, -1e9f, 1e9f, "m", 1, "upper corner")                                                     \
    V(velocity, 0, 0, 0, -1e6f, 1e6f, "m/s", 1, "")                                                          \
    F(jitter, 0, 0, 0.5f, "spacings", 1, "")
#define BALL_ROWS(F, A, I, B, E, V, S)                                                                       \
    V(position, 0, 0, 0, -1e9f, 1e9f, "m", 1, "of its middle")                                               \
    F(radius, 0.1f, 1e-6f, 1e6f, "m", 1, "")                                                                 \
    V(velocity, 0, 0, 0, -1e6f, 1e6f, "m/s", 1, "")
#define POINT_ROWS(F, A, I, B, E, V, S)                                                                      \
    I(particle, 0, 0, 2147483647, "", 1, "of the soft body, from 0")                                         \
    V(position, 0, 0, 0, -1e9f, 1e9f, "m", 1, "")                                                            \
    V(velocity, 0, 0, 0, -1e6f, 1e6f, "m/s", 1, "")
// clang-format on

/// What commands say of a particle of a soft body, or of a body.
typedef struct Point {
    WB_PARAM_FIELDS(POINT_ROWS)
} Point;

#define WB_PARAM_STRUCT wbBlockDef
static const wbParam blockRows[] = {WB_PARAM_ROWS(BLOCK_ROWS)};
#undef WB_PARAM_STRUCT
#define WB_PARAM_STRUCT wbBallDef
static const wbParam ballRows[] = {WB_PARAM_ROWS(BALL_ROWS)};
#undef WB_PARAM_STRUCT
#define WB_PARAM_STRUCT Point
static const wbParam pointRows[] = {WB_PARAM_ROWS(POINT_ROWS)};
#undef WB_PARAM_STRUCT
static const wbParamTable blockTable = WB_PARAM_TABLE("block", "", wbBlockDef, blockRows),
                          ballTable = WB_PARAM_TABLE("ball", "", wbBallDef, ballRows),
                          pointTable = WB_PARAM_TABLE("point", "", Point, pointRows);

// The next word; false if there is none.
static bool readWord(wbCommandText *text, char word[WORD_SIZE], wbStatus *status) {
    text->rest += strspn(text->rest, " ");
    const size_t length = strcspn(text->rest, " ");
    if (length == 0) return false;
    if (length >= WORD_SIZE) {
        *status = wbError(wb_errorInput, "\"%.40s…\" is too long", text->rest);
        return false;
    }
    memcpy(word, text->rest, length);
    word[length] = 0;
    text->rest += length;
    return true;
}

// "radius=0.1 position=0,1,0", to the end: into the struct of a table, whose defaults stand for what is not said.
static wbStatus readRows(wbCommandText *text, const wbParamTable *table, void *target) {
    char word[WORD_SIZE];
    wbStatus status = wb_okStatus;
    wbSetParamDefaults(table, target);
    while (readWord(text, word, &status)) {
        char *equals = strchr(word, '=');
        if (equals) *equals = 0;
        const wbParam *param = equals ? wbFindParam(table, word) : NULL;
        if (!param) {
            const char *nearest = wbNearestParam(table, word);
            return wbError(wb_errorInput, "unknown word \"%.60s\"%s%s%s", word,
                           nearest ? "; did you mean \"" : "", nearest ? nearest : "",
                           nearest ? "=…\"?" : "");
        }
        WB_TRY(wbParam_SetText(param, target, equals + 1));
    }
    return status;
}

// A first word without "=" is a name.
static wbStatus readName(wbCommandText *text, char name[WORD_SIZE]) {
    const char *start = text->rest;
    wbStatus status = wb_okStatus;
    name[0] = 0;
    if (readWord(text, name, &status) && strchr(name, '=')) name[0] = 0, text->rest = start;
    return status;
}

static wbStatus addBlock(wbWorld *world, int index, wbCommandText *text) {
    wbBlockDef block;
    WB_TRY(readRows(text, &blockTable, &block));
    return wbFluid_AddBlock(world, wbWorld_GetFluid(world, index), &block);
}

static wbStatus addBall(wbWorld *world, int index, wbCommandText *text) {
    wbBallDef ball;
    WB_TRY(readRows(text, &ballTable, &ball));
    return wbFluid_AddBall(world, wbWorld_GetFluid(world, index), &ball);
}

static wbStatus readParticle(const wbWorld *world, int index, wbCommandText *text, Point *point) {
    const int count = wbGetSoftBodyAt(world, index)->particles.count;
    WB_TRY(readRows(text, &pointTable, point));
    if (point->particle < count) return wb_okStatus;
    return wbError(wb_errorInput, "particle is %d, allowed is 0 to %d", point->particle, count - 1);
}

static wbStatus pin(wbWorld *world, int index, wbCommandText *text) {
    Point point;
    WB_TRY(readParticle(world, index, text, &point));
    return wbSoftBody_Pin(world, wbWorld_GetSoftBody(world, index), point.particle, true);
}

static wbStatus unpin(wbWorld *world, int index, wbCommandText *text) {
    Point point;
    WB_TRY(readParticle(world, index, text, &point));
    return wbSoftBody_Pin(world, wbWorld_GetSoftBody(world, index), point.particle, false);
}

static wbStatus movePin(wbWorld *world, int index, wbCommandText *text) {
    Point point;
    WB_TRY(readParticle(world, index, text, &point));
    if (!wbIsPinned(world, index, point.particle))
        return wbError(wb_errorInput, "particle %d is not pinned", point.particle);
    return wbSoftBody_MovePin(world, wbWorld_GetSoftBody(world, index), point.particle, point.position);
}

static wbStatus addRigidBody(wbWorld *world, int index, wbCommandText *text) {
    wbRigidBodyDef def = wbDefaultRigidBodyDef();
    wbRigidBodyId id;
    char name[WORD_SIZE];
    (void)index;
    WB_TRY(readName(text, name));
    WB_TRY(readRows(text, wbGetObjectParams("rigidBody"), &def.params));
    def.name = name;
    return wbCreateRigidBody(world, &def, &id);
}

static wbStatus setPosition(wbWorld *world, int index, wbCommandText *text) {
    const wbRigidBodyId id = wbWorld_GetRigidBody(world, index);
    wbRigidMotion motion;
    Point point;
    WB_TRY(readRows(text, &pointTable, &point));
    WB_TRY(wbRigidBody_GetMotion(world, id, &motion));
    return wbRigidBody_SetPose(world, id, point.position, motion.rotation);
}

static wbStatus setVelocity(wbWorld *world, int index, wbCommandText *text) {
    Point point;
    WB_TRY(readRows(text, &pointTable, &point));
    return wbRigidBody_SetVelocity(world, wbWorld_GetRigidBody(world, index), point.velocity);
}

static wbStatus setOf(wbWorld *world, int index, wbCommandText *text) {
    return wbGrab_SetOf(world, wbWorld_GetGrab(world, index), text->rest);
}

// "of=" is no parameter, and stands behind the name.
static wbStatus addGrab(wbWorld *world, int index, wbCommandText *text) {
    wbGrabDef def = wbDefaultGrabDef();
    wbGrabId id;
    char name[WORD_SIZE], of[WORD_SIZE];
    wbStatus status = wb_okStatus;
    (void)index;
    WB_TRY(readName(text, name));
    const char *start = text->rest;
    if (!readWord(text, of, &status) || strncmp(of, "of=", 3) != 0) strcpy(of, "of="), text->rest = start;
    WB_TRY(status);
    WB_TRY(readRows(text, wbGetObjectParams("grab"), &def.params));
    def.name = name;
    WB_TRY(wbCreateGrab(world, &def, &id));
    status = wbGrab_SetOf(world, id, of + 3);
    if (!wbIsOk(status)) wbDestroyGrab(world, id);
    return status;
}

static const wbCommandRow rows[] = {
    {NULL, "addGrab", "NAME [of=OBJECT] [target=X,Y,Z particle=N …]", addGrab},
    {&wb_grabKind, "of", "OBJECT, KIND#NUMBER or nothing", setOf},
    {NULL, "addRigidBody", "[NAME] [shape=sphere radius=R position=X,Y,Z velocity=X,Y,Z …]", addRigidBody},
    {&wb_rigidBodyKind, "setPosition", "position=X,Y,Z", setPosition},
    {&wb_rigidBodyKind, "setVelocity", "velocity=X,Y,Z", setVelocity},
    {&wb_fluidKind, "addBlock", "min=X,Y,Z max=X,Y,Z [velocity=X,Y,Z] [jitter=J]", addBlock},
    {&wb_fluidKind, "addBall", "position=X,Y,Z radius=R [velocity=X,Y,Z]", addBall},
    {&wb_softBodyKind, "pin", "particle=N", pin},
    {&wb_softBodyKind, "unpin", "particle=N", unpin},
    {&wb_softBodyKind, "movePin", "particle=N position=X,Y,Z", movePin},
};

bool wbIsCommandKey(const char *key) {
    WB_REQUIRE(key);
    const char *dot = strchr(key, '.');
    for (size_t r = 0; r < sizeof rows / sizeof rows[0] && dot; r++)
        if (strcmp(rows[r].name, dot + 1) == 0) return true;
    return false;
}

// The command of a key and the object that it is for; NULL: it is none.
static const wbCommandRow *findCommand(const wbWorld *world, const char *key, int *index) {
    char name[WB_NAME_SIZE];
    const size_t length = strcspn(key, ".");
    if (length >= sizeof name || key[length] == 0) return NULL;
    memcpy(name, key, length);
    name[length] = 0;
    const bool isWorld = strcmp(name, "world") == 0;
    const wbObject object = isWorld ? (wbObject){0} : wbFindObject(world, name);
    *index = object.index;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        if (strcmp(rows[r].name, key + length + 1) == 0 && rows[r].kind == object.kind &&
            (isWorld || object.kind))
            return &rows[r];
    return NULL;
}

wbStatus wbWorld_Apply(wbWorld *world, const char *key, const char *value) {
    WB_REQUIRE(world);
    WB_REQUIRE(key);
    WB_REQUIRE(value);
    int index;
    const wbCommandRow *row = findCommand(world, key, &index);
    if (!row) return wbWorld_SetParam(world, key, value);
    wbCommandText text = {value};
    wbStatus status = row->run(world, index, &text);
    if (wbIsOk(status)) return status;
    return wbError(status.code, "%s %.60s: %s; its text is %s", key, value, status.text, row->form);
}
