// SPDX-License-Identifier: MIT
// Particles that fill a body: a lattice of `particlesPerEdge` along its shortest extent, whose spheres stay inside.
#pragma once

#include "core/arena.h"
#include "rigid/convex.h"

typedef struct wbRigidFill {
    float *places; ///< x, y, z by particle, m, in the frame of the pieces; those at the surface first
    int count, surfaceCount;
    int faceCount; ///< particles in the largest layer along an axis
    float radius;  ///< m, of all
} wbRigidFill;

/// Memory comes from the arena. wb_errorInput: pieces without an inside, or too many particles.
wbStatus wbFillPieces(const wbRigidPiece *pieces, int pieceCount, int perEdge, int dimensions, wbArena *arena,
                      wbMemory *memory, wbRigidFill *fill);
