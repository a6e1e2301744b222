// SPDX-License-Identifier: MIT
// Ids as programs see them: what is alike for all kinds of objects.
#include "core/status.h"
#include "world/object.h"

#define WB_HANDLE(Name, name, title)                                                                         \
    bool wb##Name##_IsValid(const wbWorld *world, wb##Name##Id id) {                                         \
        WB_REQUIRE(world);                                                                                   \
        return wbIdPool_Find(&world->name##Ids, id.index1, id.generation) >= 0;                              \
    }                                                                                                        \
    int wbGet##Name##Index(const wbWorld *world, wb##Name##Id id) {                                          \
        WB_ASSERT(wb##Name##_IsValid(world, id), "this " title " id is null, stale or of another world");    \
        return wbIdPool_Find(&world->name##Ids, id.index1, id.generation);                                   \
    }                                                                                                        \
    int wbWorld_Get##Name##Count(const wbWorld *world) {                                                     \
        WB_REQUIRE(world);                                                                                   \
        return world->name##Ids.indexCount;                                                                  \
    }                                                                                                        \
    wb##Name##Id wbWorld_Get##Name(const wbWorld *world, int index) {                                        \
        WB_REQUIRE(world);                                                                                   \
        const wbIdPool *ids = &world->name##Ids;                                                             \
        WB_ASSERT(index >= 0 && index < ids->indexCount, title " index out of range");                       \
        return (wb##Name##Id){wbIdPool_GetIndex1(ids, index), wbIdPool_GetSlot(ids, index)->generation};     \
    }                                                                                                        \
    const char *wb##Name##_GetName(const wbWorld *world, wb##Name##Id id) {                                  \
        return wb_##name##Kind.getName(world, wbGet##Name##Index(world, id));                                \
    }                                                                                                        \
    void wb##Name##_SetUserData(wbWorld *world, wb##Name##Id id, void *data) {                               \
        int index = wbGet##Name##Index(world, id);                                                           \
        wbIdPool_GetSlot(&world->name##Ids, index)->userData = data;                                         \
    }                                                                                                        \
    void *wb##Name##_GetUserData(const wbWorld *world, wb##Name##Id id) {                                    \
        int index = wbGet##Name##Index(world, id);                                                           \
        return wbIdPool_GetSlot(&world->name##Ids, index)->userData;                                         \
    }

WB_HANDLE(Fluid, fluid, "fluid")
WB_HANDLE(Emitter, emitter, "emitter")
WB_HANDLE(Drain, drain, "drain")
WB_HANDLE(Collider, collider, "collider")
WB_HANDLE(Mechanism, mechanism, "mechanism")
WB_HANDLE(SoftBody, softBody, "soft body")
WB_HANDLE(Source, source, "source")
WB_HANDLE(Probe, probe, "probe")
WB_HANDLE(RigidBody, rigidBody, "rigid body")
WB_HANDLE(Joint, joint, "joint")
WB_HANDLE(Force, force, "force")
WB_HANDLE(Grab, grab, "grab")

void wbWorld_SetUserData(wbWorld *world, void *data) {
    WB_REQUIRE(world);
    world->userData = data;
}

void *wbWorld_GetUserData(const wbWorld *world) {
    WB_REQUIRE(world);
    return world->userData;
}
