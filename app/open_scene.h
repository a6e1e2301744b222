// SPDX-License-Identifier: MIT
// A scene as the command line wants it: found, read, and changed by --set, --set-at and --threads.
#pragma once

#include "app/args.h"
#include "wirbel/scene.h"

/// operands[0] names the scene. NULL after a complaint.
wbScene *wbOpenScene(const wbOptions *options);
