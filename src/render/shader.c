// SPDX-License-Identifier: MIT
#include "render/shader.h"

#include "core/status.h"

#include <stdio.h>

enum { FRAME_BINDING = 0 };

static GLuint compileStage(GLenum stage, const char *defines, const char *source) {
    const char *head = stage == GL_VERTEX_SHADER ? "#version 330 core\n#define VERTEX\n"
                                                 : "#version 330 core\n#define FRAGMENT\n";
    const char *texts[] = {head, defines, wb_shaderCommon, source};
    GLuint shader = glCreateShader(stage);
    glShaderSource(shader, 4, texts, NULL);
    glCompileShader(shader);
    return shader;
}

static wbStatus checkStage(GLuint shader, const char *name) {
    GLint compiled = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    if (compiled) return wb_okStatus;
    char log[160] = "";
    glGetShaderInfoLog(shader, sizeof log, NULL, log);
    return wbError(wb_errorDevice, "the OpenGL driver refuses the shader %s: %s", name, log);
}

static wbStatus checkProgram(GLuint program, const char *name) {
    GLint linked = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    if (linked) return wb_okStatus;
    char log[160] = "";
    glGetProgramInfoLog(program, sizeof log, NULL, log);
    return wbError(wb_errorDevice, "the OpenGL driver cannot link the shader %s: %s", name, log);
}

static wbStatus createProgram(const char *name, const char *defines, const char *source, GLuint *program) {
    GLuint vertex = compileStage(GL_VERTEX_SHADER, defines, source);
    GLuint fragment = compileStage(GL_FRAGMENT_SHADER, defines, source);
    wbStatus status = checkStage(vertex, name);
    if (status.code == wb_ok) status = checkStage(fragment, name);
    *program = glCreateProgram();
    if (status.code == wb_ok) {
        glAttachShader(*program, vertex);
        glAttachShader(*program, fragment);
        glLinkProgram(*program);
        status = checkProgram(*program, name);
    }
    glDeleteShader(vertex);
    glDeleteShader(fragment);
    GLuint block = glGetUniformBlockIndex(*program, "Frame");
    if (status.code == wb_ok && block != GL_INVALID_INDEX)
        glUniformBlockBinding(*program, block, FRAME_BINDING);
    return status;
}

wbStatus wbCreateProgram(const char *name, const char *source, GLuint *program) {
    return createProgram(name, "", source, program);
}

wbStatus wbCreateVariant(const char *name, const char *word, const char *source, GLuint *program) {
    char define[64];
    snprintf(define, sizeof define, "#define %s\n", word);
    return createProgram(name, define, source, program);
}

wbStatus wbCreateLitPrograms(const char *name, const char *source, GLuint programs[WB_LIGHTS]) {
    WB_TRY(wbCreateProgram(name, source, &programs[wb_lightFull]));
    WB_TRY(wbCreateVariant(name, "DRY", source, &programs[wb_lightDry]));
    return wbCreateVariant(name, "QUICK", source, &programs[wb_lightQuick]);
}

GLuint wbCreateFrameUniforms(void) {
    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_UNIFORM_BUFFER, buffer);
    glBufferData(GL_UNIFORM_BUFFER, sizeof(wbFrameUniforms), NULL, GL_DYNAMIC_DRAW);
    return buffer;
}

void wbSetFrameUniforms(GLuint buffer, const wbFrameUniforms *block) {
    glBindBuffer(GL_UNIFORM_BUFFER, buffer);
    glBufferSubData(GL_UNIFORM_BUFFER, 0, sizeof *block, block);
    glBindBufferBase(GL_UNIFORM_BUFFER, FRAME_BINDING, buffer);
}

void wbSetSampler(GLuint program, const char *name, int unit) {
    glUseProgram(program);
    glUniform1i(glGetUniformLocation(program, name), unit);
}

void wbBindTexture(GLuint unit, GLuint texture) {
    glActiveTexture(GL_TEXTURE0 + unit);
    glBindTexture(GL_TEXTURE_2D, texture);
}
