// SPDX-License-Identifier: MIT
#include "space/boundary.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "core/status.h"
#include "space/space_code.h"

enum { STILL, MOVING, SETS, COLUMNS = 21 };

void wbBoundary_Init(wbBoundary *boundary) {
    *boundary = (wbBoundary){.bodies = {.elementSize = sizeof(wbBoundaryBody)},
                             .moving = {.elementSize = sizeof(int)},
                             .touched = {.elementSize = sizeof(int)},
                             .caught = {.elementSize = sizeof(wbSharedSum)},
                             .ownGrids = {.elementSize = sizeof(wbGrid)}};
    for (int s = 0; s < SETS; s++) wbGrid_Init(&boundary->grids[s]);
}

static void listColumns(wbBoundary *b, wbColumn columns[COLUMNS]) {
    enum { RECORD = sizeof(float[4]) };
    const wbColumn list[COLUMNS] = {
        {"localX", (void **)&b->localX, 4, true},
        {"localY", (void **)&b->localY, 4, true},
        {"localZ", (void **)&b->localZ, 4, true},
        {"normalX", (void **)&b->normalX, 4, true},
        {"normalY", (void **)&b->normalY, 4, true},
        {"normalZ", (void **)&b->normalZ, 4, true},
        {"depth", (void **)&b->depth, 4, true},
        {"weight", (void **)&b->weight, 4, true},
        {"body", (void **)&b->body, 4, true},
        {"kept", (void **)&b->kept, 4, false},
        {"source", (void **)&b->source, 4, false},
        {"place", (void **)&b->place, 4, false},
        {"x", (void **)&b->x, 4, false},
        {"y", (void **)&b->y, 4, false},
        {"z", (void **)&b->z, 4, false},
        {"positionRecords", (void **)&b->positionRecords, RECORD, false},
        {"velocityRecords", (void **)&b->velocityRecords, RECORD, false},
        {"ownX", (void **)&b->ownX, 4, false},
        {"ownY", (void **)&b->ownY, 4, false},
        {"ownZ", (void **)&b->ownZ, 4, false},
        {"ownRecords", (void **)&b->ownRecords, RECORD, false},
    };
    memcpy(columns, list, sizeof list);
}

void wbBoundary_Free(wbMemory *memory, wbBoundary *boundary) {
    wbColumn columns[COLUMNS];
    listColumns(boundary, columns);
    wbFreeColumns(memory, columns, COLUMNS, &boundary->capacity);
    for (int k = 0; k < boundary->bodyCount; k++) wbDestroyShape(wbBoundary_GetBody(boundary, k)->shape);
    for (int k = 0; k < boundary->ownGridCount; k++)
        wbGrid_Free(memory, (wbGrid *)boundary->ownGrids.data + k);
    wbArray *const arrays[] = {&boundary->bodies, &boundary->moving, &boundary->touched, &boundary->caught,
                               &boundary->ownGrids};
    for (int k = 0; k < 5; k++) wbArray_Free(memory, arrays[k]);
    for (int s = 0; s < SETS; s++) wbGrid_Free(memory, &boundary->grids[s]);
}

wbBoundaryBody *wbBoundary_GetBody(const wbBoundary *boundary, int body) {
    WB_ASSERT(body >= 0 && body < boundary->bodyCount, "there is no such body");
    return (wbBoundaryBody *)boundary->bodies.data + body;
}

static void copyPoints(wbBoundary *b, wbBoundaryBody *body, const wbBoundaryBodyDef *def) {
    for (int k = 0; k < def->count; k++) {
        const float *p = def->points + 3 * (size_t)k, *n = def->normals + 3 * (size_t)k;
        int place = body->first + k;
        b->localX[place] = p[0], b->localY[place] = p[1], b->localZ[place] = p[2];
        b->normalX[place] = n[0], b->normalY[place] = n[1], b->normalZ[place] = n[2];
        b->depth[place] = def->depths[k];
        b->weight[place] = 0;
        b->body[place] = (int)(body - (wbBoundaryBody *)b->bodies.data);
        body->reach = fmaxf(body->reach, sqrtf(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]));
    }
}

