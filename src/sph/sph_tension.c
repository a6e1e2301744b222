// SPDX-License-Identifier: MIT
#include "sph/sph_tension.h"

#include <math.h>

#include "core/status.h"
#include "space/kernels.h"
#include "sph/sph_tension_code.h"

#define PI 3.14159265358979323846

// Below this the skin is restless: it lacks neighbours along it.
static const float leastSupport = 2.8f; // spacings
// The stress of flat films acts 0.41 h (2D), 0.40 h (3D) below the surface of their volume, by the first moment of normal less
// tangential pressure, and in the skin neighbours miss b = 0.05 h (2D), 0.03 h (3D) of theirs along it: curvature shortens a
// radius by that depth less b (d - 1)/d, which is the same in both (docs/water.md).
static const double offset = 0.38; // h
// Of |n| h, which is 0 inside and about 1.3 at a flat surface.
static const double skinBegins = 0.3;
// Of the mean of e around, which is 0 inside.
static const double meanBegins = 0.1;

bool wbSphModel_HasStress(const wbSphModel *model) {
    return model->params.surfaceTension > 0 && model->params.tensionMethod == wb_tensionStress;
}

wbStatus wbCheckTension(const wbSphParams *params) {
    if (params->surfaceTension <= 0 || params->tensionMethod != wb_tensionStress) return wb_okStatus;
    if (params->smoothing >= leastSupport) return wb_okStatus;
    return wbError(
        wb_errorInput,
        "sph.tensionMethod stress needs sph.smoothing of %g spacings or more, 3 is best, but it is %g: "
        "set that first, or take the method cohesion",
        (double)leastSupport, (double)params->smoothing);
}

// Clamped pressure does not hold a surface together. Any pressure from outside packs the outermost particles until their sum of
// density is that of rest; this one is small beside what compresses the water anyway.
double wbSphModel_GetAmbient(const wbSphModel *model) {
    return wbSphModel_HasStress(model) ? (double)model->params.surfaceTension / (double)model->h : 0;
}

// Kernels are calibrated on the lattice: the sums of V G r2 and V F r2 are d.
SphTension wbSphModel_MakeTension(const wbSphModel *model) {
    const wbSphParams *p = &model->params;
    const double h = model->h, d = model->domain->dimensions;
    double normal = 0, moment = 0;
    wbSite site = wbMakeSites(h / model->spacing, model->domain->dimensions);
    while (wbSite_Next(&site)) {
        double r = model->spacing * site.r, q = fmin(r / h, 1);
        normal += pow(1 - q, 3) * r * r;
        moment += (1 - q * q) * r * r;
    }
    return (SphTension){.inverseH = (float)(1 / h),
                        .tinyWay = (float)(1e-12 * h * h),
                        .tinyNormal = (float)(1e-16 / (h * h)),
                        .normalScale = (float)(d / normal),
                        .momentScale = (float)(d / moment),
                        .pullScale = (float)(d / moment / p->restDensity),
                        .skinScale = (float)(h / skinBegins),
                        .meanScale = (float)(1 / meanBegins),
                        .share = (float)(1 / (d - 1)),
                        .twice = 2 * p->surfaceTension,
                        .offset = (float)(offset * h),
                        .isSpace = model->domain->dimensions == 3 ? 1 : 0,
                        .sideCosine = (float)cos(PI / 180 * (double)p->contactAngle)};
}

static void fillAdhesions(const wbSphTensionPass *tension) {
    const wbBoundary *points = tension->boundary->near.points;
    for (int k = 0; k < wbBoundary_GetCount(points); k++)
        tension->adhesions[k] = wbBoundary_GetBody(points, points->body[points->source[k]])->adhesion;
}

static bool markFaces(wbSphTensionPass *tension) {
    const wbFluidStep *fluid = tension->pass->fluid;
    float *faces = tension->faceRecords = wbFluidStep_AllocZeros(fluid, 4 * (fluid->dummy + 1));
    if (!faces) return false;
    for (int k = 0; k < fluid->ghosts.count; k++) {
        float *face = faces + 4 * (size_t)(fluid->firstGhost + k);
        for (int a = 0; a < 3; a++) face[a] = fluid->ghosts.sides[k] >> 2 * a & 3 ? 1 : 0;
        face[3] = 1;
    }
    return true;
}

