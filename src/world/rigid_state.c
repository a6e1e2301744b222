// SPDX-License-Identifier: MIT
// The state of rigid bodies, as hash, checkpoint and snapshot see it: what moves. The rest is made anew from their parameters
// and the recipes of their shapes. A file may say anything.
#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "core/status.h"
#include "world/checkpoint.h"
#include "world/rigid.h"

typedef struct SavedBody {
    char name[WB_NAME_SIZE];
    uint32_t index1;
    int32_t form; ///< in the order of "rigidForms"
} SavedBody;
_Static_assert(sizeof(SavedBody) == 72, "as it stands in the file");

enum { MOST = 1 << 26 }; // contacts, pairs and touches that a file may have

int wbListRigidValues(const wbSolver *solver, wbSavedValue values[WB_MAX_SOLVER_VALUES]) {
    wbRigid *rigid = &((wbRigidBodies *)solver->self)->rigid;
    wbRigidContacts *contacts = &rigid->contacts;
    const wbSavedValue list[] = {
        {"rigid.count", &rigid->count, wb_valueInt, 1, WB_MAX_RIGID_BODIES, true},
        {"rigid.previousDt", &rigid->previousDt, wb_valueFloat, 0, 1e30, true},
        {"rigid.maxSpeed", &rigid->maxSpeed, wb_valueFloat, 0, 1e30, false},
        {"rigid.contactCount", &contacts->count, wb_valueInt, 0, MOST, true},
        {"rigid.pairCount0", &contacts->pairCounts[0], wb_valueInt, 0, MOST, true},
        {"rigid.pairCount1", &contacts->pairCounts[1], wb_valueInt, 0, MOST, true},
        {"rigid.pairCount2", &contacts->pairCounts[2], wb_valueInt, 0, MOST, true},
        {"rigid.manifoldCount", &contacts->keptCount, wb_valueInt, 0, MOST, true},
        {"rigid.pieceCount", &contacts->pieceCount, wb_valueInt, 0, MOST, true},
        {"rigid.isStale", &contacts->isStale, wb_valueInt, 0, 1, true},
        {"rigid.contactStep", &contacts->subStep, wb_valueFloat, 0, 1e30, true},
        {"rigid.jointCount", &rigid->joints.count, wb_valueInt, 0, WB_MAX_JOINTS, true},
        {"rigid.jointStep", &rigid->joints.subStep, wb_valueFloat, 0, 1e30, true},
        {"rigid.touchCount", &rigid->events.touchCount, wb_valueInt, 0, MOST, true},
        {"rigid.guests", &((wbRigidBodies *)solver->self)->guests, wb_valueUint32, 0, UINT32_MAX, false},
        {"rigid.springCount", &rigid->particles.contactCount, wb_valueInt, 0, MOST, true},
    };
    const int count = (int)(sizeof list / sizeof list[0]);
    memcpy(values, list, sizeof list);
    wbRigidIslands_ListValues(&rigid->islands, values + count);
    return count + WB_ISLAND_VALUES;
}

// None before the first search, and none that hold no more.
static int countPairs(const wbRigidContacts *contacts) {
    return contacts->isStale ? 0
                             : contacts->pairCounts[0] + contacts->pairCounts[1] + contacts->pairCounts[2];
}

