// SPDX-License-Identifier: MIT
// The user's cache folder: what can be made again, and is kept so that it need not be.
#pragma once

#include "wirbel/base.h"

enum { WB_CACHE_PATH = 1024 };

/// XDG_CACHE_HOME/wirbel/FOLDER, or ~/.cache/wirbel/FOLDER; made if it is not there. Errors say why there is none.
wbStatus wbOpenCache(const char *folder, char path[WB_CACHE_PATH]);
