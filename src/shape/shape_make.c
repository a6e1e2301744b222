// SPDX-License-Identifier: MIT
// Boxes, solids of revolution, vessels and wheels.
#include "shape/shape_make.h"

#include <math.h>

#include "shape/make_check.h"
#include "shape/mesh_maker.h"

#define PI 3.14159265358979323846

wbStatus wbMakeBox(wbVec3 size, wbMesh *mesh) {
    WB_TRY(wbCheckSize("box", "x of its size", size.x));
    WB_TRY(wbCheckSize("box", "y of its size", size.y));
    WB_TRY(wbCheckSize("box", "z of its size", size.z));
    MeshMaker maker = wbStartMesh();
    wbMeshMaker_AddBox(&maker, wbScale(-0.5f, size), wbScale(0.5f, size), false);
    return wbFinishMesh(&maker, mesh);
}

// Points of a half circle from the lowest to the highest, moved up by `lift` in its upper half; at least two steps to
// the middle, which a capsule has twice.
static int addHalfCircle(ProfilePoint *points, double radius, double lift, int segments) {
    int quarter = segments / 4 > 1 ? segments / 4 : 2, count = 0;
    for (int k = 0; k <= 2 * quarter; k++) {
        double angle = PI / 2 * (k - quarter) / quarter;
        bool isPole = k == 0 || k == 2 * quarter;
        ProfilePoint point = {isPole ? 0 : radius * cos(angle), radius * sin(angle)};
        if (k == quarter && lift > 0) points[count++] = (ProfilePoint){point.radius, point.height - lift / 2};
        if (lift > 0) point.height += k < quarter ? -lift / 2 : lift / 2;
        points[count++] = point;
    }
    return count;
}

wbStatus wbMakeSphere(float radius, int segments, wbMesh *mesh) {
    WB_TRY(wbCheckSize("sphere", "its radius", radius));
    WB_TRY(wbCheckSegments("sphere", segments));
    ProfilePoint points[WB_MAX_SEGMENTS];
    int count = addHalfCircle(points, radius, 0, segments);
    MeshMaker maker = wbStartMesh();
    wbMeshMaker_AddLathe(&maker, points, count, segments, false);
    return wbFinishMesh(&maker, mesh);
}

wbStatus wbMakeCapsule(float radius, float height, int segments, wbMesh *mesh) {
    WB_TRY(wbCheckSize("capsule", "its radius", radius));
    WB_TRY(wbCheckSize("capsule", "its height", height));
    WB_TRY(wbCheckSegments("capsule", segments));
    ProfilePoint points[WB_MAX_SEGMENTS];
    int count = addHalfCircle(points, radius, height, segments);
    MeshMaker maker = wbStartMesh();
    wbMeshMaker_AddLathe(&maker, points, count, segments, false);
    return wbFinishMesh(&maker, mesh);
}

static void addCylinder(MeshMaker *maker, double radius, double bottom, double top, int segments,
                        bool isHollow) {
    ProfilePoint points[] = {{0, bottom}, {radius, bottom}, {radius, top}, {0, top}};
    wbMeshMaker_AddLathe(maker, points, 4, segments, isHollow);
}

wbStatus wbMakeCylinder(float radius, float height, int segments, wbMesh *mesh) {
    WB_TRY(wbCheckSize("cylinder", "its radius", radius));
    WB_TRY(wbCheckSize("cylinder", "its height", height));
    WB_TRY(wbCheckSegments("cylinder", segments));
    MeshMaker maker = wbStartMesh();
    addCylinder(&maker, radius, -0.5 * (double)height, 0.5 * (double)height, segments, false);
    return wbFinishMesh(&maker, mesh);
}

