// SPDX-License-Identifier: MIT
// Ghosts, mirror images of points behind the closed sides of the domain, over edges and corners too. Ghosts make sides
// part of every sum: a lattice that ends half a spacing before a side goes on undisturbed behind it.
#pragma once

#include "space/domain.h"
#include "space/neighbours.h"
#include "space/space_device.h"

typedef struct wbGhosts {
    float *x, *y, *z;
    int *source;     ///< the point that is mirrored
    uint32_t *sides; ///< bit s: mirrored at side s
    int count;
} wbGhosts;

/// Ghosts of all points nearer than `radius` to a closed side, in the arena, ordered by source.
wbStatus wbMirrorPoints(const wbWork *work, const wbDomain *domain, wbPoints points, float radius,
                        wbGhosts *ghosts);

/// The same in two steps, for arrays of the caller's: where ghosts are to be, and how many; then they are written to those of `ghosts`.
typedef struct wbMirror {
    const wbDomain *domain;
    wbPoints points;
    float low[3], high[3]; ///< nearer to a side than these: mirrored
    int *blockStarts;      ///< first ghost of each block; in the arena
    int count;             ///< of the ghosts
} wbMirror;
wbStatus wbMirror_Count(wbMirror *mirror, const wbWork *work, const wbDomain *domain, wbPoints points,
                        float radius);
void wbMirror_Write(const wbMirror *mirror, const wbWork *work, wbGhosts *ghosts);

/// Sorts ghosts by cell into a grid and gives the set to search, whose list entries start at firstIndex.
wbStatus wbSortGhosts(wbGrid *grid, const wbWork *work, const wbDomain *domain, float radius, int firstIndex,
                      wbGhosts *ghosts, wbPointSet *set);

/// Fails if closed sides are, or will be, nearer to each other than the support radius; `solver` is the section of the parameters
/// that the message asks to change.
wbStatus wbCheckRoom(const wbDomain *domain, float radius, const char *solver);
/// Gravity, and where particles may be: a ten thousandth of a spacing before closed sides, since one on a side would coincide with
/// its ghost.
SpaceRoom wbGetRoom(const wbDomain *domain, float spacing);
