// SPDX-License-Identifier: MIT
// Every two features of a world together, and all of them: a world that is saved and loaded on its way, or goes back to what was
// saved, has the hashes of one that goes on.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test_support.h"
#include "wirbel/scene.h"

enum {
    FLUIDS,
    EMITTERS,
    DRAINS,
    COLLIDERS,
    MECHANISMS,
    SOFT_BODIES,
    SOURCES,
    SCRIPT,
    LISTS,
    MOST_SETTINGS = 4
};
enum { IN_3D = 2, IN_BOTH = 3 };
enum { WATER = 1, AIR = 2 };

static const char *const listNames[LISTS] = {"fluids",     "emitters",   "drains",  "colliders",
                                             "mechanisms", "softBodies", "sources", "script"};

/// What a scene can have: entries of its lists, and settings. Vectors are written [x,y;z], for 2 and 3 dimensions.
typedef struct Feature {
    const char *name;
    int dimensions;
    int needs; ///< WATER, AIR
    const char *lists[LISTS];
    const char *settings[MOST_SETTINGS][2];
} Feature;

static const Feature features[] = {
    {"sph", IN_BOTH, .needs = WATER},
    {"euler", IN_BOTH, .needs = WATER, .settings = {{"sph.integrator", "euler"}, {"sph.kernel", "muller"}}},
    {"leapfrog", IN_BOTH, .needs = WATER, .settings = {{"sph.integrator", "leapfrog"}}},
    {"tension", IN_BOTH, .needs = WATER,
     .settings = {{"sph.surfaceTension", "0.07"}, {"sph.smoothNormals", "true"}}},
    {"sound", IN_BOTH, .needs = WATER, .settings = {{"sph.soundSpeed", "auto"}}},
    {"fluids", IN_BOTH,
     .lists = {"{'name':'oil','blocks':[{'min':[0.1,0.6;0.1],'max':[0.3,0.8;0.3],'velocity':[0,-1;0]}]},"
               "{'name':'none'}"}},
    {"pbf", IN_BOTH,
     .lists = {"{'name':'soft','solver':'pbf','blocks':[{'min':[0.6,0.3;0.1],'max':[0.9,0.7;0.5]}]}"}},
    {"vorticity", IN_BOTH,
     .lists = {"{'name':'whirl','solver':'pbf','blocks':[{'min':[0.6,0;0.1],'max':[1,0.2;0.5]}]}"},
     .settings = {{"pbf.vorticity", "0.1"}, {"pbf.subSteps", "2"}, {"pbf.constraint", "equality"}}},
    {"smoke", IN_BOTH, .needs = AIR},
    {"follow", IN_BOTH, .needs = AIR, .settings = {{"smoke.follow", "true"}, {"smoke.margin", "4"}}},
    {"coloured", IN_BOTH, .needs = AIR, .settings = {{"smoke.coloured", "true"}}},
    {"fire", IN_BOTH, .needs = AIR,
     .lists = {[SOURCES] =
                   "{'name':'gas','position':[0.7,0.2;0.4],'radius':0.15,'fuel':1,'temperature':300}"},
     .settings = {{"smoke.fire", "true"}}},
    {"macCormack", IN_BOTH, .needs = AIR,
     .settings = {{"smoke.advection", "macCormack"},
                  {"smoke.velocityAdvection", "macCormack"},
                  {"smoke.backtrace", "midpoint"}}},
    {"viscous", IN_BOTH, .needs = AIR, .settings = {{"smoke.viscosity", "0.01"}, {"smoke.wind", "1,0,0"}}},
    {"jacobi", IN_BOTH, .needs = AIR,
     .settings = {{"smoke.pressureSolver", "jacobi"}, {"smoke.sweeps", "10"}}},
    {"sor", IN_BOTH, .needs = AIR, .settings = {{"smoke.pressureSolver", "sor"}, {"smoke.sweeps", "10"}}},
    {"fan", IN_BOTH, .needs = AIR,
     .lists = {[SOURCES] = "{'name':'fan','shape':'box','position':[0.5,0.5;0.4],'size':[0.2,0.2;0.2],"
                           "'density':0,'velocity':[1,1;0],'rate':20,'start':0.01,'end':0.05}"}},
    {"cloth", IN_3D,
     .lists = {[SOFT_BODIES] =
                   "{'name':'cloth','shape':'cloth','size':[0.4,0.4,1],'counts':[5,5,1],'density':0.3,"
                   "'position':[0.5,0.5,0.4],'rotation':[80,0,0],'bending':'dihedral'}"},
     .settings = {{"pbd.radius", "0.02"}, {"pbd.solver", "jacobiParticles"}}},
    {"rope", IN_3D,
     .lists = {[SOFT_BODIES] = "{'name':'rope','shape':'rope','length':0.6,'count':9,'density':0.4,"
                               "'position':[0.5,0.9,0.4],'pins':[0]}"},
     .settings = {{"pbd.method", "xpbd"}, {"pbd.compliance", "1e-4"}, {"pbd.integrator", "verlet"}}},
    {"cube", IN_3D,
     .lists = {[SOFT_BODIES] = "{'name':'cube','shape':'cube','size':[0.2,0.2,0.2],'counts':[3,3,3],"
                               "'position':[0.2,0.4,0.4],'velocity':[1,0,0]}"},
     .settings = {{"pbd.solver", "jacobiConstraints"}}},
    {"box", IN_BOTH, .lists = {[COLLIDERS] = "{'name':'box','size':[0.2,0.1,2],'position':[0.5,0.05;0.4]}"}},
    {"ball", IN_BOTH,
     .lists = {[COLLIDERS] = "{'name':'ball','shape':'sphere','radius':0.1,'position':[0.9,0.8;0.4],"
                             "'slip':'noSlip'}",
               [SCRIPT] = "{'at':0.002,'set':'ball.position','value':[0.9,0.81;0.4]},"
                          "{'at':0.02,'set':'ball.position','value':[0.9,0.82;0.4]}"}},
    {"gate", IN_BOTH,
     .lists = {[COLLIDERS] = "{'name':'plate','size':[0.1,0.5,2],'position':[0.5,0.5;0.4]}",
               [MECHANISMS] = "{'name':'gate','kind':'gate','colliders':['plate'],'travel':[0,0.2;0],"
                              "'open':1,'duration':0.5}"}},
    {"lock", IN_BOTH,
     .lists = {[COLLIDERS] = "{'name':'upper','size':[0.1,0.3,2],'position':[0.3,0.9;0.4]},"
                             "{'name':'lower','size':[0.1,0.3,2],'position':[0.7,0.9;0.4]}",
               [MECHANISMS] = "{'name':'lock','kind':'lock','colliders':['upper','lower'],"
                              "'travel':[0,0.1;0],'gates':'upper','duration':0.1,'period':0.03}"}},
    {"wheel", IN_BOTH,
     .lists = {[COLLIDERS] = "{'name':'paddles','shape':'wheel','radius':0.2,'width':0.3,'hub':0.4,"
                             "'thickness':0.05,'paddles':4,'position':[0.5,0.5;0.4]}",
               [MECHANISMS] = "{'name':'mill','kind':'wheel','colliders':['paddles'],'drive':'free',"
                              "'pivot':[0.5,0.5;0.4],'inertia':100,'friction':0.1}"}},
    {"shaker", IN_BOTH,
     .lists = {[COLLIDERS] = "{'name':'piston','size':[0.1,0.6,2],'position':[0.05,0.3;0.4]}",
               [MECHANISMS] = "{'name':'hand','kind':'shaker','colliders':['piston'],'travel':[0.05,0;0],"
                              "'frequency':2}"}},
    {"pipe", IN_BOTH, .needs = WATER,
     .lists = {[EMITTERS] = "{'name':'jet','fluid':'water','position':[0.3,0.8;0.4],'direction':[1,0;0],"
                            "'radius':0.15,'velocity':4}"}},
    {"drop", IN_BOTH, .needs = WATER,
     .lists = {[EMITTERS] = "{'name':'drop','fluid':'water','kind':'block','min':[0.1,0.7;0.1],"
                            "'max':[0.3,0.9;0.3],'velocity':1,'direction':[0,-1;0],'start':0.02}"}},
    {"drain", IN_BOTH, .needs = WATER,
     .lists = {[DRAINS] = "{'name':'sink','min':[0,0;0],'max':[0.3,0.3;0.8],'rate':200}"}},
    {"pump", IN_BOTH, .needs = WATER,
     .lists = {[EMITTERS] = "{'name':'spout','fluid':'water','position':[0.7,0.9;0.4],'direction':[0,-1;0],"
                            "'radius':0.1,'velocity':2}",
               [DRAINS] = "{'name':'inlet','min':[0,0;0],'max':[0.2,0.2;0.8],'rate':300,'delay':0.01,"
                          "'emitter':'spout'}"}},
    {"script", IN_BOTH,
     .lists = {[SCRIPT] = "{'at':0.002,'set':'world.gravity','value':[2,-9;0]},"
                          "{'at':0.025,'set':'sph.viscosity','value':0.5},"
                          "{'at':0.03,'set':'pbf.viscosity','value':0.1}"}},
    {"fixed step", IN_BOTH, .settings = {{"world.dt", "0.001"}}},
};
enum { FEATURES = sizeof features / sizeof features[0] };

