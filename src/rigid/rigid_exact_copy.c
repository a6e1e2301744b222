// SPDX-License-Identifier: MIT
// Rigid bodies with exact contacts on their way to a device and back.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "rigid/rigid_exact_state.h"
#include "shape/shape.h"

static wbStatus lose(wbRigidExactGpu *device, wbStatus why) {
    wbRigidExactGpu_Discard(device);
    return wbError(wb_errorDevice, "%s", why.text);
}

static wbStatus upload(wbRigidExactGpu *device, wbGpuBuffer *buffer, const char *name, const void *host,
                       size_t bytes) {
    WB_TRY(wbGpuBuffer_Reserve(device->gpu, buffer, name, bytes + 64));
    return bytes ? wbGpu_Upload(device->gpu, buffer, host, bytes) : wb_okStatus;
}

// To the device

static wbStatus reserveRows(wbRigidExactGpu *device, int bodies) {
    const struct {
        wbGpuBuffer *buffer;
        size_t bytes;
    } rows[] = {{&device->bodies, sizeof(float[3][4])},
                {&device->masses, sizeof(float[2][4])},
                {&device->kicks, sizeof(float[2][4])},
                {&device->starts, sizeof(float[2][4])},
                {&device->tops, sizeof(RigidTop)},
                {&device->loads, sizeof(float[2][4])},
                {&device->newBits, 4},
                {&device->best, 4},
                {&device->crowds, 4},
                {&device->next, 4},
                {&device->taken, 8}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, rows[k].buffer, "bodies",
                                   rows[k].bytes * ((size_t)bodies + RIGID_SIDES + 1)));
    // guests come and go: what the device knows of bodies stays
    const size_t count = (size_t)bodies + 1, kept = device->hostIsNewer ? 0 : (size_t)device->ownCount;
    WB_TRY(wbGpuBuffer_Grow(device->gpu, &device->bits, "bodies", 4 * count, 4 * kept));
    WB_TRY(wbGpuBuffer_Grow(device->gpu, &device->terms, "bodies", sizeof(RigidBodyTerms) * count,
                            sizeof(RigidBodyTerms) * kept));
    for (int k = 0; k < EXACT_STATE; k++) {
        const size_t size = k == EXACT_STILL ? 4 : sizeof(float[4]);
        WB_TRY(wbGpuBuffer_Grow(device->gpu, &device->state[k], "bodies", size * count, size * kept));
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->after[k], "bodies", size * count));
    }
    return wbGpuBuffer_Reserve(device->gpu, &device->counters, "counters", sizeof(RigidCounters));
}

static wbStatus reservePieces(wbRigidExactGpu *device, int pieces) {
    const size_t count = (size_t)pieces + 1;
    WB_TRY(wbGpuBuffer_Grow(device->gpu, &device->known, "pieces", sizeof(float[4]) * count,
                            device->marks.isListKnown ? sizeof(float[4]) * (size_t)pieces : 0));
    WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->places, "pieces", sizeof(wbPiecePlace) * count));
    WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->moves, "pieces", 4 * count));
    if (wbArray_Reserve(device->memory, &device->pieceTerms, pieces + 1)) return wb_okStatus;
    return wbMemoryError(device->memory, "copies of %d pieces of rigid bodies need", pieces);
}

// Columns of bodies first … end - 1 as quads.
static wbStatus pushState(wbRigidExactGpu *device, const wbRigid *rigid, int first, int end) {
    const float *columns[EXACT_STILL][4] = {{rigid->x, rigid->y, rigid->z, NULL},
                                            {rigid->qx, rigid->qy, rigid->qz, rigid->qw},
                                            {rigid->vx, rigid->vy, rigid->vz, NULL},
                                            {rigid->wx, rigid->wy, rigid->wz, NULL}};
    const size_t count = (size_t)(end - first);
    float(*quads)[4] = device->rows.data;
    for (int k = 0; k < EXACT_STILL; k++) {
        for (int b = first; b < end; b++)
            for (int c = 0; c < 4; c++) quads[b - first][c] = columns[k][c] ? columns[k][c][b] : 0;
        WB_TRY(wbGpu_UploadAt(device->gpu, &device->state[k], sizeof(float[4]) * (size_t)first, quads,
                              sizeof(float[4]) * count));
    }
    return wbGpu_UploadAt(device->gpu, &device->state[EXACT_STILL], 4 * (size_t)first,
                          rigid->stillTime + first, 4 * count);
}

