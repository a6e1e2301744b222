// SPDX-License-Identifier: MIT
#include "io/air_field.h"

#include "core/memory.h"
#include "core/status.h"
#include "io/little_endian.h"

static const char *const names[wb_airFieldCount] = {"density",  "temperature", "fuel",   "steam", "cloud",
                                                    "pressure", "velocity",    "colour", "solid"};

const char *wbGetAirFieldName(wbAirField field) { return names[field]; }

bool wbHasAirField(const wbSmokeView *view, wbAirField field) {
    if (field == wb_airFuel) return view->fuel != NULL;
    if (field == wb_airSteam || field == wb_airCloud) return view->steam != NULL;
    if (field == wb_airColour) return view->colour[0] != NULL;
    return true;
}

int wbGetAirComponents(wbAirField field) { return field == wb_airVelocity || field == wb_airColour ? 3 : 1; }

static size_t getCellBytes(wbAirField field) {
    return field == wb_airSolid ? 1 : 4 * (size_t)wbGetAirComponents(field);
}

uint64_t wbGetAirBytes(const wbSmokeView *view, wbAirField field) {
    return (uint64_t)view->cells[0] * (uint64_t)view->cells[1] * (uint64_t)view->cells[2] *
           getCellBytes(field);
}

static float getCentred(const float *faces, ptrdiff_t at, ptrdiff_t step) {
    return faces ? 0.5f * (faces[at] + faces[at + step]) : 0;
}

float wbGetAirValue(const wbSmokeView *view, wbAirField field, int component, int i, int j, int k) {
    ptrdiff_t at = i + j * view->strideY + k * view->strideZ;
    switch (field) {
    case wb_airDensity:
        return view->density[at];
    case wb_airTemperature:
        return view->temperature[at];
    case wb_airFuel:
        return view->fuel[at];
    case wb_airSteam:
        return view->steam[at];
    case wb_airCloud:
        return view->cloud[at];
    case wb_airPressure:
        return view->pressure[at];
    case wb_airVelocity:
        if (component == 0) return getCentred(view->u, at, 1);
        return component == 1 ? getCentred(view->v, at, view->strideY)
                              : getCentred(view->w, at, view->strideZ);
    case wb_airColour:
        return view->colour[component][at];
    default:
        return view->solid && view->solid[i + j * view->solidStrideY + k * view->solidStrideZ] ? 1 : 0;
    }
}

static void fillRow(const wbSmokeView *view, wbAirField field, int j, int k, uint8_t *to) {
    for (int i = 0; i < view->cells[0]; ++i) {
        for (int c = 0; c < wbGetAirComponents(field); ++c) {
            float value = wbGetAirValue(view, field, c, i, j, k);
            if (field == wb_airSolid)
                *to++ = value != 0;
            else
                to = wbPutF32(to, value);
        }
    }
}

wbStatus wbWriteAirField(wbOutputFile *file, const wbSmokeView *view, wbAirField field) {
    size_t bytes = (size_t)view->cells[0] * getCellBytes(field);
    uint8_t *row = wbAlloc(NULL, bytes);
    if (row == NULL) {
        wbOutputFile_Abort(file);
        return wbError(wb_errorMemory, "no memory to write the air's %s", names[field]);
    }
    wbStatus status = wb_okStatus;
    for (int k = 0; k < view->cells[2]; ++k) {
        for (int j = 0; j < view->cells[1] && wbIsOk(status); ++j) {
            fillRow(view, field, j, k, row);
            status = wbOutputFile_Write(file, row, bytes);
        }
    }
    wbFree(NULL, row, bytes);
    return status;
}
