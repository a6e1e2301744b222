// SPDX-License-Identifier: MIT
#include "render/visibility.h"

#include "core/status.h"
#include "render/matrix.h"
#include "render/sunlight.h"

enum { SEEN = 1, SHADED = 2 };

static uint8_t classify(const wbOccupancy *occupancy, const wbDrop *drop, wbVec3 eye, float spacing,
                        float depth) {
    wbVec3 toEye = wbNormalize(wbSub(eye, wbMakeVec3(drop->x, drop->y, drop->z)));
    uint8_t group = wbOccupancy_Measure(occupancy, drop, toEye, spacing) < depth ? SEEN : 0;
    if (wbOccupancy_Measure(occupancy, drop, wbGetSunDirection(3), spacing) < depth) group |= SHADED;
    return group;
}

static void sortGroups(wbSwarm *swarm, const int counts[4]) {
    const wbDrop *from = swarm->drops.data;
    const uint8_t *groups = swarm->groups.data;
    wbDrop *to = swarm->sorted.data;
    int seen = counts[SEEN] + counts[SEEN | SHADED];
    int next[4] = {seen + counts[SHADED], 0, seen, counts[SEEN]};
    for (int i = 0; i < swarm->count; ++i) to[next[groups[i]]++] = from[i];
    wbArray swap = swarm->drops;
    swarm->drops = swarm->sorted;
    swarm->sorted = swap;
}

wbStatus wbHideDrops(wbSwarm *swarm, const wbOccupancy *occupancy, wbVec3 eye, float spacing, float depth) {
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
        groups[i] = classify(occupancy, &drops[i], eye, spacing, depth);
        ++counts[groups[i]];
    }
    sortGroups(swarm, counts);
    swarm->seenCount = counts[SEEN] + counts[SEEN | SHADED];
    swarm->shadedFirst = counts[SEEN];
    swarm->count -= counts[0];
    return wb_okStatus;
}
