// SPDX-License-Identifier: MIT
// Pipes and troughs along paths.
#include <math.h>

#include "shape/make_check.h"
#include "shape/mesh_maker.h"

#define PI 3.14159265358979323846

static float getLength(wbVec3 v) { return sqrtf(wbDot(v, v)); }
static wbVec3 normalise(wbVec3 v) { return wbScale(1 / getLength(v), v); }

static wbStatus checkPath(const char *thing, const wbVec3 *path, int count) {
    if (count < 2)
        return wbError(wb_errorInput, "%s: its path has %d points; at least 2 are needed", thing, count);
    for (int i = 0; i < count; i++)
        if (!(fabsf(path[i].x) <= 1e4f && fabsf(path[i].y) <= 1e4f && fabsf(path[i].z) <= 1e4f))
            return wbError(wb_errorInput,
                           "%s: point %d of its path is (%g, %g, %g); allowed: -10000 to 10000 m", thing, i,
                           (double)path[i].x, (double)path[i].y, (double)path[i].z);
    for (int i = 0; i + 1 < count; i++)
        if (getLength(wbSub(path[i + 1], path[i])) < 1e-4f)
            return wbError(wb_errorInput, "%s: points %d and %d of its path are at the same place", thing, i,
                           i + 1);
    return wb_okStatus;
}

// The bends at both ends of a straight piece take up some of its length.
static wbStatus checkPiece(const char *thing, int piece, float length, float atStart, float atEnd) {
    if (atStart + atEnd <= length) return wb_okStatus;
    return wbError(wb_errorInput, "%s: its path's piece %d is %g m long; the bends at its ends need %g m",
                   thing, piece, (double)length, (double)(atStart + atEnd));
}

// A pipe on its way: the ring that was added last, and a vector across it that does not twist.
typedef struct PipeMaker {
    MeshMaker maker;
    const wbPipeParams *params;
    wbVec3 direction, across;
    int ring; // first vertex; -1: none yet
} PipeMaker;

static wbVec3 findAcross(wbVec3 direction) {
    wbVec3 axis = fabsf(direction.y) < 0.9f ? wbMakeVec3(0, 1, 0) : wbMakeVec3(1, 0, 0);
    return normalise(wbCross(axis, direction));
}

// The outer circle's vertices, then the inner's.
static int addRing(PipeMaker *pipe, wbVec3 centre) {
    int first = pipe->maker.vertexCount, segments = pipe->params->segments;
    wbVec3 side = wbCross(pipe->direction, pipe->across);
    for (int circle = 0; circle < 2; circle++) {
        float radius = pipe->params->innerRadius + (circle == 0 ? pipe->params->wall : 0);
        for (int k = 0; k < segments; k++) {
            double angle = 2 * PI * k / segments;
            wbVec3 arm = wbAdd(wbScale((float)(radius * cos(angle)), pipe->across),
                               wbScale((float)(radius * sin(angle)), side));
            wbMeshMaker_AddVertex(&pipe->maker, wbAdd(centre, arm));
        }
    }
    return first;
}

static void addEnd(PipeMaker *pipe, int ring, bool isLast) {
    int n = pipe->params->segments;
    for (int k = 0; k < n; k++) {
        int next = (k + 1) % n;
        if (isLast)
            wbMeshMaker_AddQuad(&pipe->maker, ring + k, ring + next, ring + n + next, ring + n + k);
        else
            wbMeshMaker_AddQuad(&pipe->maker, ring + k, ring + n + k, ring + n + next, ring + next);
    }
}

