// SPDX-License-Identifier: MIT
// The bytes choose a world of all kinds: liquids of every method, rigid and soft bodies of any density and shape, mechanisms, air, wind,
// fire, joints, and what of it feels what. It is refused with a text, or does some steps in which nothing flies away: no part of it begins
// with more than 6 m/s, and none can fall farther than 2 m.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"

enum { STEPS = 40, MOST_SPEED = 100 };

typedef struct Choices {
    const uint8_t *data;
    size_t size, at;
    // what there is by now
    int dimensions, liquids, solids, bodies;
    double middle[3]; // of what was placed last
    double first[3];  // of the first body
    bool hasAir, isFirstSph;
} Choices;

static unsigned next(Choices *choices) {
    return choices->at < choices->size ? choices->data[choices->at++] : 0;
}

static bool chance(Choices *choices) { return next(choices) & 1; }

static int pickCount(Choices *choices, int most) { return (int)(next(choices) % (unsigned)(most + 1)); }

static double pick(Choices *choices, double low, double high) {
    return low + (high - low) * next(choices) / 255;
}

// As often between 1 and 10 as between 10 and 100.
static double pickScale(Choices *choices, double low, double high) {
    return low * pow(high / low, next(choices) / 255.0);
}

static const char *pickWord(Choices *choices, const char *const words[], int count) {
    return words[next(choices) % (unsigned)count];
}
#define PICK_WORD(choices, ...)                                                                              \
    pickWord(choices, (const char *const[]){__VA_ARGS__},                                                    \
             (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)))

typedef struct Text {
    char data[1 << 14];
    size_t length;
} Text;

static void put(Text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    text->length +=
        (size_t)vsnprintf(text->data + text->length, sizeof text->data - text->length, format, arguments);
    va_end(arguments);
    wbExpect(text->length < sizeof text->data, "a scene has room in its buffer");
}

static void putVector(Text *text, const Choices *choices, const char *name, double x, double y, double z) {
    put(text, "\"%s\": [%.3f, %.3f", name, x, y);
    put(text, choices->dimensions == 3 ? ", %.3f]" : "]", z);
}

// A list of up to `most` things, with a comma behind it; gives how many.
typedef void PutThing(Text *text, Choices *choices, int index);
static int putList(Text *text, Choices *choices, const char *name, int most, PutThing *putThing) {
    const int count = pickCount(choices, most);
    put(text, "\"%s\": [", name);
    for (int i = 0; i < count; i++) {
        put(text, i > 0 ? ",\n  {" : "{");
        putThing(text, choices, i);
        put(text, "}");
    }
    put(text, "],\n");
    return count;
}

// Mostly within the domain.
static void putPlace(Text *text, Choices *choices, double high) {
    const double x = pick(choices, 0, 1), y = pick(choices, 0, high), z = pick(choices, 0, 1);
    choices->middle[0] = x, choices->middle[1] = y, choices->middle[2] = z;
    putVector(text, choices, "position", x, y, z);
}

static void putTurn(Text *text, Choices *choices) {
    const double x = pick(choices, -90, 90), y = pick(choices, -90, 90);
    if (!chance(choices)) return;
    put(text, ", ");
    putVector(text, choices, "rotation", choices->dimensions == 3 ? x : 0, choices->dimensions == 3 ? y : 0,
              x - y);
}

static void putVelocity(Text *text, Choices *choices) {
    const double x = pick(choices, -3, 3), y = pick(choices, -3, 3), z = pick(choices, -3, 3);
    put(text, ", ");
    putVector(text, choices, "velocity", x, y, z);
}

static const char *pickSwitch(Choices *choices) { return chance(choices) ? "true" : "false"; }

