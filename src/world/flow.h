// SPDX-License-Identifier: MIT
// Emitters and drains of a world; the order of their work in a step stands in flow.c.
#pragma once

#include "world/object.h"

enum { WB_MAX_FLOW_OBJECTS = 4096, WB_PIPE_BINS = 64 };

/// What a message says only once.
enum { WB_SAID_FULL = 1, WB_SAID_TAKEN = 2, WB_SAID_MEMORY = 4, WB_SAID_FAST = 8 };

/// All that the next step reads of an emitter, beside its parameters.
typedef struct wbEmitterState {
    double moved; ///< m that the water in a mouth has moved on since the last layer came out
    int64_t emitted;
    int64_t waiting; ///< of a pump: drained and ready to come out
    int64_t isFired; ///< a block has come, and comes again only after it was closed
} wbEmitterState;

/// The mouth or the block, as its parameters make it: u and v of the places of a layer, m.
typedef struct wbMouth {
    wbArray u, v;
    FlowSites sites; ///< a disc's layers and its origin follow in the step
} wbMouth;

typedef struct wbEmitter {
    char name[WB_NAME_SIZE];
    int fluid;  ///< index
    bool isFed; ///< by a drain, or once was: it emits what it is given, and nothing else
    int said;
    wbEmitterParams params;
    wbMouth mouth;
    wbEmitterState state, hostState; ///< the other: as of the state on the host
} wbEmitter;

typedef struct wbDrainState {
    double allowance; ///< smallest particles that the rate still allows; below 0 after one that was larger
    double binTime;   ///< s since the bins moved on
    int64_t bins[WB_PIPE_BINS]; ///< of a pump's pipe: the last bin is next to come out
    int64_t drained;
} wbDrainState;

typedef struct wbDrain {
    char name[WB_NAME_SIZE];
    int emitter; ///< index; -1: none
    int said;
    wbDrainParams params;
    wbDrainState state, hostState;
} wbDrain;

static inline wbEmitter *wbGetEmitterAt(const wbWorld *world, int index) {
    return (wbEmitter *)world->emitters.data + index;
}
static inline wbDrain *wbGetDrainAt(const wbWorld *world, int index) {
    return (wbDrain *)world->drains.data + index;
}

/// Places of a mouth or block for particles of a liquid; wb_errorInput if it is empty, too large or beyond the closed sides.
wbStatus wbMouth_Build(const wbWorld *world, const wbParticleFluid *liquid, const char *name,
                       const wbEmitterParams *params, wbMouth *mouth);
void wbMouth_Free(const wbWorld *world, wbMouth *mouth);

/// Makes them with a new id (index1 0), or as the next of those that were saved: wbCreateEmitter and wbLoadWorld.
wbStatus wbAddEmitter(wbWorld *world, const char *name, int fluid, const wbEmitterParams *params,
                      uint32_t index1);
wbStatus wbAddDrain(wbWorld *world, const char *name, int emitter, const wbDrainParams *params,
                    uint32_t index1);

void wbRemoveEmitter(wbWorld *world, int index);
/// An emitter goes: drains that feed it keep what they take, and those of emitters behind it follow them.
void wbUnlinkDrains(wbWorld *world, int emitter);

/// Particles per second that a disc lets out if nothing is in its way; 0 while it does not work.
double wbGetEmitterCapacity(const wbWorld *world, const wbEmitter *emitter, double time);

/// After the solver's step from `time` on: emits and drains what belongs into it.
wbStatus wbRunEmitter(wbWorld *world, wbEmitter *emitter, double time, float dt);
wbStatus wbRunDrain(wbWorld *world, wbDrain *drain, double time, float dt);

/// The part of the step in which an object works: from *begin to *end, s. False if it is empty.
bool wbFindWorkTime(double start, double stop, double time, float dt, double *begin, double *end);
