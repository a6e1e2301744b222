// SPDX-License-Identifier: MIT
// The exchange between what has surfaces and what flows around them. Neither knows the other: a medium has samples of all bodies in
// its boundary, an owner's in one run of them. In a sub-step owners move first; then
//
//     wbExchange_Show(…)      the media see how
//     …                       they move
//     wbExchange_Take(…)      owners get the impulses, before the next sub-step
#pragma once

#include "space/surface.h"

typedef struct wbExchange {
    const wbSurfaceOwner *owner;
    wbBoundary *boundary; ///< of a medium
    int first;            ///< place of the owner's first body in it
} wbExchange;

void wbExchange_Show(const wbExchange *exchange);
/// In the order in which bodies were touched.
void wbExchange_Take(const wbExchange *exchange);
