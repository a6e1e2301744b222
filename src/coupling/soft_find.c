// SPDX-License-Identifier: MIT
// Which rigid bodies soft bodies may meet in a step, and what touches in a sub-step of it.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "coupling/soft_contact.h"
#include "rigid/closest.h"

// Which are near

static bool isFelt(const wbRigid *rigid, int row) {
    return !(rigid->bits[row] & (WB_RIGID_OFF | WB_RIGID_SENSOR)) && rigid->pieceCount[row] > 0;
}

static float getLength(float x, float y, float z) { return sqrtf(x * x + y * y + z * z); }

// m/s: no point of a body is faster.
static float getTopSpeed(const wbRigid *r) {
    float top = 0;
    for (int i = 0; i < r->count; i++) {
        const float turn = getLength(r->wx[i], r->wy[i], r->wz[i]),
                    rim = r->reach[i] < INFINITY ? turn * r->reach[i] : 0;
        top = fmaxf(top, getLength(r->vx[i], r->vy[i], r->vz[i]) + rim);
    }
    return top;
}

static float getTopSoftSpeed(const wbPbd *pbd) {
    float top2 = 0;
    for (int i = 0; i < pbd->count; i++)
        top2 = fmaxf(top2, pbd->vx[i] * pbd->vx[i] + pbd->vy[i] * pbd->vy[i] + pbd->vz[i] * pbd->vz[i]);
    return sqrtf(top2);
}

// m, around places of now: twice what both go at their highest speeds, since what is pushed may become as fast.
static float getMargin(const wbSoftContacts *contacts, float seconds) {
    const float fall = contacts->gravity * seconds;
    return 1.25f * contacts->radius +
           2 * seconds * (getTopSpeed(contacts->rigid) + getTopSoftSpeed(contacts->pbd) + 2 * fall);
}

static void widen(BroadBox *box, const wbPbd *pbd, int i) {
    const float p[3] = {pbd->x[i], pbd->y[i], pbd->z[i]};
    for (int a = 0; a < 3; a++)
        box->min[a] = fminf(box->min[a], p[a]), box->max[a] = fmaxf(box->max[a], p[a]);
}

// m, of a plane's piece below the lowest corner of a box; negative: the box reaches below it.
static float getPlaneHeight(const wbRigid *rigid, int row, const BroadBox *box) {
    const wbPose own = wbRigid_GetPose(rigid, row);
    const wbRigidPiece *piece = (const wbRigidPiece *)rigid->pieces.data + rigid->firstPiece[row];
    const wbPose pose = wbPose_Multiply(&own, &piece->pose);
    const wbVec3 up = wbPose_Rotate(&pose, wbMakeVec3(0, 1, 0));
    const float n[3] = {up.x, up.y, up.z};
    float height = 0;
    for (int a = 0; a < 3; a++) height += n[a] * ((n[a] > 0 ? box->min[a] : box->max[a]) - pose.position[a]);
    return height;
}

// Whether a body is nearer to a box than a margin.
static bool meets(const wbRigid *rigid, int row, const BroadBox *box, float margin) {
    const float p[3] = {rigid->x[row], rigid->y[row], rigid->z[row]}, reach = rigid->reach[row] + margin;
    if (!(reach < INFINITY)) return getPlaneHeight(rigid, row, box) <= margin;
    bool isNear = true;
    for (int a = 0; a < 3; a++) isNear &= p[a] >= box->min[a] - reach && p[a] <= box->max[a] + reach;
    return isNear;
}

bool wbSoftContacts_MayMeet(const wbSoftContacts *contacts, float seconds) {
    const wbRigid *rigid = contacts->rigid;
    const float margin = getMargin(contacts, seconds);
    BroadBox all = wbMakeEmptyBox();
    if (contacts->tieCount > 0) return true;
    for (int i = 0; i < contacts->pbd->count; i++) widen(&all, contacts->pbd, i);
    for (int row = 0; row < rigid->count; row++)
        if (isFelt(rigid, row) && meets(rigid, row, &all, margin)) return true;
    return false;
}

// Materials of rigid bodies and of soft ones are mixed as those of rigid ones are.
static float mixFriction(wbMix rule, float a, float b) {
    switch (rule) {
    case wb_mixGeometric:
        return sqrtf(a * b);
    case wb_mixMean:
        return 0.5f * (a + b);
    case wb_mixLeast:
        return fminf(a, b);
    case wb_mixMost:
        return fmaxf(a, b);
    default:
        return a * b;
    }
}

