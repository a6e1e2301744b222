// SPDX-License-Identifier: MIT
#include "sph/sph_flow.h"

#include <string.h>

#include "core/status.h"

void wbSph_Hold(wbSph *sph, const FlowMouth *mouth) {
    float *const positions[3] = {sph->x, sph->y, sph->z}, *const velocities[3] = {sph->vx, sph->vy, sph->vz};
    for (int i = 0; i < sph->count; i++) {
        if (!flow_is_held(mouth, sph->x[i], sph->y[i], sph->z[i])) continue;
        for (int a = 0; a < 3; a++) {
            positions[a][i] -= mouth->shift * (velocities[a][i] - mouth->velocity[a]);
            velocities[a][i] = mouth->velocity[a];
        }
    }
}

void wbSph_MarkTaken(const wbSph *sph, const FlowSites *sites, const float *u, const float *v, int *taken) {
    for (int i = 0; i < sph->count; i++) {
        FlowPoint point = flow_find_layer(sites, sph->x[i], sph->y[i], sph->z[i]);
        if (point.layer < 0) continue;
        int *layer = taken + (size_t)point.layer * (size_t)sites->count;
        for (int k = 0; k < sites->count; k++)
            if (flow_is_near(sites, &point, u[k], v[k])) layer[k] = 1;
    }
}

// The saved columns come first, all of one size.
static void listSaved(wbSph *sph, char *saved[WB_SPH_SAVED]) {
    wbColumn columns[WB_SPH_COLUMNS];
    wbSph_ListColumns(sph, columns);
    for (int c = 0; c < WB_SPH_SAVED; c++) {
        WB_ASSERT(columns[c].saved && columns[c].elementSize == 4, "columns in another order");
        saved[c] = *columns[c].data;
    }
}

void wbSph_Append(wbSph *sph, const wbSphStaged *staged) {
    char *saved[WB_SPH_SAVED];
    listSaved(sph, saved);
    for (int c = 0; c < WB_SPH_SAVED; c++)
        memcpy(saved[c] + 4 * (size_t)sph->count, staged->columns[c], 4 * (size_t)staged->count);
    sph->count += staged->count;
}

static void keepRemoved(wbSph *sph, int i, int place) {
    sph->backX[place] = sph->x[i], sph->backY[place] = sph->y[i], sph->backZ[place] = sph->z[i];
    sph->backVx[place] = sph->vx[i], sph->backVy[place] = sph->vy[i], sph->backVz[place] = sph->vz[i];
    sph->backId[place] = sph->id[i];
}

int wbSph_Remove(wbSph *sph, const FlowRegion *region, int most) {
    char *saved[WB_SPH_SAVED];
    int kept = 0, removed = 0;
    listSaved(sph, saved);
    for (int i = 0; i < sph->count; i++) {
        if (removed < most && flow_is_in(region, sph->x[i], sph->y[i], sph->z[i])) {
            keepRemoved(sph, i, removed++);
            continue;
        }
        for (int c = 0; c < WB_SPH_SAVED && removed; c++)
            memcpy(saved[c] + 4 * (size_t)kept, saved[c] + 4 * (size_t)i, 4);
        kept++;
    }
    sph->count = kept;
    return removed;
}
