// SPDX-License-Identifier: MIT
#include "rigid/rigid.h"

#include <math.h>
#include <string.h>

#include "core/status.h"
#include "shape/shape.h"

#define DEFAULT(field, value, ...)              .field = (value),
#define DEFAULT_ENUM(field, type, value, ...)   .field = (value),
#define DEFAULT_VECTOR(field, vx, vy, vz, ...)  .field = {(vx), (vy), (vz)},
#define DEFAULT_SIZE(field, width, height, ...) .field = {(width), (height)},
#define DEFAULT_AUTO(field, ...)                .field = 0,

wbRigidParams wbDefaultRigidParams(void) {
    return (wbRigidParams){
        WB_RIGID_PARAMS(DEFAULT, DEFAULT_AUTO, DEFAULT, DEFAULT, DEFAULT_ENUM, DEFAULT_VECTOR, DEFAULT_SIZE)};
}

void wbRigid_Init(wbRigid *rigid) {
    *rigid = (wbRigid){.pieces.elementSize = sizeof(wbRigidPiece)};
    wbRigidContacts_Init(&rigid->contacts);
    wbRigidJoints_Init(&rigid->joints);
    wbRigidEvents_Init(&rigid->events);
    wbRigidForces_Init(&rigid->forces);
    wbRigidParticles_Init(&rigid->particles);
}

void wbRigid_ListColumns(wbRigid *rigid, wbColumn columns[WB_RIGID_COLUMNS]) {
    const wbColumn list[WB_RIGID_COLUMNS] = {
        {"x", (void **)&rigid->x, 4, true},
        {"y", (void **)&rigid->y, 4, true},
        {"z", (void **)&rigid->z, 4, true},
        {"qx", (void **)&rigid->qx, 4, true},
        {"qy", (void **)&rigid->qy, 4, true},
        {"qz", (void **)&rigid->qz, 4, true},
        {"qw", (void **)&rigid->qw, 4, true},
        {"vx", (void **)&rigid->vx, 4, true},
        {"vy", (void **)&rigid->vy, 4, true},
        {"vz", (void **)&rigid->vz, 4, true},
        {"wx", (void **)&rigid->wx, 4, true},
        {"wy", (void **)&rigid->wy, 4, true},
        {"wz", (void **)&rigid->wz, 4, true},
        {"fx", (void **)&rigid->fx, 4, true},
        {"fy", (void **)&rigid->fy, 4, true},
        {"fz", (void **)&rigid->fz, 4, true},
        {"tx", (void **)&rigid->tx, 4, true},
        {"ty", (void **)&rigid->ty, 4, true},
        {"tz", (void **)&rigid->tz, 4, true},
        {"stillTime", (void **)&rigid->stillTime, 4, true},
        {"bits", (void **)&rigid->bits, 4, true},
        {"nextAsleep", (void **)&rigid->nextAsleep, 4, true},
        {"inverseMass", (void **)&rigid->inverseMass, 4, true},
        {"inverseInertiaX", (void **)&rigid->inverseInertiaX, 4, true},
        {"inverseInertiaY", (void **)&rigid->inverseInertiaY, 4, true},
        {"inverseInertiaZ", (void **)&rigid->inverseInertiaZ, 4, true},
        {"gravityScale", (void **)&rigid->gravityScale, 4, true},
        {"floor", (void **)&rigid->floor, 4, true},
        {"linearDamping", (void **)&rigid->linearDamping, 4, true},
        {"angularDamping", (void **)&rigid->angularDamping, 4, true},
        {"friction", (void **)&rigid->friction, 4, true},
        {"rollingFriction", (void **)&rigid->rollingFriction, 4, true},
        {"restitution", (void **)&rigid->restitution, 4, true},
        {"reach", (void **)&rigid->reach, 4, true},
        {"core", (void **)&rigid->core, 4, true},
        {"category", (void **)&rigid->category, 4, true},
        {"mask", (void **)&rigid->mask, 4, true},
        {"firstPiece", (void **)&rigid->firstPiece, 4, true},
        {"pieceCount", (void **)&rigid->pieceCount, 4, true},
        {"particlesPerEdge", (void **)&rigid->particlesPerEdge, 4, true},
    };
    memcpy(columns, list, sizeof list);
}

static wbRigidPiece *getPieces(const wbRigid *rigid) { return rigid->pieces.data; }

static void dropPiece(const wbRigidPiece *piece) {
    wbDestroyHull(piece->hull);
    wbDestroyShape(piece->shape);
}

void wbRigid_Free(wbMemory *memory, wbRigid *rigid) {
    wbColumn columns[WB_RIGID_COLUMNS];
    for (int i = 0; i < rigid->totalPieces; i++) dropPiece(&getPieces(rigid)[i]);
    wbRigid_ListColumns(rigid, columns);
    wbFreeColumns(memory, columns, WB_RIGID_COLUMNS, &rigid->capacity);
    wbArray_Free(memory, &rigid->pieces);
    wbRigidContacts_Free(memory, &rigid->contacts);
    wbRigidJoints_Free(memory, &rigid->joints);
    wbRigidEvents_Free(memory, &rigid->events);
    wbRigidForces_Free(memory, &rigid->forces);
    wbRigidParticles_Free(memory, &rigid->particles);
    wbRigid_Init(rigid);
}