static void addStation(PipeMaker *pipe, wbVec3 centre, wbVec3 direction) {
    int n = pipe->params->segments, before = pipe->ring;
    wbVec3 across = before < 0 ? findAcross(direction) : pipe->across;
    pipe->across = normalise(wbSub(across, wbScale(wbDot(across, direction), direction)));
    pipe->direction = direction;
    pipe->ring = addRing(pipe, centre);
    if (before < 0) {
        addEnd(pipe, pipe->ring, false);
        return;
    }
    for (int k = 0; k < n; k++) {
        int a = before + k, b = before + (k + 1) % n, c = pipe->ring + (k + 1) % n, d = pipe->ring + k;
        wbMeshMaker_AddQuad(&pipe->maker, a, b, c, d);
        wbMeshMaker_AddQuad(&pipe->maker, d + n, c + n, b + n, a + n);
    }
}

static wbVec3 getDirection(const wbPipeParams *params, int piece) {
    return normalise(wbSub(params->path[piece + 1], params->path[piece]));
}

static float getBendRadius(const wbPipeParams *params) { return 2 * (params->innerRadius + params->wall); }

static float getBendAngle(const wbPipeParams *params, int point) {
    if (point == 0 || point == params->pointCount - 1) return 0;
    wbVec3 a = getDirection(params, point - 1), b = getDirection(params, point), c = wbCross(a, b);
    return atan2f(getLength(c), wbDot(a, b));
}

static void addBend(PipeMaker *pipe, int point) {
    const wbPipeParams *params = pipe->params;
    wbVec3 from = getDirection(params, point - 1), to = getDirection(params, point);
    float angle = getBendAngle(params, point), radius = getBendRadius(params);
    if (angle < 1e-3f) { // straight on: rings here would be too near to each other
        addStation(pipe, params->path[point], normalise(wbAdd(from, to)));
        return;
    }
    wbVec3 inwards = normalise(wbSub(to, wbScale(wbDot(to, from), from)));
    wbVec3 start = wbSub(params->path[point], wbScale(radius * tanf(angle / 2), from));
    int steps = 1 + (int)((double)angle / (2 * PI) * params->segments);
    for (int k = 0; k <= steps; k++) {
        float a = angle * (float)k / (float)steps;
        wbVec3 arm = wbAdd(wbScale(radius * sinf(a), from), wbScale(radius * (1 - cosf(a)), inwards));
        addStation(pipe, wbAdd(start, arm), wbAdd(wbScale(cosf(a), from), wbScale(sinf(a), inwards)));
    }
}

static wbStatus checkPipe(const wbPipeParams *params) {
    WB_TRY(wbCheckSize("pipe", "its inner radius", params->innerRadius));
    WB_TRY(wbCheckSize("pipe", "its wall", params->wall));
    WB_TRY(wbCheckSegments("pipe", params->segments));
    WB_TRY(checkPath("pipe", params->path, params->pointCount));
    for (int i = 0; i < params->pointCount; i++)
        if (getBendAngle(params, i) > 3.0f)
            return wbError(wb_errorInput, "pipe: its path turns back at point %d", i);
    for (int i = 0; i + 1 < params->pointCount; i++) {
        float length = getLength(wbSub(params->path[i + 1], params->path[i])), radius = getBendRadius(params);
        // a hundredth more, so that two bends do not share a ring
        WB_TRY(checkPiece("pipe", i, length, 1.01f * radius * tanf(getBendAngle(params, i) / 2),
                          1.01f * radius * tanf(getBendAngle(params, i + 1) / 2)));
    }
    return wb_okStatus;
}

wbStatus wbMakePipe(const wbPipeParams *params, wbMesh *mesh) {
    WB_TRY(checkPipe(params));
    int last = params->pointCount - 1;
    PipeMaker pipe = {.maker = wbStartMesh(), .params = params, .ring = -1};
    addStation(&pipe, params->path[0], getDirection(params, 0));
    for (int i = 1; i < last; i++) addBend(&pipe, i);
    addStation(&pipe, params->path[last], getDirection(params, last - 1));
    addEnd(&pipe, pipe.ring, true);
    return wbFinishMesh(&pipe.maker, mesh);
}

static wbVec3 getLevel(const wbTroughParams *params, int piece) {
    wbVec3 d = wbSub(params->path[piece + 1], params->path[piece]);
    return wbMakeVec3(d.x, 0, d.z);
}