wbStatus wbMakeTorus(float ringRadius, float tubeRadius, int segments, wbMesh *mesh) {
    WB_TRY(wbCheckSize("torus", "its tube's radius", tubeRadius));
    WB_TRY(wbCheckSize("torus", "its ring's radius", ringRadius));
    WB_TRY(wbCheckSegments("torus", segments));
    if (ringRadius <= tubeRadius)
        return wbError(wb_errorInput, "torus: its ring's radius is %g; allowed: above its tube's radius, %g",
                       (double)ringRadius, (double)tubeRadius);
    ProfilePoint points[WB_MAX_SEGMENTS];
    int count = segments / 2 > 3 ? segments / 2 : 3;
    for (int k = 0; k < count; k++) {
        double angle = 2 * PI * k / count;
        points[k] = (ProfilePoint){ringRadius + tubeRadius * cos(angle), tubeRadius * sin(angle)};
    }
    MeshMaker maker = wbStartMesh();
    wbMeshMaker_AddLathe(&maker, points, count, segments, false);
    return wbFinishMesh(&maker, mesh);
}

wbStatus wbMakeCup(const wbCupParams *params, wbMesh *mesh) {
    WB_TRY(wbCheckSize("cup", "its inner radius", params->innerRadius));
    WB_TRY(wbCheckSize("cup", "its inner height", params->innerHeight));
    WB_TRY(wbCheckSize("cup", "its wall", params->wall));
    WB_TRY(wbCheckSize("cup", "its floor", params->floor));
    WB_TRY(wbCheckSegments("cup", params->segments));
    double inner = params->innerRadius, outer = inner + params->wall, floor = params->floor;
    double top = floor + params->innerHeight;
    MeshMaker maker = wbStartMesh();
    if (params->hasLid) {
        addCylinder(&maker, outer, 0, top + floor, params->segments, false);
        addCylinder(&maker, inner, floor, top, params->segments, true);
    } else {
        ProfilePoint points[] = {{0, 0}, {outer, 0}, {outer, top}, {inner, top}, {inner, floor}, {0, floor}};
        wbMeshMaker_AddLathe(&maker, points, 6, params->segments, false);
    }
    return wbFinishMesh(&maker, mesh);
}

// Corners of a rectangle at one height, going around so that y is up.
static int addRectangle(MeshMaker *maker, double halfX, double halfZ, double height) {
    static const int signs[4][2] = {{1, 1}, {1, -1}, {-1, -1}, {-1, 1}};
    int first = maker->vertexCount;
    for (int k = 0; k < 4; k++)
        wbMeshMaker_AddVertex(
            maker, wbMakeVec3((float)(signs[k][0] * halfX), (float)height, (float)(signs[k][1] * halfZ)));
    return first;
}

static void joinRectangles(MeshMaker *maker, int low, int high) {
    for (int k = 0; k < 4; k++)
        wbMeshMaker_AddQuad(maker, low + k, low + (k + 1) % 4, high + (k + 1) % 4, high + k);
}

static void addOpenTank(MeshMaker *maker, double halfX, double halfZ, double wall, double floor, double top) {
    int under = addRectangle(maker, halfX + wall, halfZ + wall, 0);
    int outerRim = addRectangle(maker, halfX + wall, halfZ + wall, top);
    int innerRim = addRectangle(maker, halfX, halfZ, top), bottom = addRectangle(maker, halfX, halfZ, floor);
    wbMeshMaker_AddQuad(maker, under + 3, under + 2, under + 1, under);
    joinRectangles(maker, under, outerRim);
    joinRectangles(maker, outerRim, innerRim);
    joinRectangles(maker, innerRim, bottom);
    wbMeshMaker_AddQuad(maker, bottom, bottom + 1, bottom + 2, bottom + 3);
}

