// SPDX-License-Identifier: MIT
// What a device holds of smoke, for the files that run its phases.
#pragma once

#include "smoke/pressure_gpu.h"
#include "smoke/smoke_code.h"
#include "smoke/smoke_gpu.h"

/// Kernels of advection for one kind of path and one scheme.
typedef struct wbAdvectKernels {
    wbGpuKernel *faces, *bend, *centres;
} wbAdvectKernels;

/// Of smoke_nested.cl.
typedef struct wbNestedKernels {
    wbGpuKernel *scatter, *gather, *expand, *addB, *pushRim;
} wbNestedKernels;

struct wbSmokeGpu {
    wbMemory *memory;
    wbGpu *gpu;
    wbPressureGpu pressure;
    struct {
        wbGpuKernel *halo, *spread, *mark, *slip, *setFaces, *closeSides, *slowInflow, *empty, *feed, *burn,
            *curl, *force, *push, *sum, *scale, *laplace, *apply, *dot, *advance, *turn, *reflect,
            *reflectHalo, *sweep, *outflow, *pushCovered;
    } kernels;
    wbAdvectKernels advect[2][2];                 ///< [midpoint][corrects]
    wbGpuKernel *heatEdgeKernel, *heatMarkKernel; ///< built when heat is conducted first
    wbNestedKernels nestedKernels;                ///< of the fine grid, if there are two
    wbGpuBuffer velocity[2], scalars[2];          ///< front and back: one field after the other
    wbGpuBuffer scratch;                          ///< as many fields as a phase needs
    wbGpuBuffer reflected, bends;                 ///< three fields each, for the scheme reflect
    wbGpuBuffer active, marks, dirty[3];          ///< by block; dirty of the front, the back and the scratch
    wbGpuBuffer places, values, slips, cells; ///< of solids: faces, their velocities, faces beside air; cells
    wbGpuBuffer heatEdges;                    ///< SmokeHeatEdge
    int heatEdgeCount;
    wbGpuBuffer covered;    ///< cells that solids came to
    wbGpuBuffer sourceMask; ///< of the mesh of a source
    wbGpuBuffer sums;
    SmokeFaceRanges surfaces, faces, slipRanges;
    int solidCells;
    int solidVersion;     ///< of the solids that the device has; -1: none yet
    wbArray keptPressure; ///< float: as of the host's fields
    bool keepsPressure;
    bool hostIsNewer, deviceIsNewer;
};

/// What one step works with.
typedef struct wbSmokeGpuStep {
    wbSmokeGpu *device;
    wbSmoke *smoke;
    const wbSmokeModel *model;
    const wbWork *work;
    wbSmokeKind kinds[4];
    SmokeShape shape;
    const wbSmokeSource *sources;
    int sourceCount;
    double time;
    float dt;
} wbSmokeGpuStep;

/// @name A step and its parts
/// @{
wbSmokeGpuStep wbBeginSmokeGpu(wbSmokeGpu *device, wbSmoke *smoke, const wbSmokeModel *model,
                               const wbWork *work);
wbStatus wbPredictGpu(const wbSmokeGpuStep *step);
wbStatus wbFindDivergenceGpu(const wbSmokeGpuStep *step);
wbStatus wbTakePressureGpu(const wbSmokeGpuStep *step);
/// The device's fields are newer from now on; takes the times of a step that has not failed.
wbStatus wbEndSmokeGpu(wbSmokeGpuStep *step, wbStatus status);
/// The cells of a source's mesh, which may be others in each step.
wbStatus wbPlaceSourceMaskGpu(const wbSmokeGpuStep *step, const wbSmokeSource *source);
/// @}

/// Room for the lists of solids, and their content if it changed.
wbStatus wbReserveSolidsGpu(wbSmokeGpuStep *step);
wbStatus wbPlaceSolidsGpu(wbSmokeGpuStep *step);

/// What sides and solid cells do to fields, as in smoke_walls.h. Halos: of fields first … first + count - 1 of a buffer, of the kinds of velocities or all at
/// centres.
wbStatus wbFillHalosGpu(const wbSmokeGpuStep *step, const wbGpuBuffer *fields, int first, int count,
                        int firstKind, bool atRest);
/// Halos of the temperature as conduction needs them: sides may have their own.
wbStatus wbFillHeatHalosGpu(const wbSmokeGpuStep *step, const wbGpuBuffer *fields, int field, bool atRest);
wbStatus wbFillBendHalosGpu(const wbSmokeGpuStep *step);
wbStatus wbSlipAlongSolidsGpu(const wbSmokeGpuStep *step, const wbGpuBuffer *velocity);
wbStatus wbSetWallVelocitiesGpu(const wbSmokeGpuStep *step, const wbGpuBuffer *velocity, bool onlySurfaces);
wbStatus wbSlowInflowGpu(const wbSmokeGpuStep *step, const wbGpuBuffer *velocity);
wbStatus wbHoldSurfacesGpu(const wbSmokeGpuStep *step, bool hold);
/// Sets field `first` of the buffer to 0 on walls.
wbStatus wbClearWallsGpu(const wbSmokeGpuStep *step, const wbGpuBuffer *fields, int first, int axis);
wbStatus wbEmptySolidsGpu(const wbSmokeGpuStep *step);

wbStatus wbDiffuseSmokeGpu(const wbSmokeGpuStep *step);

/// @name Conduction of heat
/// @{
/// Kernels and room, once the step conducts heat; then the surfaces of solids; then the phase.
wbStatus wbPrepareHeatGpu(const wbSmokeGpuStep *step);
wbStatus wbPlaceHeatEdgesGpu(const wbSmokeGpuStep *step);
wbStatus wbConductHeatGpu(const wbSmokeGpuStep *step);
/// @}
/// Second order in time by reflection: its programs, and the phase.
wbStatus wbBuildReflectionGpu(wbSmokeGpu *device);
wbStatus wbReflectSmokeGpu(const wbSmokeGpuStep *step);

/// Advection by fluxes: what can fail, what comes before blocks are chosen, and the rest. Factors: of decay.
wbStatus wbPrepareFluxesGpu(wbSmokeGpuStep *step);
wbStatus wbStartFluxesGpu(const wbSmokeGpuStep *step, int *parts);
wbStatus wbRunFluxesGpu(const wbSmokeGpuStep *step, int parts, const float factors[]);

/// Sum of what a kernel left in the first groups of device->sums.
wbStatus wbTakeSumGpu(const wbSmokeGpuStep *step, int groups, double *sum);
