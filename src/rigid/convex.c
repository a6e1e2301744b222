// SPDX-License-Identifier: MIT
#include "rigid/convex.h"

#include <math.h>
#include <string.h>

#include "shape/shape.h"

#define PI 3.14159265358979323846

// Mass

// A solid about its own centre with moments along its axes.
static wbMassProperties makeMass(double volume, double xx, double yy, double zz) {
    return (wbMassProperties){volume, {0, 0, 0}, {{xx, 0, 0}, {0, yy, 0}, {0, 0, zz}}};
}

static wbMassProperties getBoxMass(const float half[3]) {
    const double a = half[0], b = half[1], c = half[2], volume = 8 * a * b * c;
    return makeMass(volume, volume * (b * b + c * c) / 3, volume * (a * a + c * c) / 3,
                    volume * (a * a + b * b) / 3);
}

static wbMassProperties getCylinderMass(double radius, double half) {
    const double volume = 2 * PI * radius * radius * half,
                 across = volume * (radius * radius / 4 + half * half / 3);
    return makeMass(volume, across, volume * radius * radius / 2, across);
}

// A cylinder and two halves of a sphere, whose centres are 3/8 of the radius beyond its ends.
static wbMassProperties getCapsuleMass(double radius, double half) {
    wbMassProperties mass = getCylinderMass(radius, half);
    const double ball = 4 * PI / 3 * radius * radius * radius, about = 0.4 * ball * radius * radius;
    const double across = about + ball * (half * half + 0.75 * half * radius);
    mass.volume += ball;
    mass.inertia[0][0] += across, mass.inertia[1][1] += about, mass.inertia[2][2] += across;
    return mass;
}

// In the plane: a disc, and a rectangle between two halves of a disc, whose centres are 4/(3 pi) of the
// radius beyond.
static wbMassProperties getFlatMass(const wbRigidPiece *piece) {
    const double r = piece->size[0], disc = PI * r * r;
    if (piece->kind == wb_pieceSphere) return makeMass(disc, 0, 0, 0.5 * disc * r * r);
    const double h = piece->size[1], area = 4 * r * h;
    const double turn = area * (r * r + h * h) / 3 + disc * (0.5 * r * r + h * h + 8 / (3 * PI) * r * h);
    return makeMass(area + disc, 0, 0, turn);
}

// Tetrahedra between the origin and the triangles of a closed surface, signed (Blow and Binstock 2004).
typedef struct Moments {
    double volume, first[3], second[3][3];
} Moments;

static void addTetrahedron(Moments *sum, const double p[3][3]) {
    const double det = p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) -
                       p[0][1] * (p[1][0] * p[2][2] - p[1][2] * p[2][0]) +
                       p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
    sum->volume += det / 6;
    for (int i = 0; i < 3; i++) {
        sum->first[i] += det / 24 * (p[0][i] + p[1][i] + p[2][i]);
        for (int j = 0; j < 3; j++) {
            const double all = (p[0][i] + p[1][i] + p[2][i]) * (p[0][j] + p[1][j] + p[2][j]);
            const double same = p[0][i] * p[0][j] + p[1][i] * p[1][j] + p[2][i] * p[2][j];
            sum->second[i][j] += det / 120 * (all + same);
        }
    }
}

static wbMassProperties finishMoments(const Moments *sum, const double origin[3]) {
    wbMassProperties mass = {.volume = sum->volume};
    double spread[3][3], trace = 0;
    for (int i = 0; i < 3; i++) {
        const double shift = sum->volume != 0 ? sum->first[i] / sum->volume : 0;
        mass.centre[i] = origin[i] + shift;
        for (int j = 0; j < 3; j++)
            spread[i][j] =
                sum->second[i][j] - (sum->volume != 0 ? sum->first[i] * sum->first[j] / sum->volume : 0);
        trace += spread[i][i];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) mass.inertia[i][j] = (i == j ? trace : 0) - spread[i][j];
    return mass;
}

wbMassProperties wbGetMeshMass(const wbMesh *mesh) {
    Moments sum = {0};
    double origin[3] = {0, 0, 0};
    for (int k = 0; k < 3 && mesh->vertexCount > 0; k++) origin[k] = mesh->vertices[k];
    for (int t = 0; t < mesh->triangleCount; t++) {
        double p[3][3];
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++)
                p[c][k] = mesh->vertices[3 * mesh->indices[3 * t + c] + (uint32_t)k] - origin[k];
        addTetrahedron(&sum, (const double(*)[3])p);
    }
    return finishMoments(&sum, origin);
}

