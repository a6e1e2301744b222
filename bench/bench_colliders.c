// SPDX-License-Identifier: MIT
// Water among many colliders, of which few are near it.
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench_case.h"
#include "core/status.h"
#include "wirbel/wirbel.h"

enum { NEAR = 10 };

// The first ten stand on the floor where the block of water collapses to, the rest hang far above.
static wbVec3 getPlace(int collider) {
    const int far = collider - NEAR;
    if (far < 0)
        return wbMakeVec3(3.8f + 0.5f * (float)(collider % 5), 0.1f, 0.8f + 1.6f * (float)(collider / 5));
    return wbMakeVec3(0.2f + 0.35f * (float)(far % 18), 8 + 0.35f * (float)(far / 18 % 11),
                      0.3f + 0.65f * (float)(far / 198));
}

static wbStatus addColliders(wbWorld *world, int count) {
    for (int i = 0; i < count; i++) {
        char name[32];
        wbColliderDef def = wbDefaultColliderDef();
        wbColliderId id;
        snprintf(name, sizeof name, "box%d", i);
        def.name = name;
        def.params.shape = wb_shapeBox;
        def.params.size = wbMakeVec3(0.2f, 0.2f, 0.2f);
        def.params.position = getPlace(i);
        WB_TRY(wbCreateCollider(world, &def, &id));
    }
    return wb_okStatus;
}

wbStatus wbBenchColliders(const wbBenchCase *benchCase, const wbBenchOptions *options,
                          wbBenchResult *result) {
    enum { PREFIX = sizeof "colliders-" - 1 };
    wbBenchCase water = *benchCase;
    char path[1024];
    wbWorld *world;
    water.name = "colliders";
    WB_TRY(wbGetBenchScene(&water, options, path, sizeof path));
    WB_TRY(wbLoadBenchWorld(path, options, NULL, &world));
    wbStatus status = addColliders(world, atoi(benchCase->name + PREFIX));
    if (wbIsOk(status)) status = wbTimeWorld(world, benchCase->warmUp, benchCase->timed, options, result);
    wbDestroyWorld(world);
    return status;
}
