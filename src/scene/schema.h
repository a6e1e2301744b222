// SPDX-License-Identifier: MIT
// The JSON schema of scene files, from the same tables that read them.
#pragma once

#include <stdio.h>

#include "wirbel/base.h"

/// Writes docs/scene.schema.json.
wbStatus wbWriteSceneSchema(FILE *file);