// Where a device computes, a step leaves what it has of the motion and of contacts as it was copied from it last.
int wbListRigidColumns(const wbSolver *solver, wbStateColumn columns[WB_MAX_STATE_COLUMNS]) {
    const bool onCores = !wbIsRigidOnDevice(solver);
    wbRigid *rigid = &((wbRigidBodies *)solver->self)->rigid;
    wbColumn moving[WB_RIGID_COLUMNS], exact[WB_CONTACT_LISTS], joints[WB_JOINT_COLUMNS],
        springs[WB_RIGID_CONTACT_COLUMNS];
    const wbColumn touches = wbRigidEvents_GetColumn(&rigid->events);
    int counts[WB_CONTACT_LISTS];
    wbRigid_ListColumns(rigid, moving);
    wbRigidContacts_ListColumns(&rigid->contacts, exact, counts);
    wbRigidJoints_ListColumns(&rigid->joints, joints);
    wbRigidParticles_ListContacts(&rigid->particles, springs);
    int n = wbAddColumns(solver, moving, WB_RIGID_POSED, rigid->count, onCores, columns);
    n += wbAddColumns(solver, moving + WB_RIGID_POSED, WB_RIGID_MOVING - WB_RIGID_POSED, rigid->count, true,
                      columns + n);
    for (int c = 0; c < WB_CONTACT_LISTS; c++) // steps hold them: solver_rigid.c
        n += wbAddColumns(solver, &exact[c], 1, counts[c], false, columns + n);
    n += wbAddColumns(solver, joints, WB_JOINT_COLUMNS, rigid->joints.count, true, columns + n);
    n += wbAddColumns(solver, &touches, 1, rigid->events.touchCount, true, columns + n);
    return n + wbAddColumns(solver, springs, WB_RIGID_CONTACT_COLUMNS, rigid->particles.contactCount, onCores,
                            columns + n);
}

wbStatus wbResizeRigid(const wbSolver *solver, wbSectionList *list) {
    (void)list;
    wbMemory *memory = solver->world->memory;
    wbRigid *rigid = &((wbRigidBodies *)solver->self)->rigid;
    wbRigidContacts *contacts = &rigid->contacts;
    wbColumn columns[WB_RIGID_COLUMNS], exact[WB_CONTACT_LISTS], joints[WB_JOINT_COLUMNS],
        springs[WB_RIGID_CONTACT_COLUMNS];
    int counts[WB_CONTACT_LISTS];
    wbRigid_ListColumns(rigid, columns);
    wbRigidContacts_ListColumns(contacts, exact, counts);
    wbRigidJoints_ListColumns(&rigid->joints, joints);
    wbRigidParticles_ListContacts(&rigid->particles, springs);
    if (wbReserveColumns(memory, columns, WB_RIGID_COLUMNS, &rigid->capacity, rigid->count) &&
        wbRigidContacts_Reserve(memory, contacts, counts) &&
        wbReserveColumns(memory, joints, WB_JOINT_COLUMNS, &rigid->joints.capacity, rigid->joints.count) &&
        wbArray_Reserve(memory, &rigid->events.touches, rigid->events.touchCount) &&
        wbReserveColumns(memory, springs, WB_RIGID_CONTACT_COLUMNS, &rigid->particles.contactCapacity,
                         rigid->particles.contactCount))
        return wb_okStatus;
    return wbMemoryError(memory, "the %d rigid bodies of a checkpoint need", rigid->count);
}

// What was made of joints is made anew; colliders, which contacts may name, come after this.
void wbRenewRigid(const wbSolver *solver) {
    wbRigidBodies *bodies = solver->self;
    bodies->rigid.joints.isDirty = true;
    bodies->isUnchecked = true;
}

// Before the first step after loading. Which bodies joints tie is no news to it; springs name particles, which are made now.
wbStatus wbSettleLoaded(wbWorld *world) {
    wbRigidBodies *bodies = wbGetRigidBodies(world);
    wbRigidParticles *particles = &bodies->rigid.particles;
    if (!bodies->isUnchecked) return wb_okStatus;
    WB_TRY(wbPlanJoints(&bodies->rigid, &world->work));
    bodies->isUnchecked = false;
    if (particles->contactCount == 0) return wb_okStatus;
    WB_TRY(wbRigid_PrepareParticles(&bodies->rigid, &bodies->model, &world->work));
    for (int i = 0; i < particles->contactCount; i++) {
        const int first = particles->contactFirst[i], second = particles->contactSecond[i];
        if (first < 0 || first >= particles->count || second >= particles->count) {
            particles->contactCount = 0;
            return wb_okStatus;
        }
    }
    return wb_okStatus;
}

// Saving

