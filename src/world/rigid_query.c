// SPDX-License-Identifier: MIT
// Queries among rigid bodies: their pieces as they are, where the bodies are now.
#include <math.h>

#include "core/status.h"
#include "rigid/manifold.h"
#include "world/query.h"
#include "world/rigid.h"

// A piece where its body is. In 2D boxes are so thick that their faces across the plane are never the nearest.
static wbRigidPiece getPiece(const wbWorld *world, int body, int piece, wbPose *pose) {
    const wbRigid *rigid = &wbGetRigidBodies(world)->rigid;
    wbRigidPiece found = ((const wbRigidPiece *)rigid->pieces.data)[rigid->firstPiece[body] + piece];
    const wbPose own = wbRigid_GetPose(rigid, body);
    *pose = wbPose_Multiply(&own, &found.pose);
    if (world->params.dimensions == 2 && found.kind == wb_pieceBox)
        found.size[2] = 2 * (found.size[0] + found.size[1]);
    return found;
}

static bool meetsBox(const wbSearch *search, const wbRigidPiece *piece, const wbPose *pose) {
    const wbVec3d low = search->from, high = search->to;
    const wbRigidPiece box = {.kind = wb_pieceBox,
                              .pose = wb_poseAtOrigin,
                              .size = {(float)(0.5 * (high.x - low.x)), (float)(0.5 * (high.y - low.y)),
                                       (float)(0.5 * (high.z - low.z))}};
    const wbPose middle = {.position = {(float)(0.5 * (high.x + low.x)), (float)(0.5 * (high.y + low.y)),
                                        (float)(0.5 * (high.z + low.z))},
                           .rotation = {0, 0, 0, 1}};
    return wbRigidPiece_Overlaps(&box, &middle, piece, pose, 0);
}

// What a search measures at a piece; INFINITY: nothing.
static double measure(const wbSearch *search, const wbRigidPiece *piece, const wbPose *pose) {
    wbVec3 point, normal;
    float fraction;
    const wbVec3 from = wbToFloat(search->from);
    if (search->kind == wb_searchRay)
        return wbRigidPiece_CastRay(piece, pose, from, wbToFloat(search->to), &fraction, &normal)
                   ? (double)fraction
                   : INFINITY;
    if (search->kind == wb_searchBox) return meetsBox(search, piece, pose) ? 0 : INFINITY;
    const double distance = (double)wbRigidPiece_FindNearest(piece, pose, from, &point, &normal);
    if (search->kind == wb_searchBall) return distance <= search->radius ? 0 : INFINITY;
    return distance;
}

static void searchOne(wbSearch *search, int body) {
    const wbRigid *rigid = &wbGetRigidBodies(search->world)->rigid;
    wbFinding finding = {.measure = INFINITY, .kind = wb_queryRigidBodies, .owner = body};
    if (rigid->bits[body] & WB_RIGID_OFF) return;
    for (int k = 0; k < rigid->pieceCount[body]; k++) {
        wbPose pose;
        const wbRigidPiece piece = getPiece(search->world, body, k, &pose);
        const double measured = measure(search, &piece, &pose);
        if (measured < finding.measure) finding.measure = measured, finding.place = k;
    }
    if (finding.measure < INFINITY) wbSearch_Add(search, &finding);
}

static bool isPlane(const wbRigid *rigid, int body) { return !(rigid->reach[body] < INFINITY); }

static BroadBox boundBody(const wbRigid *rigid, int body) {
    const wbRigidPiece *pieces = (const wbRigidPiece *)rigid->pieces.data + rigid->firstPiece[body];
    const wbPose pose = wbRigid_GetPose(rigid, body);
    BroadBox box = wbMakeEmptyBox();
    for (int k = 0; k < rigid->pieceCount[body] && !isPlane(rigid, body); k++) {
        const BroadBox own = wbRigidPiece_Bound(&pieces[k], &pose);
        box = wbJoinBoxes(&box, &own);
    }
    const float far =
        1e-5f * (fabsf(pose.position[0]) + fabsf(pose.position[1]) + fabsf(pose.position[2]) + 1);
    return isPlane(rigid, body) ? box : wbGrowBox(&box, far);
}

wbStatus wbRefreshBodyBoxes(wbWorld *world, wbQueries *queries) {
    const wbRigidBodies *bodies = wbGetRigidBodies(world);
    const int count = world->rigidBodyIds.indexCount;
    if (queries->bodyVersion == world->stateVersion) return wb_okStatus;
    WB_TRY(wbPullState(world));
    if (!wbBroadPhase_Reserve(world->memory, &queries->bodyBoxes, count))
        return wbMemoryError(world->memory, "queries among %d rigid bodies need", count);
    wbBroadPhase_SetCount(&queries->bodyBoxes, count);
    for (int i = 0; i < count; i++) {
        const BroadBox box = boundBody(&bodies->rigid, i);
        wbBroadPhase_SetBox(&queries->bodyBoxes, i, &box);
    }
    wbBroadPhase_Update(&queries->bodyBoxes);
    queries->bodyVersion = world->stateVersion;
    return wb_okStatus;
}

static void visit(int body, void *context) { searchOne(context, body); }

static float seek(int body, float most, void *context) {
    wbSearch *search = context;
    (void)most;
    searchOne(search, body);
    return wbSearch_GetReach(search);
}

void wbSearchRigidBodies(wbSearch *search, const wbQueries *queries) {
    const wbWorld *world = search->world;
    const wbBroadPhase *boxes = &queries->bodyBoxes;
    const wbVec3 from = wbToFloat(search->from);
    for (int i = 0; i < world->rigidBodyIds.indexCount; i++)
        if (isPlane(&wbGetRigidBodies(world)->rigid, i)) searchOne(search, i);
    if (search->kind == wb_searchRay) {
        wbBroadPhase_SeekRay(boxes, from, wbToFloat(search->to), wbSearch_GetReach(search), seek, search);
    } else if (search->kind == wb_searchNearest) {
        wbBroadPhase_SeekNearest(boxes, from, wbSearch_GetReach(search), seek, search);
    } else {
        const BroadBox box = wbSearch_GetBox(search);
        wbBroadPhase_FindAll(boxes, &box, visit, search);
    }
}

wbVec3 wbGetBodyHit(const wbSearch *search, const wbFinding *finding) {
    wbPose pose;
    float fraction;
    wbVec3 normal = {0, 1, 0};
    const wbRigidPiece piece = getPiece(search->world, finding->owner, finding->place, &pose);
    (void)wbRigidPiece_CastRay(&piece, &pose, wbToFloat(search->from), wbToFloat(search->to), &fraction,
                               &normal);
    return normal;
}

void wbGetBodyNearest(const wbSearch *search, const wbFinding *finding, wbVec3 *point, wbVec3 *normal) {
    wbPose pose;
    const wbRigidPiece piece = getPiece(search->world, finding->owner, finding->place, &pose);
    (void)wbRigidPiece_FindNearest(&piece, &pose, wbToFloat(search->from), point, normal);
}
