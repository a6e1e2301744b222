// SPDX-License-Identifier: MIT
#include "rigid/rigid_island.h"

#include <math.h>
#include <string.h>

#include "core/status.h"
#include "rigid/rigid.h"

void wbRigidIslands_ListValues(wbRigidIslands *islands, wbSavedValue values[WB_ISLAND_VALUES]) {
    static const char *const names[] = {"rigid.gravityX", "rigid.gravityY", "rigid.gravityZ"};
    for (int k = 0; k < WB_ISLAND_VALUES; k++)
        values[k] = (wbSavedValue){names[k], &islands->gravity[k], wb_valueFloat, -1e30, 1e30, true};
}

static bool isAsleep(const wbRigid *rigid, int body) { return rigid->bits[body] & WB_RIGID_ASLEEP; }
static bool isDynamic(const wbRigid *rigid, int body) { return rigid->bits[body] & WB_RIGID_DYNAMIC; }

static bool isMoving(const wbRigid *rigid, int body) {
    return rigid->vx[body] != 0 || rigid->vy[body] != 0 || rigid->vz[body] != 0 || rigid->wx[body] != 0 ||
           rigid->wy[body] != 0 || rigid->wz[body] != 0;
}

static bool isPushed(const wbRigid *rigid, int body) {
    return rigid->fx[body] != 0 || rigid->fy[body] != 0 || rigid->fz[body] != 0 || rigid->tx[body] != 0 ||
           rigid->ty[body] != 0 || rigid->tz[body] != 0;
}

// What others must react to: it is awake, or goes its way whatever it meets.
static bool isActive(const wbRigid *rigid, int body) {
    if (rigid->bits[body] & WB_RIGID_OFF) return false;
    return isDynamic(rigid, body) ? !isAsleep(rigid, body) : isMoving(rigid, body);
}

// Waking

void wbRigid_Wake(wbRigid *rigid, int body) {
    int *next = rigid->nextAsleep;
    rigid->stillTime[body] = 0;
    if (!isAsleep(rigid, body)) return;
    for (int member = body;;) {
        const int after = next[member];
        rigid->bits[member] &= ~(uint32_t)WB_RIGID_ASLEEP;
        rigid->stillTime[member] = 0;
        next[member] = member;
        if (after == body) return;
        member = after;
    }
}

void wbRigid_WakeAll(wbRigid *rigid) {
    for (int body = 0; body < rigid->count; body++) wbRigid_Wake(rigid, body);
}

static void wakeOther(wbRigid *rigid, int body, int a, int b) {
    const int other = a == body ? b : b == body ? a : -1;
    if (other >= 0 && other < rigid->count) wbRigid_Wake(rigid, other);
}

void wbRigid_WakeNeighbours(wbRigid *rigid, int body) {
    const wbContact *contacts = rigid->contacts.contacts.data;
    wbRigid_Wake(rigid, body);
    for (int i = 0; i < rigid->contacts.count; i++)
        wakeOther(rigid, body, wbGetContactRow(contacts[i].bodies[0], rigid->count),
                  wbGetContactRow(contacts[i].bodies[1], rigid->count));
    for (int i = 0; i < rigid->joints.count; i++)
        wakeOther(rigid, body, rigid->joints.joints[i].bodies[0], rigid->joints.joints[i].bodies[1]);
}

void wbRigid_RenumberAsleep(wbRigid *rigid, int removedBody) {
    for (int body = 0; body < rigid->count; body++) {
        int *next = &rigid->nextAsleep[body];
        WB_ASSERT(*next != removedBody, "bodies are awake when they go");
        if (*next > removedBody) --*next;
    }
}

// Whether none of the bodies moves, is pushed or is awake: without branches, for a pile that sleeps is asked this in every step.
static bool areAtRest(const wbRigid *rigid, int begin, int end) {
    const float *const columns[] = {rigid->vx, rigid->vy, rigid->vz, rigid->wx, rigid->wy, rigid->wz,
                                    rigid->fx, rigid->fy, rigid->fz, rigid->tx, rigid->ty, rigid->tz};
    uint32_t moved = 0, awake = 0;
    for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++)
        for (int i = begin; i < end; i++) {
            uint32_t word;
            memcpy(&word, &columns[k][i], sizeof word);
            moved |= word << 1; // -0 is 0
        }
    for (int i = begin; i < end; i++)
        awake |= (rigid->bits[i] & (WB_RIGID_DYNAMIC | WB_RIGID_ASLEEP | WB_RIGID_OFF)) == WB_RIGID_DYNAMIC;
    return !(moved | awake);
}

