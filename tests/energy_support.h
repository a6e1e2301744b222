// SPDX-License-Identifier: MIT
// For tests of the energy check on every backend: scenes that drive a fluid.
#pragma once

#include <string.h>

#include "test_support.h"
#include "wirbel/scene.h"

// Scenes with ' for ", and SOLVER for the fluid's.
typedef struct Drive {
    const char *name;
    double seconds;
    const char *text;
} Drive;

#define SPACING(s) "'sph':{'spacing':" #s "},'pbf':{'spacing':" #s "}"
#define BOX(x, y)  "'world':{'dimensions':2},'domain':{'min':[0,0],'max':[" #x "," #y "]}"
#define POOL(x, y)                                                                                           \
    "'fluids':[{'name':'water','solver':'SOLVER','blocks':[{'min':[0,0],'max':[" #x "," #y "]}]}]"
#define STIFF ",'script':[{'at':0,'set':'sph.soundSpeed','value':60}]"

static const Drive drives[] = {
    {"shaker", 2,
     BOX(1, 1) "," SPACING(0.05) "," POOL(
         0.7, 0.4) ","
                   "'colliders':[{'name':'piston','size':[0.2,1,2],'position':[0.85,0.5]}],"
                   "'mechanisms':[{'name':'hand','kind':'shaker','colliders':['piston'],'travel':[0.05,0],'"
                   "frequency':4}]"},
    {"wheel", 2,
     BOX(1, 1) "," SPACING(0.05) "," POOL(1, 0.5) ","
                                                  "'colliders':[{'name':'paddles','shape':'wheel','radius':0."
                                                  "3,'width':1,'hub':0.4,'thickness':0.06,'paddles':4,"
                                                  "'position':[0.5,0.5]}],"
                                                  "'mechanisms':[{'name':'mill','kind':'wheel','colliders':['"
                                                  "paddles'],'pivot':[0.5,0.5],'speed':120}]"},
    // water that is pressed through a slit is much faster than what presses it
    {"syringe", 0.8,
     BOX(1, 3) ",'sph':{'spacing':0.05,'soundSpeed':60},'pbf':{'spacing':0.05,'subSteps':8}," POOL(
         1, 0.6) ","
                 "'colliders':[{'name':'plate','size':[0.8,0.2,2],'position':[0.4,0.75]}],"
                 "'mechanisms':[{'name':'press','kind':'gate','colliders':['plate'],'travel':[0,-0.4],'"
                 "duration':0.4}],"
                 "'script':[{'at':0,'set':'press.open','value':1}]"},
    {"conveyor", 2,
     "'world':{'dimensions':2},'domain':{'min':[0,0],'max':[0.5,2],'sides':{'left':{'type':'noSlip','"
     "velocity':[0,3]},"
     "'right':{'type':'noSlip','velocity':[0,3]}}},'sph':{'spacing':0.05,'viscosity':20,'soundSpeed':60},"
     "'pbf':{'spacing':0.05,'viscosity':0.5}," POOL(0.5, 0.4)},
    // pushed in at the bottom, it lifts what is there
    {"spring", 2,
     BOX(0.5, 2) "," SPACING(0.05) "," POOL(0.5,
                                            0.3) ","
                                                 "'emitters':[{'name':'jet','fluid':'water','position':[0,0."
                                                 "15],'direction':[1,0],'radius':0.1,'velocity':1}]" STIFF},
    {"pump", 2,
     BOX(1, 2) "," SPACING(0.05) "," POOL(
         1,
         0.4) ","
              "'emitters':[{'name':'spout','fluid':'water','position':[0.5,1.8],'direction':[0,-1],'radius':"
              "0.1,'velocity':2}],"
              "'drains':[{'name':'inlet','min':[0,0],'max':[0.2,0.2],'rate':200,'emitter':'spout'}]" STIFF},
    {"gravity", 2,
     BOX(1, 1) "," SPACING(0.05) "," POOL(1, 0.4) ","
                                                  "'script':[{'at':0,'set':'sph.soundSpeed','value':100},{'"
                                                  "at':0.5,'set':'world.gravity','value':[0,20]},"
                                                  "{'at':1,'set':'world.gravity','value':[20,0]},{'at':1.5,'"
                                                  "set':'world.gravity','value':[-9,-9]}]"},
    {"whirl", 2, BOX(1, 1) ",'sph':{'spacing':0.05},'pbf':{'spacing':0.05,'vorticity':1}," POOL(0.5, 0.8)},
    {"tension", 1,
     "'world':{'dimensions':2,'gravity':[0,0]},'domain':{'min':[0,0],'max':[1,1]},"
     "'sph':{'spacing':0.05,'surfaceTension':50,'soundSpeed':20},'pbf':{'spacing':0.05,'tension':0.5},"
     "'fluids':[{'name':'water','solver':'SOLVER','blocks':[{'min':[0.3,0.3],'max':[0.7,0.7],'jitter':0.3}]}"
     "]"},
    {"meeting", 1,
     BOX(2, 1) "," SPACING(0.05) ","
                                 "'fluids':[{'name':'water','solver':'SOLVER','blocks':[{'min':[0,0],'max':["
                                 "0.5,0.5],'velocity':[8,0]},"
                                 "{'min':[1.5,0],'max':[2,0.5],'velocity':[-8,0]}]}]" STIFF},
    {"dam", 2, BOX(3, 2) "," SPACING(0.04) "," POOL(1, 1.2)},
};

