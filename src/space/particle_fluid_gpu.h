// SPDX-License-Identifier: MIT
// The base of fluids of particles on a compute device, the twin of particle_fluid.h: what a step does around a method's own
// kernels. A method is a wbFluidGpuKind. A step of it goes like this:
//
//     wbFluidStepGpu fluid = wbMakeFluidStepGpu(…)
//     wbFluidStepGpu_Reserve(…)           all room, before anything runs
//     wbFluidStepGpu_Begin(…)             particles come to the device, if the host's are newer
//     wbFluidStepGpu_FindOrder(…)         cells; then the kernels for them are built, which may fail, too
//     wbFluidStepGpu_Sort(…)              into the order of cells
//     wbGpuSearch_Run(…), …               the method's passes
//     wbFluidStepGpu_KeepPositions(…)     where a drift begins
//     wbFluidStepGpu_Move(…)              its kernel that moves particles and tells of them (particle_fluid.cl)
//     wbFluidStepGpu_Collide(…)           what went through a surface is put back
//     wbFluidStepGpu_TakeSummaries(…)     fails where something is not finite, or particles have fallen into each other
//     wbFluidStepGpu_TakeImpulses(…)      of colliders
//     wbFluidStepGpu_TakeTimes(…)         of the phases, with all copies: last
//
// A step that fails leaves the device's particles halfway: who needs those of before has a copy of them, as the world has
// (world/snapshot.h).
#pragma once

#include "space/boundary_gpu.h"
#include "space/particle_fluid.h"
#include "space/particle_fluid_device.h"
#include "space/particles_gpu.h"
#include "space/response_gpu.h"

/// Sources of a method's program, after WB_GPU_SEARCH_SOURCES.
#define WB_GPU_FLUID_SOURCES wb_clParticleFluidDevice, wb_clParticleFluid
extern const char wb_clParticleFluidDevice[], wb_clParticleFluid[];

/// A column of the method's own: a float or an int per particle.
typedef struct wbFluidColumn {
    const char *name; ///< for the message when memory runs out
    unsigned terms;   ///< of the method: there is room for it in steps with any of these; 0: in all
} wbFluidColumn;

enum { WB_MAX_FLUID_COLUMNS = 48, WB_MAX_FLUID_BUFFERS = 16, WB_MORE_PROGRAMS = 3 };

/// A method on a device.
typedef struct wbFluidGpuKind {
    const wbFluidColumn *columns; ///< the first is there in all steps
    int columnCount, phaseCount;
    const wbGpuVariants *program, *boundaryProgram;      ///< the first of their switches is HASHED
    const wbGpuVariants *morePrograms[WB_MORE_PROGRAMS]; ///< likewise; NULL: none
} wbFluidGpuKind;

typedef struct wbFluidGpu {
    wbMemory *memory;
    wbGpu *gpu;
    wbParticlesGpu particles;
    wbBoundaryGpu boundary;
    wbResponseGpu response;
    const wbFluidGpuKind *kind;
    wbGpuVariantSet program, morePrograms[WB_MORE_PROGRAMS];
    wbGpuBuffer columns[WB_MAX_FLUID_COLUMNS]; ///< the method's own; nothing stays in the first between steps
    wbGpuBuffer buffers[WB_MAX_FLUID_BUFFERS]; ///< of the method, too, which has room made for them
    wbGpuBuffer neighbours; ///< of each particle, itself included: an int, which a method counts
    wbGpuBuffer summaries;
    wbGpuBuffer before[3];            ///< positions before a drift, for the collision
    wbGpuBuffer relative;             ///< densities of fluids over the solver's, if they differ
    wbGpuBuffer runFirst, runDensity; ///< runs of ids that tell them
    wbGpuKernel *mix, *bound;
} wbFluidGpu;

/// Particles of a method on the device, where they stay between steps.
wbStatus wbCreateFluidGpu(wbMemory *memory, wbGpu *gpu, const wbFluidGpuKind *kind, wbFluidGpu **fluid);
void wbDestroyFluidGpu(wbFluidGpu *fluid); ///< NULL is allowed
/// To copy them back, and to tell that the host's changed.
static inline wbParticlesGpu *wbFluidGpu_GetParticles(wbFluidGpu *fluid) { return &fluid->particles; }

typedef struct wbFluidStepGpu {
    wbFluidGpu *fluid;
    wbParticles *particles;
    const wbMixture *mixture;
    wbNeighbours *neighbours; ///< of the host, whose pairs are counted here
    const wbDomain *domain;
    float h;                           ///< m, support radius
    float smoothing;                   ///< the same in spacings
    const wbFluidColliders *colliders; ///< NULL: none
    const wbWork *work;
    double *ms;
    wbGpuSearch search;           ///< its constants are given, too
    wbGpuBuffer *front, *columns; ///< the particles' by wbParticleColumn, and the method's own
    bool isMixed;                 ///< fluids have different densities
    const wbGpuBuffer *weights;   ///< of particles, for the collision; NULL: relative densities
    wbGpuKernel **kernels;        ///< of the variant that was built last
} wbFluidStepGpu;

