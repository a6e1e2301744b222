// SPDX-License-Identifier: MIT
// The domain: a box with closed and open sides, gravity and the number of dimensions. The world owns it, every solver
// reads it, and it is constant during a step. Its closed sides may be told to go elsewhere: they travel with a speed of their own
// from step to step, and within a step they are where wbDomain_At says.
#pragma once

#include <stdbool.h>

#include "wirbel/types.h"

/// Arrays by side are in the order of wbSide. Opposite closed sides are at least a solver's reach apart.
typedef struct wbDomain {
    int dimensions;
    wbVec3 gravity;                   ///< m/s2; in 2D without z
    float min[3], max[3];             ///< m, now: at the start of the step that is being done
    float madeMin[3], madeMax[3];     ///< m, where it was made: what fills it with cells does so there
    bool closed[wb_sideCount];        ///< none without extent, nor across z in 2D
    wbSideType types[wb_sideCount];   ///< open where it is not closed
    float velocity[wb_sideCount][3];  ///< m/s: along itself a side drags, across it moves in this step
    float temperature[wb_sideCount];  ///< K; NAN: it insulates
    float targetMin[3], targetMax[3]; ///< m, where closed sides go
    float sideSpeed;                  ///< m/s, no faster than this; 0: than what the solvers bear
} wbDomain;

/// Names of sides in scenes and messages.
extern const char *const wb_domainSideNames[wb_sideCount];

/// Whether a def makes a domain.
wbStatus wbCheckDomain(const wbDomainDef *def, int dimensions);
/// At rest. A box without extent has no sides, and in 2D nothing is in front of the plane or behind it.
wbDomain wbMakeDomain(const wbDomainDef *def, wbVec3 gravity, int dimensions);
/// As it is now.
wbDomainDef wbDomain_GetDef(const wbDomain *domain);

void wbDomain_SetGravity(wbDomain *domain, wbVec3 gravity);

/// m along its axis.
static inline float wbDomain_GetEnd(const wbDomain *domain, int side) {
    return side % 2 ? domain->max[side / 2] : domain->min[side / 2];
}

/// Before a step of dt seconds: velocities across, no higher than `speed` m/s, with which closed sides come nearer to where they
/// shall go.
void wbDomain_Drive(wbDomain *domain, float dt, float speed);
/// The domain as it will be `time` seconds after the start of the step.
wbDomain wbDomain_At(const wbDomain *domain, float time);
/// After a step of dt seconds: sides are where they went, and at rest until they are driven again.
void wbDomain_Advance(wbDomain *domain, float dt);
/// Whether a side moves in the step that is being done.
bool wbDomain_IsMoving(const wbDomain *domain);
/// Whether some side is not where it shall go.
bool wbDomain_IsOnTheWay(const wbDomain *domain);
/// m/s, of the fastest side, along and across.
double wbDomain_GetTopSpeed(const wbDomain *domain);
/// The same along itself alone.
double wbDomain_GetDragSpeed(const wbDomain *domain);

/// Whether a place is beyond a closed side by more than `hair` metres.
bool wbDomain_IsBeyond(const wbDomain *domain, const float p[3], float hair);
/// Whether closed sides are, and will be, at least `width` metres apart: -1, or the first axis along which they are not, with
/// the least distance in *least.
int wbDomain_FindNarrow(const wbDomain *domain, float width, float *least);
