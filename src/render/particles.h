// SPDX-License-Identifier: MIT
// Particles on the graphics card, drawn as spheres.
#pragma once

#include "render/shader.h"
#include "render/swarm.h"

typedef struct wbDrawnParticles {
    GLuint program, pointProgram;
    GLuint buffer;
    GLuint pointArray, squareArray;              ///< the same data, once per vertex and once per instance
    int allCount, count, seenCount, shadedFirst; ///< see wbSwarm
} wbDrawnParticles;

wbStatus wbDrawnParticles_Create(wbDrawnParticles *particles);
void wbDrawnParticles_Destroy(wbDrawnParticles *particles);

void wbDrawnParticles_Upload(wbDrawnParticles *particles, const wbSwarm *swarm);
/// Those that the sun sees, with whatever program is in use.
void wbDrawnParticles_DrawPoints(const wbDrawnParticles *particles);
/// The first ones as squares, with whatever program is in use.
void wbDrawnParticles_DrawSquares(const wbDrawnParticles *particles, int count);
/// All, as points that are shaded as balls, without any shadow.
void wbDrawnParticles_DrawBalls(const wbDrawnParticles *particles);
/// Those that the eye sees, as lit spheres.
void wbDrawnParticles_DrawSpheres(const wbDrawnParticles *particles, const wbSunMaps *maps);