static bool allocateBases(wbSphTensionPass *tension) {
    const wbFluidStep *fluid = tension->pass->fluid;
    const int records = 4 * wbPadCount(fluid->particles->count);
    if (!(tension->baseRecords = wbFluidStep_AllocVectors(fluid)) || !markFaces(tension)) return false;
    if (!tension->boundary) return true;
    for (int k = 0; k < 3; k++)
        if (!(tension->sumRecords[k] = wbFluidStep_AllocZeros(fluid, records))) return false;
    // and of a dummy
    const int places = wbBoundary_GetCount(tension->boundary->near.points);
    return (tension->adhesions = wbFluidStep_AllocZeros(fluid, places + 1)) != NULL;
}

static bool allocate(wbSphTensionPass *tension) {
    const wbFluidStep *fluid = tension->pass->fluid;
    float **const columns[] = {&tension->strengths};
    tension->skinRecords = wbFluidStep_AllocVectors(fluid);
    tension->stressRecords = wbFluidStep_AllocVectors(fluid);
    tension->bentRecords = wbFluidStep_AllocVectors(fluid);
    return tension->skinRecords && tension->stressRecords && tension->bentRecords &&
           wbFluidStep_AllocColumns(fluid, columns, 1) &&
           (!(tension->terms & TENSION_BASES) || allocateBases(tension));
}

static const wbSphTensionCode *getCode(const wbSphTensionPass *tension) {
    return wbGetSphTensionCode(tension->pass->fluid->work->simd);
}

static void runOverLists(const wbSphTensionPass *tension, wbRangeFn *range) {
    wbFluidStep_RunOverLists(tension->pass->fluid, range, tension->pass->positionRecords, tension,
                             tension->terms);
}

bool wbSphTensionPass_Begin(wbSphTensionPass *tension, const wbSphPass *pass,
                            const wbSphBoundaryPass *boundary) {
    *tension = (wbSphTensionPass){.pass = pass, .boundary = boundary, .constants = pass->model->tension};
    const bool hasWettedSides = pass->fluid->ghosts.count > 0 && pass->model->params.contactAngle != 90;
    tension->terms = (boundary || hasWettedSides ? TENSION_BASES : 0) |
                     (pass->model->domain->dimensions == 3 ? TENSION_SPACE : 0);
    if (!allocate(tension)) return false;

    if (boundary) {
        fillAdhesions(tension);
        wbFluidStep_RunNear(pass->fluid, &boundary->near, getCode(tension)->bases, pass->positionRecords,
                            tension, 0);
    }
    runOverLists(tension, getCode(tension)->skins);
    wbFluidStep_MirrorVectors(pass->fluid, tension->skinRecords);
    if (tension->baseRecords) wbFluidStep_MirrorVectors(pass->fluid, tension->baseRecords);
    runOverLists(tension, getCode(tension)->bend);
    wbFluidStep_MirrorVectors(pass->fluid, tension->stressRecords);
    wbFluidStep_MirrorVectors(pass->fluid, tension->bentRecords);
    return true;
}

void wbSphTensionPass_AddForces(const wbSphTensionPass *tension, wbBoundaryTime time, float dt) {
    const wbSphPass *pass = tension->pass;
    runOverLists(tension, getCode(tension)->pull);
    if (!tension->boundary) return;
    const wbBoundaryLists *near = &tension->boundary->near;
    wbFluidStep_RunNear(pass->fluid, near, getCode(tension)->points, pass->positionRecords, tension, 0);
    if (!near->fx) return;
    wbFluidStep_RunAt(pass->fluid, near, getCode(tension)->bodies, pass->positionRecords, tension, 0);
    wbBoundary_AddForces(pass->fluid->colliders->boundary, time, near->fx, near->fy, near->fz, (double)dt);
}
