// SPDX-License-Identifier: MIT
#include "render/ground.h"

#include "core/status.h"

wbStatus wbGround_Create(wbGround *ground) {
    WB_TRY(wbCreateProgram("floor", wb_shaderFloor, &ground->program));
    WB_TRY(wbCreateQuickProgram("floor", wb_shaderFloor, &ground->quickProgram));
    wbSetSampler(ground->program, "shadow", 0);
    wbSetSampler(ground->program, "sunBodies", 1);
    wbSetSampler(ground->program, "smokeShadow", WB_UNIT_SMOKE_SHADE);
    glGenVertexArrays(1, &ground->emptyArray);
    return wb_okStatus;
}

void wbGround_Destroy(wbGround *ground) {
    glDeleteProgram(ground->program);
    glDeleteProgram(ground->quickProgram);
    glDeleteVertexArrays(1, &ground->emptyArray);
}

void wbGround_Draw(const wbGround *ground, const wbSunlight *sunlight, bool isQuick) {
    glUseProgram(isQuick ? ground->quickProgram : ground->program);
    wbBindTexture(0, sunlight->cover[0].texture);
    wbBindTexture(1, sunlight->bodies.texture);
    glBindVertexArray(ground->emptyArray);
    glDepthFunc(GL_ALWAYS);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glDepthFunc(GL_LESS);
}