wbPose wbRigid_GetPose(const wbRigid *rigid, int body) {
    return (wbPose){{rigid->x[body], rigid->y[body], rigid->z[body]},
                    {rigid->qx[body], rigid->qy[body], rigid->qz[body], rigid->qw[body]}};
}

// m: how far a piece reaches from the body's centre, and how thick it is there at least.
static void measure(const wbRigidPiece *piece, float *reach, float *core) {
    const wbPose origin = wb_poseAtOrigin;
    if (piece->kind == wb_piecePlane) {
        *reach = INFINITY, *core = INFINITY;
        return;
    }
    const BroadBox box = wbRigidPiece_Bound(piece, &origin);
    float far2 = 0, least = INFINITY;
    for (int k = 0; k < 3; k++) {
        const float far = fmaxf(fabsf(box.min[k]), fabsf(box.max[k]));
        far2 += far * far;
        least = fminf(least, 0.5f * (box.max[k] - box.min[k]));
    }
    *reach = sqrtf(far2);
    const bool isRound = piece->kind == wb_pieceSphere || piece->kind == wb_pieceCapsule;
    *core = isRound                           ? piece->size[0]
            : piece->kind == wb_pieceBox      ? fminf(fminf(piece->size[0], piece->size[1]), piece->size[2])
            : piece->kind == wb_pieceCylinder ? fminf(piece->size[0], piece->size[1])
                                              : 0.5f * least;
}

// The body's frame: in the centre of mass, along the principal axes; in the plane along the setup's.
static wbPose findFrame(const wbRigidBodySetup *setup, int dimensions, double moments[3]) {
    wbPose frame = wb_poseAtOrigin;
    for (int k = 0; k < 3; k++) frame.position[k] = (float)setup->solid.centre[k], moments[k] = 0;
    if (!(setup->solid.volume > 0)) return wb_poseAtOrigin;
    if (dimensions == 2) {
        frame.position[2] = 0;
        moments[2] = setup->solid.inertia[2][2];
    } else {
        wbFindPrincipalAxes(setup->solid.inertia, moments, frame.rotation);
    }
    return frame;
}

#define LEAST_MOMENT 1e-4f // by the largest

void wbInvertMoments(const float moments[3], float inverse[3]) {
    const float least = LEAST_MOMENT * fmaxf(fmaxf(moments[0], moments[1]), moments[2]);
    for (int k = 0; k < 3; k++) inverse[k] = moments[k] > 0 ? 1 / fmaxf(moments[k], least) : 0;
}

wbStatus wbRigid_AddBody(wbRigid *rigid, wbMemory *memory, const wbRigidModel *model,
                         const wbRigidBodySetup *setup, wbPose *frame) {
    wbColumn columns[WB_RIGID_COLUMNS];
    const int body = rigid->count, dimensions = model->domain->dimensions;
    WB_ASSERT(rigid->guestCount == 0, "bodies are added between steps");
    wbRigid_ListColumns(rigid, columns);
    if (!wbReserveColumns(memory, columns, WB_RIGID_COLUMNS, &rigid->capacity, body + 1) ||
        !wbArray_Reserve(memory, &rigid->pieces, rigid->totalPieces + setup->pieceCount))
        return wbMemoryError(memory, "a rigid body needs");
    for (int i = 0; i < setup->pieceCount; i++)
        if (setup->pieces[i].shape) WB_TRY(wbShape_FindEdges(setup->pieces[i].shape));
    double moments[3];
    *frame = findFrame(setup, dimensions, moments);
    const wbPose pose = wbPose_Multiply(&setup->pose, frame), inverse = wbPose_Invert(frame);
    const bool isDynamic = setup->bits & WB_RIGID_DYNAMIC;
    const double inverseMass = isDynamic ? 1 / setup->mass : 0;
    float own[3], turn[3];
    for (int k = 0; k < 3; k++)
        own[k] = isDynamic && moments[k] > 0 ? (float)(moments[k] * setup->mass / setup->solid.volume) : 0;
    wbInvertMoments(own, turn);
    rigid->x[body] = pose.position[0], rigid->y[body] = pose.position[1], rigid->z[body] = pose.position[2];
    rigid->qx[body] = pose.rotation[0], rigid->qy[body] = pose.rotation[1];
    rigid->qz[body] = pose.rotation[2], rigid->qw[body] = pose.rotation[3];
    rigid->vx[body] = setup->velocity[0], rigid->vy[body] = setup->velocity[1];
    rigid->vz[body] = setup->velocity[2];
    rigid->wx[body] = setup->spin[0], rigid->wy[body] = setup->spin[1], rigid->wz[body] = setup->spin[2];
    rigid->fx[body] = rigid->fy[body] = rigid->fz[body] = 0;
    rigid->tx[body] = rigid->ty[body] = rigid->tz[body] = rigid->stillTime[body] = 0;
    rigid->bits[body] = setup->bits, rigid->nextAsleep[body] = body;
    rigid->inverseMass[body] = (float)inverseMass;
    rigid->inverseInertiaX[body] = turn[0], rigid->inverseInertiaY[body] = turn[1];
    rigid->inverseInertiaZ[body] = turn[2];
    rigid->floor[body] = 1;
    rigid->gravityScale[body] = setup->gravityScale, rigid->linearDamping[body] = setup->linearDamping;
    rigid->angularDamping[body] = setup->angularDamping, rigid->friction[body] = setup->friction;
    rigid->rollingFriction[body] = setup->rollingFriction, rigid->restitution[body] = setup->restitution;
    rigid->category[body] = setup->category, rigid->mask[body] = setup->mask;
    rigid->firstPiece[body] = rigid->totalPieces, rigid->pieceCount[body] = setup->pieceCount;
    rigid->particlesPerEdge[body] =
        setup->particlesPerEdge > 0 ? setup->particlesPerEdge : model->params.particlesPerEdge;
    rigid->reach[body] = 0, rigid->core[body] = INFINITY;
    for (int i = 0; i < setup->pieceCount; i++) {
        wbRigidPiece *piece = &getPieces(rigid)[rigid->totalPieces++];
        float reach, core;
        *piece = setup->pieces[i];
        piece->pose = wbPose_Multiply(&inverse, &piece->pose);
        if (piece->hull) wbHull_Share(piece->hull);
        if (piece->shape) wbShape_Share(piece->shape);
        measure(piece, &reach, &core);
        rigid->reach[body] = fmaxf(rigid->reach[body], reach);
        rigid->core[body] = fminf(rigid->core[body], core);
    }
    rigid->count++;
    rigid->contacts.isStale = 1;
    return wb_okStatus;
}

