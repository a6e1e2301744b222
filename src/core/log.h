// SPDX-License-Identifier: MIT
#pragma once

#include "wirbel/base.h"

/// Passes a printf message to the host's log function, if there is one.
void wbLog(wbLogLevel level, const char *format, ...) __attribute__((format(printf, 2, 3)));
