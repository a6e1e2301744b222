// SPDX-License-Identifier: MIT
#include "reference/rigid_hull.h"

#include <math.h>
#include <string.h>

static void cross(const double a[3], const double b[3], double c[3]) {
    for (int k = 0; k < 3; k++) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// Area of the polygon that the points of a plane span, by gift wrapping.
static double getPlaneArea(double (*x)[3], const int *inPlane, int count, const double normal[3]) {
    int start = inPlane[0], at;
    double sum[3] = {0, 0, 0};
    for (int i = 1; i < count; i++)
        for (int k = 0; k < 3; k++) {
            if (x[inPlane[i]][k] == x[start][k]) continue;
            if (x[inPlane[i]][k] < x[start][k]) start = inPlane[i];
            break;
        }
    at = start;
    for (int turn = 0; turn < count; turn++) {
        int next = -1;
        double way[3], best[3] = {0, 0, 0}, c[3];
        for (int i = 0; i < count; i++) {
            for (int k = 0; k < 3; k++) way[k] = x[inPlane[i]][k] - x[at][k];
            if (dot(way, way) == 0) continue;
            cross(best, way, c);
            const double side = dot(c, normal), tolerance = 1e-12 * sqrt(dot(way, way) * dot(best, best));
            const int isBetter =
                next < 0 || side < -tolerance || (side <= tolerance && dot(way, way) > dot(best, best));
            if (isBetter) next = inPlane[i], memcpy(best, way, sizeof best);
        }
        double from[3];
        for (int k = 0; k < 3; k++) from[k] = x[at][k] - x[start][k];
        cross(from, best, c);
        for (int k = 0; k < 3; k++) sum[k] += c[k] / 2;
        at = next;
        if (at == start || at < 0) break;
    }
    return fabs(dot(sum, normal));
}

// The plane through three points, if none is before it and the three are the first of those in it.
static double getPlaneVolume(double (*x)[3], int count, const int corners[3], double size) {
    double u[3], v[3], normal[3];
    int inPlane[256], found = 0;
    for (int k = 0; k < 3; k++)
        u[k] = x[corners[1]][k] - x[corners[0]][k], v[k] = x[corners[2]][k] - x[corners[0]][k];
    cross(u, v, normal);
    const double length = sqrt(dot(normal, normal));
    if (length < 1e-9 * size * size) return 0;
    for (int k = 0; k < 3; k++) normal[k] /= length;
    int before = 0, behind = 0, isFirst = 1;
    for (int i = 0; i < count; i++) {
        double way[3];
        for (int k = 0; k < 3; k++) way[k] = x[i][k] - x[corners[0]][k];
        const double height = dot(way, normal);
        if (height > 1e-12 * size)
            before++;
        else if (height < -1e-12 * size)
            behind++;
        else
            inPlane[found++] = i;
    }
    if (before && behind) return 0;
    // once per plane: the first three points of it that are not on a line
    for (int i = 0; i < found && inPlane[i] < corners[2] && isFirst; i++) {
        if (inPlane[i] == corners[0] || inPlane[i] == corners[1]) continue;
        double way[3], c[3];
        for (int k = 0; k < 3; k++) way[k] = x[inPlane[i]][k] - x[corners[0]][k];
        cross(u, way, c);
        isFirst = inPlane[i] > corners[1] && sqrt(dot(c, c)) < 1e-9 * size * size;
    }
    if (!isFirst) return 0;
    const double area = getPlaneArea(x, inPlane, found, normal);
    return area * fabs(dot(normal, x[corners[0]])) / 3;
}

// Every place once.
static int copyPlaces(const float *points3, int count, double (*x)[3]) {
    int places = 0;
    for (int i = 0; i < count; i++) {
        int isNew = 1;
        for (int k = 0; k < 3; k++) x[places][k] = points3[3 * i + k];
        for (int j = 0; j < places; j++)
            isNew = isNew && (x[j][0] != x[places][0] || x[j][1] != x[places][1] || x[j][2] != x[places][2]);
        places += isNew;
    }
    return places;
}

double wbReferenceHullVolume(const float *points3, int count) {
    double x[256][3], middle[3] = {0, 0, 0}, size = 0, sum = 0;
    count = copyPlaces(points3, count, x);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) middle[k] += x[i][k] / count;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            x[i][k] -= middle[k];
            size = fmax(size, fabs(x[i][k]));
        }
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            for (int k = j + 1; k < count; k++) {
                const int corners[3] = {i, j, k};
                sum += getPlaneVolume(x, count, corners, size);
            }
    return sum;
}