void wbRigid_RemoveBody(wbRigid *rigid, wbMemory *memory, int body) {
    wbColumn columns[WB_RIGID_COLUMNS];
    const int first = rigid->firstPiece[body], pieceCount = rigid->pieceCount[body];
    (void)memory;
    wbRigid_Wake(rigid, body);
    wbRigidForces_RemoveBody(&rigid->forces, body);
    wbRigidParticles_RemoveBody(rigid, body);
    for (int i = first; i < first + pieceCount; i++) dropPiece(&getPieces(rigid)[i]);
    memmove(getPieces(rigid) + first, getPieces(rigid) + first + pieceCount,
            sizeof(wbRigidPiece) * (size_t)(rigid->totalPieces - first - pieceCount));
    rigid->totalPieces -= pieceCount;
    wbRigid_ListColumns(rigid, columns);
    wbRemoveRange(columns, WB_RIGID_COLUMNS, body, body + 1, rigid->count);
    rigid->count--;
    wbRigidContacts_RemoveBody(&rigid->contacts, body);
    wbRigid_RenumberAsleep(rigid, body);
    wbRigidJoints_Renumber(&rigid->joints, body);
    wbRigidEvents_Renumber(&rigid->events, body);
    for (int i = body; i < rigid->count; i++) rigid->firstPiece[i] -= pieceCount;
}

wbStatus wbRigid_Step(wbRigid *rigid, const wbRigidModel *model, const wbWork *work, float dt) {
    memset(rigid->ms, 0, sizeof rigid->ms);
    WB_TRY(model->params.contact == wb_contactParticles ? wbRigid_StepParticles(rigid, model, work, dt)
                                                        : wbRigid_StepExact(rigid, model, work, dt));
    rigid->previousDt = dt;
    return wb_okStatus;
}

double wbRigid_GetKinetic(const wbRigid *rigid) {
    double sum = 0;
    for (int i = 0; i < rigid->count; i++) {
        if (rigid->inverseMass[i] <= 0) continue;
        const wbVec3d spin = {rigid->wx[i], rigid->wy[i], rigid->wz[i]},
                      v = {rigid->vx[i], rigid->vy[i], rigid->vz[i]};
        sum +=
            0.5 * (wbDot3d(v, v) / rigid->inverseMass[i] + wbDot3d(wbRigid_GetSpinMomentum(rigid, i), spin));
    }
    return sum;
}

wbVec3d wbRigid_GetSpinMomentum(const wbRigid *rigid, int body) {
    const wbPose pose = wbRigid_GetPose(rigid, body);
    wbVec3d own = wbPose_Rotate3d(&pose, -1, (wbVec3d){rigid->wx[body], rigid->wy[body], rigid->wz[body]});
    own.x = rigid->inverseInertiaX[body] > 0 ? own.x / rigid->inverseInertiaX[body] : 0;
    own.y = rigid->inverseInertiaY[body] > 0 ? own.y / rigid->inverseInertiaY[body] : 0;
    own.z = rigid->inverseInertiaZ[body] > 0 ? own.z / rigid->inverseInertiaZ[body] : 0;
    return wbPose_Rotate3d(&pose, 1, own);
}