typedef struct Text {
    char text[1 << 14];
    size_t length;
} Text;

// ' becomes ", and of [x,y;z] the z is left out in 2 dimensions
static void add(Text *text, const char *from, int dimensions) {
    for (; *from; from++) {
        if (*from == ';' && dimensions == 2) from = strchr(from, ']');
        text->text[text->length++] = *from == '\'' ? '"' : *from == ';' ? ',' : *from;
        assert_true(text->length < sizeof text->text);
    }
    text->text[text->length] = 0;
}

static wbScene *makeScene(const Feature *const *chosen, int count, int dimensions) {
    static const char water[] = "{'name':'water','blocks':[{'min':[0.1,0;0.1],'max':[0.4,0.3;0.4]}]}";
    static const char ember[] = "{'name':'ember','position':[0.3,0.3;0.4],'radius':0.15,'temperature':50,"
                                "'colour':[1,0.5;0]}";
    static Text text;
    int needs = 0;
    for (int f = 0; f < count; f++) needs |= chosen[f]->needs;
    text.length = 0;
    add(&text, dimensions == 2 ? "{'world':{'dimensions':2}" : "{'world':{'dimensions':3}", dimensions);
    add(&text, ",'domain':{'min':[0,0;0],'max':[1,1;0.8],'sides':{'top':{'type':'open'}}}", dimensions);
    add(&text, ",'coupling':{'fluids':'ignore'},'sph':{'spacing':0.1},'pbf':{'spacing':0.1}", dimensions);
    if (needs & AIR) add(&text, ",'smoke':{'cellSize':0.1}", dimensions);
    for (int l = 0; l < LISTS; l++) {
        bool hasAny = (l == FLUIDS && needs & WATER) || (l == SOURCES && needs & AIR);
        Text entries = {.length = 0};
        if (hasAny) add(&entries, l == FLUIDS ? water : ember, dimensions);
        for (int f = 0; f < count; f++) {
            if (!chosen[f]->lists[l]) continue;
            if (hasAny) add(&entries, ",", dimensions);
            add(&entries, chosen[f]->lists[l], dimensions);
            hasAny = true;
        }
        if (!hasAny) continue;
        add(&text, ",'", dimensions), add(&text, listNames[l], dimensions), add(&text, "':[", dimensions);
        add(&text, entries.text, dimensions), add(&text, "]", dimensions);
    }
    add(&text, "}", dimensions);
    wbScene *scene;
    wbStatus status = wbReadSceneText("pair.json", text.text, text.length, &scene);
    if (!wbIsOk(status)) fail_msg("%s in %s", status.text, text.text);
    for (int f = 0; f < count; f++)
        for (int s = 0; s < MOST_SETTINGS && chosen[f]->settings[s][0]; s++) {
            const char *const *setting = chosen[f]->settings[s];
            const char *value = strcmp(setting[0], "smoke.wind") == 0 && dimensions == 2 ? "1,0" : setting[1];
            assertOk(wbScene_Set(scene, setting[0], value));
        }
    wbScene_GetWorldDef(scene)->threadCount = 1;
    return scene;
}

