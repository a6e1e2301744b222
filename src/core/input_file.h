// SPDX-License-Identifier: MIT
// Files that are read. Only regular ones: a pipe may never have a writer, and a device never an end.
#pragma once

#include <stdio.h>

#include "wirbel/base.h"

/// Opens for reading; *size are the bytes of the file. wb_errorFile "cannot read <path>: …" if it is no regular file.
wbStatus wbOpenInput(const char *path, FILE **file, size_t *size);
