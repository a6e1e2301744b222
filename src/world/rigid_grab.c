// SPDX-License-Identifier: MIT
// Rigid bodies that grabs hold. The force of the spring acts over the whole sub-step, and is that at its end (implicit Euler), with
// the mass that the body has at the point: no step is too long for it.
#include <math.h>

#include "core/status.h"
#include "world/grab.h"
#include "world/rigid.h"

typedef struct Matrix {
    double m[3][3];
} Matrix;

bool wbIsRigidHeld(const wbWorld *world) {
    for (int i = 0; i < world->grabIds.indexCount; i++)
        if (wbGetHeld(world, wbGetGrabAt(world, i), &wb_rigidBodyKind) >= 0) return true;
    return false;
}

wbVec3 wbFindBodyPoint(const wbWorld *world, int index, wbVec3 point) {
    const wbPose origin = wbGetRigidOrigin(world, index);
    return wbPose_Apply(&origin, point);
}

// The spin that an angular impulse gives.
static wbVec3 turnBy(const wbRigid *r, int i, wbVec3 angular) {
    const wbPose pose = wbRigid_GetPose(r, i);
    const wbVec3 own = wbPose_RotateInverse(&pose, angular);
    return wbPose_Rotate(&pose, wbMakeVec3(r->inverseInertiaX[i] * own.x, r->inverseInertiaY[i] * own.y,
                                           r->inverseInertiaZ[i] * own.z));
}

// 1/kg: the velocity that impulses at a point give that point, with `arm` from the centre of mass to it.
static Matrix getMobility(const wbRigid *r, int i, wbVec3 arm) {
    Matrix mobility;
    for (int c = 0; c < 3; c++) {
        const wbVec3 unit = wbMakeVec3(c == 0, c == 1, c == 2);
        const wbVec3 v =
            wbAdd(wbScale(r->inverseMass[i], unit), wbCross(turnBy(r, i, wbCross(arm, unit)), arm));
        mobility.m[0][c] = v.x, mobility.m[1][c] = v.y, mobility.m[2][c] = v.z;
    }
    return mobility;
}

static double getMinor(const Matrix *a, int row, int column) {
    const int r0 = (row + 1) % 3, r1 = (row + 2) % 3, c0 = (column + 1) % 3, c1 = (column + 2) % 3;
    return a->m[r0][c0] * a->m[r1][c1] - a->m[r0][c1] * a->m[r1][c0];
}

// a x = b, of a matrix that is a unit one plus one that is positive
static wbVec3 solve(const Matrix *a, const double b[3]) {
    double x[3] = {0}, determinant = 0;
    for (int c = 0; c < 3; c++) determinant += a->m[0][c] * getMinor(a, 0, c);
    for (int row = 0; row < 3; row++)
        for (int c = 0; c < 3; c++) x[row] += getMinor(a, c, row) * b[c] / determinant;
    return wbMakeVec3((float)x[0], (float)x[1], (float)x[2]);
}

// (1 + dt (c + dt k) K) F = k way - (c + dt k) v
static wbVec3 findForce(const wbGrabSpring *spring, const Matrix *mobility, wbVec3 way, wbVec3 velocity,
                        float dt) {
    const double k = spring->stiffness, drag = spring->damping + dt * k;
    const double b[3] = {k * way.x - drag * velocity.x, k * way.y - drag * velocity.y,
                         k * way.z - drag * velocity.z};
    Matrix a;
    for (int row = 0; row < 3; row++)
        for (int c = 0; c < 3; c++) a.m[row][c] = (row == c) + dt * drag * mobility->m[row][c];
    const wbVec3 force = solve(&a, b);
    const float size = sqrtf(wbDot(force, force));
    return size > spring->maxForce ? wbScale(spring->maxForce / size, force) : force;
}

static void pullBody(wbWorld *world, const wbGrab *grab, int i, float dt) {
    wbRigid *r = &wbGetRigidBodies(world)->rigid;
    if (!(r->bits[i] & WB_RIGID_DYNAMIC) || r->bits[i] & WB_RIGID_OFF) return;
    const bool isFlat = world->params.dimensions == 2;
    const wbVec3 point = wbFindBodyPoint(world, i, grab->params.point), spin = {r->wx[i], r->wy[i], r->wz[i]};
    wbVec3 arm = wbSub(point, wbMakeVec3(r->x[i], r->y[i], r->z[i])), way = wbSub(grab->params.target, point);
    if (isFlat) arm.z = way.z = 0;
    // with what its weight adds in the sub-step, or it would hang lower the longer that is
    const wbVec3 fall = wbScale(dt * r->gravityScale[i], world->domain.gravity);
    const wbVec3 velocity = wbAdd(wbAdd(wbMakeVec3(r->vx[i], r->vy[i], r->vz[i]), fall), wbCross(spin, arm));
    const wbGrabSpring spring = wbMakeGrabSpring(&grab->params, 1 / (double)r->inverseMass[i]);
    const Matrix mobility = getMobility(r, i, arm);
    const wbVec3 force = findForce(&spring, &mobility, way, velocity, dt), torque = wbCross(arm, force);
    const float kept = 1 / (1 + dt * grab->params.spinDamping);
    wbRigid_Wake(r, i);
    r->fx[i] += force.x, r->fy[i] += force.y, r->fz[i] += isFlat ? 0 : force.z;
    r->tx[i] += isFlat ? 0 : torque.x, r->ty[i] += isFlat ? 0 : torque.y, r->tz[i] += torque.z;
    r->wx[i] *= kept, r->wy[i] *= kept, r->wz[i] *= kept;
}

void wbPullRigidBodies(wbWorld *world, float dt) {
    for (int g = 0; g < world->grabIds.indexCount; g++) {
        const int i = wbGetHeld(world, wbGetGrabAt(world, g), &wb_rigidBodyKind);
        if (i >= 0) pullBody(world, wbGetGrabAt(world, g), i, dt);
    }
}