static void putSettings(Text *text, Choices *choices) {
    choices->dimensions = next(choices) % 4 > 0 ? 3 : 2;
    put(text, "\"world\": {\"dt\": %s, \"dimensions\": %d},\n",
        PICK_WORD(choices, "\"auto\"", "\"auto\"", "0.004"), choices->dimensions);
    put(text, "\"domain\": {");
    putVector(text, choices, "min", 0, 0, 0);
    put(text, ", ");
    putVector(text, choices, "max", 1, 2, 1);
    put(text, ", \"sides\": {\"top\": {\"type\": \"%s\"}, ",
        PICK_WORD(choices, "open", "freeSlip", "noSlip"));
    put(text, "\"left\": {\"type\": \"%s\"}}},\n", PICK_WORD(choices, "freeSlip", "noSlip", "open"));
    put(text, "\"sph\": {\"spacing\": %.3f, ", pick(choices, 0.07, 0.12));
    put(text, "\"method\": \"%s\", ", PICK_WORD(choices, "explicit", "split"));
    put(text, "\"surfaceTension\": %.3f},\n", pick(choices, 0, 0.1));
    put(text, "\"pbf\": {\"spacing\": %.3f, ", pick(choices, 0.07, 0.12));
    put(text, "\"viscosity\": %.3f},\n", pick(choices, 0, 0.1));
    put(text, "\"pbd\": {\"method\": \"%s\", ", PICK_WORD(choices, "xpbd", "pbd"));
    put(text, "\"subSteps\": %d},\n", 1 + pickCount(choices, 20));
    put(text, "\"rigid\": {\"contact\": \"%s\"},\n", PICK_WORD(choices, "exact", "exact", "particles"));
    put(text, "\"diffuse\": {\"on\": %s},\n", pickSwitch(choices));
}

static void putCoupling(Text *text, Choices *choices) {
    const char *const pairs[] = {"waterRigid", "waterSoft", "rigidSoft", "airSoft", "airRigid", "airWater"};
    put(text, "\"coupling\": {\"fluids\": \"ignore\", ");
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        put(text, "\"%s\": \"%s\", ", pairs[i], PICK_WORD(choices, "both", "both", "oneWay", "off"));
    put(text, "\"airHeat\": %s, ", pickSwitch(choices));
    put(text, "\"response\": %s, ", pickSwitch(choices));
    put(text, "\"floor\": %.2f, ", pick(choices, 0.5, 2));
    putVector(text, choices, "wind", pick(choices, -6, 6), 0, 0);
    put(text, "},\n");
    choices->hasAir = chance(choices);
    if (!choices->hasAir) return;
    put(text, "\"smoke\": {\"cellSize\": %.3f, ", pick(choices, 0.1, 0.2));
    put(text, "\"steam\": %s, ", pickSwitch(choices));
    put(text, "\"fire\": %s},\n", pickSwitch(choices));
}

static void putFluid(Text *text, Choices *choices, int index) {
    // blocks may overlap: liquids of different solvers do not feel each other
    if (index == 0) choices->isFirstSph = chance(choices);
    const char *solver = choices->isFirstSph == (index == 0) ? "sph" : "pbf",
               *method = PICK_WORD(choices, "levels", "thesis");
    const bool isAdaptive = index == 0 && chance(choices) && strcmp(solver, "pbf") == 0;
    const double x = pick(choices, 0, 0.6), y = pick(choices, 0, 0.8), z = pick(choices, 0, 0.5);
    put(text, "\"name\": \"liquid%d\", \"solver\": \"%s\", ", index, solver);
    if (isAdaptive) put(text, "\"adaptive\": {\"method\": \"%s\"}, ", method);
    put(text, "\"restDensity\": %.0f, \"blocks\": [{", pickScale(choices, 300, 3000));
    putVector(text, choices, "min", x, y, z);
    put(text, ", ");
    putVector(text, choices, "max", fmin(x + pick(choices, 0.2, 1), 1), y + pick(choices, 0.2, 1),
              fmin(z + 0.4, 1));
    put(text, "}]");
}

static void putEmitter(Text *text, Choices *choices, int index) {
    putVector(text, choices, "position", 0.5, pick(choices, 1, 1.8), 0.5);
    put(text, ", \"name\": \"jet%d\", \"fluid\": \"liquid%d\", ", index, index % choices->liquids);
    putVector(text, choices, "direction", pick(choices, -1, 1), -1, 0);
    put(text, ", \"radius\": %.3f, ", pick(choices, 0.15, 0.25));
    put(text, "\"velocity\": %.2f", pick(choices, 0.5, 4));
}

static const char *const solids[] = {
    "\"size\": [0.3, 0.1, 0.5]", "\"shape\": \"sphere\", \"radius\": 0.15",
    "\"shape\": \"cup\", \"radius\": 0.2, \"height\": 0.3, \"thickness\": 0.03",
    "\"shape\": \"wheel\", \"radius\": 0.25, \"width\": 0.3, \"paddles\": 6, \"thickness\": 0.03"};
