// SPDX-License-Identifier: MIT
// Exact contacts: manifolds of pieces, solved by soft-step impulses in sub-steps (Catto 2011, 2024), in colours of which no two
// contacts share a body. What the next step starts from is kept.
#pragma once

#include "core/array.h"
#include "core/saved_value.h"
#include "core/work.h"
#include "rigid/manifold.h"
#include "rigid/rigid_constants.h"
#include "space/broad_phase.h"
#include "space/neighbours.h"

struct wbRigid;
struct wbRigidModel;

/// A body as the solver moves it in a step: a line of the cache. Places are ways since the step began, and turns are vectors.
typedef struct wbSolverBody {
    float v[3], w[3];      ///< m/s, rad/s
    float way[3], turn[3]; ///< m, rad
    float filler[4];
} wbSolverBody;

/// What of it is constant in a step: about the world's axes, where the step begins.
typedef struct wbSolverMass {
    float inverseMass;       ///< 1/kg
    float inverseInertia[6]; ///< 1/(kg m2): xx, xy, xz, yy, yz, zz
    float isRound;           ///< 1: the same about every axis; else 0
} wbSolverMass;

static inline wbSoftness wbMakeSoftness(float hertz, float zeta, float h) {
    const float omega = 6.283185307f * hertz, a1 = 2 * zeta + h * omega, a2 = h * omega * a1,
                a3 = 1 / (1 + a2);
    return hertz > 0 ? (wbSoftness){omega / a1, a2 * a3, a3} : (wbSoftness){0, 1, 0};
}

/// What a pass over constraints does: impulses of before, velocities with soft bias, velocities alone.
typedef enum wbSolverPass { wb_passWarmStart, wb_passBias, wb_passRelax } wbSolverPass;

/// Two pieces that touch, and the impulses of the last sub-step, from which the next step starts. Fields of four bytes only: it is
/// saved as it is.
typedef struct wbContact {
    float points[WB_MANIFOLD_POINTS]
                [4]; ///< m, from the first body's centre where the step began; impulse along the normal, N s
    float friction[3], twist;  ///< N s, on the second body; N m s, about the normal
    float normal[3], approach; ///< of length 1, from the first body to the second; m/s, with which they met
    float separation[WB_MANIFOLD_POINTS]; ///< m, where the step began; WB_NO_POINT: there is no such point
    int bodies[2];                        ///< or a guest or a side, below
    uint32_t pieces;                      ///< of the first body, and of the second times 65536
    uint32_t key;                         ///< tells contacts of the same pieces from each other
} wbContact;

#define WB_NO_POINT 1e5f ///< m, separations from here on
/// Bodies of contacts that are none: colliders of the world by their number, and sides of the domain.
enum { WB_CONTACT_GUEST = 1 << 29, WB_CONTACT_SIDE = 1 << 30 };

/// Two pieces that are near each other; or a piece and a side of the domain, -1 - wbSide.
typedef struct wbPiecePair {
    int a, b;
    int contact, contactCount; ///< of the last step
} wbPiecePair;

/// How pairs are looked at: in one run each.
typedef enum wbPairClass { wb_pairBoxes, wb_pairBoxSide, wb_pairOther, wb_pairClassCount } wbPairClass;

/// Memory of the search for pairs.
enum { WB_PAIR_LEVELS = 16 };
typedef struct wbPairSearch {
    wbGrid grids[WB_PAIR_LEVELS];
    wbNeighbours neighbours;
    wbBroadPhase tree, swept; ///< of what forces do not move: near places, and along ways
    wbArray sweptPieces;      ///< int
} wbPairSearch;

/// Whether contacts are held as they are, so that a step that fails can go back to them without a copy.
typedef enum wbContactHold {
    wb_holdNone,
    wb_holdCurrent, ///< no step has made others yet
    wb_holdBefore
} wbContactHold;

enum { WB_CONTACT_LISTS = 5, WB_HELD_LISTS = WB_CONTACT_LISTS - 1, WB_CONTACT_VALUES = 7 };

typedef struct wbRigidContacts {
    int count;
    wbArray contacts; ///< wbContact, in the order of pairs
    wbArray spare;    ///< those of the step that is being done
    wbArray before;   ///< those that are held, once a step has made others
    wbContactHold hold;
    wbArray held
        [WB_HELD_LISTS]; ///< the other lists, as they were before the first of these steps that changed them
    int heldCounts[WB_HELD_LISTS];
    bool areListsHeld;
    // pieces that are near, until one has moved by its skin: in the order of places where they were looked for
    int pairCounts[wb_pairClassCount];
    wbArray pairs; ///< wbPiecePair
    // of the pairs that are not of boxes, since they were collided last
    wbArray caches; ///< wbCollideCache
    wbArray kept;   ///< wbKeptManifold: one for each pair, and behind them those of pairs that have more
    int keptCount;
    int pieceCount;
    wbArray known;      ///< float[4] per piece: where it was then, and its reach, m; and two for the domain
    int isStale;        ///< 1: the list of pairs is, whatever moved
    float subStep;      ///< s, that impulses are of; 0: there are none
    uint64_t touchHash; ///< of the pairs of bodies that touched in the last step; 0: of none that are known
    int64_t searches;   ///< so far
    wbPairSearch search;
} wbRigidContacts;

void wbRigidContacts_Init(wbRigidContacts *contacts);
void wbRigidContacts_Free(wbMemory *memory, wbRigidContacts *contacts);
/// After a body was removed: its contacts go, and those behind it have moved up.
void wbRigidContacts_RemoveBody(wbRigidContacts *contacts, int body);

/// Contacts and pairs stay as they are now until they are released, whatever steps do in between; if isUndone, they are those again. How
/// many there are is the caller's to remember.
void wbRigidContacts_Hold(wbRigidContacts *contacts);
void wbRigidContacts_Release(wbRigidContacts *contacts, bool isUndone);

/// Where a body of a contact is in the arrays of bodies and guests; -1: a side.
static inline int wbGetContactRow(int body, int bodyCount) {
    if (body & WB_CONTACT_SIDE) return -1;
    return body & WB_CONTACT_GUEST ? bodyCount + (body & ~WB_CONTACT_GUEST) : body;
}

/// Behind the known places of pieces: the ends of the domain.
enum { WB_SIDE_RECORDS = 2 };
/// What the next step starts from, to be saved: lists of rows, each with how many there are.
void wbRigidContacts_ListColumns(wbRigidContacts *contacts, wbColumn columns[WB_CONTACT_LISTS],
                                 int counts[WB_CONTACT_LISTS]);
/// And numbers, without those counts.
void wbRigidContacts_ListValues(wbRigidContacts *contacts, wbSavedValue values[WB_CONTACT_VALUES]);
/// Before they are loaded: room for as many rows. False if memory ran out.
bool wbRigidContacts_Reserve(wbMemory *memory, wbRigidContacts *contacts, const int counts[WB_CONTACT_LISTS]);
/// Whether what was loaded can be stepped.
wbStatus wbCheckContacts(const struct wbRigid *rigid);

/// A step of dt seconds with exact contacts.
wbStatus wbRigid_StepExact(struct wbRigid *rigid, const struct wbRigidModel *model, const wbWork *work,
                           float dt);
