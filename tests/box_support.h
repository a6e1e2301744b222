// SPDX-License-Identifier: MIT
// For tests that need a collider, no matter which: a box.
#pragma once

#include "test_support.h"
#include "wirbel/wirbel.h"

static inline wbColliderId addBox(wbWorld *world, const char *name, wbVec3 position, wbVec3 size) {
    wbColliderDef def = wbDefaultColliderDef();
    wbColliderId id;
    def.name = name, def.params.position = position, def.params.size = size;
    assertOk(wbCreateCollider(world, &def, &id));
    return id;
}