static inline wbScene *readScene(const char *pattern, wbFluidSolver solver, wbBackend backend) {
    char text[4096] = "{";
    size_t length = 1;
    wbScene *scene;
    for (; *pattern; pattern++) {
        bool isSolver = strncmp(pattern, "SOLVER", 6) == 0;
        assert_true(length < sizeof text - 4);
        if (isSolver) memcpy(text + length, solver == wb_solverPbf ? "pbf" : "sph", 3), pattern += 5;
        if (!isSolver) text[length] = *pattern == '\'' ? '"' : *pattern;
        length += isSolver ? 3 : 1;
    }
    text[length++] = '}';
    assertOk(wbReadSceneText("drive.json", text, length, &scene));
    wbScene_GetWorldDef(scene)->threadCount = 1;
    wbScene_GetWorldDef(scene)->params.backend = backend;
    return scene;
}

// The first status that is not ok, within so many seconds.
static inline wbStatus runDrive(const char *pattern, double seconds, wbFluidSolver solver,
                                wbBackend backend) {
    wbScene *scene = readScene(pattern, solver, backend);
    wbWorld *world;
    wbStatus status = {0};
    assertOk(wbScene_CreateWorld(scene, &world));
    while (wbIsOk(status) && wbWorld_GetTime(world) < seconds) {
        assertOk(wbScene_RunScript(scene, world));
        status = wbWorld_Step(world, 0);
    }
    wbDestroyWorld(world);
    wbDestroyScene(scene);
    return status;
}

// Each drive for so many seconds at most, by both solvers.
static inline void expectNoRunaway(wbBackend backend, double seconds) {
    int refused = 0;
    for (size_t k = 0; k < sizeof drives / sizeof drives[0]; k++)
        for (wbFluidSolver solver = wb_solverSph; solver <= wb_solverPbf; solver++) {
            wbStatus status = runDrive(
                drives[k].text, drives[k].seconds < seconds ? drives[k].seconds : seconds, solver, backend);
            if (wbIsOk(status)) continue;
            print_error("%s, %s: %s\n", drives[k].name, solver ? "pbf" : "sph", status.text), refused++;
        }
    assert_int_equal(refused, 0);
}

// Steps that are twice too long, and sums that grow by themselves.
static inline void expectRunaways(wbBackend backend) {
    static const char *const sph[] = {
        BOX(1, 1) ",'sph':{'spacing':0.05,'soundSpeed':40}," POOL(
            0.5, 0.5) ",'script':[{'at':0,'set':'world.dt','value':0.0025}]",
        BOX(1, 1) ",'sph':{'spacing':0.05,'soundSpeed':40,'integrator':'euler'}," POOL(
            0.5, 0.5) ",'script':[{'at':0,'set':'world.dt','value':0.0015}]",
    };
    for (size_t k = 0; k < sizeof sph / sizeof sph[0]; k++) {
        wbStatus status = runDrive(sph[k], 4, wb_solverSph, backend);
        assert_int_equal(status.code, wb_errorUnstable);
    }
    // more than 2 makes the lattice's stiffest wave grow
    wbStatus status =
        runDrive(BOX(0.5, 2) ",'pbf':{'spacing':0.05,'omega':4,'viscosity':0,'subSteps':1}," POOL(0.5, 1), 4,
                 wb_solverPbf, backend);
    assert_int_equal(status.code, wb_errorUnstable);
    assert_non_null(strstr(status.text, "is above its bound"));
}
