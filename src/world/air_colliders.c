// SPDX-License-Identifier: MIT
// Colliders and rigid bodies in the air, and sides that have come in: cut into cells wherever they are, each with its motion.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "world/air.h"
#include "world/collider.h"
#include "world/rigid.h"

bool wbIsMoving(const wbMotion *motion) {
    const float *v = motion->velocity, *w = motion->spin;
    return v[0] != 0 || v[1] != 0 || v[2] != 0 || w[0] != 0 || w[1] != 0 || w[2] != 0;
}

// Where a collider is at the end of the step, or now if none is being done.
static wbPose getPose(const wbCollider *collider, float dt) {
    return dt > 0 ? collider->motion[2].pose : collider->state.pose;
}

// Ends of the domain when the step is over, or now if none is being done.
static void getEnds(const wbWorld *world, float dt, float ends[wb_sideCount]) {
    const wbDomain domain = wbDomain_At(&world->domain, dt);
    for (int s = 0; s < wb_sideCount; s++) ends[s] = wbDomain_GetEnd(&domain, s);
}

static bool areSidesCut(const wbWorld *world, float dt) {
    float ends[wb_sideCount];
    getEnds(world, dt, ends);
    return !(dt > 0 && wbDomain_IsMoving(&world->domain)) &&
           memcmp(ends, wbGetAir(world)->cutEnds, sizeof ends) == 0;
}

static int countBodies(const wbWorld *world) {
    return wbAreBodiesInAir(world) ? world->rigidBodyIds.indexCount : 0;
}

// Whether rigid bodies are where they were cut, and do not move.
static bool areBodiesCut(const wbWorld *world, float dt) {
    for (int i = 0; i < countBodies(world); i++) {
        const wbAirCut *cut =
            (const wbAirCut *)wbGetAir(world)->cuts.cuts.data + world->colliderIds.indexCount + i;
        const wbPose pose = wbGetRigidOrigin(world, i);
        const wbSmokeBody body = wbMakeAirBody(world, i, dt > 0);
        if (cut->isThere != wbFillsAir(world, i)) return false;
        if (!cut->isThere) continue;
        if (memcmp(&pose, &cut->pose, sizeof pose) != 0 || wbSmokeBody_IsMoving(&body)) return false;
    }
    return true;
}

bool wbAreCollidersCut(const wbWorld *world, float dt) {
    const wbAir *air = wbGetAir(world);
    const wbAirCut *cuts = air->cuts.cuts.data;
    if (air->areCollidersStale || air->cuts.count != world->colliderIds.indexCount + countBodies(world))
        return false;
    if (dt > 0 && (air->isStirred || wbIsAirFilled(world))) return false;
    if (!areSidesCut(world, dt)) return false;
    for (int i = 0; i < world->colliderIds.indexCount; i++) {
        const wbCollider *collider = wbGetColliderAt(world, i);
        wbPose pose = getPose(collider, dt);
        if (memcmp(&pose, &cuts[i].pose, sizeof pose) != 0) return false;
        if (dt > 0 && wbIsMoving(&collider->motion[2])) return false;
    }
    return areBodiesCut(world, dt);
}

static bool isCovering(const wbDomain *domain, int side, float end) {
    float made = side % 2 ? domain->madeMax[side / 2] : domain->madeMin[side / 2];
    return side / 2 < domain->dimensions && domain->closed[side] && (side % 2 ? end < made : end > made);
}

bool wbIsSideWithin(const wbWorld *world, float dt) {
    float ends[wb_sideCount];
    getEnds(world, dt, ends);
    for (int s = 0; s < wb_sideCount; s++)
        if (isCovering(&world->domain, s, ends[s])) return true;
    return false;
}

// A side within the box is a body that moves across, and along itself where nothing slips.
static wbSmokeBody makeSide(const wbDomain *domain, int side, bool moves) {
    wbSmokeBody body = {.hasTemperature = !isnan(domain->temperature[side])};
    if (body.hasTemperature) body.temperature = domain->temperature[side];
    float *velocity = &body.velocity.x;
    for (int a = 0; a < 3; a++)
        if (a == side / 2 ? moves : domain->types[side] == wb_sideNoSlip)
            velocity[a] = domain->velocity[side][a];
    return body;
}

static float getMiddle(const wbSmokeGrid *grid, int axis, int cell) {
    return (&grid->origin.x)[axis] + grid->h * ((float)cell + 0.5f);
}

// Marks the cells whose middles are beyond a side; marks of colliders go.
static void coverCells(const wbSmokeGrid *grid, int side, float end, uint16_t body, uint16_t *mask) {
    const int a = side / 2;
    int low[3] = {0, 0, 0}, high[3] = {grid->nx, grid->ny, grid->nz};
    if (side % 2)
        while (low[a] < high[a] && getMiddle(grid, a, low[a]) <= end) low[a]++;
    else
        while (low[a] < high[a] && getMiddle(grid, a, high[a] - 1) >= end) high[a]--;
    for (int k = low[2]; k < high[2]; k++)
        for (int j = low[1]; j < high[1]; j++)
            for (int i = low[0]; i < high[0]; i++) mask[wbSmokeCell(grid, i, j, k)] = body;
}

