// SPDX-License-Identifier: MIT
#include "pbd/pbd_params.h"

#define DEFAULT(field, value, ...)              .field = (value),
#define DEFAULT_ENUM(field, type, value, ...)   .field = (value),
#define DEFAULT_VECTOR(field, vx, vy, vz, ...)  .field = {(vx), (vy), (vz)},
#define DEFAULT_SIZE(field, width, height, ...) .field = {(width), (height)},
#define DEFAULT_AUTO(field, ...)                .field = 0,
#define DEFAULTS(TABLE)                                                                                      \
    { TABLE(DEFAULT, DEFAULT_AUTO, DEFAULT, DEFAULT, DEFAULT_ENUM, DEFAULT_VECTOR, DEFAULT_SIZE) }

wbPbdParams wbDefaultPbdParams(void) { return (wbPbdParams)DEFAULTS(WB_PBD_PARAMS); }
