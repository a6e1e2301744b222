// SPDX-License-Identifier: MIT
#include "render/particles.h"

#include "core/status.h"

#include <stddef.h>

static GLuint makeArray(GLuint buffer, GLuint divisor) {
    GLuint array;
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, sizeof(wbDrop), (void *)offsetof(wbDrop, x));
    glVertexAttribPointer(1, 4, GL_BYTE, GL_TRUE, sizeof(wbDrop), (void *)offsetof(wbDrop, normal));
    glVertexAttribPointer(2, 1, GL_FLOAT, GL_FALSE, sizeof(wbDrop), (void *)offsetof(wbDrop, size));
    for (GLuint i = 0; i < 3; ++i) {
        glEnableVertexAttribArray(i);
        glVertexAttribDivisor(i, divisor);
    }
    return array;
}

wbStatus wbDrawnParticles_Create(wbDrawnParticles *particles) {
    WB_TRY(wbCreateProgram("particles", wb_shaderParticles, &particles->program));
    WB_TRY(wbCreateProgram("points", wb_shaderPoints, &particles->pointProgram));
    wbSetSampler(particles->program, "sunDepth", 0);
    wbSetSampler(particles->program, "sunBodies", 1);
    glGenBuffers(1, &particles->buffer);
    particles->pointArray = makeArray(particles->buffer, 0);
    particles->squareArray = makeArray(particles->buffer, 1);
    return wb_okStatus;
}

void wbDrawnParticles_Destroy(wbDrawnParticles *particles) {
    glDeleteProgram(particles->program);
    glDeleteProgram(particles->pointProgram);
    glDeleteBuffers(1, &particles->buffer);
    glDeleteVertexArrays(1, &particles->pointArray);
    glDeleteVertexArrays(1, &particles->squareArray);
}

void wbDrawnParticles_Upload(wbDrawnParticles *particles, const wbSwarm *swarm) {
    particles->allCount = swarm->allCount;
    particles->count = swarm->count;
    particles->seenCount = swarm->seenCount;
    particles->shadedFirst = swarm->shadedFirst;
    glBindBuffer(GL_ARRAY_BUFFER, particles->buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)swarm->allCount * (GLsizeiptr)sizeof(wbDrop), swarm->drops.data,
                 GL_STREAM_DRAW);
}

void wbDrawnParticles_DrawPoints(const wbDrawnParticles *particles) {
    glBindVertexArray(particles->pointArray);
    glDrawArrays(GL_POINTS, particles->shadedFirst, particles->count - particles->shadedFirst);
}

void wbDrawnParticles_DrawSquares(const wbDrawnParticles *particles, int count) {
    glBindVertexArray(particles->squareArray);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, count);
}

void wbDrawnParticles_DrawBalls(const wbDrawnParticles *particles) {
    glEnable(GL_PROGRAM_POINT_SIZE);
    glUseProgram(particles->pointProgram);
    glBindVertexArray(particles->pointArray);
    glDrawArrays(GL_POINTS, 0, particles->allCount);
}

// Alpha to coverage gives the outlines soft edges in any order, without sorting and without blending.
void wbDrawnParticles_DrawSpheres(const wbDrawnParticles *particles, const wbSunMaps *maps) {
    glUseProgram(particles->program);
    wbBindTexture(0, maps->water);
    wbBindTexture(1, maps->bodies);
    glEnable(GL_SAMPLE_ALPHA_TO_COVERAGE);
    wbDrawnParticles_DrawSquares(particles, particles->seenCount);
    glDisable(GL_SAMPLE_ALPHA_TO_COVERAGE);
}
