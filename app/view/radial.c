// SPDX-License-Identifier: MIT
#include "app/view/radial.h"

#include <math.h>

static wbVec3 getPlace(const wbView *view, int i) {
    const size_t at = (size_t)i * (size_t)view->stride;
    return wbMakeVec3(view->x[at], view->y[at], view->z[at]);
}

static int findCentre(wbRadial *radial, const wbView *views, int count) {
    double sum[3] = {0, 0, 0};
    int particles = 0;
    for (int v = 0; v < count; v++) {
        for (int i = 0; i < views[v].count; i++) {
            const wbVec3 p = getPlace(&views[v], i);
            sum[0] += (double)p.x, sum[1] += (double)p.y, sum[2] += (double)p.z;
        }
        particles += views[v].count;
    }
    if (particles == 0) return 0;
    for (int a = 0; a < 3; a++) (&radial->centre.x)[a] = (float)(sum[a] / particles);
    return particles;
}

static float getDistance(const wbRadial *radial, wbVec3 place) {
    const wbVec3 way = wbSub(place, radial->centre);
    return sqrtf(wbDot(way, way));
}

static float getValue(const wbView *view, int i, wbRadialKind kind) {
    const float *const columns[WB_RADIAL_KINDS] = {view->density, view->pressure, view->vx, view->radius};
    const size_t at = (size_t)i * (size_t)view->stride;
    if (!columns[kind]) return NAN;
    if (kind != wb_radialSpeed) return columns[kind][at];
    const wbVec3 v = wbMakeVec3(view->vx[at], view->vy[at], view->vz[at]);
    return sqrtf(wbDot(v, v));
}

static void addView(wbRadial *radial, const wbView *view, double sums[WB_RADIAL_KINDS][WB_RADIAL_PARTS]) {
    for (int i = 0; i < view->count; i++) {
        const float share = getDistance(radial, getPlace(view, i)) / fmaxf(radial->reach, 1e-20f);
        const int part = share < 1 ? (int)(share * WB_RADIAL_PARTS) : WB_RADIAL_PARTS - 1;
        radial->counts[part]++;
        for (int k = 0; k < WB_RADIAL_KINDS; k++) sums[k][part] += (double)getValue(view, i, (wbRadialKind)k);
    }
}

bool wbRadial_Make(wbRadial *radial, const wbView *views, int count) {
    double sums[WB_RADIAL_KINDS][WB_RADIAL_PARTS] = {{0}};
    *radial = (wbRadial){0};
    if (findCentre(radial, views, count) == 0) return false;
    for (int v = 0; v < count; v++)
        for (int i = 0; i < views[v].count; i++)
            radial->reach = fmaxf(radial->reach, getDistance(radial, getPlace(&views[v], i)));
    for (int v = 0; v < count; v++) addView(radial, &views[v], sums);
    for (int k = 0; k < WB_RADIAL_KINDS; k++)
        for (int p = 0; p < WB_RADIAL_PARTS; p++)
            radial->means[k][p] = radial->counts[p] > 0 ? (float)(sums[k][p] / radial->counts[p]) : NAN;
    return true;
}
