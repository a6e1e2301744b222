// SPDX-License-Identifier: MIT
// Outputs must not take the place of what is read, nor of each other.
#pragma once

#include "app/args.h"
#include "wirbel/scene.h"

/// Whether no output would replace the scene's file, one of its meshes, the checkpoint that is resumed (but by --save) or
/// a colouring, also if it goes there by another path or a link, and no two outputs are one file. False after a complaint;
/// nothing was touched.
bool wbCheckPaths(const wbOptions *options, const wbScene *scene);