static wbStatus pushTerms(wbRigidExactGpu *device, const wbRigid *rigid, int first, int end) {
    RigidBodyTerms *terms = device->rows.data;
    for (int b = first; b < end; b++)
        terms[b - first] =
            (RigidBodyTerms){.inverseInertia = {rigid->inverseInertiaX[b], rigid->inverseInertiaY[b],
                                                rigid->inverseInertiaZ[b]},
                             .inverseMass = rigid->inverseMass[b],
                             .gravityScale = rigid->gravityScale[b],
                             .linearDamping = rigid->linearDamping[b],
                             .angularDamping = rigid->angularDamping[b],
                             .reach = isfinite(rigid->reach[b]) ? rigid->reach[b] : 0,
                             .friction = rigid->friction[b],
                             .rolling = rigid->rollingFriction[b],
                             .restitution = rigid->restitution[b],
                             .core = rigid->core[b],
                             .category = rigid->category[b],
                             .mask = rigid->mask[b],
                             .firstPiece = rigid->firstPiece[b],
                             .pieceCount = rigid->pieceCount[b]};
    return wbGpu_UploadAt(device->gpu, &device->terms, sizeof(RigidBodyTerms) * (size_t)first, terms,
                          sizeof(RigidBodyTerms) * (size_t)(end - first));
}

// Hulls, each once, whoever shares it

typedef struct HullTables {
    float (*corners)[4], (*faces)[4];
    int (*loops)[2], *edges;
    int hullCount, cornerCount, faceCount, edgeCount;
} HullTables;

static const wbExactHull *findHull(const wbRigidExactGpu *device, int count, const wbHull *hull) {
    const wbExactHull *hulls = device->hulls.data;
    for (int k = count - 1; k >= 0; k--)
        if (hulls[k].hull == hull) return &hulls[k];
    return NULL;
}

static wbStatus listHulls(wbRigidExactGpu *device, const wbRigid *rigid, HullTables *tables) {
    const wbRigidPiece *pieces = rigid->pieces.data;
    *tables = (HullTables){0};
    for (int k = 0; k < rigid->totalPieces; k++) {
        const wbHull *hull = pieces[k].hull;
        if (!hull || findHull(device, tables->hullCount, hull)) continue;
        if (!wbArray_Reserve(device->memory, &device->hulls, tables->hullCount + 1))
            return wbMemoryError(device->memory, "%d hulls need", tables->hullCount + 1);
        ((wbExactHull *)device->hulls.data)[tables->hullCount++] =
            (wbExactHull){hull, tables->cornerCount, tables->faceCount, tables->edgeCount};
        tables->cornerCount += hull->cornerCount + 1; // and its middle
        tables->faceCount += hull->faceCount, tables->edgeCount += hull->loopCount;
    }
    return wb_okStatus;
}

static void setQuad(float quad[4], wbVec3 v, float w) {
    quad[0] = v.x, quad[1] = v.y, quad[2] = v.z, quad[3] = w;
}

static void fillHull(const HullTables *tables, const wbExactHull *row) {
    const wbHull *hull = row->hull;
    for (int i = 0; i < hull->cornerCount; i++)
        setQuad(tables->corners[row->firstCorner + i], hull->corners[i], 0);
    setQuad(tables->corners[row->firstCorner + hull->cornerCount], hull->centre, 0);
    for (int f = 0; f < hull->faceCount; f++) {
        const wbHullFace *face = &hull->faces[f];
        setQuad(tables->faces[row->firstFace + f], face->normal, face->offset);
        tables->loops[row->firstFace + f][0] = row->firstEdge + face->first;
        tables->loops[row->firstFace + f][1] = face->count;
    }
    memcpy(tables->edges + row->firstEdge, hull->loops, sizeof(int) * (size_t)hull->loopCount);
}