static const char *const flatSolids[] = {"\"size\": [0.3, 0.1]", "\"shape\": \"sphere\", \"radius\": 0.15"};

static void putCollider(Text *text, Choices *choices, int index) {
    putPlace(text, choices, 1);
    putTurn(text, choices);
    put(text, ", \"name\": \"solid%d\", %s", index,
        choices->dimensions == 3 ? pickWord(choices, solids, 4) : pickWord(choices, flatSolids, 2));
}

static void putMechanism(Text *text, Choices *choices, int index) {
    put(text, "\"name\": \"machine%d\", \"colliders\": [\"solid%d\"], ", index, index);
    switch (next(choices) % 3) {
    case 0:
        put(text, "\"kind\": \"wheel\", ");
        if (choices->dimensions == 3) put(text, "\"axis\": [0, 0, 1], ");
        put(text, "\"drive\": \"%s\", \"speed\": 60", PICK_WORD(choices, "free", "motor"));
        break;
    case 1:
        put(text, "\"kind\": \"gate\", \"drive\": \"%s\", \"period\": 0.4, \"mass\": 5, ",
            PICK_WORD(choices, "free", "motor"));
        putVector(text, choices, "travel", 0.1, 0.3, 0);
        break;
    default:
        put(text, "\"kind\": \"shaker\", \"frequency\": 2, \"swing\": 2");
    }
}

static void putShape(Text *text, Choices *choices) {
    const double size = pickScale(choices, 0.02, 0.3);
    switch (next(choices) % (choices->dimensions == 3 ? 6 : 2)) {
    case 0:
        putVector(text, choices, "size", size, 2 * size, size);
        break;
    case 1:
        put(text, "\"shape\": \"sphere\", \"radius\": %.3f", size);
        break;
    case 2:
        put(text, "\"shape\": \"cylinder\", \"radius\": %.3f, \"height\": %.3f", size, size);
        break;
    case 3:
        put(text, "\"shape\": \"capsule\", \"radius\": %.3f, \"height\": %.3f", 0.4 * size, size);
        break;
    case 4:
        put(text, "\"size\": [%.3f, 0.01, %.3f]", 3 * size, 3 * size);
        break;
    default:
        put(text, "\"shape\": \"compound\", \"parts\": [{\"size\": [%.3f, 0.02, %.3f]}, ", size, size);
        put(text, "{\"size\": [0.02, %.3f, %.3f], \"position\": [0, %.3f, 0]}]", size, size, 0.5 * size);
    }
}

static void putBody(Text *text, Choices *choices, int index) {
    putPlace(text, choices, 1.5);
    if (index == 0) memcpy(choices->first, choices->middle, sizeof choices->first);
    putTurn(text, choices);
    putVelocity(text, choices);
    put(text, ", \"name\": \"body%d\", \"density\": %.1f, ", index, pickScale(choices, 20, 8000));
    putShape(text, choices);
}

// Of the last body and the one before it, near the last one.
static void putJoint(Text *text, Choices *choices, int index) {
    const double *middle = choices->middle;
    put(text, "\"name\": \"joint%d\", \"kind\": \"%s\", ", index,
        choices->dimensions == 3 ? PICK_WORD(choices, "ball", "slider", "fixed", "hinge") : "hinge");
    put(text, "\"bodies\": [\"body%d\", null], ", choices->bodies - 1 - index % choices->bodies);
    putVector(text, choices, "anchor", middle[0] + pick(choices, -0.2, 0.2),
              middle[1] + pick(choices, -0.2, 0.2), middle[2]);
}

