// SPDX-License-Identifier: MIT
// Queries into a world: what they look for, what they find, and the trees over particles that they look in.
#pragma once

#include "shape/vec3d.h"
#include "space/broad_phase.h"
#include "space/point_tree.h"
#include "wirbel/query.h"
#include "world/object.h"

enum { WB_QUERY_COOKIE = 0x57624c71 };

/// Particles of a solver, in memory order.
typedef struct wbQueryPoints {
    wbQueryKind kind;
    wbPoints points;
    const uint32_t *ids;    ///< per particle
    const uint32_t *owners; ///< soft body of each particle, by index; NULL: fluids are found by ids
    const float *radii;     ///< m, by owner; NULL: `radius`
    const float *ownRadii;  ///< m, per particle, where sizes differ; NULL: the others
    float radius;           ///< m, of all particles, or the largest
} wbQueryPoints;

/// A tree over them, made when it is needed and kept until the state is another.
typedef struct wbQueryTree {
    wbQueryPoints points;
    wbPointTree tree;
    wbArray radii;   ///< float, for wbQueryPoints.radii or ownRadii
    int64_t version; ///< world->stateVersion that it was made of; -1: of none
} wbQueryTree;

/// Made by a world's first query.
typedef struct wbQueries {
    wbQueryTree trees[WB_SOLVER_COUNT];
    wbBroadPhase bodyBoxes; ///< over all rigid bodies but planes
    int64_t bodyVersion;    ///< world->stateVersion that it was made of
    wbArray findings;       ///< wbFinding
    wbArray slices;         ///< scratch of probes of level
} wbQueries;

wbStatus wbGetQueries(wbWorld *world, wbQueries **queries);
/// The state is on the host, and the trees of these kinds are those of it. Solvers without particles have none: count 0.
wbStatus wbRefreshTrees(wbWorld *world, wbQueries *queries, uint32_t kinds);
/// Pairs of particles of two solvers' liquids that are nearer than half of both diameters; -1: there is no memory for trees, or the state
/// is not to be had from a device.
int64_t wbCountOverlaps(wbWorld *world);
/// The fluid or soft body of a particle, by index.
int wbFindOwner(const wbWorld *world, const wbQueryPoints *points, int place);

/// What a query found.
typedef struct wbFinding {
    double measure; ///< fraction of a ray, m of distance; 0: it overlaps
    wbQueryKind kind;
    int owner;   ///< index of the collider, fluid, soft or rigid body
    uint32_t id; ///< of the particle; 0 of a collider
    int place; ///< of the particle among its points; of a collider: the triangle, in the order of its tree; of a
               ///< rigid body: its piece
    int solver;   ///< of the particle
    float radius; ///< m, of the particle
} wbFinding;

typedef enum wbSearchKind { wb_searchRay, wb_searchBox, wb_searchBall, wb_searchNearest } wbSearchKind;

typedef struct wbSearch {
    wbSearchKind kind;
    const wbWorld *world;
    const wbQueryFilter *filter;
    wbVec3d from;  ///< m: a ray's origin, a box's lower corner, a ball's middle, a point
    wbVec3d to;    ///< m: a ray's way, a box's upper corner
    double radius; ///< m, of a ball
    double limit;  ///< what measures more does not count
    bool isAll;    ///< all are asked for, not the best
    int count;     ///< that were found
    wbFinding best;
    wbArray *findings; ///< all of them
    bool hasFailed;    ///< memory ran out
} wbSearch;

void wbSearch_Add(wbSearch *search, const wbFinding *finding);
/// As the broad phase counts: in floats, and no less.
float wbSearch_GetReach(const wbSearch *search);
/// Around a box or a ball that is looked for.
BroadBox wbSearch_GetBox(const wbSearch *search);
void wbSearchColliders(wbSearch *search);
/// Rigid bodies: their boxes are those of now; then what is found, and what is there.
wbStatus wbRefreshBodyBoxes(wbWorld *world, wbQueries *queries);
void wbSearchRigidBodies(wbSearch *search, const wbQueries *queries);
wbVec3 wbGetBodyHit(const wbSearch *search, const wbFinding *finding);
void wbGetBodyNearest(const wbSearch *search, const wbFinding *finding, wbVec3 *point, wbVec3 *normal);
void wbSearchParticles(wbSearch *search, const wbQueries *queries);