static wbStatus pushHulls(const wbDeviceStep *step) {
    wbRigidExactGpu *device = step->device;
    wbArena *arena = step->work->arena;
    const size_t mark = wbArena_Mark(arena);
    HullTables tables;
    WB_TRY(listHulls(device, step->rigid, &tables));
    const size_t corners = sizeof(float[4]) * (size_t)tables.cornerCount,
                 faces = sizeof(float[4]) * (size_t)tables.faceCount,
                 loops = sizeof(int[2]) * (size_t)tables.faceCount,
                 edges = sizeof(int) * (size_t)tables.edgeCount;
    tables.corners = wbArena_Alloc(arena, corners + 1), tables.faces = wbArena_Alloc(arena, faces + 1);
    tables.loops = wbArena_Alloc(arena, loops + 1), tables.edges = wbArena_Alloc(arena, edges + 1);
    if (!tables.corners || !tables.faces || !tables.loops || !tables.edges)
        return wbMemoryError(step->work->memory, "tables of %d hulls need", tables.hullCount);
    for (int k = 0; k < tables.hullCount; k++) fillHull(&tables, (wbExactHull *)device->hulls.data + k);
    WB_TRY(upload(device, &device->corners, "hulls", tables.corners, corners));
    WB_TRY(upload(device, &device->faces, "hulls", tables.faces, faces));
    WB_TRY(upload(device, &device->loops, "hulls", tables.loops, loops));
    WB_TRY(upload(device, &device->edges, "hulls", tables.edges, edges));
    const wbRigidPiece *pieces = step->rigid->pieces.data;
    RigidPieceTerms *terms = device->pieceTerms.data;
    for (int k = 0; k < step->rigid->totalPieces; k++) {
        if (!pieces[k].hull) continue;
        const wbExactHull *row = findHull(device, tables.hullCount, pieces[k].hull);
        terms[k].firstCorner = row->firstCorner, terms[k].firstFace = row->firstFace;
        terms[k].cornerCount = row->hull->cornerCount, terms[k].faceCount = row->hull->faceCount;
    }
    wbArena_Release(arena, mark);
    return wb_okStatus;
}