// The forms that have owners, in their order: which number each of them gets.
static void saveForms(const wbRigidBodies *bodies, wbSectionList *list) {
    size_t size = 0;
    for (int i = 0; i < bodies->formCount; i++) {
        const wbRigidForm *form = wbGetRigidForm(bodies, i);
        if (form->owners > 0) size += sizeof(uint64_t) + form->recipe.size;
    }
    char *bytes = wbAddOwnedSection(list, "rigidForms", size);
    for (int i = 0; i < bodies->formCount && bytes; i++) {
        const wbRigidForm *form = wbGetRigidForm(bodies, i);
        const uint64_t length = form->recipe.size;
        if (form->owners == 0) continue;
        memcpy(bytes, &length, sizeof length);
        memcpy(bytes + sizeof length, form->recipe.bytes, form->recipe.size);
        bytes += sizeof length + form->recipe.size;
    }
}

static int getNumber(const wbRigidBodies *bodies, int form) {
    int number = 0;
    for (int i = 0; i < form; i++) number += wbGetRigidForm(bodies, i)->owners > 0;
    return number;
}

void wbSaveRigidBodies(const wbSolver *solver, wbSectionList *list) {
    const wbWorld *world = solver->world;
    const wbRigidBodies *bodies = solver->self;
    const int count = world->rigidBodyIds.indexCount;
    SavedBody *saved = wbAddOwnedSection(list, "rigidBodies", sizeof *saved * (size_t)count);
    for (int i = 0, form = -1, number = 0; i < count && saved; i++) {
        const wbRigidBody *body = wbGetRigidBodyAt(world, i);
        if (body->form != form) form = body->form, number = getNumber(bodies, form);
        saved[i] = (SavedBody){.index1 = wbIdPool_GetIndex1(&world->rigidBodyIds, i), .form = number};
        memcpy(saved[i].name, body->name, sizeof body->name);
    }
    saveForms(bodies, list);
    wbSaveRows(world, &wb_rigidBodyKind, list);
    wbSaveJoints(world, list);
    wbSaveForces(world, list);
}

// Loading

static float getFloat(const char *column, size_t index) {
    float value;
    memcpy(&value, column + sizeof value * index, sizeof value);
    return value;
}

// Rotations have length 1, and in 2D all is in the plane.
static wbStatus checkRow(const char *const columns[WB_RIGID_MOVING], size_t i, bool isFlat) {
    enum { Z = 2, QX, QY, QZ, QW, VZ = 9, WX, WY };
    float length2 = 0;
    for (int k = QX; k <= QW; k++) length2 += getFloat(columns[k], i) * getFloat(columns[k], i);
    if (!(fabsf(length2 - 1) < 0.01f))
        return wbError(wb_errorInput, "the rotation of rigid body %zu has a length of %g", i,
                       (double)sqrtf(length2));
    static const int across[] = {Z, QX, QY, VZ, WX, WY};
    for (size_t k = 0; k < sizeof across / sizeof across[0] && isFlat; k++)
        if (getFloat(columns[across[k]], i) != 0)
            return wbError(wb_errorInput, "rigid body %zu is not in the plane of a 2D world", i);
    return wb_okStatus;
}

static uint32_t getBits(const char *column, size_t index) {
    uint32_t bits;
    memcpy(&bits, column + sizeof bits * index, sizeof bits);
    return bits;
}

// Bodies asleep are in rings: each is the next of exactly one.
static wbStatus checkRings(const char *column, int count) {
    bool *isNext = wbAllocZero(NULL, (size_t)count);
    bool isGood = isNext != NULL;
    if (!isNext) return wbMemoryError(NULL, "to load rigid bodies needs");
    for (int i = 0; i < count && isGood; i++) {
        const uint32_t next = getBits(column, (size_t)i);
        isGood = next < (uint32_t)count && !isNext[next];
        if (isGood) isNext[next] = true;
    }
    wbFree(NULL, isNext, (size_t)count);
    return isGood ? wb_okStatus : wbError(wb_errorInput, "which rigid bodies sleep together makes no sense");
}

// A body, a collider or a side: which colliders there are is seen in the step.
static bool isOther(int number, int count) {
    return number >= 0 && (number < count || (number & WB_CONTACT_GUEST) || (number & WB_CONTACT_SIDE));
}