static wbSmokeBody makeBody(const wbCollider *collider, bool moves) {
    const wbMotion *motion = &collider->motion[2];
    const float *p = motion->pose.position, *v = motion->velocity, *w = motion->spin;
    wbSmokeBody body = {.hasTemperature = !isnan(collider->params.temperature)};
    if (body.hasTemperature) body.temperature = collider->params.temperature;
    if (!moves) return body;
    body.centre = wbMakeVec3(p[0], p[1], p[2]);
    body.velocity = wbMakeVec3(v[0], v[1], v[2]), body.spin = wbMakeVec3(w[0], w[1], w[2]);
    return body;
}

// What the cells of a collider, side or rigid body are marked with.
static wbStatus addBody(wbWorld *world, const wbSmokeBody *body, const char *what, const char *name,
                        int owner, uint16_t *mark) {
    wbAir *air = wbGetAir(world);
    if (air->bodyCount == WB_SMOKE_MAX_BODIES)
        return wbError(
            wb_errorInput,
            "%s \"%s\": in smoke at most %d colliders, sides and rigid bodies move at once, or have "
            "different temperatures",
            what, name, WB_SMOKE_MAX_BODIES - 1);
    air->owners.elementSize = sizeof(int);
    if (!wbArray_Reserve(world->memory, &air->bodies, air->bodyCount + 1) ||
        !wbArray_Reserve(world->memory, &air->owners, air->bodyCount + 1))
        return wbMemoryError(world->memory, "colliders in smoke need");
    ((int *)air->owners.data)[air->bodyCount] = owner;
    ((wbSmokeBody *)air->bodies.data)[air->bodyCount++] = *body;
    *mark = (uint16_t)air->bodyCount;
    return wb_okStatus;
}

// Of colliders and sides those at rest of one temperature, or without, are one body.
static wbStatus findBody(wbWorld *world, const wbSmokeBody *body, const char *what, const char *name,
                         uint16_t *mark) {
    wbAir *air = wbGetAir(world);
    const bool moves = wbSmokeBody_IsMoving(body);
    const int *still = air->stillBodies.data;
    for (int n = 0; n < air->stillBodyCount && !moves; n++) {
        const wbSmokeBody *other = (const wbSmokeBody *)air->bodies.data + still[n];
        *mark = (uint16_t)(still[n] + 1);
        if (other->hasTemperature == body->hasTemperature && other->temperature == body->temperature)
            return wb_okStatus;
    }
    if (!wbArray_Reserve(world->memory, &air->stillBodies, air->stillBodyCount + 1))
        return wbMemoryError(world->memory, "colliders in smoke need");
    if (!moves) ((int *)air->stillBodies.data)[air->stillBodyCount++] = air->bodyCount;
    return addBody(world, body, what, name, -1, mark);
}

static wbStatus cutSides(wbWorld *world, float dt, const wbSmokeGrid *grid, uint16_t *mask) {
    float ends[wb_sideCount];
    getEnds(world, dt, ends);
    for (int s = 0; s < wb_sideCount; s++) {
        if (!isCovering(&world->domain, s, ends[s])) continue;
        const wbSmokeBody side = makeSide(&world->domain, s, dt > 0);
        uint16_t mark;
        WB_TRY(findBody(world, &side, "side", wb_domainSideNames[s], &mark));
        coverCells(grid, s, ends[s], mark, mask);
    }
    memcpy(wbGetAir(world)->cutEnds, ends, sizeof ends);
    return wb_okStatus;
}

void wbFreeAirCuts(wbMemory *memory, wbAirCuts *cuts) {
    for (int i = 0; i < cuts->cuts.capacity; i++)
        wbVoxels_Free(memory, &((wbAirCut *)cuts->cuts.data)[i].voxels);
    wbArray_Free(memory, &cuts->cuts);
    cuts->count = 0;
}

// What is cut: a collider, or a rigid body behind them.
typedef struct Piece {
    wbPose pose;
    const wbMesh *mesh;
    bool isThere;
} Piece;

static Piece getPiece(const wbWorld *world, int index, float dt) {
    const int body = index - world->colliderIds.indexCount;
    if (body < 0) {
        const wbCollider *collider = wbGetColliderAt(world, index);
        return (Piece){getPose(collider, dt), &collider->mesh, true};
    }
    const wbRigidForm *form = wbGetRigidForm(wbGetRigidBodies(world), wbGetRigidBodyAt(world, body)->form);
    return (Piece){wbGetRigidOrigin(world, body), &form->mesh, wbFillsAir(world, body)};
}