static bool reserveBodies(wbBoundary *b, wbMemory *memory, int count) {
    return wbArray_Reserve(memory, &b->bodies, count) && wbArray_Reserve(memory, &b->moving, count) &&
           wbArray_Reserve(memory, &b->touched, count) &&
           wbArray_Reserve(memory, &b->caught, WB_CAUGHT_SUMS * count);
}

static float getLength(const float v[3]) { return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static float findSpeed(const wbBoundaryBody *body) {
    float speed = 0;
    for (int t = 0; t < wb_boundaryTimeCount && !body->isOff; t++) {
        const wbMotion *motion = &body->motions[t];
        speed = fmaxf(speed, getLength(motion->velocity) + body->reach * getLength(motion->spin));
    }
    return speed;
}

// Bodies that move are few, and what asks for their speed looks at no other.
static void setSpeed(wbBoundary *boundary, int index, float speed) {
    wbBoundaryBody *body = wbBoundary_GetBody(boundary, index);
    int *moving = boundary->moving.data, place = 0;
    const bool wasMoving = body->speed != 0;
    body->speed = speed;
    if (!wasMoving && speed != 0) moving[boundary->movingBodyCount++] = index;
    if (!wasMoving || speed != 0) return;
    while (moving[place] != index) place++;
    moving[place] = moving[--boundary->movingBodyCount];
}

static void countSurface(wbBoundary *boundary, const wbBoundaryBody *body, int one) {
    if (body->isOff) return;
    boundary->onCount += one;
    boundary->noSlipCount += body->isNoSlip ? one : 0;
    boundary->adhesiveCount += body->adhesion > 0 ? one : 0;
}

// Room for a body's points before those of the bodies behind it. What the last step left goes: indices of bodies are in it.
static void moveBack(wbBoundary *b, int at, int count) {
    wbColumn columns[COLUMNS];
    wbBoundaryBody *bodies = b->bodies.data;
    int *moving = b->moving.data;
    const int first = at < b->bodyCount ? bodies[at].first : b->pointCount;
    wbBoundary_ClearImpulses(b);
    listColumns(b, columns);
    for (int c = 0; c < COLUMNS; c++) {
        const size_t size = (size_t)columns[c].elementSize;
        char *from = (char *)*columns[c].data + size * (size_t)first;
        memmove(from + size * (size_t)count, from, size * (size_t)(b->pointCount - first));
    }
    memmove(bodies + at + 1, bodies + at, sizeof *bodies * (size_t)(b->bodyCount - at));
    for (int k = at + 1; k <= b->bodyCount; k++) bodies[k].first += count;
    for (int k = first + count; k < b->pointCount + count; k++) b->body[k]++;
    for (int k = 0; k < b->movingBodyCount; k++) moving[k] += moving[k] >= at;
}

wbStatus wbBoundary_AddBody(wbBoundary *boundary, wbMemory *memory, const wbBoundaryBodyDef *def) {
    return wbBoundary_InsertBody(boundary, memory, boundary->bodyCount, def);
}

wbStatus wbBoundary_InsertBody(wbBoundary *boundary, wbMemory *memory, int at, const wbBoundaryBodyDef *def) {
    wbColumn columns[COLUMNS];
    listColumns(boundary, columns);
    int64_t total = (int64_t)boundary->pointCount + def->count;
    if (total > INT32_MAX / 4)
        return wbError(wb_errorMemory, "%lld points of colliders are more than a world can hold",
                       (long long)total);
    if (!reserveBodies(boundary, memory, boundary->bodyCount + 1) ||
        !wbReserveColumns(memory, columns, COLUMNS, &boundary->capacity, (int)total))
        return wbMemoryError(memory, "%d points of a collider need", def->count);
    wbBoundaryBody *body = (wbBoundaryBody *)boundary->bodies.data + at;
    const int first = at < boundary->bodyCount ? body->first : boundary->pointCount;
    if (at < boundary->bodyCount) moveBack(boundary, at, def->count);
    *body = (wbBoundaryBody){.first = first,
                             .count = def->count,
                             .shape = def->shape ? wbShape_Share(def->shape) : NULL,
                             .isOff = def->isOff,
                             .isMoving = def->isMoving,
                             .isNoSlip = def->isNoSlip,
                             .slack = def->slack,
                             .adhesion = def->adhesion,
                             .motions = {def->motion, def->motion, def->motion}};
    copyPoints(boundary, body, def);
    boundary->pointCount = (int)total;
    boundary->bodyCount++;
    countSurface(boundary, body, 1);
    setSpeed(boundary, at, findSpeed(body));
    boundary->isWeighed = false;
    return wb_okStatus;
}

void wbBoundary_SetMotion(wbBoundary *boundary, int body, const wbMotion motions[wb_boundaryTimeCount]) {
    wbBoundaryBody *b = wbBoundary_GetBody(boundary, body);
    if (!b->isMoving && memcmp(b->motions, motions, sizeof b->motions) != 0) boundary->isStillPlaced = false;
    memcpy(b->motions, motions, sizeof b->motions);
    setSpeed(boundary, body, findSpeed(b));
}

void wbBoundary_SetSurface(wbBoundary *boundary, int body, bool isNoSlip, float slack, float adhesion) {
    wbBoundaryBody *b = wbBoundary_GetBody(boundary, body);
    countSurface(boundary, b, -1);
    b->isNoSlip = isNoSlip, b->slack = slack, b->adhesion = adhesion;
    countSurface(boundary, b, 1);
    if (!b->isMoving) boundary->isStillPlaced = false;
}

float wbBoundary_GetTopSpeed(const wbBoundary *boundary) {
    const int *moving = boundary->moving.data;
    float top = 0;
    for (int k = 0; k < boundary->movingBodyCount; k++)
        top = fmaxf(top, wbBoundary_GetBody(boundary, moving[k])->speed);
    return top;
}

bool wbBoundary_HasAdhesion(const wbBoundary *boundary) { return boundary->adhesiveCount > 0; }

bool wbBoundary_HasNoSlip(const wbBoundary *boundary) { return boundary->noSlipCount > 0; }

static int keepPoints(wbBoundary *b, bool isMoving, int count) {
    for (int k = 0; k < b->pointCount; k++) {
        const wbBoundaryBody *body = wbBoundary_GetBody(b, b->body[k]);
        if (b->weight[k] > 0 && body->isMoving == isMoving && !body->isOff) b->kept[count++] = k;
    }
    return count;
}

static void settle(wbBoundary *boundary) {
    boundary->isSorted = false;
    for (int k = 0; k < boundary->pointCount; k++) boundary->place[k] = -1;
    boundary->stillCount = keepPoints(boundary, false, 0);
    boundary->movingCount = keepPoints(boundary, true, boundary->stillCount) - boundary->stillCount;
    boundary->isStillPlaced = false;
}

void wbBoundary_Settle(wbBoundary *boundary, wbBoundaryKey key) {
    boundary->key = key, boundary->isWeighed = true;
    for (int k = 0; k < boundary->bodyCount; k++) wbBoundary_GetBody(boundary, k)->isWeighed = true;
    settle(boundary);
}

// Weights are of each body by itself: those of the others stay.
static void settleAgain(wbBoundary *boundary) {
    if (boundary->key.radius > 0) settle(boundary);
}

void wbBoundary_SetOn(wbBoundary *boundary, int body, bool isOn) {
    wbBoundaryBody *b = wbBoundary_GetBody(boundary, body);
    if (b->isOff == !isOn) return;
    countSurface(boundary, b, -1);
    b->isOff = !isOn;
    countSurface(boundary, b, 1);
    setSpeed(boundary, body, findSpeed(b));
    settleAgain(boundary);
}

void wbBoundary_SetMoving(wbBoundary *boundary, int body, bool isMoving) {
    wbBoundaryBody *b = wbBoundary_GetBody(boundary, body);
    if (b->isMoving == isMoving) return;
    b->isMoving = isMoving;
    settleAgain(boundary);
}

// What the last step left goes, too: indices of bodies are in it.
static void forgetBody(wbBoundary *boundary, int body) {
    int *moving = boundary->moving.data;
    wbBoundary_ClearImpulses(boundary);
    setSpeed(boundary, body, 0);
    countSurface(boundary, wbBoundary_GetBody(boundary, body), -1);
    for (int k = 0; k < boundary->movingBodyCount; k++) moving[k] -= moving[k] > body;
}

void wbBoundary_RemoveBody(wbBoundary *boundary, int body) {
    const wbBoundaryBody gone = *wbBoundary_GetBody(boundary, body);
    wbDestroyShape(gone.shape);
    wbColumn columns[COLUMNS];
    forgetBody(boundary, body);
    listColumns(boundary, columns);
    wbRemoveRange(columns, COLUMNS, gone.first, gone.first + gone.count, boundary->pointCount);
    boundary->pointCount -= gone.count;
    wbArray_Remove(&boundary->bodies, body, boundary->bodyCount--);
    for (int k = body; k < boundary->bodyCount; k++) wbBoundary_GetBody(boundary, k)->first -= gone.count;
    for (int k = gone.first; k < boundary->pointCount; k++) boundary->body[k]--;
    settleAgain(boundary);
}

// Points kept[first] … of one set on their way into the order of cells.
typedef struct PlaceTask {
    wbBoundary *boundary;
    wbBoundaryTime time;
    int first, count;
    float *x, *y, *z; // unsorted
    int *order;
} PlaceTask;

static const wbMotion *motionOf(const PlaceTask *task, int point) {
    return &wbBoundary_GetBody(task->boundary, task->boundary->body[point])->motions[task->time];
}

static void moveRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const PlaceTask *task = context;
    const wbBoundary *b = task->boundary;
    for (int k = begin; k < end; k++) {
        int point = b->kept[task->first + k];
        wbVec3 p = wbPose_Apply(&motionOf(task, point)->pose,
                                wbMakeVec3(b->localX[point], b->localY[point], b->localZ[point]));
        task->x[k] = p.x, task->y[k] = p.y, task->z[k] = p.z;
    }
}

