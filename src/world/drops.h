// SPDX-License-Identifier: MIT
// Drops of fluids and spray in the wind (air_drops.c).
#pragma once

#include "world/plan.h"
#include "world/world.h"

/// Whether drops of fluids feel the air.
bool wbAreDropsBlown(const wbWorld *world);
/// Before a step: nothing was given yet, and what devices have ahead is copied.
wbStatus wbPlanDrops(wbWorld *world);
/// In a sub-step: what the wind gives to drops of fluids, and they to the air.
wbStatus wbBlowLiquids(wbWorld *world, const wbSubStep *part);
/// 0 of water, 1 of a particle that is alone: by its place.
float wbGetDropShare(const struct wbParticleFluid *liquid, int place);
/// The wind and gravity move a drop of spray at a place for dt seconds: wbDiffuseStep.blow, of a world.
void wbBlowSpray(const float place[3], float velocity[3], float dt, const void *world);
