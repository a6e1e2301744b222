// SPDX-License-Identifier: MIT
// Room that soft bodies leave to fluids: what fills a fluid keeps off their triangles and out of their balls, as it does off colliders and
// rigid bodies. It is listed when something is to be filled, and not kept up while they move.
#pragma once

#include "space/point_tree.h"
#include "world/world.h"

struct wbWetSoft;

typedef struct wbSoftRoom {
    wbPointTree tree; ///< of the pieces' middles
    wbArray middles;  ///< float: all x, all y, all z
    wbArray pieces;
    int count;   ///< 0: none is listed
    float reach; ///< m, from a middle to the end of its piece, at most
    float gap;   ///< m, from balls to the middle of a cube of eight, at most
} wbSoftRoom;

void wbSoftRoom_Init(wbSoftRoom *room);
void wbSoftRoom_Free(wbMemory *memory, wbSoftRoom *room);
/// Bodies from `first` on as they are, measured as fluids feel them.
wbStatus wbSoftRoom_List(wbSoftRoom *room, const wbWorld *world, const struct wbWetSoft *wet, int first);
/// m, from a point to the next of them, or `most` if that is less; negative: it is in a ball.
float wbSoftRoom_Find(const wbSoftRoom *room, const float p[3], float most);
