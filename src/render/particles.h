// SPDX-License-Identifier: MIT
// Particles on the graphics card, drawn as spheres.
#pragma once

#include "render/shader.h"
#include "render/swarm.h"

typedef struct wbParticles {
    GLuint program;
    GLuint buffer;
    GLuint pointArray, squareArray;              ///< the same data, once per vertex and once per instance
    int allCount, count, seenCount, shadedFirst; ///< as in the swarm
} wbParticles;

wbStatus wbParticles_Create(wbParticles *particles);
void wbParticles_Destroy(wbParticles *particles);

void wbParticles_Upload(wbParticles *particles, const wbSwarm *swarm);
/// Those that the sun sees, with whatever program is in use.
void wbParticles_DrawPoints(const wbParticles *particles);
/// The first ones as squares, with whatever program is in use.
void wbParticles_DrawSquares(const wbParticles *particles, int count);
/// Those that the eye sees, as lit spheres.
void wbParticles_DrawSpheres(const wbParticles *particles, const wbSunMaps *maps);
