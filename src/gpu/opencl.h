// SPDX-License-Identifier: MIT
// OpenCL, loaded at run time: one table of functions per opened device, so that nothing is shared and a test can
// put its own functions in.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "core/status.h"

#define WB_OPENCL_FUNCTIONS(X)                                                                               \
    X(clGetPlatformIDs)                                                                                      \
    X(clGetPlatformInfo)                                                                                     \
    X(clGetDeviceIDs)                                                                                        \
    X(clGetDeviceInfo)                                                                                       \
    X(clCreateContext)                                                                                       \
    X(clReleaseContext)                                                                                      \
    X(clCreateCommandQueue)                                                                                  \
    X(clReleaseCommandQueue)                                                                                 \
    X(clCreateBuffer)                                                                                        \
    X(clReleaseMemObject)                                                                                    \
    X(clEnqueueWriteBuffer)                                                                                  \
    X(clEnqueueReadBuffer)                                                                                   \
    X(clEnqueueCopyBuffer)                                                                                   \
    X(clEnqueueFillBuffer)                                                                                   \
    X(clCreateProgramWithSource)                                                                             \
    X(clCreateProgramWithBinary)                                                                             \
    X(clBuildProgram)                                                                                        \
    X(clGetProgramBuildInfo)                                                                                 \
    X(clGetProgramInfo)                                                                                      \
    X(clReleaseProgram)                                                                                      \
    X(clCreateKernel)                                                                                        \
    X(clReleaseKernel)                                                                                       \
    X(clSetKernelArg)                                                                                        \
    X(clGetKernelWorkGroupInfo)                                                                              \
    X(clEnqueueNDRangeKernel)                                                                                \
    X(clGetEventInfo)                                                                                        \
    X(clGetEventProfilingInfo)                                                                               \
    X(clReleaseEvent)                                                                                        \
    X(clFinish)

typedef struct wbOpenCl {
    void *library; ///< NULL: not loaded
#define WB_FUNCTION(name) __typeof__(&(name)) name;
    WB_OPENCL_FUNCTIONS(WB_FUNCTION)
#undef WB_FUNCTION
} wbOpenCl;

/// The status says what is missing and which package brings it.
wbStatus wbLoadOpenCl(wbOpenCl *cl);
void wbUnloadOpenCl(wbOpenCl *cl);

/// The text, then what the code means: "kernel sph_forces could not be started: the device ran out of resources
/// (CL_OUT_OF_RESOURCES)". wb_errorMemory if memory was short, else wb_errorDevice.
wbStatus wbOpenClError(cl_int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
