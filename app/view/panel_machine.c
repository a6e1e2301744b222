// SPDX-License-Identifier: MIT
// What computes the world: cores or a compute device, with how many threads, and how fast each of them is.
#include <string.h>
#include <unistd.h>

#include "app/view/ui.h"
#include "app/view/viewer.h"

static void showBackend(wbViewer *viewer) {
    const char *names[1 + WB_MAX_DEVICES] = {"cores"};
    int chosen = 0;
    if (viewer->deviceCount != viewer->state.deviceCount)
        viewer->deviceCount = wbSim_GetDevices(viewer->sim, viewer->devices, WB_MAX_DEVICES);
    for (int i = 0; i < viewer->deviceCount; i++) {
        names[1 + i] = viewer->devices[i].name;
        if (strcmp(names[1 + i], viewer->state.device) == 0) chosen = 1 + i;
    }
    if (wbUi_Combo("##backend", &chosen, names, 1 + viewer->deviceCount, -1,
                   "what computes, from the next step on; the switch is recorded"))
        wbSim_SetBackend(viewer->sim, chosen > 0 ? wb_backendOpencl : wb_backendCpu, chosen - 1);
}

static void showThreads(wbViewer *viewer) {
    const float cores = (float)sysconf(_SC_NPROCESSORS_ONLN);
    const wbUiRow row = {.label = "threads",
                         .tooltip = "of the world; any number gives the same bits",
                         .low = 1,
                         .high = cores > 4 ? cores : 4,
                         .isWhole = true,
                         .format = "%.0f"};
    float threads = (float)viewer->state.threads;
    if (wbUi_Slider(&row, &threads) == wb_uiChanged && threads >= 1 && threads <= 256)
        wbSim_SetThreads(viewer->sim, (int)threads);
}

// Devices are looked for when someone wants to see them: that takes its time.
void wbShowMachine(wbViewer *viewer) {
    const bool isShown = wbUi_Section("machine", false, "what computes, and how fast it is");
    if (isShown && !viewer->isMachineShown) wbSim_AskDevices(viewer->sim);
    viewer->isMachineShown = isShown;
    if (!isShown) return;
    showBackend(viewer);
    showThreads(viewer);
    if (viewer->state.busy[0]) {
        if (wbUi_Button("cancel", "Esc does so, too")) wbSim_Cancel(viewer->sim);
    } else if (wbUi_Button("compare", "200 steps on each; the world is as before then")) {
        wbSim_Compare(viewer->sim, WB_COMPARED_STEPS);
    }
    if (viewer->state.comparison[0]) wbUi_Faint("%s", viewer->state.comparison);
}