static void writeRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const PlaceTask *task = context;
    wbBoundary *b = task->boundary;
    for (int k = begin; k < end; k++) {
        int from = task->order[k], point = b->kept[task->first + from], place = task->first + k;
        const wbBoundaryBody *body = wbBoundary_GetBody(b, b->body[point]);
        float weight = b->weight[point];
        wbVec3 p = wbMakeVec3(task->x[from], task->y[from], task->z[from]);
        wbVec3 v = wbMotion_VelocityAt(motionOf(task, point), p);
        b->source[place] = point, b->place[point] = place;
        b->x[place] = p.x, b->y[place] = p.y, b->z[place] = p.z;
        const float position[4] = {p.x, p.y, p.z, weight},
                    velocity[4] = {v.x, v.y, v.z, body->isNoSlip ? weight * (1 - body->slack) : 0};
        memcpy(b->positionRecords + 4 * (size_t)place, position, sizeof position);
        memcpy(b->velocityRecords + 4 * (size_t)place, velocity, sizeof velocity);
    }
}

static bool allocatePlaces(PlaceTask *task, wbArena *arena) {
    size_t bytes = sizeof(float) * (size_t)(wbPadCount(task->count) + WB_PADDING);
    task->x = wbArena_Alloc(arena, bytes), task->y = wbArena_Alloc(arena, bytes);
    task->z = wbArena_Alloc(arena, bytes), task->order = wbArena_Alloc(arena, bytes);
    return task->x && task->y && task->z && task->order;
}

