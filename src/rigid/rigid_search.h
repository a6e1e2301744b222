// SPDX-License-Identifier: MIT
// Which particles touch, or may soon: pairs of bodies that are near (rigid.search says how they are found), and of each pair those
// particles that are. What is found of a pair, or of a body and a surface, is a group. However it is looked for, it is the same, in
// the same order.
#pragma once

#include "rigid/rigid_particles_code.h"

/// A piece of a static or kinematic body that is felt as it is.
typedef struct wbFeltShape {
    int body, piece;
    BroadBox box;
} wbFeltShape;

/// What all ranges of a search read.
typedef struct wbContactSearch {
    wbRigidFinder finder;
    wbRigid *rigid;
    const wbRigidModel *model;
    const wbDomain *domain;
    const wbRigidParticleCode *code;
    float h; ///< s, a sub-step
    RigidRule rule;
    RigidMatter *matter;    ///< by body
    int *small, smallCount; ///< bodies, in the order of the grid's cells where that is one of bodies
    int *large, largeCount; ///< those too large for it
    wbFeltShape *shapes;
    int shapeCount;
    const wbRigidTouching
        *once; ///< groups are evaluated as they are found, and their contacts forgotten; NULL: they are kept
} wbContactSearch;

/// Chooses what to look for, no farther apart than `margin` m, and sorts it into cells. Until the search is over, the arena has what it needs.
wbStatus wbContactSearch_Begin(wbContactSearch *search, wbRigid *rigid, const wbRigidModel *model,
                               const wbWork *work, const wbDomain *domain, float margin, float h);
/// Finds all groups: in the stores of the workers, those of a body one behind another. wb_errorUnstable: there are too many contacts.
wbStatus wbContactSearch_Run(wbContactSearch *search, const wbWork *work);
wbStatus wbContactSearch_FailForMemory(const wbContactSearch *search);

/// The contacts of a store from `begin` on become a group, if there are any. False, and so the next: memory ran out.
bool wbContactSearch_CloseGroup(const wbContactSearch *search, wbRigidStore *store, int begin,
                                wbRigidGroup *group);
/// Groups of a body with sides, planes and shapes.
bool wbContactSearch_FindSurfaces(const wbContactSearch *search, wbRigidStore *store, int body);
/// The shapes that there are, in the arena.
bool wbContactSearch_ChooseShapes(wbContactSearch *search, const wbWork *work);

static inline bool wbRigid_IsFelt(const wbRigid *rigid, int body) {
    return !(rigid->bits[body] & (WB_RIGID_OFF | WB_RIGID_SENSOR));
}
static inline bool wbRigid_MayMeet(const wbRigid *rigid, int a, int b) {
    return (rigid->category[a] & rigid->mask[b]) && (rigid->category[b] & rigid->mask[a]);
}