static wbStatus checkContacts(const char *bytes, int contactCount, int count) {
    for (int i = 0; i < contactCount; i++) {
        wbContact contact;
        memcpy(&contact, bytes + sizeof contact * (size_t)i, sizeof contact);
        if (contact.bodies[0] < 0 || contact.bodies[0] >= count || !isOther(contact.bodies[1], count) ||
            !wbAreFinite(&contact, offsetof(wbContact, bodies) / sizeof(float)))
            return wbError(wb_errorInput, "contact %d of rigid bodies makes no sense", i);
    }
    return wb_okStatus;
}

// Of bodies that are there, the first piece is one that moves; else wbCheckContacts sees it later.
static wbStatus checkPairs(const char *bytes, const wbRigid *rigid, bool areThere) {
    const wbRigidContacts *contacts = &rigid->contacts;
    const wbRigidPiece *pieces = rigid->pieces.data;
    for (int i = 0; i < countPairs(contacts); i++) {
        wbPiecePair pair;
        memcpy(&pair, bytes + sizeof pair * (size_t)i, sizeof pair);
        if (pair.a < 0 || pair.a >= contacts->pieceCount || pair.b < -wb_sideCount ||
            pair.b >= contacts->pieceCount || pair.contact < -1 || pair.contactCount < 0 ||
            (pair.contactCount > 0 && pair.contact < 0) ||
            (int64_t)pair.contact + pair.contactCount > contacts->count ||
            (areThere && (pair.a >= rigid->totalPieces || pieces[pair.a].kind >= wb_piecePlane)))
            return wbError(wb_errorInput, "pair %d of rigid bodies makes no sense", i);
    }
    return wb_okStatus;
}

// Takes the room of a pair among all manifolds: no two pairs have any in common.
static bool takeRoom(const wbCollideCache *cache, int keptCount, bool *isTaken) {
    if (cache->room < 1 || cache->first < 0 || cache->first > keptCount - cache->room) return false;
    for (int k = cache->first; k < cache->first + cache->room; k++) {
        if (isTaken[k]) return false;
        isTaken[k] = true;
    }
    return cache->count >= 0 && cache->count <= cache->room;
}

// What pairs were when they were collided last: numbers, and manifolds that are there.
static wbStatus checkCaches(const char *bytes, const char *kept, const wbRigidContacts *contacts,
                            wbMemory *memory) {
    const int count = contacts->isStale ? 0 : contacts->pairCounts[wb_pairOther];
    const size_t size = (size_t)contacts->keptCount + 1;
    bool *isTaken = wbAllocZero(memory, size);
    wbStatus status = isTaken ? wb_okStatus : wbMemoryError(memory, "%d manifolds need", contacts->keptCount);
    for (int i = 0; i < count && wbIsOk(status); i++) {
        wbCollideCache cache;
        memcpy(&cache, bytes + sizeof cache * (size_t)i, sizeof cache);
        if (!wbAreFinite(&cache, offsetof(wbCollideCache, hold.isOfFirst) / sizeof(float)) ||
            !takeRoom(&cache, contacts->keptCount, isTaken))
            status = wbError(wb_errorInput, "what is known of pair %d of rigid bodies makes no sense", i);
    }
    wbFree(memory, isTaken, size);
    WB_TRY(status);
    for (int k = 0; k < (contacts->isStale ? 0 : contacts->keptCount); k++) {
        wbKeptManifold manifold;
        memcpy(&manifold, kept + sizeof manifold * (size_t)k, sizeof manifold);
        if (!wbAreFinite(manifold.normal, 3) || !wbAreFinite(manifold.points, 4 * WB_MANIFOLD_POINTS) ||
            manifold.count < 0 || manifold.count > WB_MANIFOLD_POINTS)
            return wbError(wb_errorInput, "manifold %d of rigid bodies makes no sense", k);
    }
    return wb_okStatus;
}

static wbStatus checkJoints(const char *joints, const char *states, const wbRigid *rigid) {
    for (int i = 0; i < rigid->joints.count; i++) {
        wbJoint joint;
        wbJointState state;
        memcpy(&joint, joints + sizeof joint * (size_t)i, sizeof joint);
        memcpy(&state, states + sizeof state * (size_t)i, sizeof state);
        WB_TRY(wbCheckJoint(&joint, &state, rigid->count));
    }
    return wb_okStatus;
}