static wbMassProperties getHullMass(const wbHull *hull) {
    Moments sum = {0};
    const wbVec3 o = hull->corners[0];
    const double origin[3] = {o.x, o.y, o.z};
    for (int f = 0; f < hull->faceCount; f++) {
        const int *loop = hull->loops + hull->faces[f].first;
        for (int c = 2; c < hull->faces[f].count; c++) {
            const wbVec3 corners[3] = {wbSub(hull->corners[loop[0]], o), wbSub(hull->corners[loop[c - 1]], o),
                                       wbSub(hull->corners[loop[c]], o)};
            double p[3][3];
            for (int k = 0; k < 3; k++)
                p[k][0] = corners[k].x, p[k][1] = corners[k].y, p[k][2] = corners[k].z;
            addTetrahedron(&sum, (const double(*)[3])p);
        }
    }
    return finishMoments(&sum, origin);
}

static wbMassProperties getOwnMass(const wbRigidPiece *piece, int dimensions) {
    const float *size = piece->size;
    switch (piece->kind) {
    case wb_pieceSphere:
    case wb_pieceCapsule:
        if (dimensions == 2) return getFlatMass(piece);
        return getCapsuleMass(size[0], piece->kind == wb_pieceCapsule ? size[1] : 0);
    case wb_pieceBox:
        return getBoxMass(size);
    case wb_pieceCylinder:
        return getCylinderMass(size[0], size[1]);
    case wb_pieceHull:
        return getHullMass(piece->hull);
    case wb_pieceMesh:
    case wb_piecePlane:
    case wb_pieceKindCount:
        break;
    }
    return (wbMassProperties){0};
}

// R T R^t
static void turnTensor(const float rotation[4], double tensor[3][3]) {
    const wbPose pose = {{0, 0, 0}, {rotation[0], rotation[1], rotation[2], rotation[3]}};
    double axes[3][3], turned[3][3];
    for (int k = 0; k < 3; k++) {
        const wbVec3d axis = wbPose_Rotate3d(&pose, 1, (wbVec3d){k == 0, k == 1, k == 2});
        axes[0][k] = axis.x, axes[1][k] = axis.y, axes[2][k] = axis.z;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            turned[i][j] = 0;
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++) turned[i][j] += axes[i][k] * tensor[k][l] * axes[j][l];
        }
    memcpy(tensor, turned, sizeof turned);
}

wbMassProperties wbRigidPiece_GetMass(const wbRigidPiece *piece, int dimensions) {
    wbMassProperties mass = getOwnMass(piece, dimensions);
    const wbVec3d centre =
        wbPose_Apply3d(&piece->pose, (wbVec3d){mass.centre[0], mass.centre[1], mass.centre[2]});
    mass.centre[0] = centre.x, mass.centre[1] = centre.y, mass.centre[2] = centre.z;
    turnTensor(piece->pose.rotation, mass.inertia);
    return mass;
}

// Steiner's theorem: m (d2 1 - d d^t)
static void shiftTensor(double tensor[3][3], double mass, const double d[3]) {
    const double d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) tensor[i][j] += mass * ((i == j ? d2 : 0) - d[i] * d[j]);
}

void wbMassProperties_Add(wbMassProperties *sum, const wbMassProperties *part, double density) {
    const double mass = density * part->volume, whole = sum->volume + mass;
    double toSum[3], toPart[3];
    if (whole <= 0) return;
    for (int k = 0; k < 3; k++) {
        const double centre = (sum->volume * sum->centre[k] + mass * part->centre[k]) / whole;
        toSum[k] = sum->centre[k] - centre, toPart[k] = part->centre[k] - centre;
        sum->centre[k] = centre;
    }
    shiftTensor(sum->inertia, sum->volume, toSum);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) sum->inertia[i][j] += density * part->inertia[i][j];
    shiftTensor(sum->inertia, mass, toPart);
    sum->volume = whole;
}

// Principal axes

// Jacobi's rotations, of which few are needed for a tensor of 3 x 3.
static void diagonalise(double a[3][3], double axes[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) axes[i][j] = i == j;
    const double size = fabs(a[0][0]) + fabs(a[1][1]) + fabs(a[2][2]);
    for (int sweep = 0; sweep < 32; sweep++) {
        if (fabs(a[0][1]) + fabs(a[0][2]) + fabs(a[1][2]) <= 1e-14 * size) return;
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++) {
                if (fabs(a[p][q]) <= 1e-16 * size) continue;
                const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
                const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
                const double c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < 3; k++) {
                    const double kp = a[k][p], kq = a[k][q];
                    a[k][p] = c * kp - s * kq, a[k][q] = s * kp + c * kq;
                }
                for (int k = 0; k < 3; k++) {
                    const double pk = a[p][k], qk = a[q][k], kp = axes[k][p], kq = axes[k][q];
                    a[p][k] = c * pk - s * qk, a[q][k] = s * pk + c * qk;
                    axes[k][p] = c * kp - s * kq, axes[k][q] = s * kp + c * kq;
                }
            }
    }
}

