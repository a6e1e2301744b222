// SPDX-License-Identifier: MIT
// Scenes of rigid bodies that nobody should want: each steps and stays finite, is refused with a reason, or ends as unstable.
#pragma once

#include "absurd_support.h"

#define BODIES(list) "\"bodies\":[" list "]"
#define BOX          "\"domain\":{\"min\":[-1,0,-1],\"max\":[1,2,1]}"
#define FLOOR        "{\"type\":\"static\",\"shape\":\"plane\"}"
#define TWO          BODIES("{\"name\":\"a\",\"position\":[0,1,0]},{\"name\":\"b\",\"position\":[0,3,0]}")
#define AS_PARTICLES "\"rigid\":{\"contact\":\"particles\"}"

static const Case rigidCases[] = {
    // solids
    {"no thickness", "{" BODIES("{\"size\":[1,0,1]}") "}", "size.y is 0, allowed is 0.0001 to 10000 m"},
    {"foil upon foil",
     "{" BODIES("{\"size\":[1,1e-4,1],\"position\":[0,0.1,0]},{\"size\":[1,1e-4,1],\"position\":[0,0.1,0]}"
                "," FLOOR) "}",
     NULL},
    {"foil of particles", "{" AS_PARTICLES "," BODIES("{\"size\":[1,1e-4,1]}") "}",
     "it is 0.0001 m thin, make it thicker, or set particlesPerEdge, which is 3, to less"},
    {"bodies by both names of their list", "{" BODIES("{}") ",\"rigidBodies\":[{}]}",
     "\"rigidBodies\" is another name of \"bodies\": give one of the two"},
    {"bodies by the other name of their list", "{\"rigidBodies\":[{\"mass\":0}]}",
     "rigidBodies[0].mass is 0"},
    {"no mass", "{" BODIES("{\"mass\":0}") "}", "mass is 0, allowed is 1e-09 to 1e+12 kg, or auto"},
    {"least inertia", "{" BODIES("{\"inertia\":[1e-40,1e-40,1e-40]}") "}",
     "kg m2, allowed is 1e-30 to 1e+30, or 0 for all three"},
    {"inertia about two axes", "{" BODIES("{\"inertia\":[1,1,0]}") "}", "inertia.z is 0 kg m2"},
    {"inertia of no solid", "{" BODIES("{\"inertia\":[1,1,3]}") "}",
     "inertia is 1, 1, 3 kg m2: none may be above the sum of the two others"},
    {"inertia in the plane",
     "{\"world\":{\"dimensions\":2}," BODIES("{\"inertia\":[0,0,3],\"spin\":[0,0,1]}") "}", NULL},
    {"needle",
     "{" BODIES(
         "{\"size\":[10,1e-3,1e-3],\"position\":[0,1,0],\"spin\":[1,2,3],\"rotation\":[1,2,3]}," FLOOR) "}",
     NULL},
    {"needle a million times as long as thick",
     "{" BODIES(
         "{\"size\":[100,1e-4,1e-4],\"position\":[0,1,0],\"spin\":[1,2,3],\"rotation\":[1,2,3]}," FLOOR) "}",
     NULL},
    {"points in one plane",
     "{" BODIES("{\"shape\":\"hull\",\"points\":[[0,0,0],[1,0,0],[0,0,1],[1,0,1]]}") "}",
     "the 4 points of a hull are in one plane: it is 0 m thick"},
    {"points at one place",
     "{" BODIES("{\"shape\":\"hull\",\"points\":[[1,1,1],[1,1,1],[1,1,1],[1,1,1]]}") "}",
     "the 4 points of a hull are at one place"},
    {"no points", "{" BODIES("{\"shape\":\"hull\",\"points\":[]}") "}", "its points are missing"},
    {"no parts", "{" BODIES("{\"shape\":\"compound\",\"parts\":[]}") "}", "a compound needs parts"},
    {"one height", "{" BODIES("{\"type\":\"static\",\"shape\":\"heights\",\"heights\":[[1]]}") "}",
     "it has 1 x 1 heights, needed are 2 x 2 at least"},
    {"height beyond",
     "{" BODIES("{\"type\":\"static\",\"shape\":\"heights\",\"heights\":[[0,0],[0,1e300]]}") "}",
     "a height is 1e+300 m, allowed is -1e+06 to 1e+06"},
    {"hollow polygon",
     "{\"world\":{\"dimensions\":2}," BODIES(
         "{\"shape\":\"polygon\",\"points\":[[0,0],[1,0],[0.2,0.2],[0,1]]}") "}",
     "its corner 2 at (0.2, 0.2) m is hollow, and polygons are convex"},
    {"star",
     "{\"world\":{\"dimensions\":2}," BODIES(
         "{\"shape\":\"polygon\",\"points\":[[0,1],[-0.6,-0.8],[0.95,0.3],[-0.95,0.3],[0.6,-0.8]]}") "}",
     "its corners go around it 2 times: list them in order"},
    {"polygon with a corner twice, clockwise",
     "{\"world\":{\"dimensions\":2}," BODIES(
         "{\"shape\":\"polygon\",\"points\":[[0,0],[0,1],[0,1],[1,0],[0.5,0]]}") "}",
     NULL},
    {"falling plane", "{" BODIES("{\"shape\":\"plane\"}") "}", "a plane has no inside"},
    // places
    {"at one place",
     "{" BODIES("{\"position\":[0,1,0],\"copies\":{\"counts\":[2,2,2],\"spacing\":[0,0,0]}}," FLOOR) "}",
     NULL},
    {"a hundred at one place",
     "{" BODIES("{\"position\":[0,1,0],\"copies\":{\"counts\":[10,10,1],\"spacing\":[0,0,0]}}," FLOOR) "}",
     NULL},
    {"needles at one place",
     "{" BODIES("{\"size\":[1,1e-3,1e-3],\"position\":[0,1,0],\"copies\":{\"counts\":[5,2,2],\"spacing\":[0,"
                "0,0]}}," FLOOR) "}",
     NULL},
    {"all kinds at one place",
     "{" BODIES(
         "{\"position\":[0,1,0]},{\"shape\":\"sphere\",\"position\":[0,1,0]},"
         "{\"shape\":\"capsule\",\"position\":[0,1,0]},{\"shape\":\"cylinder\",\"position\":[0,1,0]},"
         "{\"shape\":\"hull\",\"position\":[0,1,0],\"points\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]]}," FLOOR) "}",
     NULL},
    {"ten thousand at one place", "{" BODIES("{\"copies\":{\"counts\":[100,100,1],\"spacing\":[0,0,0]}}") "}",
     "10000 rigid bodies' pieces lie within each other, 10000 of them in one place"},
    {"a billion copies", "{" BODIES("{\"copies\":{\"counts\":[1000,1000,1000],\"spacing\":[1,1,1]}}") "}",
     "1000000000 copies, allowed are 16777216: lower \"counts\", or set \"most\""},
    {"two of a quintillion places",
     "{" BODIES(
         "{\"name\":\"a\",\"copies\":{\"counts\":[1e6,1e6,1e6],\"spacing\":[1,1,1],\"most\":2}}") ","
                                                                                                  "\"forces\""
                                                                                                  ":[{"
                                                                                                  "\"kind\":"
                                                                                                  "\"spring\""
                                                                                                  ",\"bodies"
                                                                                                  "\":[\"a-"
                                                                                                  "0\",\"a-"
                                                                                                  "1\"]}]}",
     NULL},
    {"larger than the domain",
     "{" BOX "," BODIES("{\"shape\":\"sphere\",\"radius\":50,\"position\":[0,1,0]}") "}", NULL},
    {"outside", "{" BOX "," BODIES("{\"position\":[5,1,0]}") "}",
     "its centre is at (5, 1, 0) m, beyond a closed side of the domain: move it inside, or open that side"},
    {"fastest in a box",
     "{" BOX "," BODIES("{\"size\":[0.1,0.1,0.1],\"position\":[0,1,0],\"velocity\":[1e6,1e6,1e6],"
                        "\"copies\":{\"counts\":[3,3,3],\"spacing\":[0.15,0.15,0.15]}}") "}",
     NULL},
    {"far apart and fast",
     "{\"world\":{\"dt\":10},\"rigid\":{\"contact\":\"exact\"}," BODIES(
         "{\"position\":[-1e9,0,0],\"velocity\":[-1e6,0,0]},{\"position\":[1e9,0,0],\"bullet\":true}") "}",
     NULL},
    // what moves them
    {"joint to itself", "{" TWO ",\"joints\":[{\"kind\":\"ball\",\"bodies\":[\"a\",\"a\"]}]}",
     "it ties a body to itself"},
    {"joint to none", "{" TWO ",\"joints\":[{\"kind\":\"ball\",\"bodies\":[\"a\",\"c\"]}]}",
     "there is no rigidBody named \"c\""},
    {"joint of nothing", "{" TWO ",\"joints\":[{\"kind\":\"ball\",\"bodies\":[null,null]}]}",
     "it ties no body"},
    {"joint of what stands",
     "{" BODIES(
         "{\"name\":\"a\",\"type\":\"static\"}") ",\"joints\":[{\"kind\":\"ball\",\"bodies\":[\"a\",null]}]}",
     "none of its bodies is dynamic"},
    {"chain of one", "{" TWO ",\"joints\":[{\"kind\":\"ball\",\"bodies\":\"a\"}]}",
     "a chain of 1, named \"a\", ties nothing: give that body 2 copies or more"},
    {"axis to nowhere",
     "{" TWO ",\"joints\":[{\"kind\":\"hinge\",\"bodies\":[\"a\",\"b\"],\"axis\":[0,0,0]}]}",
     "axis is (0, 0, 0), which points nowhere"},
    {"force on nothing", "{" TWO ",\"forces\":[{\"kind\":\"drag\",\"bodies\":[]}]}",
     "a force on no body: name some, or say \"all\""},
    {"spring to itself", "{" TWO ",\"forces\":[{\"kind\":\"spring\",\"bodies\":[\"a\",\"a\"]}]}",
     "it ties \"a\" to itself"},
    {"stiffest spring",
     "{" TWO
     ",\"forces\":[{\"kind\":\"spring\",\"bodies\":[\"a\",\"b\"],\"stiffness\":1e12,\"damping\":1e12}]}",
     NULL},
    {"torque upon dust",
     "{" BODIES("{\"name\":\"a\",\"size\":[1e-3,1e-3,1e-3]}") ","
                                                              "\"forces\":[{\"kind\":\"torque\",\"bodies\":["
                                                              "\"a\"],\"vector\":[1e9,0,1e9]}]}",
     "left what floats can hold"},
};

static inline void assertFinite(wbWorld *world) {
    for (int i = 0; i < wbWorld_GetRigidBodyCount(world); i++) {
        wbRigidMotion motion;
        assert_int_equal(wbRigidBody_GetMotion(world, wbWorld_GetRigidBody(world, i), &motion).code, wb_ok);
        const wbVec3 sum = wbAdd(wbAdd(motion.position, motion.velocity), motion.spin);
        assert_true(isfinite(sum.x) && isfinite(sum.y) && isfinite(sum.z));
    }
}

static inline wbStatus runSteps(wbWorld *world) {
    wbStatus status = {0};
    for (int k = 0; wbIsOk(status) && k < 30; k++) status = wbWorld_Step(world, 0);
    return status;
}