// m: around a mesh and its origin, so that not everything is near it. The cores have a tree of what stands still.
static float boundMesh(const wbRigidPiece *piece, float half[3]) {
    const wbShapeTree *tree = wbShape_GetTree(piece->shape);
    half[0] = fmaxf(fabsf(tree->min.x), fabsf(tree->max.x));
    half[1] = fmaxf(fabsf(tree->min.y), fabsf(tree->max.y));
    half[2] = fmaxf(fabsf(tree->min.z), fabsf(tree->max.z));
    return sqrtf(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
}

// As wbPlacePieces and wbSearchPairs see it.
static RigidPieceTerms describePiece(const wbRigidPiece *piece, int body, int dimensions, float margin) {
    RigidPieceTerms terms = {.kind = (int)piece->kind, .body = body};
    wbGetHalfExtents(piece, dimensions, terms.extent);
    const float *half = terms.extent, across = dimensions == 2 ? half[1] : fminf(half[1], half[2]);
    const float thickness = 2 * fminf(half[0], across),
                reach = piece->shape ? boundMesh(piece, terms.extent) : wbGetPieceReach(piece);
    terms.thickness = thickness;
    terms.depth = piece->hull ? piece->hull->depth : 0.5f * thickness;
    terms.reach = (reach + 0.5f * margin * (isfinite(thickness) ? thickness : 0)) * (1 + RIGID_SKIN);
    memcpy(terms.position, piece->pose.position, sizeof terms.position);
    memcpy(terms.rotation, piece->pose.rotation, sizeof terms.rotation);
    memcpy(terms.size, piece->size, sizeof terms.size);
    return terms;
}

static void describePieces(const wbDeviceStep *step, int first, int end) {
    const wbRigid *rigid = step->rigid;
    const wbRigidPiece *pieces = rigid->pieces.data;
    RigidPieceTerms *terms = step->device->pieceTerms.data;
    for (int b = first; b < end; b++)
        for (int k = rigid->firstPiece[b]; k < rigid->firstPiece[b] + rigid->pieceCount[b]; k++)
            terms[k] = describePiece(&pieces[k], b, step->terms.dimensions, step->model->params.margin);
}

// Sizes are told apart by the least one of what forces move, as on the cores.
static void levelPieces(const wbDeviceStep *step) {
    wbRigidExactGpu *device = step->device;
    RigidPieceTerms *terms = device->pieceTerms.data;
    float least = INFINITY;
    for (int k = 0; k < device->pieceCount; k++)
        if (step->rigid->bits[terms[k].body] & WB_RIGID_DYNAMIC) least = fminf(least, terms[k].reach);
    memset(device->levelReach, 0, sizeof device->levelReach);
    device->levelCount = 0;
    for (int k = 0; k < device->pieceCount; k++) {
        RigidPieceTerms *piece = &terms[k];
        piece->level =
            piece->kind == PIECE_PLANE || !isfinite(least) ? -1 : wbGetPairLevel(piece->reach, least);
        if (piece->level < 0) continue;
        float *most = &device->levelReach[piece->level];
        *most = fmaxf(*most, piece->reach);
        if (piece->level >= device->levelCount) device->levelCount = piece->level + 1;
    }
}

static wbStatus pushPieces(const wbDeviceStep *step) {
    wbRigidExactGpu *device = step->device;
    const RigidPieceTerms *terms = device->pieceTerms.data;
    int *planes = device->rows.data;
    device->planeCount = 0;
    for (int k = 0; k < device->pieceCount; k++)
        if (terms[k].kind == PIECE_PLANE) planes[device->planeCount++] = k;
    WB_TRY(upload(device, &device->planes, "planes", planes, sizeof(int) * (size_t)device->planeCount));
    return upload(device, &device->pieces, "pieces", terms,
                  sizeof(RigidPieceTerms) * (size_t)device->pieceCount);
}

// What is known of pairs with meshes; of others the device finds all anew.
static wbStatus pushCaches(const wbDeviceStep *step) {
    wbRigidExactGpu *device = step->device;
    const wbRigidContacts *contacts = &step->rigid->contacts;
    if (device->meshCount == 0) return wb_okStatus;
    device->marks.keptCount = contacts->keptCount;
    WB_TRY(upload(device, &device->caches, "pairs", contacts->caches.data,
                  sizeof(wbCollideCache) * (size_t)contacts->pairCounts[wb_pairOther]));
    WB_TRY(upload(device, &device->kept, "pairs", contacts->kept.data,
                  sizeof(wbKeptManifold) * (size_t)contacts->keptCount));
    return wbDeviceStep_StartGround(step, false);
}

static wbStatus pushContacts(const wbDeviceStep *step) {
    wbRigidExactGpu *device = step->device;
    const wbRigidContacts *contacts = &step->rigid->contacts;
    WB_TRY(upload(device, &device->contacts, "contacts", contacts->contacts.data,
                  sizeof(wbContact) * (size_t)contacts->count));
    device->marks.contactCount = contacts->count;
    device->marks.subStep = contacts->subStep;
    device->marks.isListKnown = !contacts->isStale && contacts->pieceCount == device->pieceCount;
    device->marks.keptCount = 0;
    memset(device->marks.pairCounts, 0, sizeof device->marks.pairCounts);
    const size_t pieces = sizeof(float[4]) * (size_t)device->pieceCount;
    if (!device->marks.isListKnown) {
        WB_TRY(upload(device, &device->pairs, "pairs", NULL, 0));
        return wbGpu_Fill(device->gpu, &device->known, 0, pieces);
    }
    memcpy(device->marks.pairCounts, contacts->pairCounts, sizeof device->marks.pairCounts);
    const float(*known)[4] = contacts->known.data;
    memcpy(device->marks.sides[0], known[device->pieceCount], sizeof device->marks.sides[0]);
    memcpy(device->marks.sides[1], known[device->pieceCount + 1], sizeof device->marks.sides[1]);
    WB_TRY(upload(device, &device->pairs, "pairs", contacts->pairs.data,
                  sizeof(wbPiecePair) * (size_t)wbCountPairs(device)));
    WB_TRY(pushCaches(step));
    return upload(device, &device->known, "pieces", known, pieces);
}

// All of it.
static wbStatus pushAll(wbDeviceStep *step) {
    wbRigidExactGpu *device = step->device;
    const wbRigid *rigid = step->rigid;
    WB_TRY(pushState(device, rigid, 0, rigid->count));
    WB_TRY(pushTerms(device, rigid, 0, rigid->count));
    describePieces(step, 0, rigid->count);
    WB_TRY(pushHulls(step));
    WB_TRY(wbGpu_Upload(device->gpu, &device->bits, rigid->bits, 4 * (size_t)rigid->count));
    memcpy(device->sentBits.data, rigid->bits, 4 * (size_t)rigid->count);
    WB_TRY(pushContacts(step));
    device->hadLoads = true; // there may be anything in their buffer
    device->marks.isTouchKnown = false;
    return wb_okStatus;
}

// Colliders of the world come anew in every step.
static wbStatus pushGuests(wbDeviceStep *step) {
    wbRigidExactGpu *device = step->device;
    const wbRigid *rigid = step->rigid;
    const int first = rigid->count, end = device->bodyCount;
    if (first == end) return wb_okStatus;
    WB_TRY(pushState(device, rigid, first, end));
    WB_TRY(pushTerms(device, rigid, first, end));
    describePieces(step, first, end);
    return wbGpu_UploadAt(device->gpu, &device->bits, 4 * (size_t)first, rigid->bits + first,
                          4 * (size_t)(end - first));
}

static bool hasLoads(const wbRigid *rigid) {
    const float *columns[6] = {rigid->fx, rigid->fy, rigid->fz, rigid->tx, rigid->ty, rigid->tz};
    for (int k = 0; k < 6; k++)
        for (int b = 0; b < rigid->count; b++)
            if (columns[k][b] != 0) return true;
    return false;
}

static wbStatus pushLoads(wbRigidExactGpu *device, const wbRigid *rigid) {
    const bool has = hasLoads(rigid);
    if (!has && !device->hadLoads) return wb_okStatus;
    device->hadLoads = has;
    const size_t bytes = sizeof(float[2][4]) * (size_t)device->bodyCount;
    if (!has) return wbGpu_Fill(device->gpu, &device->loads, 0, bytes);
    float(*loads)[2][4] = device->rows.data;
    memset(loads, 0, bytes);
    for (int b = 0; b < rigid->count; b++) {
        loads[b][0][0] = rigid->fx[b], loads[b][0][1] = rigid->fy[b], loads[b][0][2] = rigid->fz[b];
        loads[b][1][0] = rigid->tx[b], loads[b][1][1] = rigid->ty[b], loads[b][1][2] = rigid->tz[b];
    }
    return wbGpu_Upload(device->gpu, &device->loads, loads, bytes);
}

wbStatus wbDeviceStep_PushBits(wbDeviceStep *step) {
    wbRigidExactGpu *device = step->device;
    const wbRigid *rigid = step->rigid;
    const size_t bytes = 4 * (size_t)rigid->count;
    if (rigid->count == 0) return wb_okStatus;
    if (!step->resetsStill && memcmp(device->sentBits.data, rigid->bits, bytes) == 0) return wb_okStatus;
    memcpy(device->sentBits.data, rigid->bits, bytes);
    WB_TRY(wbGpu_Upload(device->gpu, &device->newBits, rigid->bits, bytes));
    return wbGpu_Run(
        device->gpu, device->kernels.wake, rigid->count,
        WB_GPU_ARGS(WB_GPU_INT(rigid->count), WB_GPU_INT(step->resetsStill), WB_GPU_BUFFER(device->newBits),
                    WB_GPU_BUFFER(device->bits), WB_GPU_BUFFER(device->state[EXACT_VELOCITY]),
                    WB_GPU_BUFFER(device->state[EXACT_SPIN]), WB_GPU_BUFFER(device->state[EXACT_STILL])));
}

static wbStatus reserveHost(wbRigidExactGpu *device) {
    const int quads =
        device->bodyCount * (int)(sizeof(RigidBodyTerms) / sizeof(float[4])) + device->pieceCount + 1;
    if (!wbArray_Reserve(device->memory, &device->rows, quads) ||
        !wbArray_Reserve(device->memory, &device->sentBits, device->bodyCount + 1))
        return wbMemoryError(device->memory, "copies of %d rigid bodies need", device->bodyCount);
    return wb_okStatus;
}

static wbStatus push(wbDeviceStep *step) {
    wbRigidExactGpu *device = step->device;
    const wbRigid *rigid = step->rigid;
    const bool areOthers =
        device->bodyCount != rigid->count + rigid->guestCount || device->pieceCount != rigid->totalPieces;
    WB_ASSERT(device->hostIsNewer || device->ownCount == rigid->count, "bodies came or went unseen");
    if (areOthers || rigid->contacts.isStale) device->marks.isListKnown = false;
    device->ownCount = rigid->count, device->bodyCount = rigid->count + rigid->guestCount;
    device->pieceCount = rigid->totalPieces;
    WB_TRY(reserveHost(device));
    WB_TRY(reserveRows(device, device->bodyCount));
    WB_TRY(reservePieces(device, device->pieceCount));
    if (device->hostIsNewer || rigid->guestCount > 0) WB_TRY(wbDeviceStep_PushMeshes(step));
    if (device->hostIsNewer) WB_TRY(pushAll(step));
    WB_TRY(wbDeviceStep_PushJoints(step));
    WB_TRY(pushGuests(step));
    if (device->hostIsNewer || rigid->guestCount > 0 || areOthers) {
        levelPieces(step);
        wbRigidExactGpu_PlaceMeshes(device, rigid);
        WB_TRY(pushPieces(step));
    }
    device->hostIsNewer = false;
    return wb_okStatus;
}

wbStatus wbDeviceStep_Push(wbDeviceStep *step) {
    wbRigidExactGpu *device = step->device;
    RigidExactModel *terms = &step->terms;
    WB_TRY(push(step));
    terms->planeCount = device->planeCount, terms->levelCount = device->levelCount;
    memcpy(terms->levelReach, device->levelReach, sizeof terms->levelReach);
    terms->boxPairs = device->marks.pairCounts[wb_pairBoxes],
    terms->sidePairs = device->marks.pairCounts[wb_pairBoxSide];
    terms->otherPairs = device->marks.pairCounts[wb_pairOther];
    terms->warmScale = device->marks.subStep > 0 ? terms->h / device->marks.subStep : 0;
    WB_TRY(wbDeviceStep_PushBits(step));
    step->resetsStill = false;
    WB_TRY(wbDeviceStep_SumForces(step));
    return pushLoads(device, step->rigid);
}

// Back to the host

static wbStatus fetchBodies(wbRigidExactGpu *device) {
    const size_t quads = sizeof(float[4]) * (size_t)device->ownCount;
    if (!wbArray_Reserve(device->memory, &device->pulled, EXACT_STATE * device->ownCount + 1))
        return wbMemoryError(device->memory, "copies of %d rigid bodies need", device->ownCount);
    for (int k = 0; k < EXACT_STATE && quads; k++)
        WB_TRY(wbGpu_Download(device->gpu, &device->state[k], (char *)device->pulled.data + (size_t)k * quads,
                              k == EXACT_STILL ? quads / 4 : quads));
    return wb_okStatus;
}

// What is known of pairs with meshes.
static wbStatus fetchCaches(wbRigidExactGpu *device, wbRigid *rigid) {
    const int pairs = device->marks.pairCounts[wb_pairOther], kept = device->marks.keptCount;
    wbRigidContacts *contacts = &rigid->contacts;
    if (!wbArray_Reserve(device->memory, &contacts->caches, pairs + 1) ||
        !wbArray_Reserve(device->memory, &contacts->kept, (kept > pairs ? kept : pairs) + 1) ||
        !wbArray_Reserve(device->memory, &device->pulledCaches, pairs + 1) ||
        !wbArray_Reserve(device->memory, &device->pulledKept, kept + 1))
        return wbMemoryError(device->memory, "%d pairs and %d manifolds of rigid bodies need", pairs, kept);
    if (kept == 0) return wb_okStatus;
    WB_TRY(wbGpu_Download(device->gpu, &device->caches, device->pulledCaches.data,
                          sizeof(wbCollideCache) * (size_t)pairs));
    return wbGpu_Download(device->gpu, &device->kept, device->pulledKept.data,
                          sizeof(wbKeptManifold) * (size_t)kept);
}

static wbStatus fetchContacts(wbRigidExactGpu *device, wbRigid *rigid) {
    const int pairs = device->marks.isListKnown ? wbCountPairs(device) : 0,
              known = device->marks.isListKnown ? device->pieceCount : 0;
    wbRigidContacts *contacts = &rigid->contacts;
    if (!wbArray_Reserve(device->memory, &device->pulledContacts, device->marks.contactCount + 1) ||
        !wbArray_Reserve(device->memory, &device->pulledPairs, pairs + 1) ||
        !wbArray_Reserve(device->memory, &device->pulledKnown, known + 1) ||
        !wbArray_Reserve(device->memory, &contacts->contacts, device->marks.contactCount + 1) ||
        !wbArray_Reserve(device->memory, &contacts->pairs, pairs + 1) ||
        !wbArray_Reserve(device->memory, &contacts->known, known + WB_SIDE_RECORDS))
        return wbMemoryError(device->memory, "%d contacts and %d pairs of rigid bodies need",
                             device->marks.contactCount, pairs);
    if (device->marks.contactCount > 0)
        WB_TRY(wbGpu_Download(device->gpu, &device->contacts, device->pulledContacts.data,
                              sizeof(wbContact) * (size_t)device->marks.contactCount));
    if (pairs > 0)
        WB_TRY(wbGpu_Download(device->gpu, &device->pairs, device->pulledPairs.data,
                              sizeof(wbPiecePair) * (size_t)pairs));
    if (known == 0) return wb_okStatus;
    WB_TRY(fetchCaches(device, rigid));
    return wbGpu_Download(device->gpu, &device->known, device->pulledKnown.data,
                          sizeof(float[4]) * (size_t)known);
}

wbStatus wbRigidExactGpu_Fetch(wbRigidExactGpu *device, wbRigid *rigid) {
    if (!device->deviceIsNewer) return wb_okStatus;
    wbStatus status = fetchBodies(device);
    if (wbIsOk(status)) status = fetchContacts(device, rigid);
    if (wbIsOk(status)) status = wbFetchDeviceJoints(device);
    return wbIsOk(status) ? status : lose(device, status);
}

static void takeBodies(const wbRigidExactGpu *device, wbRigid *rigid) {
    const int count = device->ownCount;
    const float(*quads)[4] = device->pulled.data;
    float *columns[EXACT_STILL][4] = {{rigid->x, rigid->y, rigid->z, NULL},
                                      {rigid->qx, rigid->qy, rigid->qz, rigid->qw},
                                      {rigid->vx, rigid->vy, rigid->vz, NULL},
                                      {rigid->wx, rigid->wy, rigid->wz, NULL}};
    for (int k = 0; k < EXACT_STILL; k++, quads += count)
        for (int b = 0; b < count; b++)
            for (int c = 0; c < 4; c++)
                if (columns[k][c]) columns[k][c][b] = quads[b][c];
    if (count > 0) memcpy(rigid->stillTime, quads, 4 * (size_t)count);
}

// Of pairs without a mesh the device keeps nothing: the cores find their normals anew.
static void takeCaches(const wbRigidExactGpu *device, wbRigid *rigid) {
    wbRigidContacts *contacts = &rigid->contacts;
    const wbRigidPiece *pieces = rigid->pieces.data;
    const int others = device->marks.pairCounts[wb_pairOther], first = wbGetPairStart(contacts, wb_pairOther);
    const wbPiecePair *pairs = (const wbPiecePair *)contacts->pairs.data + first;
    wbClearCaches(contacts, others);
    if (device->marks.keptCount == 0) return;
    wbCollideCache *caches = contacts->caches.data;
    contacts->keptCount = device->marks.keptCount;
    memcpy(contacts->kept.data, device->pulledKept.data,
           sizeof(wbKeptManifold) * (size_t)contacts->keptCount);
    for (int i = 0; i < others; i++)
        if (pairs[i].b >= 0 && pieces[pairs[i].b].kind == wb_pieceMesh)
            caches[i] = ((const wbCollideCache *)device->pulledCaches.data)[i];
}

static void takeContacts(const wbRigidExactGpu *device, wbRigid *rigid) {
    wbRigidContacts *contacts = &rigid->contacts;
    contacts->count = device->marks.contactCount;
    contacts->subStep = device->marks.subStep;
    contacts->isStale = !device->marks.isListKnown;
    if (contacts->count > 0)
        memcpy(contacts->contacts.data, device->pulledContacts.data,
               sizeof(wbContact) * (size_t)contacts->count);
    memset(contacts->pairCounts, 0, sizeof contacts->pairCounts);
    if (!device->marks.isListKnown) return;
    const int pairs = wbCountPairs(device);
    memcpy(contacts->pairCounts, device->marks.pairCounts, sizeof contacts->pairCounts);
    contacts->pieceCount = device->pieceCount;
    memcpy(contacts->pairs.data, device->pulledPairs.data, sizeof(wbPiecePair) * (size_t)pairs);
    float(*known)[4] = contacts->known.data;
    memcpy(known, device->pulledKnown.data, sizeof(float[4]) * (size_t)device->pieceCount);
    memset(known[device->pieceCount], 0, sizeof(float[2][4]));
    memcpy(known[device->pieceCount], device->marks.sides[0], sizeof(float[3]));
    memcpy(known[device->pieceCount + 1], device->marks.sides[1], sizeof(float[3]));
    takeCaches(device, rigid);
}

void wbRigidExactGpu_Take(wbRigidExactGpu *device, wbRigid *rigid) {
    if (!device->deviceIsNewer) return;
    takeBodies(device, rigid);
    takeContacts(device, rigid);
    wbTakeDeviceJoints(device, rigid);
    device->deviceIsNewer = false;
}
