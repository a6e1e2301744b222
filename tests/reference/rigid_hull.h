// SPDX-License-Identifier: MIT
// Convex geometry in the plainest way, in double: what src/rigid is tested against.
#pragma once

#include "rigid/convex.h"

/// m3, of the hull of points: all triangles that have no point before them, each plane once.
double wbReferenceHullVolume(const float *points3, int count);

/// m, how far two pieces are apart along a direction of length 1 of the world; negative: they overlap by so
/// much.
double wbReferenceSeparation(const wbRigidPiece *a, const wbPose *poseA, const wbRigidPiece *b,
                             const wbPose *poseB, wbVec3d direction);
/// The largest over all directions: of many over the sphere, the best ones made better. That is their
/// distance, or their depth.
double wbReferenceLargestSeparation(const wbRigidPiece *a, const wbPose *poseA, const wbRigidPiece *b,
                                    const wbPose *poseB, wbVec3d *direction);