bool wbWakePushed(wbRigid *rigid, const wbRigidModel *model) {
    const wbVec3 gravity = model->domain->gravity;
    float *before = rigid->islands.gravity;
    const bool isPulled = gravity.x != before[0] || gravity.y != before[1] || gravity.z != before[2];
    before[0] = gravity.x, before[1] = gravity.y, before[2] = gravity.z;
    const bool isShaken = wbDomain_IsMoving(model->domain);
    if (isPulled || isShaken || !model->params.sleep) wbRigid_WakeAll(rigid);
    const int total = rigid->count + rigid->guestCount;
    bool isAnyActive = isShaken;
    for (int begin = 0; begin < total; begin += WB_BLOCK) {
        const int end = total - begin < WB_BLOCK ? total : begin + WB_BLOCK;
        if (areAtRest(rigid, begin, end)) continue;
        for (int body = begin; body < end; body++) {
            if (isDynamic(rigid, body) && isAsleep(rigid, body) &&
                (isMoving(rigid, body) || isPushed(rigid, body)))
                wbRigid_Wake(rigid, body);
            isAnyActive |= isActive(rigid, body);
        }
    }
    return isAnyActive;
}

static int wakeBySide(wbRigid *rigid, int waker, int sleeper) {
    if (sleeper < 0 || sleeper >= rigid->count || waker < 0) return 0;
    if (!isAsleep(rigid, sleeper) || !isActive(rigid, waker)) return 0;
    wbRigid_Wake(rigid, sleeper);
    return 1;
}

int wbWakeTouched(wbRigid *rigid, const int *pairs, int pairCount) {
    int count = 0;
    for (int i = 0; i < pairCount; i++)
        count += wakeBySide(rigid, pairs[2 * i], pairs[2 * i + 1]) +
                 wakeBySide(rigid, pairs[2 * i + 1], pairs[2 * i]);
    for (int i = 0; i < rigid->joints.count; i++) {
        const wbJoint *joint = &rigid->joints.joints[i];
        if (!(joint->bits & WB_JOINT_ON) || joint->bits & WB_JOINT_BROKEN) continue;
        count += wakeBySide(rigid, joint->bodies[0], joint->bodies[1]) +
                 wakeBySide(rigid, joint->bodies[1], joint->bodies[0]);
    }
    return count;
}

// Falling asleep

static bool isDriven(const wbJoint *joint) {
    return joint->bits & WB_JOINT_MOTOR && joint->speed != 0 && joint->maxForce > 0;
}
static bool holds(const wbJoint *joint) {
    return joint->bits & WB_JOINT_ON && !(joint->bits & WB_JOINT_BROKEN);
}

// Counts for how long bodies have been slow; whether one of them has for long enough.
static bool countStillTime(wbRigid *rigid, const wbRigidModel *model, float dt) {
    const wbRigidParams *params = &model->params;
    bool isAnyTired = false;
    for (int body = 0; body < rigid->count; body++) {
        if (!isDynamic(rigid, body) || isAsleep(rigid, body)) continue;
        const float vx = rigid->vx[body], vy = rigid->vy[body], vz = rigid->vz[body];
        const float wx = rigid->wx[body], wy = rigid->wy[body], wz = rigid->wz[body];
        const float speed =
            sqrtf(vx * vx + vy * vy + vz * vz) + rigid->reach[body] * sqrtf(wx * wx + wy * wy + wz * wz);
        const bool isSlow = rigid->bits[body] & WB_RIGID_MAY_SLEEP && speed < params->sleepSpeed;
        rigid->stillTime[body] = isSlow ? rigid->stillTime[body] + dt : 0;
        isAnyTired |= isSlow && rigid->stillTime[body] >= params->sleepTime;
    }
    return isAnyTired;
}

// Awake bodies that touch or are joined: the smallest number of each island's is its root.
typedef struct Islands {
    int *parents, *last;
    bool *isKeptAwake; // by root, in the end
} Islands;

static bool createIslands(Islands *islands, wbArena *arena, int count) {
    *islands = (Islands){.parents = wbArena_Alloc(arena, sizeof(int) * ((size_t)count + 1)),
                         .last = wbArena_Alloc(arena, sizeof(int) * ((size_t)count + 1)),
                         .isKeptAwake = wbArena_Alloc(arena, (size_t)count + 1)};
    if (!islands->parents || !islands->last || !islands->isKeptAwake) return false;
    for (int body = 0; body < count; body++)
        islands->parents[body] = islands->last[body] = body, islands->isKeptAwake[body] = false;
    return true;
}