static wbStatus checkTouches(const char *bytes, const wbRigid *rigid) {
    for (int i = 0; i < rigid->events.touchCount; i++) {
        wbRigidTouch touch;
        memcpy(&touch, bytes + sizeof touch * (size_t)i, sizeof touch);
        if (touch.bodies[0] < 0 || touch.bodies[0] >= rigid->count || touch.bodies[1] <= touch.bodies[0] ||
            (touch.bodies[1] >= rigid->count && touch.bodies[1] < WB_FIRST_GUEST))
            return wbError(wb_errorInput, "touch %d of rigid bodies makes no sense", i);
    }
    return wb_okStatus;
}

// Of the columns that move: floats, but for the last two.
enum { BITS = WB_RIGID_MOVING - 2, NEXT = WB_RIGID_MOVING - 1, FIRST_EXACT = WB_RIGID_MOVING };

// Of bodies that are there already, the bits but for sleep follow from their parameters.
static wbStatus checkBodies(const wbWorld *world, const wbRigid *rigid, const char *const *bytes) {
    const int there = world->rigidBodyIds.indexCount;
    if (there > 0 && (there != rigid->count || world->jointIds.indexCount != rigid->joints.count))
        return wbError(wb_errorInput, "it has %d rigid bodies and %d joints, and states of %d and %d", there,
                       world->jointIds.indexCount, rigid->count, rigid->joints.count);
    for (int c = 0; c < BITS; c++)
        if (!wbAreFinite(bytes[c], (size_t)rigid->count))
            return wbError(wb_errorInput, "the motion of rigid bodies is not finite");
    for (int i = 0; i < rigid->count; i++) {
        WB_TRY(checkRow(bytes, (size_t)i, world->params.dimensions == 2));
        const uint32_t bits = getBits(bytes[BITS], (size_t)i);
        if (there > 0 && (bits ^ rigid->bits[i]) & ~(uint32_t)WB_RIGID_ASLEEP)
            return wbError(wb_errorInput, "rigid body %d makes no sense", i);
    }
    return checkRings(bytes[NEXT], rigid->count);
}

wbStatus wbCheckRigidColumns(const wbSolver *solver, wbSectionList *list) {
    const wbRigid *rigid = &((const wbRigidBodies *)solver->self)->rigid;
    wbStateColumn columns[WB_MAX_STATE_COLUMNS];
    const char *bytes[WB_MAX_STATE_COLUMNS];
    wbStatus status = wb_okStatus;
    const int count = wbListRigidColumns(solver, columns);
    for (int c = 0; c < count; c++)
        bytes[c] = wbFindSection(list, columns[c].name, columns[c].bytes, &status);
    WB_TRY(status);
    WB_TRY(checkBodies(solver->world, rigid, bytes));
    const char *const *exact = bytes + FIRST_EXACT, *const *joints = exact + WB_CONTACT_LISTS;
    WB_TRY(checkContacts(exact[0], rigid->contacts.count, rigid->count));
    WB_TRY(checkPairs(exact[1], rigid, solver->world->rigidBodyIds.indexCount > 0));
    WB_TRY(checkCaches(exact[3], exact[4], &rigid->contacts, solver->world->memory));
    WB_TRY(checkJoints(joints[0], joints[1], rigid));
    return checkTouches(joints[WB_JOINT_COLUMNS], rigid);
}

typedef struct Forms {
    wbRigidRecipe *recipes;
    size_t count, room;
} Forms;

// Where the recipes are in the file.
static wbStatus findForms(const wbSection *section, Forms *forms) {
    const char *at = section->data, *end = at + section->size;
    while (at < end) {
        uint64_t size;
        if (end - at < (ptrdiff_t)sizeof size || forms->count == forms->room)
            return wbError(wb_errorInput, "section \"rigidForms\" is cut");
        memcpy(&size, at, sizeof size);
        at += sizeof size;
        if (size == 0 || size > (uint64_t)(end - at))
            return wbError(wb_errorInput, "section \"rigidForms\" is cut");
        forms->recipes[forms->count++] =
            (wbRigidRecipe){(char *)at, size, wbHashBytes(WB_HASH_START, at, size)};
        at += size;
    }
    return wb_okStatus;
}

