// SPDX-License-Identifier: MIT
#include "core/renamed.h"

#include <stddef.h>
#include <string.h>

static const char *const renamed[][2] = {
    {"solids", "softBodies"},
    {"pbd.wallSpeed", "pbd.sideSpeed"},
    {"sph.wallRestitution", "sph.sideRestitution"},
    {"sph.wallPressure", "sph.boundaryPressure"},
};

const char *wbFindRenamed(const char *key) {
    for (size_t i = 0; i < sizeof renamed / sizeof renamed[0]; i++) {
        if (strcmp(renamed[i][0], key) == 0) return renamed[i][1];
    }
    return NULL;
}