wbStatus wbMakeTank(const wbTankParams *params, wbMesh *mesh) {
    WB_TRY(wbCheckSize("tank", "x of its inner size", params->innerSize.x));
    WB_TRY(wbCheckSize("tank", "y of its inner size", params->innerSize.y));
    WB_TRY(wbCheckSize("tank", "z of its inner size", params->innerSize.z));
    WB_TRY(wbCheckSize("tank", "its wall", params->wall));
    WB_TRY(wbCheckSize("tank", "its floor", params->floor));
    float x = 0.5f * params->innerSize.x, z = 0.5f * params->innerSize.z, wall = params->wall;
    float floor = params->floor, top = floor + params->innerSize.y;
    MeshMaker maker = wbStartMesh();
    if (params->hasLid) {
        wbMeshMaker_AddBox(&maker, wbMakeVec3(-x - wall, 0, -z - wall),
                           wbMakeVec3(x + wall, top + floor, z + wall), false);
        wbMeshMaker_AddBox(&maker, wbMakeVec3(-x, floor, -z), wbMakeVec3(x, top, z), true);
    } else {
        addOpenTank(&maker, x, z, wall, floor, top);
    }
    return wbFinishMesh(&maker, mesh);
}

// A box that reaches from within the hub to the rim, turned about z.
static void addPaddle(MeshMaker *maker, const wbWheelParams *params, double halfWidth, double angle) {
    int first = maker->vertexCount;
    float half = 0.5f * params->paddleThickness;
    wbMeshMaker_AddBox(maker, wbMakeVec3(0.5f * params->hubRadius, -half, -(float)halfWidth),
                       wbMakeVec3(params->radius, half, (float)halfWidth), false);
    if (maker->isShort) return;
    for (int i = first; i < maker->vertexCount; i++) {
        float *v = (float *)maker->vertices.data + 3 * (size_t)i;
        double x = v[0], y = v[1];
        v[0] = (float)(x * cos(angle) - y * sin(angle)), v[1] = (float)(x * sin(angle) + y * cos(angle));
    }
}

static wbStatus checkWheel(const wbWheelParams *params) {
    WB_TRY(wbCheckSize("wheel", "its hub's radius", params->hubRadius));
    WB_TRY(wbCheckSize("wheel", "its radius", params->radius));
    WB_TRY(wbCheckSize("wheel", "its width", params->width));
    WB_TRY(wbCheckSize("wheel", "its paddles' thickness", params->paddleThickness));
    if (params->discThickness != 0)
        WB_TRY(wbCheckSize("wheel", "its discs' thickness", params->discThickness));
    WB_TRY(wbCheckSegments("wheel", params->segments));
    if (params->radius <= params->hubRadius)
        return wbError(wb_errorInput, "wheel: its radius is %g; allowed: above its hub's radius, %g",
                       (double)params->radius, (double)params->hubRadius);
    if (params->paddleCount < 1 || params->paddleCount > 1000)
        return wbError(wb_errorInput, "wheel: it has %d paddles; allowed: 1 to 1000", params->paddleCount);
    // the paddles' ends must lie within the hub
    double room = params->hubRadius * cos(PI / params->segments);
    if (params->paddleThickness > room)
        return wbError(wb_errorInput,
                       "wheel: its paddles' thickness is %g; allowed: up to %g, inside the hub",
                       (double)params->paddleThickness, room);
    return wb_okStatus;
}

wbStatus wbMakeWheel(const wbWheelParams *params, wbMesh *mesh) {
    WB_TRY(checkWheel(params));
    // half of a disc is in the hub and paddles, so that no gap is between them
    double disc = params->discThickness, halfWidth = 0.5 * (params->width + disc);
    MeshMaker maker = wbStartMesh();
    addCylinder(&maker, params->hubRadius, -halfWidth, halfWidth, params->segments, false);
    for (int side = -1; side <= 1 && disc > 0; side += 2)
        addCylinder(&maker, params->radius, side * halfWidth - 0.5 * disc, side * halfWidth + 0.5 * disc,
                    params->segments, false);
    wbMeshMaker_TurnToZ(&maker, 0);
    for (int k = 0; k < params->paddleCount; k++)
        addPaddle(&maker, params, halfWidth, 2 * PI * k / params->paddleCount);
    return wbFinishMesh(&maker, mesh);
}
