// SPDX-License-Identifier: MIT
// Neighbour lists. Sixteen consecutive points form a group, and their lists are stored transposed,
// list[k][lane]: lane l of the rows holds the neighbours of point 16 g + l, short lists are filled up with a
// dummy index. A pass over the lists then needs no masks, no sums across lanes, and has one loop exit per
// sixteen points.
//
// A list holds every point nearer than the radius, the point itself included, however many there are.
#pragma once

#include "space/grid.h"

enum { WB_GROUP = 16 };

/// Points to search among, sorted by their grid.
typedef struct wbPointSet {
    wbPoints points;
    const wbGrid *grid;
    int firstIndex; ///< list entries are firstIndex + place in `points`
    float clearMin[3],
        clearMax[3]; ///< a box that holds none of them, to skip the search inside it; min > max: none
} wbPointSet;

/// Memory of one worker: candidates for a few points, and the lists that it wrote.
typedef struct wbListStore {
    int *chunkBegin, *chunkEnd;
    int chunkCapacity;
    float *x, *y, *z;
    float *h; ///< of candidates with supports of their own
    int *id;
    int *found; ///< WB_GROUP rows of candidateCapacity + WB_PADDING
    int candidateCapacity;
    int *lists;
    size_t listCapacity, listUsed; ///< in rows of WB_GROUP entries
    int64_t pairs;
    bool failed; ///< memory ran out
} wbListStore;

typedef struct wbNeighbours {
    wbListStore *stores; ///< per worker
    int storeCount;
    wbArray begins;  ///< uint32_t per group: first row in its worker's lists
    wbArray lengths; ///< int per group: rows
    wbArray owners;  ///< uint8_t per block of WB_BLOCK points: the worker
    int64_t pairs;   ///< i -> j, without i -> i
    int usualRows;   ///< of a group, to make room for at first; 0: 20 in 2D, 44 in 3D
} wbNeighbours;

void wbNeighbours_Init(wbNeighbours *neighbours);
void wbNeighbours_Free(wbMemory *memory, wbNeighbours *neighbours);

/// Finds for each point of `own` the points of `own` and of `other` (NULL: none) nearer than the own grid's
/// radius. Lists are filled up with `dummy`.
wbStatus wbNeighbours_Build(wbNeighbours *neighbours, const wbWork *work, const wbPointSet *own,
                            const wbPointSet *other, int dummy);

/// Rows of one group and their number.
static inline const int *wbNeighbours_GetRows(const wbNeighbours *n, int group, int *rowCount) {
    const uint8_t *owners = n->owners.data;
    const wbListStore *store = &n->stores[owners[group / (WB_BLOCK / WB_GROUP)]];
    *rowCount = ((const int *)n->lengths.data)[group];
    return store->lists + (size_t)WB_GROUP * ((const uint32_t *)n->begins.data)[group];
}

/// The same, for what leaves out some of them: it writes the dummy there.
static inline int *wbNeighbours_EditRows(wbNeighbours *n, int group, int *rowCount) {
    return (int *)wbNeighbours_GetRows(n, group, rowCount);
}

enum { WB_SEARCHED_SETS = 2 };
/// What builders of lists share; solvers that sum while they search (sph) fill it by wbNeighbours_Begin.
typedef struct wbListTask {
    wbNeighbours *neighbours;
    wbMemory *memory;
    wbPoints own; ///< points that lists are made for
    const wbPointSet *searched[WB_SEARCHED_SETS];
    int searchedCount;
    bool findsItself; ///< the own points are the first of the sets that are searched
    float radius;
    int dummy;
} wbListTask;

/// Makes room and empties the stores; then run a range function over own->points.count in blocks of WB_BLOCK.
wbStatus wbNeighbours_Begin(wbNeighbours *neighbours, const wbWork *work, const wbPointSet *own,
                            const wbPointSet *other, int dummy, wbListTask *task);
/// The same for points that search only other sets, up to WB_SEARCHED_SETS of them, within the radius of their grids:
/// colliders, say. Points in the order of some cells are found faster. Where nothing is near, a list costs little.
wbStatus wbNeighbours_BeginAmong(wbNeighbours *neighbours, const wbWork *work, wbPoints own,
                                 const wbPointSet *const *sets, int setCount, int dummy, wbListTask *task);
/// Sums up the pairs and tells whether memory ran out.
wbStatus wbNeighbours_End(wbNeighbours *neighbours, const wbWork *work);

/// For the builders: room for `needed` chunks, candidates, or rows of lists. False and failed set if memory
/// ran out.
bool wbListStore_GrowChunks(wbMemory *memory, wbListStore *store, int needed);
bool wbListStore_GrowCandidates(wbMemory *memory, wbListStore *store, int needed);
bool wbListStore_GrowLists(wbMemory *memory, wbListStore *store, size_t needed);
