// SPDX-License-Identifier: MIT
// wirbel scenes: what there is to run.
#include <stdio.h>

#include "app/commands.h"
#include "app/find_scene.h"
#include "wirbel/scene.h"

static void printScene(const char *name, const char *path, void *context) {
    wbScene *scene;
    wbStatus status = wbReadScene(path, &scene);
    if (!wbIsOk(status)) {
        wbComplain("%s", status.text);
        *(int *)context = WB_EXIT_USAGE;
        return;
    }
    printf("%-24s %dD %9.0f  %s\n", name, wbScene_GetWorldDef(scene)->params.dimensions,
           wbScene_GetParticleCount(scene), wbScene_GetDescription(scene));
    wbDestroyScene(scene);
}

static int listScenes(const wbOptions *options) {
    (void)options;
    char folder[WB_SCENE_PATH];
    int code = WB_EXIT_DONE;
    if (wbFindSceneFolder(folder)) {
        printf("%-24s    %9s  in %s\n", "name", "particles", folder);
        if (wbVisitScenes(folder, printScene, &code)) return code;
    }
    wbComplain("no folder with scenes here, beside the program or installed");
    return WB_EXIT_USAGE;
}

const wbCommand wb_scenesCommand = {
    "scenes", "", "list the scenes", 0, 0, NULL, 0, listScenes,
};
