// SPDX-License-Identifier: MIT
// Smooths a closed mesh after Taubin (1995): each pass pulls vertices to the mean of their neighbours and then pushes them back a
// little more, so that ripples of a few edges' length go and what is larger stays. Volume that a piece of the mesh, such
// as a drop, loses or gains thereby comes back by a shift along the normals.
#pragma once

#include "core/thread.h"
#include "wirbel/mesh.h"

wbStatus wbSmoothMesh(wbMesh *mesh, int passes, wbThreadPool *pool, wbMemory *memory);
