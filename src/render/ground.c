// SPDX-License-Identifier: MIT
#include "render/ground.h"

#include "core/status.h"

wbStatus wbGround_Create(wbGround *ground) {
    WB_TRY(wbCreateLitPrograms("floor", wb_shaderFloor, ground->programs));
    for (int i = 0; i < WB_LIGHTS; ++i) {
        wbSetSampler(ground->programs[i], "shadow", 0);
        wbSetSampler(ground->programs[i], "sunBodies", 1);
        wbSetSampler(ground->programs[i], "smokeShadow", WB_UNIT_SMOKE_SHADE);
    }
    glGenVertexArrays(1, &ground->emptyArray);
    return wb_okStatus;
}

void wbGround_Destroy(wbGround *ground) {
    for (int i = 0; i < WB_LIGHTS; ++i) glDeleteProgram(ground->programs[i]);
    glDeleteVertexArrays(1, &ground->emptyArray);
}

void wbGround_Draw(const wbGround *ground, const wbSunlight *sunlight, wbLight light) {
    glUseProgram(ground->programs[light]);
    wbBindTexture(0, sunlight->cover[0].texture);
    wbBindTexture(1, sunlight->bodies.texture);
    glBindVertexArray(ground->emptyArray);
    glDepthFunc(GL_ALWAYS);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glDepthFunc(GL_LESS);
}