static void putSoftBody(Text *text, Choices *choices, int index) {
    // a rope that begins beside the first body, with an end that is tied to it
    const double *first = choices->first;
    const bool isTied = choices->bodies > 0 && index == 0 && first[0] < 0.4 && chance(choices);
    const double x = isTied ? first[0] + 0.35 : pick(choices, 0.3, 0.7),
                 y = isTied ? first[1] : pick(choices, 0.3, 1.5),
                 z = isTied ? first[2] : pick(choices, 0.3, 0.7);
    putVector(text, choices, "position", x, y, z);
    putVelocity(text, choices);
    put(text, ", \"name\": \"soft%d\", \"density\": %.2f, ", index, pickScale(choices, 0.05, 3000));
    switch (isTied ? 1 : next(choices) % 4) {
    case 0:
        put(text, "\"shape\": \"cloth\", \"size\": [0.5, %.2f, 1], \"counts\": [9, 9, 1]",
            pick(choices, 0.2, 0.6));
        if (chance(choices)) put(text, ", \"pins\": [0, 8]");
        putTurn(text, choices);
        break;
    case 1:
        put(text, "\"shape\": \"rope\", \"length\": 0.5, \"count\": 9, \"thickness\": 0.03");
        break;
    case 2:
        put(text, "\"shape\": \"cube\", \"size\": [0.2, 0.2, 0.2], \"spacing\": 0.06");
        break;
    default:
        put(text, "\"shape\": \"sphere\", \"radius\": 0.15, \"spacing\": 0.06");
    }
    if (isTied) put(text, ", \"attach\": [{\"particle\": 0, \"body\": \"body0\"}]");
}

static void putSource(Text *text, Choices *choices, int index) {
    putPlace(text, choices, 1);
    put(text, ", \"name\": \"source%d\", \"radius\": 0.15, \"density\": 1, ", index);
    put(text, "\"temperature\": %.0f", pick(choices, 0, 800));
}

static void putScene(Text *text, Choices *choices) {
    put(text, "{\"title\": \"All kinds\",\n");
    putSettings(text, choices);
    putCoupling(text, choices);
    choices->liquids = putList(text, choices, "fluids", 2, putFluid);
    if (choices->liquids > 0) (void)putList(text, choices, "emitters", 1, putEmitter);
    choices->solids = putList(text, choices, "colliders", 2, putCollider);
    (void)putList(text, choices, "mechanisms", choices->solids, putMechanism);
    choices->bodies = putList(text, choices, "bodies", 4, putBody);
    if (choices->bodies > 0) (void)putList(text, choices, "joints", 2, putJoint);
    if (choices->dimensions == 3) (void)putList(text, choices, "softBodies", 2, putSoftBody);
    if (choices->hasAir) (void)putList(text, choices, "sources", 1, putSource);
    put(text, "\"camera\": {}}\n");
}

static float getLength(wbVec3 v) { return sqrtf(wbDot(v, v)); }

static void checkSpeed(float speed, const char *scene, const char *what, int step) {
    if (speed <= MOST_SPEED) return;
    fprintf(stderr, "%s at %g m/s in step %d of\n%s\n", what, (double)speed, step, scene);
    wbExpect(false, "nothing flies away");
}

static void checkSpeeds(wbWorld *world, const char *scene, int step) {
    for (int i = 0; i < wbWorld_GetRigidBodyCount(world); i++) {
        wbRigidMotion motion;
        wbExpectText(wbRigidBody_GetMotion(world, wbWorld_GetRigidBody(world, i), &motion));
        checkSpeed(getLength(motion.velocity), scene, "a rigid body", step);
    }
    for (int i = 0; i < wbWorld_GetFluidCount(world); i++) {
        wbView view;
        wbExpectText(wbFluid_GetView(world, wbWorld_GetFluid(world, i), &view));
        for (int k = 0; k < view.count; k++)
            checkSpeed(getLength((wbVec3){view.vx[k], view.vy[k], view.vz[k]}), scene, "a liquid", step);
    }
}

static void runWorld(const wbScene *scene, const char *text) {
    wbWorld *world;
    wbStatus status = wbScene_CreateWorld(scene, &world);
    wbExpectText(status);
    for (int step = 0; step < STEPS && wbIsOk(status); step++) {
        status = wbWorld_Step(world, 0);
        wbExpectText(status);
        if (wbIsOk(status)) checkSpeeds(world, text, step);
    }
    if (getenv("WIRBEL_FUZZ_TELL")) fprintf(stderr, "%s\n%s\n", text, wbIsOk(status) ? "ran" : status.text);
    wbDestroyWorld(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static Text text;
    Choices choices = {.data = data, .size = size};
    wbScene *scene;
    text.length = 0;
    putScene(&text, &choices);
    const wbStatus status = wbReadSceneText("world.json", text.data, text.length, &scene);
    wbExpectText(status);
    if (!scene && getenv("WIRBEL_FUZZ_TELL")) fprintf(stderr, "%s\n%s\n", text.data, status.text);
    if (scene && wbLimitScene(scene, size)) runWorld(scene, text.data);
    wbDestroyScene(scene);
    return 0;
}
