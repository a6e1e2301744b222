// SPDX-License-Identifier: MIT
// The hot loops of rigid bodies as particles, once per instruction set, as ranges for wbParallelFor.
#pragma once

#include "core/cpu.h"
#include "rigid/rigid.h"

/// Particles of a body that another may touch: scratch of a worker.
typedef struct wbRigidNear {
    float *x, *y, *z; ///< m
    int *id;
    int count;
    int *seen; ///< by body: for whom it was found last
} wbRigidNear;

/// The box around a body's particles, in the world: a line of the cache.
typedef struct wbRigidFrame {
    float axes[9];   ///< one after another
    float middle[3]; ///< m
    float half[3];   ///< m, along the axes
    float radius;    ///< m, of its particles
} wbRigidFrame;

/// All particles at surfaces, by cells of a grid.
typedef struct wbRigidCells {
    const wbGrid *grid;
    const float *x, *y, *z; ///< m
    const int *bodies;
} wbRigidCells;

/// How contacts are looked for.
typedef struct wbRigidFinder {
    const wbRigid *rigid;
    wbMemory *memory;
    float margin;         ///< m, that they may be apart
    bool triesAll;        ///< every particle of one body with every one of the other
    wbRigidNear *near;    ///< by worker
    wbRigidFrame *frames; ///< by body
    wbRigidCells cells;   ///< rigid.search = grid
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

/// Where particles are to be placed.
typedef struct wbRigidPlacing {
    const wbRigid *rigid;
    bool records; ///< in `places`, too
} wbRigidPlacing;

typedef struct wbRigidParticleCode {
    wbRangeFn *place;  ///< movers, and particles from poses; over bodies and guests
    wbRangeFn *spread; ///< frames of a finder; over bodies with particles
    /// Keeps those of `others` (readable WB_PADDING past their end) whose boxes come near that of a body; returns how many.
    int (*pick)(const wbRigidFinder *finder, int body, int *others, int count);
    /// Bodies behind one that have particles in its box, each once, by a finder's cells; returns how many.
    int (*scan)(const wbRigidFinder *finder, int worker, int body, int *others);
    /// Contacts of two bodies, behind those of a store; false if memory ran out.
    bool (*find)(const wbRigidFinder *finder, wbRigidStore *store, int worker, int first, int second);
    wbRangeFn *touch; ///< sums of groups; over chunks
    /// The sum of one group, whose places are in a store, with room behind them. They remember nothing.
    void (*touchGroup)(const wbRigidTouching *task, const wbRigidGroup *group, const wbRigidStore *store,
                       wbRigidSum *sum);
    wbRangeFn *kick, *drift, *stage; ///< over bodies, guests included
} wbRigidParticleCode;

WB_DECLARE_CODE(wbRigidParticleCode, wb_rigidParticleCode, wbGetRigidParticleCode)

/// Room for so many contacts more.
bool wbRigidStore_Reserve(wbRigidStore *store, wbMemory *memory, int more);
/// A particle that touches a surface, where there is room.
void wbRigidStore_Add(wbRigidStore *store, const wbRigidParticles *particles, int first, int second);

/// How a particle (x, y, z, radius) touches the shape of a group: the normal, and how deep, m.
void wbRigid_FeelShape(const wbRigid *rigid, const wbRigidGroup *group, const float particle[4],
                       float touch[4]);