static void addBody(wbSoftContacts *contacts, int row, float friction) {
    const wbRigid *r = contacts->rigid;
    const bool isFree = contacts->mode == wb_pairBoth && r->bits[row] & WB_RIGID_DYNAMIC;
    const float motion[6] = {r->vx[row], r->vy[row], r->vz[row], r->wx[row], r->wy[row], r->wz[row]};
    wbPushedBody *body = wbSoftContacts_GetBody(contacts, contacts->bodyCount);
    *body = (wbPushedBody){.row = row,
                           .isFree = isFree,
                           .start = wbRigid_GetPose(r, row),
                           .inverseMass = isFree ? (double)r->inverseMass[row] : 0,
                           .friction = friction};
    for (int k = 0; k < 6; k++) body->velocity[k] = (double)motion[k];
    ((int *)contacts->rows.data)[row] = contacts->bodyCount++;
}

static void addPieces(wbSoftContacts *contacts, int index) {
    const wbRigid *r = contacts->rigid;
    const int row = wbSoftContacts_GetBody(contacts, index)->row;
    for (int k = 0; k < r->pieceCount[row]; k++) {
        const wbRigidPiece *piece = (const wbRigidPiece *)r->pieces.data + r->firstPiece[row] + k;
        if (piece->kind == wb_piecePlane)
            ((int *)contacts->unbounded.data)[contacts->unboundedCount++] = contacts->pieceCount;
        ((wbPushedPiece *)contacts->pieces.data)[contacts->pieceCount++] =
            (wbPushedPiece){.body = index, .piece = piece};
    }
}

static bool canMove(const wbRigid *r, int row) {
    return row >= 0 && row < r->count && r->inverseMass[row] > 0;
}

// The contact by which something that cannot move pressed a body most, in the last step of rigid bodies.
static void findSupports(wbSoftContacts *contacts, double *loads) {
    const wbRigid *r = contacts->rigid;
    const wbContact *list = r->contacts.contacts.data;
    for (int k = 0; k < r->contacts.count; k++) {
        const int rows[2] = {wbGetContactRow(list[k].bodies[0], r->count),
                             wbGetContactRow(list[k].bodies[1], r->count)};
        double load = 0;
        for (int m = 0; m < WB_MANIFOLD_POINTS; m++)
            if (list[k].separation[m] < WB_NO_POINT) load += (double)list[k].points[m][3];
        for (int side = 0; side < 2; side++) {
            const int index = canMove(r, rows[side]) ? ((const int *)contacts->rows.data)[rows[side]] : -1;
            if (index < 0 || canMove(r, rows[!side]) || !(load > loads[index])) continue;
            const float *n = list[k].normal, sign = side ? 1.0f : -1.0f;
            wbSoftContacts_GetBody(contacts, index)->support =
                (wbVec3d){(double)(sign * n[0]), (double)(sign * n[1]), (double)(sign * n[2])};
            loads[index] = load;
        }
    }
}

static bool isHolding(const wbSoftContacts *contacts, int row) {
    for (int k = 0; k < contacts->tieCount; k++)
        if (contacts->ties[k].body == row) return true;
    return false;
}

static bool reserve(wbSoftContacts *contacts, wbMemory *memory) {
    const wbRigid *r = contacts->rigid;
    return wbArray_Reserve(memory, &contacts->rows, r->count) &&
           wbArray_Reserve(memory, &contacts->areNear, contacts->pbd->bodyCount) &&
           wbArray_Reserve(memory, &contacts->bodies, r->count) &&
           wbArray_Reserve(memory, &contacts->pieces, r->totalPieces) &&
           wbArray_Reserve(memory, &contacts->gaps, contacts->tieCount) &&
           wbArray_Reserve(memory, &contacts->unbounded, r->totalPieces) &&
           wbBroadPhase_Reserve(memory, &contacts->tree, r->totalPieces);
}

