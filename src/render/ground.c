// SPDX-License-Identifier: MIT
#include "render/ground.h"

#include "core/status.h"

wbStatus wbGround_Create(wbGround *ground) {
    WB_TRY(wbCreateProgram("floor", wb_shaderFloor, &ground->program));
    wbSetSampler(ground->program, "shadow", 0);
    glGenVertexArrays(1, &ground->emptyArray);
    return wb_okStatus;
}

void wbGround_Destroy(wbGround *ground) {
    glDeleteProgram(ground->program);
    glDeleteVertexArrays(1, &ground->emptyArray);
}

void wbGround_Draw(const wbGround *ground, GLuint shadow) {
    glUseProgram(ground->program);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, shadow);
    glBindVertexArray(ground->emptyArray);
    glDepthFunc(GL_ALWAYS);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glDepthFunc(GL_LESS);
}
