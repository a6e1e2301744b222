// SPDX-License-Identifier: MIT
#include "render/target.h"

#include "core/status.h"

static void begin(wbSize size, wbTarget *target) {
    *target = (wbTarget){.size = size};
    glGenFramebuffers(1, &target->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
}

static wbStatus finish(wbTarget *target, const char *what) {
    GLenum state = glCheckFramebufferStatus(GL_FRAMEBUFFER);
    if (state == GL_FRAMEBUFFER_COMPLETE && glGetError() == GL_NO_ERROR) return wb_okStatus;
    wbDestroyTarget(target);
    return wbError(wb_errorDevice, "the OpenGL driver cannot draw into %s of %d x %d pixels (0x%x)", what,
                   target->size.width, target->size.height, state);
}

static GLuint attachBuffer(wbSize size, GLenum format, GLenum attachment, int samples) {
    GLuint buffer;
    glGenRenderbuffers(1, &buffer);
    glBindRenderbuffer(GL_RENDERBUFFER, buffer);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, size.width, size.height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, buffer);
    return buffer;
}

static GLuint makeTexture(wbSize size, GLint inner, GLenum format, GLenum type, GLint filter) {
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, inner, size.width, size.height, 0, format, type, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return texture;
}

wbStatus wbCreateSampledTarget(wbSize size, int samples, wbTarget *target) {
    GLint most = 0;
    glGetIntegerv(GL_MAX_SAMPLES, &most);
    if (samples > most) samples = most;
    if (samples == 1) samples = 0;
    begin(size, target);
    target->colour = attachBuffer(size, GL_RGBA8, GL_COLOR_ATTACHMENT0, samples);
    target->depth = attachBuffer(size, GL_DEPTH_COMPONENT24, GL_DEPTH_ATTACHMENT, samples);
    return finish(target, "a picture");
}

wbStatus wbCreatePlainTarget(wbSize size, wbTarget *target) {
    begin(size, target);
    target->colour = attachBuffer(size, GL_RGBA8, GL_COLOR_ATTACHMENT0, 0);
    return finish(target, "a picture");
}

wbStatus wbCreateDepthTarget(wbSize size, wbTarget *target) {
    begin(size, target);
    target->texture =
        makeTexture(size, GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, GL_NEAREST);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, target->texture, 0);
    const GLenum none = GL_NONE;
    glDrawBuffers(1, &none);
    glReadBuffer(GL_NONE);
    return finish(target, "a shadow map");
}

wbStatus wbCreateGreyTarget(wbSize size, wbTarget *target) {
    begin(size, target);
    target->texture = makeTexture(size, GL_R8, GL_RED, GL_UNSIGNED_BYTE, GL_LINEAR);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target->texture, 0);
    return finish(target, "a shadow map");
}

GLuint wbCreateDepthBuffer(wbSize size) {
    GLuint buffer;
    glGenRenderbuffers(1, &buffer);
    glBindRenderbuffer(GL_RENDERBUFFER, buffer);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, size.width, size.height);
    return buffer;
}

wbStatus wbCreateTextureTarget(wbSize size, GLenum format, GLuint depths, wbTarget *target) {
    begin(size, target);
    GLenum channels = format == GL_RGBA8 || format == GL_RGBA16F ? GL_RGBA : GL_RG;
    target->texture =
        makeTexture(size, (GLint)format, channels, format == GL_RGBA8 ? GL_UNSIGNED_BYTE : GL_FLOAT,
                    format == GL_RG32F ? GL_NEAREST : GL_LINEAR);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target->texture, 0);
    if (depths != 0) glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depths);
    return finish(target, "a surface");
}

// OpenGL ignores names that are 0.
void wbDestroyTarget(wbTarget *target) {
    glDeleteFramebuffers(1, &target->framebuffer);
    glDeleteRenderbuffers(1, &target->colour);
    glDeleteRenderbuffers(1, &target->depth);
    glDeleteTextures(1, &target->texture);
    *target = (wbTarget){.size = target->size};
}

void wbTarget_Bind(const wbTarget *target) {
    glBindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
    glViewport(0, 0, target->size.width, target->size.height);
}