typedef struct Row {
    uint32_t values[WB_RIGID_MOVING];
} Row;

static void passRow(wbRigid *rigid, int index, Row *row, bool isBack) {
    wbColumn columns[WB_RIGID_COLUMNS];
    wbRigid_ListColumns(rigid, columns);
    for (int c = 0; c < WB_RIGID_MOVING; c++) {
        uint32_t *value = (uint32_t *)*columns[c].data + index;
        if (isBack)
            *value = row->values[c];
        else
            row->values[c] = *value;
    }
}

// The columns are loaded already: making a body writes over its row, which is put back.
static wbStatus loadBody(wbWorld *world, const SavedBody *saved, const Forms *forms, const wbSavedRows *rows,
                         int index) {
    wbRigid *rigid = &wbGetRigidBodies(world)->rigid;
    wbRigidBodyParams params;
    Row row;
    if (saved->index1 == 0 || !memchr(saved->name, 0, sizeof saved->name) || saved->form < 0 ||
        (size_t)saved->form >= forms->count)
        return wbError(wb_errorInput, "rigid body %d makes no sense", index);
    if (saved->name[0]) WB_TRY(wbCheckPlainName(world, "rigid body", saved->name));
    WB_TRY(wbReadRow(rows, (size_t)index, &params));
    passRow(rigid, index, &row, false);
    WB_TRY(wbAddRigidBody(world, saved->name, &params, &forms->recipes[saved->form], saved->index1));
    if ((row.values[BITS] ^ rigid->bits[index]) & ~(uint32_t)WB_RIGID_ASLEEP)
        return wbError(wb_errorInput, "rigid body %d makes no sense", index);
    passRow(rigid, index, &row, true);
    return wb_okStatus;
}

static wbStatus loadBodies(wbWorld *world, const wbSection *section, size_t count, const Forms *forms,
                           const wbSavedRows *rows) {
    wbRigid *rigid = &wbGetRigidBodies(world)->rigid;
    const int isStale = rigid->contacts.isStale;
    rigid->count = 0;
    for (size_t i = 0; i < count; i++) {
        SavedBody saved;
        memcpy(&saved, (const char *)section->data + i * sizeof saved, sizeof saved);
        WB_TRY(loadBody(world, &saved, forms, rows, (int)i));
    }
    rigid->contacts.isStale = isStale;
    return wb_okStatus;
}

wbStatus wbLoadRigidBodies(const wbSolver *solver, wbSectionList *list) {
    wbWorld *world = solver->world;
    wbRigidBodies *bodies = solver->self;
    const wbSection *section, *formSection;
    size_t count;
    wbStatus status = wb_okStatus;
    wbSavedRows rows;
    WB_TRY(wbFindParts(list, "rigidBodies", sizeof(SavedBody), WB_MAX_RIGID_BODIES, &section, &count));
    if (count != (size_t)bodies->rigid.count)
        return wbError(wb_errorInput, "it has %zu rigid bodies, and places of %d", count,
                       bodies->rigid.count);
    formSection = wbFindAnySection(list, "rigidForms", &status);
    if (!formSection) return status;
    WB_TRY(wbFindRows(list, &wb_rigidBodyKind, count, &rows));
    Forms forms = {.room = formSection->size / sizeof(uint64_t)}; // each has more bytes than that
    forms.recipes = wbAlloc(NULL, sizeof *forms.recipes * (forms.room + 1));
    if (!forms.recipes) return wbMemoryError(NULL, "to load rigid bodies needs");
    status = findForms(formSection, &forms);
    if (wbIsOk(status)) status = loadBodies(world, section, count, &forms, &rows);
    wbFree(NULL, forms.recipes, sizeof *forms.recipes * (forms.room + 1));
    WB_TRY(status);
    WB_TRY(wbCheckContacts(&bodies->rigid));
    WB_TRY(wbLoadJoints(world, list));
    return wbLoadForces(world, list);
}
