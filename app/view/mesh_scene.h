// SPDX-License-Identifier: MIT
// A small scene for a mesh that was handed to the window: as a rigid body of a metre it falls onto a floor.
#pragma once

#include "app/view/sim.h"

/// Written into the user's cache folder, as `path`.
wbStatus wbWriteMeshScene(const char *mesh, char path[WB_SIM_TEXT]);
