// SPDX-License-Identifier: MIT
// The bytes are lines of settings: "key=value" changes the scene before it is made, "time:key=value" is a change at
// a time, and both are tried on a world between steps.
#include "fuzz/fuzz.h"

#include <string.h>

#include "core/text.h"

// One of everything that has parameters.
static const char scene[] =
    "{\"world\":{\"dimensions\":2},\"domain\":{\"min\":[0,0],\"max\":[1,1]},"
    "\"sph\":{\"spacing\":0.1},\"pbf\":{\"spacing\":0.1},\"smoke\":{\"cellSize\":0.2},\"fluids\":"
    "[{\"name\":\"water\",\"blocks\":[{\"min\":[0.2,0],\"max\":[0.8,0.3],\"jitter\":0.1}]},"
    "{\"name\":\"oil\",\"restDensity\":700,\"blocks\":[{\"min\":[0.2,0.3],\"max\":[0.8,0.6]}]},"
    "{\"name\":\"drops\",\"solver\":\"pbf\",\"particles\":[{\"position\":[0.2,0.8]},{\"position\":[0.3,0.8]}]"
    "}],"
    "\"emitters\":[{\"name\":\"jet\",\"fluid\":\"water\",\"position\":[0.5,0.7],\"direction\":[0,1],"
    "\"velocity\":3}],\"drains\":[{\"name\":\"inlet\",\"min\":[0,0],\"max\":[0.4,0.3],\"emitter\":\"jet\"}],"
    "\"sources\":[{\"name\":\"ember\",\"position\":[0.5,0.5]}],"
    "\"colliders\":[{\"name\":\"box\",\"size\":[0.1,0.1,1],\"position\":[0.8,0.8]},"
    "{\"name\":\"leaf\",\"size\":[0.1,0.1,1],\"position\":[0.9,0.9]}],"
    "\"mechanisms\":[{\"name\":\"gate\",\"kind\":\"gate\",\"colliders\":[\"leaf\"],\"travel\":[0,-0.2,0]}],"
    "\"bodies\":[{\"name\":\"crate\",\"size\":[0.1,0.1],\"position\":[0.1,0.9]},"
    "{\"name\":\"disc\",\"shape\":\"sphere\",\"radius\":0.05,\"position\":[0.25,0.9]}],"
    "\"joints\":[{\"name\":\"axle\",\"kind\":\"hinge\",\"bodies\":[\"crate\",\"disc\"],\"anchor\":[0.2,0.9]}]"
    ","
    "\"forces\":[{\"name\":\"tie\",\"kind\":\"spring\",\"bodies\":[\"crate\",\"disc\"]}]}";

enum { LONGEST_LINE = 200, MOST_LINES = 8 };

typedef struct Setting {
    char text[LONGEST_LINE + 1];
    const char *key, *value;
    double time;
    bool hasTime;
} Setting;

// Cuts "time:key=value" as the command line does. False if it is not of that form.
static bool parseSetting(Setting *setting, const char *line, size_t length) {
    memcpy(setting->text, line, length);
    setting->text[length] = 0;
    char *colon = strchr(setting->text, ':'), *start = setting->text;
    setting->hasTime = colon != NULL;
    if (colon) {
        *colon = 0;
        start = colon + 1;
        if (!wbParseNumber(setting->text, &setting->time)) return false;
    }
    char *equals = strchr(start, '=');
    if (!equals) return false;
    *equals = 0;
    setting->key = start, setting->value = equals + 1;
    return true;
}

static int readSettings(Setting *settings, const char *text, size_t size) {
    int count = 0;
    for (size_t begin = 0; begin < size && count < MOST_LINES;) {
        const char *end = memchr(text + begin, '\n', size - begin);
        size_t length = end ? (size_t)(end - text) - begin : size - begin;
        if (length <= LONGEST_LINE && parseSetting(&settings[count], text + begin, length)) count++;
        begin += length + 1;
    }
    return count;
}

// A value that was accepted reads back as a value that is accepted.
static void setParam(wbWorld *world, const Setting *setting) {
    wbStatus status = wbWorld_SetParam(world, setting->key, setting->value);
    wbExpectText(status);
    if (!wbIsOk(status)) return;
    char value[128];
    wbExpect(wbIsOk(wbWorld_GetParam(world, setting->key, value, sizeof value)),
             "a parameter that was set is known");
    wbExpect(wbIsOk(wbWorld_SetParam(world, setting->key, value)), "a value that is read can be set");
}

static void stepBetweenSettings(const wbScene *made, const Setting *settings, int count) {
    wbWorld *world;
    wbStatus status = wbScene_CreateWorld(made, &world);
    wbExpectText(status);
    for (int i = 0; world && i < count; i++) {
        setParam(world, &settings[i]);
        wbStepOnce(world);
    }
    wbDestroyWorld(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Setting settings[MOST_LINES];
    int count = readSettings(settings, (const char *)data, size);
    wbScene *made;
    wbExpect(wbIsOk(wbReadSceneText("set.json", scene, sizeof scene - 1, &made)), "the scene is right");
    if (wbLimitScene(made, size)) stepBetweenSettings(made, settings, count);
    for (int i = 0; i < count; i++) {
        const Setting *s = &settings[i];
        wbExpectText(s->hasTime ? wbScene_SetAt(made, s->time, s->key, s->value)
                                : wbScene_Set(made, s->key, s->value));
    }
    if (wbLimitScene(made, size)) wbRunScene(made);
    wbDestroyScene(made);
    return 0;
}
