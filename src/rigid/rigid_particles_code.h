// SPDX-License-Identifier: MIT
// The hot loops of rigid bodies as particles, once per instruction set, as ranges for wbParallelFor.
#pragma once

#include "core/cpu.h"
#include "rigid/rigid.h"

/// Particles of a body that another may touch.
typedef struct wbRigidNear {
    float *x, *y, *z, *radius; ///< m
    int *id;
    int count;
} wbRigidNear;

/// The box around a body's particles, in the world: a line of the cache.
typedef struct wbRigidFrame {
    float axes[9];   ///< one after another
    float middle[3]; ///< m
    float half[3];   ///< m, along the axes
    float filler;
} wbRigidFrame;

/// How contacts are looked for.
typedef struct wbRigidFinder {
    const wbRigid *rigid;
    wbMemory *memory;
    float margin;         ///< m, that they may be apart
    bool triesAll;        ///< every particle of one body with every one of the other
    wbRigidNear *near;    ///< by worker: scratch for a body's particles
    wbRigidFrame *frames; ///< by body
} wbRigidFinder;

/// One evaluation of contacts.
typedef struct wbRigidTouching {
    const wbRigid *rigid;
    float span; ///< s, since the sub-step began
    bool keeps; ///< contacts remember how far they are sheared now
} wbRigidTouching;

/// Columns of what Runge-Kutta's rule keeps of a sub-step.
enum {
    WB_RIGID_PLACE = 0,
    WB_RIGID_TURN = 3,
    WB_RIGID_SPEED = 7,
    WB_RIGID_MOMENTUM = 10,
    WB_RIGID_MOTION = 13
};

typedef struct wbRigidMotionPass {
    wbRigid *rigid;
    wbRigidLoads loads;
    RigidMove move;
    bool halfway;       ///< turns by the spin in the middle of the step
    float *momentum[3]; ///< kg m2/s, angular, by body: what the sub-steps of a step hand on
    float *maxima;      ///< by block of WB_BLOCK: m/s, of the fastest point; NaN if something is not finite
    // Runge-Kutta
    int stage;                      ///< 0 to 3
    float *base[WB_RIGID_MOTION];   ///< where the sub-step began
    float *change[WB_RIGID_MOTION]; ///< sum of what the stages want
} wbRigidMotionPass;

typedef struct wbRigidParticleCode {
    wbRangeFn *place;  ///< movers, and particles from poses; over bodies and guests
    wbRangeFn *spread; ///< frames of a finder; over bodies with particles
    wbRangeFn *touch;  ///< sums of groups; over chunks
    /// Contacts of two bodies, behind those of a store; false if memory ran out.
    bool (*find)(const wbRigidFinder *finder, wbRigidStore *store, int worker, int first, int second);
    wbRangeFn *kick, *drift, *stage; ///< over bodies, guests included
} wbRigidParticleCode;

WB_DECLARE_CODE(wbRigidParticleCode, wb_rigidParticleCode, wbGetRigidParticleCode)

/// Room for so many contacts more.
bool wbRigidStore_Reserve(wbRigidStore *store, wbMemory *memory, int more);

/// How a particle (x, y, z, radius) touches the shape of a group: the normal, and how deep, m.
void wbRigid_FeelShape(const wbRigid *rigid, const wbRigidGroup *group, const float particle[4],
                       float touch[4]);