// The quaternion of a rotation matrix whose columns are axes (Shepperd 1978).
static void getQuaternion(double m[3][3], float rotation[4]) {
    const double trace = m[0][0] + m[1][1] + m[2][2];
    int most = 3;
    double largest = trace, q[4];
    for (int k = 0; k < 3; k++)
        if (m[k][k] > largest) most = k, largest = m[k][k];
    if (most == 3) {
        q[0] = m[2][1] - m[1][2], q[1] = m[0][2] - m[2][0], q[2] = m[1][0] - m[0][1], q[3] = 1 + trace;
    } else {
        const int i = most, j = (i + 1) % 3, k = (i + 2) % 3;
        q[i] = 1 + m[i][i] - m[j][j] - m[k][k];
        q[j] = m[j][i] + m[i][j], q[k] = m[k][i] + m[i][k], q[3] = m[k][j] - m[j][k];
    }
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++) rotation[k] = (float)(q[k] / length);
}

void wbFindPrincipalAxes(const double inertia[3][3], double moments[3], float rotation[4]) {
    double a[3][3], axes[3][3];
    memcpy(a, inertia, sizeof a);
    diagonalise(a, axes);
    const double det = axes[0][0] * (axes[1][1] * axes[2][2] - axes[1][2] * axes[2][1]) -
                       axes[0][1] * (axes[1][0] * axes[2][2] - axes[1][2] * axes[2][0]) +
                       axes[0][2] * (axes[1][0] * axes[2][1] - axes[1][1] * axes[2][0]);
    for (int k = 0; k < 3; k++) {
        moments[k] = a[k][k];
        if (det < 0) axes[k][2] = -axes[k][2];
    }
    getQuaternion(axes, rotation);
}

// Bounds and supports

wbVec3 wbRigidPiece_Support(const wbRigidPiece *piece, wbVec3 direction) {
    const float *size = piece->size;
    const float flat = sqrtf(direction.x * direction.x + direction.z * direction.z);
    const float length = sqrtf(wbDot(direction, direction));
    switch (piece->kind) {
    case wb_pieceSphere:
    case wb_pieceCapsule: {
        const float half = piece->kind == wb_pieceCapsule ? size[1] : 0;
        const wbVec3 end = wbMakeVec3(0, copysignf(half, direction.y), 0);
        return length > 0 ? wbAdd(end, wbScale(size[0] / length, direction)) : end;
    }
    case wb_pieceBox:
        return wbMakeVec3(copysignf(size[0], direction.x), copysignf(size[1], direction.y),
                          copysignf(size[2], direction.z));
    case wb_pieceCylinder: {
        const float share = flat > 0 ? size[0] / flat : 0;
        return wbMakeVec3(share * direction.x, copysignf(size[1], direction.y), share * direction.z);
    }
    case wb_pieceHull: {
        const wbHull *hull = piece->hull;
        wbVec3 best = hull->corners[0];
        float farthest = wbDot(best, direction);
        for (int i = 1; i < hull->cornerCount; i++) {
            const float far = wbDot(hull->corners[i], direction);
            if (far > farthest) farthest = far, best = hull->corners[i];
        }
        return best;
    }
    case wb_piecePlane:
    case wb_pieceMesh:
    case wb_pieceKindCount:
        break;
    }
    return wbMakeVec3(0, 0, 0);
}

BroadBox wbRigidPiece_Bound(const wbRigidPiece *piece, const wbPose *body) {
    const wbPose pose = wbPose_Multiply(body, &piece->pose);
    if (piece->kind == wb_piecePlane)
        return (BroadBox){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    if (piece->kind == wb_pieceMesh) return wbBoundShape(piece->shape, &pose);
    BroadBox box;
    for (int k = 0; k < 3; k++) {
        const wbVec3 axis = wbPose_RotateInverse(&pose, wbMakeVec3(k == 0, k == 1, k == 2));
        box.max[k] = pose.position[k] + wbDot(wbRigidPiece_Support(piece, axis), axis);
        box.min[k] = pose.position[k] + wbDot(wbRigidPiece_Support(piece, wbScale(-1, axis)), axis);
    }
    return box;
}