static void step(const wbScene *scene, wbWorld *world, int count) {
    for (int i = 0; i < count; i++) {
        assertOk(wbScene_RunScript(scene, world));
        assertOk(wbWorld_Step(world, 0));
    }
}

static void failPair(const Feature *const *chosen, int count, int dimensions, const char *what) {
    fail_msg("%s and %s in %d dimensions: %s", chosen[0]->name, chosen[count - 1]->name, dimensions, what);
}

static void goOn(const Feature *const *chosen, int count, int dimensions) {
    enum { BEFORE = 3, AFTER = 3, TIMES = 2 };
    static wbBytes bytes;
    wbScene *scene = makeScene(chosen, count, dimensions);
    wbWorld *world, *loaded;
    assertOk(wbScene_CreateWorld(scene, &world));
    for (int n = 0; n < TIMES; n++) {
        step(scene, world, BEFORE);
        assertOk(wbWorld_SaveToBytes(world, &bytes));
        assertOk(wbLoadWorldFromBytes(bytes.data, bytes.size, &loaded));
        assertOk(wbWorld_SetThreadCount(loaded, 1));
        assertOk(wbScene_CheckWorld(scene, loaded));
        const uint64_t saved = wbWorld_Hash(world);
        if (wbWorld_Hash(loaded) != saved) failPair(chosen, count, dimensions, "loads otherwise");
        step(scene, world, AFTER);
        step(scene, loaded, AFTER);
        const uint64_t after = wbWorld_Hash(world);
        if (wbWorld_Hash(loaded) != after) failPair(chosen, count, dimensions, "goes on otherwise");
        wbDestroyWorld(loaded);
        assertOk(wbWorld_Restore(world, bytes.data, bytes.size));
        if (wbWorld_Hash(world) != saved) failPair(chosen, count, dimensions, "goes back otherwise");
        step(scene, world, AFTER);
        if (wbWorld_Hash(world) != after) failPair(chosen, count, dimensions, "goes on otherwise from there");
    }
    wbFreeBytes(&bytes);
    wbDestroyWorld(world);
    wbDestroyScene(scene);
}

static bool isIn(const Feature *feature, int dimensions) {
    return feature->dimensions >> (dimensions - 2) & 1;
}

static void testPairs(int dimensions) {
    int pairs = 0;
    for (int a = 0; a < FEATURES; a++)
        for (int b = a; b < FEATURES; b++) {
            if (!isIn(&features[a], dimensions) || !isIn(&features[b], dimensions)) continue;
            goOn((const Feature *const[]){&features[a], &features[b]}, a == b ? 1 : 2, dimensions);
            pairs++;
        }
    print_message("%d pairs in %d dimensions\n", pairs, dimensions);
}

static void testPairsIn2D(void **state) {
    (void)state;
    testPairs(2);
}

static void testPairsIn3D(void **state) {
    (void)state;
    testPairs(3);
}

static void testAllAtOnce(void **state) {
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        const Feature *chosen[FEATURES];
        int count = 0;
        for (int f = 0; f < FEATURES; f++)
            if (isIn(&features[f], dimensions)) chosen[count++] = &features[f];
        goOn(chosen, count, dimensions);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testPairsIn2D),
        cmocka_unit_test(testPairsIn3D),
        cmocka_unit_test(testAllAtOnce),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