// Cuts what is new, or elsewhere than before; all of them if asked to, or in another grid.
static wbStatus updateCuts(wbWorld *world, float dt, const wbSmokeGrid *grid, bool isStale, wbAirCuts *cuts) {
    const wbVoxelGrid cells = wbMakeAirVoxels(grid);
    const int count = world->colliderIds.indexCount + countBodies(world);
    cuts->cuts.elementSize = sizeof(wbAirCut);
    if (!wbArray_Reserve(world->memory, &cuts->cuts, count))
        return wbMemoryError(world->memory, "the cells of colliders need");
    isStale |= memcmp(grid, &cuts->grid, sizeof *grid) != 0;
    if (isStale) cuts->count = 0;
    cuts->grid = *grid;
    for (int i = 0; i < count; i++) {
        const Piece piece = getPiece(world, i, dt);
        wbAirCut *cut = (wbAirCut *)cuts->cuts.data + i;
        if (i < cuts->count && cut->isThere == piece.isThere &&
            memcmp(&piece.pose, &cut->pose, sizeof piece.pose) == 0)
            continue;
        cut->voxels.runCount = 0;
        if (piece.isThere)
            WB_TRY(
                wbVoxelise(&cells, piece.mesh, &piece.pose, world->work.arena, world->memory, &cut->voxels));
        cut->pose = piece.pose, cut->isThere = piece.isThere;
    }
    cuts->count = count;
    return wb_okStatus;
}

static void markCells(const wbVoxels *voxels, uint16_t mark, uint16_t *mask) {
    const wbVoxelRun *runs = voxels->runs.data;
    for (int r = 0; r < voxels->runCount; r++)
        for (int c = runs[r].first; c < runs[r].first + runs[r].count; c++) mask[c] = mark;
}

// Each is one of its own, so that what the air does to it can be told apart.
static wbStatus cutBodies(wbWorld *world, float dt, const wbAirCuts *cuts, uint16_t *mask) {
    for (int i = 0; i < countBodies(world); i++) {
        const wbAirCut *cut = (const wbAirCut *)cuts->cuts.data + world->colliderIds.indexCount + i;
        const wbSmokeBody body = wbMakeAirBody(world, i, dt > 0);
        uint16_t mark;
        if (!cut->isThere) continue;
        WB_TRY(addBody(world, &body, "rigid body", wbGetRigidBodyAt(world, i)->name, i, &mark));
        markCells(&cut->voxels, mark, mask);
    }
    return wb_okStatus;
}

// Water and soft bodies, where nothing else is.
static wbStatus cutFilled(wbWorld *world, float dt, uint16_t *mask) {
    wbAir *air = wbGetAir(world);
    wbSmokeBody body = {.hasTemperature = false};
    if (air->fill.cellCount == 0) return wb_okStatus;
    if (dt > 0) body.flow = wbAirFill_GetFlow, body.flowContext = &air->fill;
    WB_TRY(addBody(world, &body, "fluid", "", -1, &air->fillMark));
    wbMarkFilled(&air->fill, air->fillMark, mask);
    return wb_okStatus;
}

// The mask of a grid, and the bodies that its numbers stand for: the first is at rest and insulates. Where colliders overlap,
// the later one counts.
static wbStatus cut(wbWorld *world, float dt, const wbSmokeGrid *grid, wbAirCuts *cuts, uint16_t *mask) {
    const wbSmokeBody rest = {.hasTemperature = false};
    uint16_t mark;
    wbAir *air = wbGetAir(world);
    WB_TRY(updateCuts(world, dt, grid, air->areCollidersStale, cuts));
    memset(mask, 0, sizeof *mask * wbCountAirCells(grid));
    air->bodyCount = air->stillBodyCount = 0;
    WB_TRY(findBody(world, &rest, "collider", "", &mark));
    for (int i = 0; i < world->colliderIds.indexCount; i++) {
        const wbCollider *collider = wbGetColliderAt(world, i);
        const wbSmokeBody body = makeBody(collider, dt > 0 && wbIsMoving(&collider->motion[2]));
        if (!collider->params.on) continue;
        WB_TRY(findBody(world, &body, "collider", collider->name, &mark));
        markCells(&((wbAirCut *)cuts->cuts.data)[i].voxels, mark, mask);
    }
    WB_TRY(cutBodies(world, dt, cuts, mask));
    if (mask == air->mask) WB_TRY(cutFilled(world, dt, mask));
    return cutSides(world, dt, grid, mask);
}

static wbStatus cutInto(wbWorld *world, float dt, wbSmoke *smoke, const wbSmokeModel *model, wbAirCuts *cuts,
                        uint16_t *mask) {
    const wbAir *air = wbGetAir(world);
    WB_TRY(cut(world, dt, &smoke->grid, cuts, mask));
    const wbSmokeSolids solids = {mask, air->bodies.data, air->bodyCount};
    return wbSmoke_SetSolids(smoke, model, &world->work, &solids);
}

wbStatus wbCutColliders(wbWorld *world, float dt) {
    wbAir *air = wbGetAir(world);
    wbCoarseAir *coarse = air->coarse;
    if (wbAreCollidersCut(world, dt)) return wb_okStatus;
    wbStatus status = cutInto(world, dt, &air->smoke, &air->model, &air->cuts, air->mask);
    if (wbIsOk(status) && coarse)
        status = cutInto(world, dt, &coarse->smoke, &coarse->model, &coarse->cuts, coarse->mask);
    air->areCollidersStale = !wbIsOk(status);
    air->isStirred = wbIsOk(status) && air->smoke.hasMovingBodies;
    return status;
}
