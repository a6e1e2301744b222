// SPDX-License-Identifier: MIT
// Broad phase: which of many boxes are near a place, found in a tree over them instead of one by one. What is found depends on
// the boxes alone, never on how the tree was built, on threads, or on what it held before.
//
//     wbBroadPhase tree = {0};                             no items yet
//     wbBroadPhase_Reserve(memory, &tree, count)           may fail; nothing below does, nor does it allocate
//     wbBroadPhase_SetCount(&tree, count);                 new items have empty boxes
//     wbBroadPhase_SetBox(&tree, item, &box);              cheap where nothing changes
//     wbBroadPhase_Update(&tree);                          before the next search
//     for (int item = -1; (item = wbBroadPhase_FindNext(&tree, &box, item)) >= 0;) …
//
// Searches read only, so that many threads may search at once.
#pragma once

#include "core/array.h"
#include "shape/shape.h"
#include "space/broad_phase_formula.h"
#include "wirbel/math.h"

/// Zero is one without items.
typedef struct wbBroadPhase {
    int count, room;   ///< items, and how many there may be
    int nodeCount;     ///< 2 leafCount - 1
    int leafCount;     ///< items with a leaf: those that there was room for when it was built
    wbArray nodes;     ///< BroadNode
    wbArray parents;   ///< int per node; -1: the root
    wbArray boxes;     ///< BroadBox per item
    wbArray leaves;    ///< int per item: its node
    wbArray changed;   ///< int: items whose boxes were set since the last update
    wbArray isChanged; ///< bool per item
    wbArray entries;   ///< scratch of building
    int changedCount;
    int64_t followed; ///< boxes that the tree followed since its cost was last looked at
    double builtCost; ///< m2: the sum of its nodes' surfaces when it was built
} wbBroadPhase;

/// Room for so many items; false if memory ran out (nothing changed then).
bool wbBroadPhase_Reserve(wbMemory *memory, wbBroadPhase *tree, int count);
void wbBroadPhase_Free(wbMemory *memory, wbBroadPhase *tree);

/// Items 0 … count - 1, for which there is room. Those that are new have empty boxes.
void wbBroadPhase_SetCount(wbBroadPhase *tree, int count);
/// One item goes, those behind it move up.
void wbBroadPhase_Remove(wbBroadPhase *tree, int item);
void wbBroadPhase_SetBox(wbBroadPhase *tree, int item, const BroadBox *box);
const BroadBox *wbBroadPhase_GetBox(const wbBroadPhase *tree, int item);
/// The tree follows its boxes; it is built anew where they have moved so far that it would be twice as slow.
void wbBroadPhase_Update(wbBroadPhase *tree);

/// The first item behind `after`, by index, whose box touches another; -1: there is none. For a few finds: each costs a walk
/// through the tree, and the box may change from one to the next.
int wbBroadPhase_FindNext(const wbBroadPhase *tree, const BroadBox *box, int after);

typedef void wbBroadFoundFn(int item, void *context);
/// All items whose boxes touch another, each once, in an order that is the tree's own: for many finds.
void wbBroadPhase_FindAll(const wbBroadPhase *tree, const BroadBox *box, wbBroadFoundFn *found,
                          void *context);

/// Looks at an item, and gives how far away what is sought is at most from now on: `most`, or less if it was nearer.
typedef float wbBroadSeekFn(int item, float most, void *context);
/// Items whose boxes are no farther from a point than `most`, m, about the nearest first. Of items that are as near as each
/// other any may come first: `seek` must not let that matter, and take the lower index, say.
void wbBroadPhase_SeekNearest(const wbBroadPhase *tree, wbVec3 point, float most, wbBroadSeekFn *seek,
                              void *context);
/// Items whose boxes meet origin + t direction, 0 <= t <= most, about the first met first: `most` is in lengths of the
/// direction, and equals are as above.
void wbBroadPhase_SeekRay(const wbBroadPhase *tree, wbVec3 origin, wbVec3 direction, float most,
                          wbBroadSeekFn *seek, void *context);

/// Around nothing, around two boxes, and a box that is larger by a margin, m, on every side.
BroadBox wbMakeEmptyBox(void);
BroadBox wbJoinBoxes(const BroadBox *a, const BroadBox *b);
BroadBox wbGrowBox(const BroadBox *box, float margin);
/// Around a box that is turned: its middle, and half its edges.
BroadBox wbBoundTurned(wbVec3 middle, wbVec3 a, wbVec3 b, wbVec3 c);
/// Around a shape where a pose puts it, with room for what rounding may do to places near it.
BroadBox wbBoundShape(const wbShape *shape, const wbPose *pose);
