// SPDX-License-Identifier: MIT
#include "space/particles.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/status.h"

float wbMixture_GetRelative(const wbMixture *mixture, uint32_t id) {
    int low = 0, high = mixture->count;
    if (high == 0) return 1;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (mixture->first[middle] <= id)
            low = middle;
        else
            high = middle;
    }
    return mixture->relative[low];
}

float wbMixture_GetHeaviest(const wbMixture *mixture) {
    float heaviest = mixture->count > 0 ? mixture->relative[0] : 1;
    for (int k = 1; k < mixture->count; k++) heaviest = fmaxf(heaviest, mixture->relative[k]);
    return heaviest;
}

void wbParticles_ListColumns(wbParticles *p, wbColumn columns[WB_PARTICLE_COLUMNS]) {
    const wbColumn list[WB_PARTICLE_COLUMNS] = {
        {"x", (void **)&p->x, 4, true},
        {"y", (void **)&p->y, 4, true},
        {"z", (void **)&p->z, 4, true},
        {"vx", (void **)&p->vx, 4, true},
        {"vy", (void **)&p->vy, 4, true},
        {"vz", (void **)&p->vz, 4, true},
        {"id", (void **)&p->id, 4, true},
        {"density", (void **)&p->density, 4, true},
        {"pressure", (void **)&p->pressure, 4, true},
        {"backX", (void **)&p->backX, 4, false},
        {"backY", (void **)&p->backY, 4, false},
        {"backZ", (void **)&p->backZ, 4, false},
        {"backVx", (void **)&p->backVx, 4, false},
        {"backVy", (void **)&p->backVy, 4, false},
        {"backVz", (void **)&p->backVz, 4, false},
        {"backId", (void **)&p->backId, 4, false},
        {"backDensity", (void **)&p->backDensity, 4, false},
    };
    memcpy(columns, list, sizeof list);
}

wbStatus wbParticles_Reserve(wbParticles *particles, wbMemory *memory, int count) {
    wbColumn columns[WB_PARTICLE_COLUMNS];
    wbParticles_ListColumns(particles, columns);
    if (!wbReserveColumns(memory, columns, WB_PARTICLE_COLUMNS, &particles->capacity, count))
        return wbMemoryError(memory, "%d particles need", count);
    return wb_okStatus;
}

void wbParticles_Shrink(wbParticles *particles, wbMemory *memory, int kept) {
    wbColumn columns[WB_PARTICLE_COLUMNS];
    wbParticles_ListColumns(particles, columns);
    wbShrinkColumns(memory, columns, WB_PARTICLE_COLUMNS, &particles->capacity, kept);
}

void wbParticles_Free(wbMemory *memory, wbParticles *particles) {
    wbColumn columns[WB_PARTICLE_COLUMNS];
    wbParticles_ListColumns(particles, columns);
    wbFreeColumns(memory, columns, WB_PARTICLE_COLUMNS, &particles->capacity);
}

void wbParticles_ListMoves(const wbParticles *p, wbMove moves[WB_SORTED_COLUMNS]) {
    const wbMove list[WB_SORTED_COLUMNS] = {
        {p->x, p->backX},   {p->y, p->backY},   {p->z, p->backZ},   {p->vx, p->backVx},
        {p->vy, p->backVy}, {p->vz, p->backVz}, {p->id, p->backId}, {p->density, p->backDensity}};
    memcpy(moves, list, sizeof list);
}

void wbParticles_Flip(wbParticles *particles) {
    wbColumn columns[WB_PARTICLE_COLUMNS];
    wbParticles_ListColumns(particles, columns);
    for (int c = 0; c < WB_SORTED_COLUMNS; c++) {
        void *front = *columns[c].data;
        *columns[c].data = *columns[WB_SAVED_COLUMNS + c].data, *columns[WB_SAVED_COLUMNS + c].data = front;
    }
}

static double getSpeed(const wbParticles *p, int i) {
    return sqrt((double)p->vx[i] * p->vx[i] + (double)p->vy[i] * p->vy[i] + (double)p->vz[i] * p->vz[i]);
}

int wbParticles_FindWorst(const wbParticles *particles) {
    const float *positions[3] = {particles->x, particles->y, particles->z};
    int fastest = 0;
    for (int i = 0; i < particles->count; i++) {
        for (int a = 0; a < 3; a++) // sides turn infinite positions into the largest float
            if (!(fabsf(positions[a][i]) < 1e30f)) return i;
        if (!isfinite(getSpeed(particles, i))) return i;
        if (getSpeed(particles, i) > getSpeed(particles, fastest)) fastest = i;
    }
    return fastest;
}

wbParticleText wbParticles_Describe(const wbParticles *p, int place) {
    wbParticleText particle;
    snprintf(particle.text, sizeof particle.text, "particle %u at (%.3g, %.3g, %.3g) m with %.3g m/s",
             p->id[place], p->x[place], p->y[place], p->z[place], getSpeed(p, place));
    return particle;
}

wbStatus wbParticles_FailByBroken(const wbParticles *particles) {
    return wbError(wb_errorUnstable, "%s is beyond what floats can hold",
                   wbParticles_Describe(particles, wbParticles_FindWorst(particles)).text);
}

// Thirty times those of the lattice.
bool wbAreClumped(float reach, int dimensions, double neighbours) {
    double r = reach, lattice = dimensions == 2 ? 3.2 * r * r : 4.2 * r * r * r;
    return neighbours >= 30 * lattice;
}

wbStatus wbParticles_FailByClump(const wbParticles *particles, double neighbours, int place) {
    return wbError(wb_errorUnstable, "particles clump, with %.0f neighbours each on average, as at %s",
                   neighbours, wbParticles_Describe(particles, place).text);
}

static int findDensest(const wbParticles *particles) {
    int densest = 0;
    for (int i = 1; i < particles->count; i++)
        if (particles->density[i] > particles->density[densest]) densest = i;
    return densest;
}

wbStatus wbParticles_CheckPairs(const wbParticles *particles, int64_t pairs, float reach, int dimensions) {
    double neighbours = (double)pairs / particles->count;
    if (!wbAreClumped(reach, dimensions, neighbours)) return wb_okStatus;
    return wbParticles_FailByClump(particles, neighbours, findDensest(particles));
}

bool wbAreCrushed(const wbParticles *particles, float restDensity) {
    return particles->count > 0 && particles->maxDensity >= 10 * restDensity;
}

wbStatus wbParticles_FailByCrush(const wbParticles *particles, float restDensity) {
    return wbError(wb_errorUnstable, "particles clump, %.3g times as dense as at rest, as at %s",
                   (double)(particles->maxDensity / restDensity),
                   wbParticles_Describe(particles, findDensest(particles)).text);
}
