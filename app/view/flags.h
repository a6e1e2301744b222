// SPDX-License-Identifier: MIT
// The flags of "wirbel view", which both programs know: one hands them on, the other reads them.
#pragma once

#include "app/args.h"

#define WB_VIEW_SENTENCE "simulate in a window"

static const wbFlag wb_viewFlags[] = {
    WB_MACHINE_FLAGS("threads; without it one per core, one less where OpenGL runs on the CPU"),
    WB_LIST("--set", "KEY=VALUE", set, "change a parameter: sph.viscosity=0.2 (repeatable)"),
    WB_TEXT("--settings", "F.json", settings, "change the parameters of a list of settings, before --set"),
    WB_TEXT("--replay", "F.json", replay, "do a recording again and compare; without SCENE"),
    WB_TEXT("--resume", "F", resume,
            "go on from a checkpoint; SCENE may be left out where the file's name tells it"),
    WB_TEXT("--size", "WxH", size, "size of the window; without it 1280x720"),
    WB_TEXT("--quality", "0..3|auto", quality,
            "0 points, 1 spheres, 2 half the pixels, 3 as films; auto: by time"),
    WB_LIST("--beside", "SCENE|KEY=VALUE", beside,
            "a second world beside it: of another scene, or with other settings (repeatable)"),
    WB_TEXT("--record", "F.json", record, "write the recording when the window is closed"),
    WB_NUMBER("--memory", "MB", memory, 0, 1e7, "of states to go back in time; without it 512"),
    WB_SWITCH("--paused", paused, "start paused"),
    WB_INT("--lockstep", "N", lockstep, 1, 1e6, "pictures and N steps take turns, in one thread"),
    WB_INT("--frames", "N", frames, 1, 1e9, "end after N frames of the window"),
    WB_TEXT("--shot", "F.png", shot, "write the window as a picture before it ends"),
    WB_TEXT("--events", "F", events,
            "write a line per frame and event; -: to stdout, and read orders from stdin"),
    WB_SWITCH("--keys", keys, "print the keys as a table, and end"),
};
enum { WB_VIEW_FLAG_COUNT = sizeof wb_viewFlags / sizeof wb_viewFlags[0] };
