// SPDX-License-Identifier: MIT
// Every solver and what joins them in one box: the same bits for any number of threads, and for a run that was saved and resumed.
#include <stdio.h>
#include <string.h>

#include "bench/couple_method.h"
#include "bench/validate_case.h"
#include "core/status.h"
#include "wirbel/scene.h"

enum { steps = 300, half = steps / 2, mostThreads = 4 };

// In which ' stands for "; %s is what computes the liquid.
static const char box[] =
    "{'domain':{'min':[0,0,0],'max':[1,1,0.6]},"
    "'sph':{'spacing':0.05,'soundSpeed':15,'method':'%s'},'pbf':{'spacing':0.05,'adaptive':{'method':'%s'}},"
    "'pbd':{'radius':0.02},'smoke':{'cellSize':0.1,'buoyancy':0.05},"
    "'coupling':{'airSoft':'both','airRigid':'both','wind':[1,0,0]},"
    "'fluids':[{'name':'water','solver':'%s','blocks':[{'min':[0,0,0],'max':[1,0.3,0.6]}]}],"
    "'colliders':[{'name':'flap','size':[0.1,0.5,0.4],'position':[0.25,0.4,0.3]},"
    "{'name':'lid','size':[0.2,0.1,0.2],'position':[0.8,0.45,0.3]}],"
    "'mechanisms':[{'name':'hinge','kind':'wheel','colliders':['flap'],'drive':'free','pivot':[0.25,0.65,0.3]"
    ","
    "'inertia':2,'mass':4,'stiffness':5,'friction':0.1},"
    "{'name':'float','kind':'gate','colliders':['lid'],'drive':'free','travel':[0,-0.3,0],'mass':2,'"
    "stiffness':20}],"
    "'bodies':[{'name':'anchor','type':'static','size':[0.1,0.05,0.1],'position':[0.55,0.95,0.3]},"
    "{'name':'crate','size':[0.15,0.15,0.15],'density':300,'position':[0.55,0.45,0.3],'rotation':[10,20,30]},"
    "{'name':'bob','size':[0.12,0.12,0.12],'density':500,'position':[0.45,0.7,0.15]}],"
    "'joints':[{'kind':'ball','bodies':['bob',null],'anchor':[0.5,0.8,0.15]}],"
    "'softBodies':[{'name':'rope','shape':'rope','length':0.3,'count':7,'mass':0.1,'position':[0.55,0.75,0.3]"
    ","
    "'rotation':[0,0,-90],'attach':[{'particle':0,'body':'anchor'},{'particle':-1,'body':'crate'}]},"
    "{'name':'cloth','shape':'cloth','size':[0.3,0.3,1],'counts':[7,7,1],'position':[0.2,0.8,0.3],'pins':[0]}"
    "],"
    "'sources':[{'name':'fire','shape':'sphere','position':[0.5,0.6,0.3],'radius':0.1,'temperature':50}]}";

static wbStatus readBox(wbCoupleMethod method, wbScene **scene) {
    static const char *const names[wb_coupleMethodCount][3] = {{"explicit", "off", "sph"},
                                                               {"split", "off", "sph"},
                                                               {"explicit", "off", "pbf"},
                                                               {"explicit", "levels", "pbf"},
                                                               {"explicit", "thesis", "pbf"}};
    char text[sizeof box + 64];
    const int length = snprintf(text, sizeof text, box, names[method][0], names[method][1], names[method][2]);
    for (char *c = text; *c; c++)
        if (*c == '\'') *c = '"';
    return wbReadSceneText("couple-hash", text, (size_t)length, scene);
}

static wbStatus createBox(wbValidateRun *run, wbCoupleMethod method, int threads, wbWorld **world) {
    wbScene *scene;
    WB_TRY(readBox(method, &scene));
    wbWorldDef *def = wbScene_GetWorldDef(scene);
    def->threadCount = threads, def->simd = run->options->simd;
    def->params.backend = run->options->backend, def->params.device = run->options->deviceIndex;
    wbStatus status = wbScene_CreateWorld(scene, world);
    wbDestroyScene(scene);
    if (wbIsOk(status)) wbNameMachine(run, wbWorld_GetDevice(*world), wbWorld_GetSimd(*world));
    return status;
}

// Saved and loaded after half of it.
static wbStatus reload(wbWorld **world) {
    wbBytes bytes = {0};
    wbWorld *loaded;
    WB_TRY(wbWorld_SaveToBytes(*world, &bytes));
    wbStatus status = wbLoadWorldFromBytes(bytes.data, bytes.size, &loaded);
    wbFreeBytes(&bytes);
    WB_TRY(status);
    wbDestroyWorld(*world);
    *world = loaded;
    return wb_okStatus;
}

static wbStatus runBox(wbValidateRun *run, wbCoupleMethod method, int threads, bool isResumed,
                       uint64_t *hash) {
    wbWorld *world;
    WB_TRY(createBox(run, method, threads, &world));
    wbStatus status = wb_okStatus;
    for (int k = 0; k < steps && wbIsOk(status) && !run->stopped; k++) {
        if (k == half && isResumed) status = reload(&world);
        if (wbIsOk(status)) status = wbStepCase(run, world, (double)k / steps);
    }
    *hash = wbWorld_Hash(world);
    wbDestroyWorld(world);
    return status;
}

wbStatus wbValidateCoupleHash(wbValidateRun *run) {
    static const char *const names[] = WB_COUPLE_NAMES("runs that differ", "5");
    for (int m = 0; m < wb_coupleMethodCount && !run->stopped; m++) {
        uint64_t first, hash;
        int others = 0;
        WB_TRY(runBox(run, (wbCoupleMethod)m, 1, false, &first));
        for (int threads = 2; threads <= mostThreads + 1 && !run->stopped; threads++) {
            const bool isResumed = threads > mostThreads;
            WB_TRY(runBox(run, (wbCoupleMethod)m, isResumed ? 1 : threads, isResumed, &hash));
            others += hash != first;
        }
        if (!run->stopped)
            wbReportQuantity(run, (wbQuantity){.quantity = names[m],
                                               .unit = "",
                                               .value = others,
                                               .source = "1 to 4 threads, and resumed after 150 steps"});
    }
    return wb_okStatus;
}