wbStatus wbSoftContacts_Begin(wbSoftContacts *contacts, const wbWork *work, const wbRigidModel *model,
                              float friction, float dt) {
    const wbRigid *r = contacts->rigid;
    const wbPbd *pbd = contacts->pbd;
    const float margin = getMargin(contacts, dt);
    if (!reserve(contacts, work->memory))
        return wbMemoryError(work->memory, "%d rigid bodies among soft bodies need", r->count);
    size_t mark = wbArena_Mark(work->arena);
    BroadBox *boxes = wbArena_Alloc(work->arena, sizeof *boxes * (size_t)pbd->bodyCount);
    double *loads = wbArena_Alloc(work->arena, sizeof *loads * (size_t)r->count);
    if (!boxes || !loads)
        return wbMemoryError(work->memory, "%d soft bodies among rigid ones need", pbd->bodyCount);
    bool *areNear = contacts->areNear.data;
    for (int b = 0; b < pbd->bodyCount; b++) boxes[b] = wbMakeEmptyBox(), areNear[b] = false;
    for (int i = 0; i < pbd->count; i++) widen(&boxes[pbd->body[i]], pbd, i);
    contacts->bodyCount = contacts->pieceCount = contacts->unboundedCount = 0;
    contacts->isTouched = contacts->tieCount > 0;
    contacts->seconds = 0, contacts->wholeStep = (double)dt;
    for (int row = 0; row < r->count; row++) {
        bool isNear = false;
        ((int *)contacts->rows.data)[row] = -1;
        if (!isFelt(r, row)) continue;
        for (int b = 0; b < pbd->bodyCount; b++) {
            if (!meets(r, row, &boxes[b], margin)) continue;
            isNear = areNear[b] = true;
        }
        if (!isNear && !isHolding(contacts, row)) continue;
        addBody(contacts, row, mixFriction(model->params.frictionMix, friction, r->friction[row]));
        loads[contacts->bodyCount - 1] = 0;
        addPieces(contacts, contacts->bodyCount - 1);
    }
    findSupports(contacts, loads);
    wbSoftContacts_MeasureTies(contacts);
    wbArena_Release(work->arena, mark);
    return wb_okStatus;
}

// What touches in a sub-step

typedef struct Search {
    const wbSoftContacts *contacts;
    const float *records;
    int *begins;          // of each particle's slots, then of each triangle's; counts, at first
    wbSoftContact *slots; // those without a body hold nothing
} Search;

static const wbPushedPiece *getPiece(const wbSoftContacts *contacts, int k) {
    return (const wbPushedPiece *)contacts->pieces.data + k;
}

// Around all of a piece's places in the sub-step, and the part of its way by which what it meets may be led on.
static BroadBox boundPiece(const wbPushedPiece *piece) {
    wbRigidPiece own = *piece->piece;
    own.pose = wb_poseAtOrigin;
    const BroadBox from = wbRigidPiece_Bound(&own, &piece->start), to = wbRigidPiece_Bound(&own, &piece->end),
                   both = wbJoinBoxes(&from, &to);
    float way = 0, far = 0;
    for (int a = 0; a < 3; a++) {
        way = fmaxf(way, fmaxf(fabsf(to.min[a] - from.min[a]), fabsf(to.max[a] - from.max[a])));
        far = fmaxf(far, fmaxf(fabsf(both.min[a]), fabsf(both.max[a])));
    }
    return wbGrowBox(&both, 2 * way + 1e-5f * (far + 1));
}

static void updateTree(wbSoftContacts *contacts) {
    wbBroadPhase_SetCount(&contacts->tree, contacts->pieceCount);
    for (int k = 0; k < contacts->pieceCount; k++) {
        const wbPushedPiece *piece = getPiece(contacts, k);
        const BroadBox box = piece->piece->kind == wb_piecePlane ? wbMakeEmptyBox() : boundPiece(piece);
        wbBroadPhase_SetBox(&contacts->tree, k, &box);
    }
    wbBroadPhase_Update(&contacts->tree);
}

// Around the ways of some particles, and what corrections may add. Asked of all of them in each sub-step: plain comparisons, which are
// not calls as those of the C library are.
static BroadBox boundWays(const Search *search, const int *particles, int count) {
    BroadBox box = wbMakeEmptyBox();
    float longest2 = 0;
    for (int m = 0; m < count; m++) {
        const float *way = search->records + WB_PBD_RECORD * (size_t)particles[m], *start = way + WB_PBD_HALF;
        const float length2 = way[0] * way[0] + way[1] * way[1] + way[2] * way[2];
        for (int a = 0; a < 3; a++) {
            const float from = start[a], to = from + way[a], low = to < from ? to : from,
                        high = to < from ? from : to;
            box.min[a] = low < box.min[a] ? low : box.min[a];
            box.max[a] = high > box.max[a] ? high : box.max[a];
        }
        longest2 = length2 > longest2 ? length2 : longest2;
    }
    const float margin = 1.25f * search->contacts->radius + 1.5f * sqrtf(longest2);
    for (int a = 0; a < 3; a++) box.min[a] -= margin, box.max[a] += margin;
    return box;
}

static bool isPlace(const BroadBox *box) {
    bool isFinite = true;
    for (int a = 0; a < 3; a++) isFinite &= box->min[a] >= -1e9f && box->max[a] <= 1e9f;
    return isFinite;
}

static bool isNear(const wbSoftContacts *contacts, int particle) {
    return ((const bool *)contacts->areNear.data)[contacts->pbd->body[particle]];
}

// Items are particles, then triangles; gives how many particles an item has.
static int getItem(const wbSoftContacts *contacts, const int *item, const int **particles) {
    const int triangle = *item - contacts->pbd->count;
    *particles = triangle < 0 ? item : contacts->triangles + 3 * (size_t)triangle;
    return triangle < 0 ? 1 : 3;
}

