// SPDX-License-Identifier: MIT
// Spray, foam and bubbles: diffuse particles, born where water traps air or breaks, carried by it, and gone after their time. They do
// not act on the water. After Ihmsen, Akinci, Akinci, Teschner (2012), "Unified spray, foam and bubbles for particle-based fluids", with rates
// per second and speeds relative to the shortest waves, so that neither time steps nor spacings matter.
#pragma once

#include "core/saved_value.h"
#include "diffuse/diffuse_layer.h"
#include "space/domain.h"
#include "wirbel/types.h"

/// Columns in the order of wbDiffuse_ListColumns, all saved.
enum { WB_DIFFUSE_STATE_COLUMNS = 10, WB_DIFFUSE_VALUES = 7 };

#define WB_DIFFUSE_PHASES(X) X(search) X(birth) X(move)
typedef enum wbDiffusePhase {
#define WB_PHASE(name) wb_diffuse_##name,
    WB_DIFFUSE_PHASES(WB_PHASE)
#undef WB_PHASE
        wb_diffusePhaseCount
} wbDiffusePhase;

typedef struct wbDiffuse {
    int count, capacity;
    float *x, *y, *z;    ///< m
    float *vx, *vy, *vz; ///< m/s
    float *age, *left;   ///< s, since birth; that it would last as foam
    uint32_t *kind;      ///< wbDiffuseKind
    uint32_t *id;
    uint32_t nextId;
    int64_t stepCount;     ///< of its own: random numbers follow from it
    int64_t born, refused; ///< so far; refused: beyond the limit
    float pending;         ///< s, that the world is ahead
    float barren;          ///< s, since some were born last
    wbDiffuseLayer layers[WB_DIFFUSE_MOST_LAYERS];
    int layerCount;
    double ms[wb_diffusePhaseCount];
} wbDiffuse;

/// What stands in the way of spray from one place to another.
typedef bool wbIsBlockedFn(const float from[3], const float to[3], const void *context);

/// A step: what it is given.
typedef struct wbDiffuseStep {
    const wbDiffuseParams *params;
    const wbDomain *domain;
    const wbWork *work;
    uint32_t seed;
    float dt; ///< s
    wbIsBlockedFn *isBlocked;
    /// Gravity and the air on spray for dt seconds; NULL: params->airDrag, in still air
    void (*blow)(const float place[3], float velocity[3], float dt, const void *context);
    const void *context; ///< of both
} wbDiffuseStep;

void wbDiffuse_Init(wbDiffuse *diffuse);
void wbDiffuse_Free(wbMemory *memory, wbDiffuse *diffuse);
wbStatus wbDiffuse_Reserve(wbDiffuse *diffuse, wbMemory *memory, int count);
void wbDiffuse_ListColumns(wbDiffuse *diffuse, wbColumn columns[WB_DIFFUSE_STATE_COLUMNS]);
void wbDiffuse_ListValues(wbDiffuse *diffuse, wbSavedValue values[WB_DIFFUSE_VALUES]);

/// Advances by dt seconds among liquids as they are. Steps much shorter than a frame are put off and done together. In each step half of
/// the particles ask for the water around them, in turn, and each second one bears new ones, for both.
wbStatus wbDiffuse_Step(wbDiffuse *diffuse, const wbDiffuseStep *step, const wbDiffuseLiquid *liquids,
                        int liquidCount);
/// The parts of it, for tests: layers of the liquids; what moves and goes; what is born.
wbStatus wbDiffuse_Search(wbDiffuse *diffuse, const wbDiffuseStep *step, const wbDiffuseLiquid *liquids,
                          int liquidCount);
wbStatus wbDiffuse_Move(wbDiffuse *diffuse, const wbDiffuseStep *step);
wbStatus wbDiffuse_Bear(wbDiffuse *diffuse, const wbDiffuseStep *step);
/// What a particle is, by the share of the ball around it that is fluid.
wbDiffuseKind wbClassifyDiffuse(const wbDiffuseParams *params, float fullness);
/// 0 below `from`, 1 above `to`, in between in a straight line (Ihmsen's eq. 1); a jump where `to` is not above `from`.
float wbRamp(float value, float from, float to);
