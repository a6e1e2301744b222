// SPDX-License-Identifier: MIT
#include "render/visibility.h"

#include "core/status.h"
#include "render/matrix.h"
#include "render/sunlight.h"

/// Steps of one spacing through water that nothing can be seen behind; about five layers of spheres.
static const float layers = 3;

enum { SEEN = 1, SHADED = 2 };

static uint8_t classify(const wbOccupancy *occupancy, const wbDrop *drop, wbVec3 eye, float spacing) {
    wbVec3 toEye = wbNormalize(wbSub(eye, wbMakeVec3(drop->x, drop->y, drop->z)));
    uint8_t group = wbOccupancy_Measure(occupancy, drop, toEye, spacing) < layers ? SEEN : 0;
    if (wbOccupancy_Measure(occupancy, drop, wbGetSunDirection(3), spacing) < layers) group |= SHADED;
    return group;
}

static void sortGroups(wbSwarm *swarm, const int counts[4]) {
    const wbDrop *from = swarm->drops.data;
    const uint8_t *groups = swarm->groups.data;
    wbDrop *to = swarm->sorted.data;
    int next[4] = {0, 0, counts[SEEN] + counts[SEEN | SHADED], counts[SEEN]};
    for (int i = 0; i < swarm->count; ++i) {
        if (groups[i] != 0) to[next[groups[i]]++] = from[i];
    }
    wbArray swap = swarm->drops;
    swarm->drops = swarm->sorted;
    swarm->sorted = swap;
}

wbStatus wbHideDrops(wbSwarm *swarm, const wbOccupancy *occupancy, wbVec3 eye, float spacing) {
    swarm->sorted.elementSize = swarm->drops.elementSize;
    swarm->groups.elementSize = 1;
    if (!wbArray_Reserve(NULL, &swarm->sorted, swarm->count) ||
        !wbArray_Reserve(NULL, &swarm->groups, swarm->count)) {
        return wbError(wb_errorMemory, "no memory to sort %d particles", swarm->count);
    }
    const wbDrop *drops = swarm->drops.data;
    uint8_t *groups = swarm->groups.data;
    int counts[4] = {0};
    for (int i = 0; i < swarm->count; ++i) {
        groups[i] = classify(occupancy, &drops[i], eye, spacing);
        ++counts[groups[i]];
    }
    sortGroups(swarm, counts);
    swarm->seenCount = counts[SEEN] + counts[SEEN | SHADED];
    swarm->shadedFirst = counts[SEEN];
    swarm->count -= counts[0];
    return wb_okStatus;
}
