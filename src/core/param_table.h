// SPDX-License-Identifier: MIT
// Turns a parameter table of the public headers into rows, for the files that own a section:
//
//     #define WB_PARAM_STRUCT wbCameraParams
//     static const wbParam cameraRows[] = {WB_PARAM_ROWS(WB_CAMERA_PARAMS)};
//     #undef WB_PARAM_STRUCT
//     static const wbParamTable tables[] = {WB_PARAM_TABLE("camera", "where …", wbCameraParams, cameraRows)};
#pragma once

#include <stddef.h>

#include "wirbel/params.h"

#define WB_PARAM_ROWS(TABLE) TABLE(WB_ROW_F, WB_ROW_A, WB_ROW_I, WB_ROW_B, WB_ROW_E, WB_ROW_V, WB_ROW_S)

// Rows of a struct within the section's, "adaptive.slope": WB_PARAM_STRUCT is the section's, WB_PARAM_GROUP the field.
#define WB_PARAM_GROUP_ROWS(TABLE)                                                                           \
    TABLE(WB_GROUP_F, WB_GROUP_A, WB_GROUP_I, WB_GROUP_B, WB_GROUP_E, WB_GROUP_V, WB_GROUP_S)

// The places of rows, for an enum: wb_row_rate is that of "rate".
#define WB_PARAM_PLACES(TABLE) TABLE(WB_PLACE, WB_PLACE, WB_PLACE, WB_PLACE, WB_PLACE, WB_PLACE, WB_PLACE)
#define WB_PLACE(field, ...)   wb_row_##field,

#define WB_PARAM_TABLE(section, sentence, structType, rows)                                                  \
    { section, sentence, rows, (int)(sizeof(rows) / sizeof((rows)[0])), (int)sizeof(structType) }

// Fields of wbParam: name, type, offset, defaults, min, max, unit, choices, live, sentence, isChosen.
#define WB_ROW(field, type, x, y, z, min, max, unit, choices, live, sentence)                                \
    {#field,    type,       (int)offsetof(WB_PARAM_STRUCT, field),                                           \
     {x, y, z}, min,        max,                                                                             \
     unit,      choices,    (live) > 0,                                                                      \
     sentence,  (live) == 2},
#define WB_ROW_F(field, value, min, max, unit, live, sentence)                                               \
    WB_ROW(field, wb_paramFloat, value, 0, 0, min, max, unit, NULL, live, sentence)
// 0 stands for auto, or NAN where the range has a 0 of its own.
#define WB_ROW_A(field, value, min, max, unit, live, sentence)                                               \
    WB_ROW(field, wb_paramAuto, value, 0, 0, min, max, unit, NULL, live, sentence)
#define WB_ROW_I(field, value, min, max, unit, live, sentence)                                               \
    WB_ROW(field, wb_paramInt, value, 0, 0, min, max, unit, NULL, live, sentence)
#define WB_ROW_B(field, value, live, sentence)                                                               \
    WB_ROW(field, wb_paramBool, value, 0, 0, 0, 1, "", NULL, live, sentence)
// An enum has no range: its names count.
#define WB_ROW_E(field, type, value, choices, live, sentence)                                                \
    WB_ROW(field, wb_paramEnum, value, 0, 0, 0, 0, "", choices, live, sentence)
#define WB_ROW_V(field, x, y, z, min, max, unit, live, sentence)                                             \
    WB_ROW(field, wb_paramVec3, x, y, z, min, max, unit, NULL, live, sentence)
#define WB_ROW_S(field, width, height, min, max, unit, live, sentence)                                       \
    WB_ROW(field, wb_paramSize, width, height, 0, min, max, unit, NULL, live, sentence)

#define WB_GROUP_F(field, ...) WB_ROW_F(WB_PARAM_GROUP.field, __VA_ARGS__)
#define WB_GROUP_A(field, ...) WB_ROW_A(WB_PARAM_GROUP.field, __VA_ARGS__)
#define WB_GROUP_I(field, ...) WB_ROW_I(WB_PARAM_GROUP.field, __VA_ARGS__)
#define WB_GROUP_B(field, ...) WB_ROW_B(WB_PARAM_GROUP.field, __VA_ARGS__)
#define WB_GROUP_E(field, ...) WB_ROW_E(WB_PARAM_GROUP.field, __VA_ARGS__)
#define WB_GROUP_V(field, ...) WB_ROW_V(WB_PARAM_GROUP.field, __VA_ARGS__)
#define WB_GROUP_S(field, ...) WB_ROW_S(WB_PARAM_GROUP.field, __VA_ARGS__)

/// Whether its values are whole numbers: ints, sizes, and counts that may be "auto" (min 1, no unit).
bool wbParam_IsWhole(const wbParam *param);
/// Checks a struct that was filled by hand; the text names section, field, value and range.
wbStatus wbCheckParams(const wbParamTable *table, const void *section);
/// The same of an object, which the text names instead of the section.
wbStatus wbCheckParamsOf(const char *name, const wbParamTable *table, const void *params);
