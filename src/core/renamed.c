// SPDX-License-Identifier: MIT
#include "core/renamed.h"

#include <stddef.h>
#include <string.h>

static const char *const renamed[][2] = {
    {"solids", "softBodies"},
    {"pbd.wallSpeed", "domain.sideSpeed"},
    {"sph.wallRestitution", "sph.sideRestitution"},
    {"sph.wallPressure", "sph.boundaryPressure"},
};

enum { COUNT = sizeof renamed / sizeof renamed[0] };

const char *wbFindRenamed(const char *key) {
    for (int i = 0; i < COUNT; i++) {
        if (strcmp(renamed[i][0], key) == 0) return renamed[i][1];
    }
    return NULL;
}

const char *wbGetRenamed(int index) { return index < COUNT ? renamed[index][0] : NULL; }
