// SPDX-License-Identifier: MIT
#include "space/particle_flow.h"

#include <string.h>

#include "core/status.h"

void wbParticles_Hold(wbParticles *p, const FlowMouth *mouth) {
    float *const positions[3] = {p->x, p->y, p->z}, *const velocities[3] = {p->vx, p->vy, p->vz};
    for (int i = 0; i < p->count; i++) {
        if (!flow_is_held(mouth, p->x[i], p->y[i], p->z[i])) continue;
        for (int a = 0; a < 3; a++) {
            positions[a][i] -= mouth->shift * (velocities[a][i] - mouth->velocity[a]);
            velocities[a][i] = mouth->velocity[a];
        }
    }
}

void wbParticles_Push(wbParticles *p, const FlowBall *ball) {
    float *const velocities[3] = {p->vx, p->vy, p->vz};
    for (int i = 0; i < p->count; i++) {
        float difference[3], difference2 = 0;
        for (int a = 0; a < 3; a++) {
            difference[a] = ball->velocity[a] - velocities[a][i];
            difference2 += difference[a] * difference[a];
        }
        const float share = flow_get_drag(ball, p->x[i], p->y[i], p->z[i], difference2);
        for (int a = 0; a < 3 && share > 0; a++) velocities[a][i] += share * difference[a];
    }
}

void wbParticles_MarkTaken(const wbParticles *p, const FlowSites *sites, const float *u, const float *v,
                           int *taken) {
    for (int i = 0; i < p->count; i++) {
        FlowPoint point = flow_find_layer(sites, p->x[i], p->y[i], p->z[i]);
        if (point.layer < 0) continue;
        int *layer = taken + (size_t)point.layer * (size_t)sites->count;
        for (int k = 0; k < sites->count; k++)
            if (flow_is_near(sites, &point, u[k], v[k])) layer[k] = 1;
    }
}

// The saved columns come first, all of one size.
static void listSaved(wbParticles *p, char *saved[WB_SAVED_COLUMNS]) {
    wbColumn columns[WB_PARTICLE_COLUMNS];
    wbParticles_ListColumns(p, columns);
    for (int c = 0; c < WB_SAVED_COLUMNS; c++) {
        WB_ASSERT(columns[c].saved && columns[c].elementSize == 4, "columns in another order");
        saved[c] = *columns[c].data;
    }
}

void wbParticles_Append(wbParticles *p, const wbStagedParticles *staged) {
    char *saved[WB_SAVED_COLUMNS];
    listSaved(p, saved);
    for (int c = 0; c < WB_SAVED_COLUMNS; c++)
        memcpy(saved[c] + 4 * (size_t)p->count, staged->columns[c], 4 * (size_t)staged->count);
    p->count += staged->count;
}

static void keepRemoved(wbParticles *p, int i, int place) {
    p->backX[place] = p->x[i], p->backY[place] = p->y[i], p->backZ[place] = p->z[i];
    p->backVx[place] = p->vx[i], p->backVy[place] = p->vy[i], p->backVz[place] = p->vz[i];
    p->backId[place] = p->id[i];
}

static void moveTo(char *const saved[WB_SAVED_COLUMNS], int i, int place) {
    for (int c = 0; c < WB_SAVED_COLUMNS && i != place; c++)
        memcpy(saved[c] + 4 * (size_t)place, saved[c] + 4 * (size_t)i, 4);
}

int wbParticles_RemoveMarked(wbParticles *p, const uint8_t *marks) {
    char *saved[WB_SAVED_COLUMNS];
    int kept = 0, removed = 0;
    listSaved(p, saved);
    for (int i = 0; i < p->count; i++)
        if (marks[i])
            keepRemoved(p, i, removed++);
        else
            moveTo(saved, i, kept++);
    p->count = kept;
    return removed;
}

int wbParticles_Remove(wbParticles *p, const FlowRegion *region, int most) {
    char *saved[WB_SAVED_COLUMNS];
    int kept = 0, removed = 0;
    listSaved(p, saved);
    for (int i = 0; i < p->count; i++) {
        if (removed < most && flow_is_in(region, p->x[i], p->y[i], p->z[i]))
            keepRemoved(p, i, removed++);
        else
            moveTo(saved, i, kept++);
    }
    p->count = kept;
    return removed;
}
