// SPDX-License-Identifier: MIT
// Graph colouring: items that share a node get different colours, so that the items of one colour may be worked on
// at once and in any order.
#pragma once

#include "core/work.h"

/// Gives each item, in order, the smallest colour that no earlier item has at one of its nodes. `members` holds `width`
/// nodes per item, -1 where it has fewer. Time and memory grow with the number of memberships.
wbStatus wbColourItems(const wbWork *work, const int *members, int width, int itemCount, int nodeCount,
                       int *colours, int *colourCount);