// To the right of a piece, level.
static wbVec3 getRight(const wbTroughParams *params, int piece) {
    wbVec3 d = normalise(getLevel(params, piece));
    return wbMakeVec3(-d.z, 0, d.x);
}

// To the right at a point: at a bend along its mitre, and as long as that makes the walls parallel.
static wbVec3 getMitre(const wbTroughParams *params, int point) {
    int last = params->pointCount - 1;
    wbVec3 a = getRight(params, point > 0 ? point - 1 : 0),
           b = getRight(params, point < last ? point : last - 1);
    return wbScale(1 / (1 + wbDot(a, b)), wbAdd(a, b));
}

static wbStatus checkTrough(const wbTroughParams *params) {
    WB_TRY(wbCheckSize("trough", "its inner width", params->innerWidth));
    WB_TRY(wbCheckSize("trough", "its inner height", params->innerHeight));
    WB_TRY(wbCheckSize("trough", "its wall", params->wall));
    WB_TRY(checkPath("trough", params->path, params->pointCount));
    for (int i = 0; i + 1 < params->pointCount; i++) {
        float level = getLength(getLevel(params, i));
        if (level < 0.1f * getLength(wbSub(params->path[i + 1], params->path[i])))
            return wbError(wb_errorInput, "trough: its path's piece %d stands upright; use a pipe", i);
        if (i > 0 && wbDot(getRight(params, i - 1), getRight(params, i)) < -0.9f)
            return wbError(wb_errorInput, "trough: its path turns back at point %d", i);
    }
    for (int i = 0; i + 1 < params->pointCount; i++) {
        float half = 0.5f * params->innerWidth + params->wall, needed[2];
        for (int end = 0; end < 2; end++) { // half tan(angle / 2), from the mitre's length 1 / cos(angle / 2)
            wbVec3 mitre = getMitre(params, i + end);
            needed[end] = half * sqrtf(fmaxf(wbDot(mitre, mitre) - 1, 0));
        }
        WB_TRY(checkPiece("trough", i, getLength(getLevel(params, i)), needed[0], needed[1]));
    }
    return wb_okStatus;
}

wbStatus wbMakeTrough(const wbTroughParams *params, wbMesh *mesh) {
    WB_TRY(checkTrough(params));
    float inner = 0.5f * params->innerWidth, outer = inner + params->wall, top = params->innerHeight;
    // counter-clockwise with the path's right to the right: the first three corners and the last are the outside
    const float profile[8][2] = {
        {-outer, -params->wall}, {outer, -params->wall}, {outer, top}, {inner, top}, {inner, 0}, {-inner, 0},
        {-inner, top},           {-outer, top}};
    static const int ends[3][4] = {{0, 1, 4, 5}, {1, 2, 3, 4}, {0, 5, 6, 7}};
    MeshMaker maker = wbStartMesh();
    for (int i = 0; i < params->pointCount; i++) {
        wbVec3 mitre = getMitre(params, i), at = params->path[i];
        for (int k = 0; k < 8; k++)
            wbMeshMaker_AddVertex(
                &maker, wbAdd(wbAdd(at, wbScale(profile[k][0], mitre)), wbMakeVec3(0, profile[k][1], 0)));
    }
    for (int i = 0; i + 1 < params->pointCount; i++)
        for (int k = 0; k < 8; k++) {
            int a = 8 * i + k, b = 8 * i + (k + 1) % 8;
            wbMeshMaker_AddQuad(&maker, a, a + 8, b + 8, b);
        }
    for (int e = 0; e < 3; e++) {
        int last = 8 * (params->pointCount - 1);
        const int *c = ends[e];
        wbMeshMaker_AddQuad(&maker, c[0], c[1], c[2], c[3]);
        wbMeshMaker_AddQuad(&maker, last + c[3], last + c[2], last + c[1], last + c[0]);
    }
    return wbFinishMesh(&maker, mesh);
}