// Planes come first, then the others, each by its number: the order does not depend on the tree.
static int findNextPiece(const wbSoftContacts *contacts, const BroadBox *box, int found, int after) {
    if (found < contacts->unboundedCount) return ((const int *)contacts->unbounded.data)[found];
    return wbBroadPhase_FindNext(&contacts->tree, box, found == contacts->unboundedCount ? -1 : after);
}

// Slots of an item at a piece: only what is round or has corners may go through a triangle.
static int countSlots(int particleCount, const wbPushedPiece *piece) {
    if (particleCount == 1) return 1;
    return piece->piece->kind <= wb_pieceHull ? WB_TRIANGLE_CONTACTS : 0;
}

static void countRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const Search *search = context;
    const wbSoftContacts *contacts = search->contacts;
    for (int item = begin; item < end; item++) {
        const int *particles, count = getItem(contacts, &item, &particles);
        search->begins[item] = 0;
        if (!isNear(contacts, particles[0])) continue;
        const BroadBox box = boundWays(search, particles, count);
        if (!isPlace(&box)) continue;
        for (int found = 0, k = -1; (k = findNextPiece(contacts, &box, found, k)) >= 0; found++)
            search->begins[item] += countSlots(count, getPiece(contacts, k));
    }
}

static void fillRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const Search *search = context;
    const wbSoftContacts *contacts = search->contacts;
    for (int item = begin; item < end; item++) {
        const int *particles, count = getItem(contacts, &item, &particles);
        wbSoftContact *slot = search->slots + search->begins[item],
                      *last = search->slots + search->begins[item + 1];
        for (wbSoftContact *s = slot; s < last; s++) s->body = -1;
        if (slot == last) continue;
        const BroadBox box = boundWays(search, particles, count);
        for (int found = 0, k = -1; (k = findNextPiece(contacts, &box, found, k)) >= 0; found++) {
            const wbPushedPiece *piece = getPiece(contacts, k);
            if (count == 1 && !wbMeetParticle(contacts, search->records, particles[0], piece, slot))
                slot->body = -1;
            if (count == 3 && countSlots(count, piece) > 0)
                (void)wbMeetTriangle(contacts, search->records, particles, piece, slot);
            slot += countSlots(count, piece);
        }
    }
}

// From counts to places.
static int sumCounts(int *begins, int count) {
    int sum = 0;
    for (int k = 0; k <= count; k++) {
        const int own = k < count ? begins[k] : 0;
        begins[k] = sum, sum += own;
    }
    return sum;
}

static bool listTied(wbSoftContacts *contacts, const wbWork *work) {
    contacts->tied = NULL;
    if (contacts->tieCount == 0) return true;
    contacts->tied = wbArena_Alloc(work->arena, sizeof(int) * (size_t)contacts->pbd->count);
    for (int i = 0; i < contacts->pbd->count && contacts->tied; i++) contacts->tied[i] = -1;
    for (int k = 0; k < contacts->tieCount && contacts->tied; k++)
        contacts->tied[contacts->ties[k].particle] = contacts->ties[k].body;
    return contacts->tied != NULL;
}

wbStatus wbSoftContacts_Find(const float *records, float dt, const wbWork *work, void *context) {
    enum { block = 64 };
    wbSoftContacts *contacts = context;
    const int items = contacts->pbd->count + contacts->triangleCount;
    Search search = {contacts, records,
                     .begins = wbArena_Alloc(work->arena, sizeof(int) * (size_t)(items + 1))};
    contacts->shares = wbArena_Alloc(work->arena, sizeof(float) * (size_t)contacts->pbd->count);
    contacts->contactCount = 0;
    if (!search.begins || !contacts->shares || !listTied(contacts, work))
        return wbMemoryError(work->memory, "contacts of %d soft particles need", contacts->pbd->count);
    wbSoftContacts_Move(contacts, dt);
    updateTree(contacts);
    wbParallelFor(work->pool, items, block, countRange, &search);
    const int slotCount = sumCounts(search.begins, items);
    if (slotCount == 0) return wb_okStatus;
    search.slots = contacts->contacts = wbArena_Alloc(work->arena, sizeof *search.slots * (size_t)slotCount);
    if (!search.slots) return wbMemoryError(work->memory, "%d contacts of soft bodies need", slotCount);
    wbParallelFor(work->pool, items, block, fillRange, &search);
    for (int k = 0; k < slotCount; k++)
        if (search.slots[k].body >= 0) contacts->contacts[contacts->contactCount++] = search.slots[k];
    return wb_okStatus;
}