static int findRoot(int *parents, int body) {
    while (parents[body] != body) body = parents[body] = parents[parents[body]];
    return body;
}

static void unite(const wbRigid *rigid, Islands *islands, int a, int b) {
    const bool isA = a >= 0 && isDynamic(rigid, a), isB = b >= 0 && isDynamic(rigid, b);
    if (isA && isB) {
        const int rootA = findRoot(islands->parents, a), rootB = findRoot(islands->parents, b);
        islands->parents[rootA < rootB ? rootB : rootA] = rootA < rootB ? rootA : rootB;
    } else if (isA != isB) {
        const int other = isA ? b : a;
        islands->isKeptAwake[isA ? a : b] |= other >= 0 && isActive(rigid, other);
    }
}

static bool isSensor(const wbRigid *rigid, int body) {
    return body >= 0 && rigid->bits[body] & WB_RIGID_SENSOR;
}

// By contacts, also by those of bodies that nearly touch, which would wake each other; and by joints.
static void uniteAll(const wbRigid *rigid, Islands *islands) {
    const wbContact *contacts = rigid->contacts.contacts.data;
    for (int i = 0; i < rigid->contacts.count; i++) {
        const int a = wbGetContactRow(contacts[i].bodies[0], rigid->count),
                  b = wbGetContactRow(contacts[i].bodies[1], rigid->count);
        if (!isSensor(rigid, a) && !isSensor(rigid, b)) unite(rigid, islands, a, b);
    }
    for (int i = 0; i < rigid->joints.count; i++) {
        const wbJoint *joint = &rigid->joints.joints[i];
        if (!holds(joint)) continue;
        unite(rigid, islands, joint->bodies[0], joint->bodies[1]);
        for (int k = 0; k < 2 && isDriven(joint); k++)
            if (joint->bodies[k] >= 0) islands->isKeptAwake[joint->bodies[k]] = true;
    }
}

// The body joins the ring of its root.
static void putToSleep(wbRigid *rigid, Islands *islands, int body, int root) {
    rigid->bits[body] |= WB_RIGID_ASLEEP;
    rigid->vx[body] = rigid->vy[body] = rigid->vz[body] = 0;
    rigid->wx[body] = rigid->wy[body] = rigid->wz[body] = 0;
    rigid->nextAsleep[islands->last[root]] = body;
    rigid->nextAsleep[body] = root;
    islands->last[root] = body;
}

wbStatus wbFallAsleep(wbRigid *rigid, const wbRigidModel *model, const wbWork *work, float dt) {
    Islands islands;
    if (!model->params.sleep || !countStillTime(rigid, model, dt)) return wb_okStatus;
    const size_t mark = wbArena_Mark(work->arena);
    if (!createIslands(&islands, work->arena, rigid->count))
        return wbMemoryError(work->memory, "islands of %d rigid bodies need", rigid->count);
    uniteAll(rigid, &islands);
    for (int body = 0; body < rigid->count; body++)
        if (islands.isKeptAwake[body] || rigid->stillTime[body] < model->params.sleepTime)
            islands.isKeptAwake[findRoot(islands.parents, body)] = true;
    for (int body = 0; body < rigid->count; body++) {
        const int root = findRoot(islands.parents, body);
        if (isActive(rigid, body) && isDynamic(rigid, body) && !islands.isKeptAwake[root])
            putToSleep(rigid, &islands, body, root);
    }
    wbArena_Release(work->arena, mark);
    return wb_okStatus;
}

wbStatus wbRigid_Sleep(wbRigid *rigid, const wbWork *work, int body) {
    Islands islands;
    if (!isDynamic(rigid, body) || isAsleep(rigid, body)) return wb_okStatus;
    const size_t mark = wbArena_Mark(work->arena);
    if (!createIslands(&islands, work->arena, rigid->count))
        return wbMemoryError(work->memory, "islands of %d rigid bodies need", rigid->count);
    uniteAll(rigid, &islands);
    const int root = findRoot(islands.parents, body);
    for (int member = root; member < rigid->count; member++)
        if (isDynamic(rigid, member) && findRoot(islands.parents, member) == root)
            putToSleep(rigid, &islands, member, root);
    wbArena_Release(work->arena, mark);
    return wb_okStatus;
}
