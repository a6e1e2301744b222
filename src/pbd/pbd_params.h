// SPDX-License-Identifier: MIT
// Defaults of position based solids.
#pragma once

#include "wirbel/params.h"

wbPbdParams wbDefaultPbdParams(void);
