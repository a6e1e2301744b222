// SPDX-License-Identifier: MIT
// An outside program that loads a scene file and steps it.
#include <stdio.h>
#include <wirbel/scene.h>

int main(int argc, char **argv) {
    wbScene *scene = NULL;
    wbWorld *world = NULL;
    wbStatus status = wbReadScene(argc > 1 ? argv[1] : "", &scene);
    if (wbIsOk(status)) status = wbScene_CreateWorld(scene, &world);
    for (int i = 0; i < 10 && wbIsOk(status); i++) status = wbWorld_Step(world, 0);
    if (wbIsOk(status))
        printf("%s: %d particles\n", wbScene_GetTitle(scene), wbWorld_GetStats(world).particles);
    else
        fprintf(stderr, "%s\n", status.text);
    wbDestroyWorld(world);
    wbDestroyScene(scene);
    return !wbIsOk(status);
}