// The farthest way of a piece along a direction of its frame.
static double getExtent(const wbRigidPiece *piece, wbVec3d d) {
    const float *size = piece->size;
    double most = -INFINITY;
    switch (piece->kind) {
    case wb_pieceSphere:
        return size[0];
    case wb_pieceCapsule:
        return size[0] + size[1] * fabs(d.y);
    case wb_pieceBox:
        return size[0] * fabs(d.x) + size[1] * fabs(d.y) + size[2] * fabs(d.z);
    case wb_pieceCylinder:
        return size[0] * sqrt(d.x * d.x + d.z * d.z) + size[1] * fabs(d.y);
    default:
        for (int i = 0; i < piece->hull->cornerCount; i++)
            most = fmax(most, wbDot3d(wbToDouble(piece->hull->corners[i]), d));
        return most;
    }
}

double wbReferenceSeparation(const wbRigidPiece *a, const wbPose *poseA, const wbRigidPiece *b,
                             const wbPose *poseB, wbVec3d d) {
    const wbVec3d back = {-d.x, -d.y, -d.z};
    const wbVec3d way = {(double)poseB->position[0] - poseA->position[0],
                         (double)poseB->position[1] - poseA->position[1],
                         (double)poseB->position[2] - poseA->position[2]};
    return wbDot3d(way, d) - getExtent(a, wbPose_Rotate3d(poseA, -1, d)) -
           getExtent(b, wbPose_Rotate3d(poseB, -1, back));
}

static wbVec3d normalise(wbVec3d v) {
    const double length = sqrt(wbDot3d(v, v));
    return (wbVec3d){v.x / length, v.y / length, v.z / length};
}

// Small steps to all sides while they help.
static double climb(const wbRigidPiece *a, const wbPose *poseA, const wbRigidPiece *b, const wbPose *poseB,
                    wbVec3d *d) {
    double found = wbReferenceSeparation(a, poseA, b, poseB, *d);
    double step = 0.1;
    for (int round = 0; round < 300 && step > 1e-6; round++) {
        const wbVec3d across = fabs(d->x) < 0.6 ? (wbVec3d){1, 0, 0} : (wbVec3d){0, 1, 0};
        const wbVec3d side = normalise(wbCross3d(*d, across)), up = wbCross3d(*d, side), from = *d;
        const double before = found;
        for (int k = 0; k < 8; k++) {
            const double turn = k * 0.78539816339744831;
            const wbVec3d way =
                wbAddScaled3d(wbAddScaled3d(from, step * cos(turn), side), step * sin(turn), up);
            const wbVec3d next = normalise(way);
            const double there = wbReferenceSeparation(a, poseA, b, poseB, next);
            if (there > found) found = there, *d = next;
        }
        if (found == before) step /= 2;
    }
    return found;
}

double wbReferenceLargestSeparation(const wbRigidPiece *a, const wbPose *poseA, const wbRigidPiece *b,
                                    const wbPose *poseB, wbVec3d *direction) {
    enum { STARTS = 600, CLIMBS = 12 };
    wbVec3d best[CLIMBS] = {{0, 0, 0}};
    double found[CLIMBS];
    for (int k = 0; k < CLIMBS; k++) found[k] = -INFINITY;
    for (int i = 0; i < STARTS; i++) {
        // points of a spiral are spread evenly
        const double y = 1 - 2 * (i + 0.5) / STARTS, r = sqrt(1 - y * y), angle = 2.399963229728653 * i;
        const wbVec3d d = {r * cos(angle), y, r * sin(angle)};
        const double here = wbReferenceSeparation(a, poseA, b, poseB, d);
        int worst = 0;
        for (int k = 1; k < CLIMBS; k++)
            if (found[k] < found[worst]) worst = k;
        if (here > found[worst]) found[worst] = here, best[worst] = d;
    }
    double most = -INFINITY;
    for (int k = 0; k < CLIMBS; k++) {
        const double here = climb(a, poseA, b, poseB, &best[k]);
        if (here > most) most = here, *direction = best[k];
    }
    return most;
}
