// SPDX-License-Identifier: MIT
#include "rigid/collide_follow_formula.h"
#include "rigid/manifold.h"

bool wbCollideCache_Holds(const wbCollideCache *cache, const wbPose *first, const wbPose *second,
                          wbRelativeWay *drift) {
    return follow_holds(cache, first, second, drift);
}

void wbCollideCache_Fill(wbCollideCache *cache, const wbPose *first, const wbPose *second,
                         const wbCollideHold *hold, int count, const wbManifold *manifolds,
                         const uint32_t *keys, wbKeptManifold *kept) {
    follow_fill(cache, first, second, hold, count);
    for (int k = 0; k < count; k++)
        follow_keep(&manifolds[k], keys[k], first, second, hold->skins[0], &kept[k]);
}

bool wbKeptManifold_Follow(const wbKeptManifold *kept, const wbCollideHold *hold, const wbRelativeWay *drift,
                           float margin, wbManifold *now) {
    return follow_kept(kept, hold, drift, margin, now);
}
