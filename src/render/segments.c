// SPDX-License-Identifier: MIT
#include "render/segments.h"

#include "core/status.h"

#include <stddef.h>

_Static_assert(sizeof(wbSegment) == 32, "the vertex format below counts on it");

static void setAttribute(GLuint index, GLint size, GLenum type, size_t offset) {
    GLboolean normalized = type == GL_UNSIGNED_BYTE;
    glVertexAttribPointer(index, size, type, normalized, sizeof(wbSegment), (void *)offset);
    glEnableVertexAttribArray(index);
    glVertexAttribDivisor(index, 1);
}

wbStatus wbSegments_Create(wbSegments *segments) {
    segments->list.elementSize = (int)sizeof(wbSegment);
    WB_TRY(wbCreateProgram("segments", wb_shaderSegments, &segments->program));
    segments->transformLocation = glGetUniformLocation(segments->program, "transform");
    glGenBuffers(1, &segments->buffer);
    glGenVertexArrays(1, &segments->array);
    glBindVertexArray(segments->array);
    glBindBuffer(GL_ARRAY_BUFFER, segments->buffer);
    setAttribute(0, 4, GL_FLOAT, offsetof(wbSegment, from));
    setAttribute(1, 3, GL_FLOAT, offsetof(wbSegment, to));
    setAttribute(2, 4, GL_UNSIGNED_BYTE, offsetof(wbSegment, colour));
    return wb_okStatus;
}

void wbSegments_Destroy(wbSegments *segments) {
    glDeleteProgram(segments->program);
    glDeleteBuffers(1, &segments->buffer);
    glDeleteVertexArrays(1, &segments->array);
    wbArray_Free(NULL, &segments->list);
}

void wbSegments_Add(wbSegments *segments, wbSegment segment) {
    if (!wbArray_Reserve(NULL, &segments->list, segments->count + 1)) {
        segments->failed = true;
        return;
    }
    ((wbSegment *)segments->list.data)[segments->count++] = segment;
}

wbStatus wbSegments_Draw(wbSegments *segments, const wbMat4 *transform) {
    glUseProgram(segments->program);
    glUniformMatrix4fv(segments->transformLocation, 1, GL_FALSE, transform->m);
    glBindVertexArray(segments->array);
    glBindBuffer(GL_ARRAY_BUFFER, segments->buffer);
    glBufferData(GL_ARRAY_BUFFER, segments->count * (GLsizeiptr)sizeof(wbSegment), segments->list.data,
                 GL_STREAM_DRAW);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glDepthMask(GL_FALSE);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, segments->count);
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
    segments->count = 0;
    if (segments->failed) return wbError(wb_errorMemory, "no memory for the lines of a picture");
    return wb_okStatus;
}
