// SPDX-License-Identifier: MIT
// An outside program that draws a scene and says how many of its pixels are blue.
#include <stdio.h>
#include <wirbel/render.h>

int main(int argc, char **argv) {
    enum { width = 64, height = 48 };
    static uint8_t rgb[3 * width * height];
    wbScene *scene = NULL;
    wbWorld *world = NULL;
    wbRenderer *renderer = NULL;
    int blue = 0;
    wbStatus status = wbReadScene(argc > 1 ? argv[1] : "", &scene);
    if (wbIsOk(status)) status = wbScene_CreateWorld(scene, &world);
    if (wbIsOk(status)) status = wbCreateRenderer(width, height, &renderer);
    if (wbIsOk(status))
        status =
            wbRenderer_DrawWorld(renderer, world, wbScene_GetCamera(scene), wbScene_GetOutput(scene), NULL);
    if (wbIsOk(status)) status = wbRenderer_ReadPixels(renderer, rgb);
    for (int i = 0; i < 3 * width * height; i += 3) blue += rgb[i + 2] > rgb[i] + 60;
    if (wbIsOk(status))
        printf("%d blue pixels\n", blue);
    else
        fprintf(stderr, "%s\n", status.text);
    wbDestroyRenderer(renderer);
    wbDestroyWorld(world);
    wbDestroyScene(scene);
    return !wbIsOk(status);
}