static wbStatus placeSet(wbBoundary *b, const wbWork *work, int set, wbBoundaryTime time) {
    PlaceTask task = {.boundary = b,
                      .time = time,
                      .first = set == STILL ? 0 : b->stillCount,
                      .count = set == STILL ? b->stillCount : b->movingCount};
    wbGrid *grid = &b->grids[set];
    if (!allocatePlaces(&task, work->arena))
        return wbMemoryError(work->memory, "%d points of colliders need", task.count);
    wbParallelFor(work->pool, task.count, WB_BLOCK, moveRange, &task);
    wbPoints unsorted = {task.x, task.y, task.z, task.count};
    WB_TRY(wbGrid_Sort(grid, work, unsorted, b->key.radius, b->key.dimensions, wb_gridAuto, task.order));
    wbParallelFor(work->pool, task.count, WB_BLOCK, writeRange, &task);
    b->sets[set] =
        (wbPointSet){.points = {b->x + task.first, b->y + task.first, b->z + task.first, task.count},
                     .grid = grid,
                     .firstIndex = task.first,
                     .clearMin = {FLT_MAX, FLT_MAX, FLT_MAX},
                     .clearMax = {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    return wb_okStatus;
}

void wbBoundary_Follow(wbBoundary *b, int index, wbBoundaryTime time) {
    const wbBoundaryBody *body = wbBoundary_GetBody(b, index);
    const wbMotion *motion = &body->motions[time];
    const bool isSeen = body->isNoSlip || b->showsSlip;
    for (int point = body->first; point < body->first + body->count; point++) {
        const int place = b->place[point];
        if (place < 0) continue;
        const wbVec3 p =
            wbPose_Apply(&motion->pose, wbMakeVec3(b->localX[point], b->localY[point], b->localZ[point]));
        memcpy(b->positionRecords + 4 * (size_t)place, &p, sizeof(float[3]));
        if (!isSeen) continue;
        const wbVec3 v = wbMotion_VelocityAt(motion, p);
        memcpy(b->velocityRecords + 4 * (size_t)place, &v, sizeof(float[3]));
    }
}

// Its points that count, by cells of its own frame.
static wbStatus sortBody(wbBoundary *b, const wbWork *work, wbBoundaryBody *body, wbGrid *grid) {
    PlaceTask task = {.count = body->count};
    int *points;
    if (!allocatePlaces(&task, work->arena) ||
        !(points = wbArena_Alloc(work->arena, sizeof(int) * (size_t)(body->count + 1))))
        return wbMemoryError(work->memory, "%d points of colliders need", body->count);
    body->ownCount = 0;
    for (int point = body->first; point < body->first + body->count; point++) {
        if (!(b->weight[point] > 0)) continue;
        const int k = body->ownCount++;
        task.x[k] = b->localX[point], task.y[k] = b->localY[point], task.z[k] = b->localZ[point];
        points[k] = point;
    }
    const wbPoints unsorted = {task.x, task.y, task.z, body->ownCount};
    WB_TRY(wbGrid_Sort(grid, work, unsorted, b->key.radius, b->key.dimensions, wb_gridAuto, task.order));
    for (int k = 0; k < body->ownCount; k++) {
        const int from = task.order[k], to = body->first + k;
        const float record[4] = {task.x[from], task.y[from], task.z[from], b->weight[points[from]]};
        b->ownX[to] = record[0], b->ownY[to] = record[1], b->ownZ[to] = record[2];
        memcpy(b->ownRecords + 4 * (size_t)to, record, sizeof record);
    }
    return wb_okStatus;
}

wbStatus wbBoundary_SortBodies(wbBoundary *b, const wbWork *work) {
    const size_t mark = wbArena_Mark(work->arena);
    const float away[4] = {1e15f, 1e15f, 1e15f, 0};
    wbStatus status = wb_okStatus;
    if (b->isSorted) return status;
    if (!wbArray_Reserve(work->memory, &b->ownGrids, b->bodyCount))
        return wbMemoryError(work->memory, "%d bodies among fluids need", b->bodyCount);
    for (; b->ownGridCount < b->bodyCount; b->ownGridCount++)
        wbGrid_Init((wbGrid *)b->ownGrids.data + b->ownGridCount);
    for (int k = 0; k < b->bodyCount && wbIsOk(status); k++) {
        status = sortBody(b, work, wbBoundary_GetBody(b, k), (wbGrid *)b->ownGrids.data + k);
        wbArena_Release(work->arena, mark);
    }
    memcpy(b->ownRecords + 4 * (size_t)b->pointCount, away, sizeof away);
    b->isSorted = wbIsOk(status);
    return status;
}

// What lists are filled up with: beyond every kernel, with a square that is finite.
static void writeDummy(wbBoundary *b) {
    const float position[4] = {1e15f, 1e15f, 1e15f, 0}, none[4] = {0};
    size_t place = 4 * (size_t)wbBoundary_GetCount(b);
    memcpy(b->positionRecords + place, position, sizeof position);
    memcpy(b->velocityRecords + place, none, sizeof none);
}

static uint64_t hashStill(const wbBoundary *b) {
    size_t bytes = sizeof(float[4]) * (size_t)b->stillCount;
    uint64_t hash = wbHashBytes(1, &b->key, sizeof b->key);
    hash = wbHashBytes(hash, b->positionRecords, bytes);
    hash = wbHashBytes(hash, b->velocityRecords, bytes);
    for (int k = 0; k < b->bodyCount; k++)
        hash = wbHashBytes(hash, &wbBoundary_GetBody(b, k)->adhesion, sizeof(float));
    return hash;
}

wbStatus wbBoundary_Place(wbBoundary *boundary, const wbWork *work, wbBoundaryTime time) {
    size_t mark = wbArena_Mark(work->arena);
    wbStatus status = wb_okStatus;
    if (wbBoundary_GetCount(boundary) == 0) return status;
    boundary->hasPlaces = true;
    writeDummy(boundary);
    if (!boundary->isStillPlaced) {
        status = placeSet(boundary, work, STILL, time);
        boundary->isStillPlaced = wbIsOk(status);
        boundary->stillHash = hashStill(boundary);
    }
    if (wbIsOk(status) && boundary->movingCount > 0) status = placeSet(boundary, work, MOVING, time);
    wbArena_Release(work->arena, mark);
    return status;
}

wbStatus wbBoundary_BeginLists(const wbBoundary *b, wbNeighbours *neighbours, const wbWork *work,
                               wbPoints particles, wbListTask *task) {
    const wbPointSet *searched[WB_SEARCHED_SETS];
    int searchedCount = 0;
    if (b->stillCount > 0) searched[searchedCount++] = &b->sets[STILL];
    if (b->movingCount > 0) searched[searchedCount++] = &b->sets[MOVING];
    return wbNeighbours_BeginAmong(neighbours, work, particles, searched, searchedCount,
                                   wbBoundary_GetCount(b), task);
}

wbStatus wbBoundary_ListParticles(const wbBoundary *b, wbNeighbours *neighbours, const wbWork *work,
                                  const wbPointSet *particles, int dummy) {
    wbPoints places = {b->x, b->y, b->z, wbBoundary_GetCount(b)};
    wbListTask task;
    WB_TRY(wbNeighbours_BeginAmong(neighbours, work, places, &particles, 1, dummy, &task));
    wbParallelFor(work->pool, places.count, WB_BLOCK, wbGetSpaceCode(work->simd)->lists, &task);
    return wbNeighbours_End(neighbours, work);
}

void wbBoundary_ClearImpulses(wbBoundary *boundary) {
    const int *touched = boundary->touched.data;
    for (int k = 0; k < boundary->touchedCount; k++) {
        wbBoundaryBody *body = wbBoundary_GetBody(boundary, touched[k]);
        body->impulse = (wbImpulse){0}, body->isTouched = false;
    }
    boundary->touchedCount = 0;
    if (boundary->hasCaught) // by a step that failed
        memset(boundary->caught.data, 0, sizeof(wbSharedSum[WB_CAUGHT_SUMS]) * (size_t)boundary->bodyCount);
    boundary->hasCaught = false;
}

static wbImpulse *touch(wbBoundary *boundary, int index) {
    wbBoundaryBody *body = wbBoundary_GetBody(boundary, index);
    if (!body->isTouched) ((int *)boundary->touched.data)[boundary->touchedCount++] = index;
    body->isTouched = true;
    return &body->impulse;
}

void wbBoundary_AddForces(wbBoundary *boundary, wbBoundaryTime time, const float *fx, const float *fy,
                          const float *fz, double seconds) {
    for (int k = 0; k < wbBoundary_GetCount(boundary); k++) {
        if (fx[k] == 0 && fy[k] == 0 && fz[k] == 0) continue;
        const int index = boundary->body[boundary->source[k]];
        const float *origin = wbBoundary_GetBody(boundary, index)->motions[time].pose.position;
        wbImpulse *impulse = touch(boundary, index);
        const double f[3] = {seconds * fx[k], seconds * fy[k], seconds * fz[k]};
        const float *place = boundary->positionRecords + 4 * (size_t)k;
        const double r[3] = {(double)place[0] - origin[0], (double)place[1] - origin[1],
                             (double)place[2] - origin[2]};
        for (int a = 0; a < 3; a++) {
            int u = (a + 1) % 3, v = (a + 2) % 3;
            impulse->linear[a] += f[a];
            impulse->angular[a] += r[u] * f[v] - r[v] * f[u];
        }
    }
}

void wbBoundary_AddSums(wbBoundary *boundary, const wbImpulse *forces, double seconds) {
    for (int k = 0; k < boundary->bodyCount; k++) {
        const double *linear = forces[k].linear, *angular = forces[k].angular;
        if (linear[0] == 0 && linear[1] == 0 && linear[2] == 0 && angular[0] == 0 && angular[1] == 0 &&
            angular[2] == 0)
            continue;
        wbImpulse *impulse = touch(boundary, k);
        for (int a = 0; a < 3; a++)
            impulse->linear[a] += seconds * linear[a], impulse->angular[a] += seconds * angular[a];
    }
}

typedef struct SumTask {
    const wbBoundary *boundary;
    wbBoundaryTime time;
    const float *const *forces;
    wbImpulse *sums;
} SumTask;

static void sumRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const SumTask *task = context;
    const wbBoundary *b = task->boundary;
    for (int k = begin; k < end; k++) {
        const wbBoundaryBody *body = wbBoundary_GetBody(b, k);
        const float *origin = body->motions[task->time].pose.position;
        wbImpulse sum = {0};
        for (int point = body->first; point < body->first + body->count; point++) {
            const int place = b->place[point];
            if (place < 0) continue;
            const float *at = b->positionRecords + 4 * (size_t)place;
            const wbVec3d f = {task->forces[0][place], task->forces[1][place], task->forces[2][place]},
                          arm = {(double)at[0] - origin[0], (double)at[1] - origin[1],
                                 (double)at[2] - origin[2]};
            if (f.x == 0 && f.y == 0 && f.z == 0) continue;
            const wbVec3d turn = wbCross3d(arm, f);
            sum.linear[0] += f.x, sum.linear[1] += f.y, sum.linear[2] += f.z;
            sum.angular[0] += turn.x, sum.angular[1] += turn.y, sum.angular[2] += turn.z;
        }
        task->sums[k] = sum;
    }
}

void wbBoundary_SumForces(const wbBoundary *boundary, const wbWork *work, wbBoundaryTime time,
                          const float *const forces[3], wbImpulse *sums) {
    SumTask task = {boundary, time, forces, sums};
    wbParallelFor(work->pool, boundary->bodyCount, 8, sumRange, &task);
}

// In 2D what is pushed out of the plane stays in it, and so does what pushes.
static bool isAcross(const wbBoundary *boundary, int sum) {
    return boundary->key.dimensions == 2 && sum >= 2 && sum < WB_CAUGHT_SUMS - 1;
}

void wbBoundary_AddCaught(wbBoundary *boundary, double mass) {
    wbSharedSum *sums = boundary->caught.data;
    for (int k = 0; k < WB_CAUGHT_SUMS * boundary->bodyCount && boundary->hasCaught; k++) {
        if (sums[k] == 0) continue;
        wbImpulse *impulse = touch(boundary, k / WB_CAUGHT_SUMS);
        const int sum = k % WB_CAUGHT_SUMS;
        double *value = sum < 3 ? &impulse->linear[sum] : &impulse->angular[sum - 3];
        if (!isAcross(boundary, sum)) *value += mass * wbSharedSum_Get(sums[k]);
        sums[k] = 0;
    }
    boundary->hasCaught = false;
}
