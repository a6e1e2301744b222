// SPDX-License-Identifier: MIT
// Meshes from files. wbReadMesh is declared in wirbel/mesh.h.
#pragma once

#include "wirbel/mesh.h"

/// Reads a mesh from the bytes of a file; `path` gives the format by its ending, and stands in messages.
wbStatus wbReadMeshBytes(const char *path, const void *bytes, size_t size, wbMesh *mesh);