/// What is given, as on the cores, and the constants of the method's formulas.
wbFluidStepGpu wbMakeFluidStepGpu(wbFluidGpu *fluid, wbFluidStep given, wbGpuArg constants);
/// Room for the particles, for columns of these terms, for several fluids, colliders and their collision. Sides mirror velocities as if
/// they slip. Colliders are weighed by the kernel. `extra` columns are sorted along; NULL: none.
wbStatus wbFluidStepGpu_Reserve(wbFluidStepGpu *step, unsigned terms, const char *const extra[WB_GPU_EXTRA],
                                wbBoundaryKernel kernel);
/// What kernels do counts for a phase of the method.
void wbFluidStepGpu_SetPhase(const wbFluidStepGpu *step, int phase);
/// Copies what the host has, if that is newer, and finds the box around particles; from here on the device's change.
wbStatus wbFluidStepGpu_Begin(wbFluidStepGpu *step);

/// Finds the cells and the order of particles by the three columns from `position` on; they are not moved yet.
wbStatus wbFluidStepGpu_FindOrder(wbFluidStepGpu *step, int position);
/// The method's kernels, and those of colliders, for the cells as they are now, by its other switches.
wbStatus wbFluidStepGpu_Build(wbFluidStepGpu *step, unsigned switches);
wbStatus wbFluidStepGpu_BuildBoundary(wbFluidStepGpu *step, unsigned switches);
/// Moves so many columns, and the search begins from them.
wbStatus wbFluidStepGpu_Sort(wbFluidStepGpu *step, int columnCount);

/// Some columns into others.
wbStatus wbFluidStepGpu_Copy(const wbFluidStepGpu *step, const wbGpuBuffer *from, wbGpuBuffer *to,
                             int columnCount);

/// Sets columns of particles to 0.
wbStatus wbFluidStepGpu_Clear(const wbFluidStepGpu *step, wbGpuBuffer *columns, int columnCount);

/// Runs a kernel, by its place in the program, over particles: its arguments are their count, and these.
wbStatus wbFluidStepGpu_Run(const wbFluidStepGpu *step, int kernel, const wbGpuArg *args, int argCount);
/// One of SEARCHED particles, as wbGpuSearch_Run.
wbStatus wbFluidStepGpu_Search(const wbFluidStepGpu *step, int kernel, const wbGpuArg *args, int argCount);

/// Relative densities of particles in their present order, where fluids have different ones.
wbStatus wbFluidStepGpu_FillRelative(wbFluidStepGpu *step);
const wbGpuBuffer *wbFluidStepGpu_GetRelative(const wbFluidStepGpu *step); ///< or any
/// A buffer that kernels read where fluids have different densities; else any.
const wbGpuBuffer *wbFluidStepGpu_IfMixed(const wbFluidStepGpu *step, const wbGpuBuffer *buffer);

/// Whether there are colliders with points that count.
bool wbFluidStepGpu_HasBoundary(const wbFluidStepGpu *step);
/// Whether colliders stop what would pass through their triangles.
bool wbFluidStepGpu_HasCollision(const wbFluidStepGpu *step);
/// The collision of the last move, if there is any. Colliders get what particles lose whose velocities last.
wbStatus wbFluidStepGpu_Collide(wbFluidStepGpu *step, wbBoundaryTime from, wbBoundaryTime to, bool isLasting);
/// Forces on colliders, and what they get by collisions, become 0: before kernels write them, and particles move.
wbStatus wbFluidStepGpu_ClearForces(wbFluidStepGpu *step);
/// @name For methods that iterate, in a part of a step of so many seconds: space/response_gpu.h
/// @{
wbStatus wbFluidStepGpu_ReserveResponse(wbFluidStepGpu *step); ///< after wbFluidStepGpu_Reserve
wbStatus wbFluidStepGpu_BeginResponse(wbFluidStepGpu *step, wbBoundaryTime time, float seconds);
/// To forces on colliders that kernels have written so far.
wbStatus wbFluidStepGpu_Respond(const wbFluidStepGpu *step);
wbStatus wbFluidStepGpu_EndResponse(wbFluidStepGpu *step);
/// @}
/// Forces on colliders that the method's kernels have written, for so many seconds, and what particles of this mass (kg) have lost by
/// collisions, are added to their impulses. One copy to the host.
wbStatus wbFluidStepGpu_TakeImpulses(wbFluidStepGpu *step, wbBoundaryTime time, double seconds, double mass);

/// Copies positions for the collision, if there is any.
wbStatus wbFluidStepGpu_KeepPositions(const wbFluidStepGpu *step);
/// Runs a kernel over particles whose last arguments, beside these, are SUMMARIES
/// with the counts of neighbours.
wbStatus wbFluidStepGpu_Move(const wbFluidStepGpu *step, int kernel, const wbGpuArg *args, int argCount);
/// Sums over all particles, beside which the host gets their maxima.
typedef struct wbFluidSums {
    double speed2, fall; ///< as in FluidSummary
    int broken;
    int64_t pairs; ///< i -> j, without i -> i
} wbFluidSums;
/// After the move, and the collision. wb_errorUnstable if a particle is broken, or they have fallen into each other: it names one, for
/// which particles are copied to the host.
wbStatus wbFluidStepGpu_TakeSummaries(wbFluidStepGpu *step, wbFluidSums *sums);
/// Times of the phases.
wbStatus wbFluidStepGpu_TakeTimes(const wbFluidStepGpu *step);
