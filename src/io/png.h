// SPDX-License-Identifier: MIT
// PNG pictures.
#pragma once

#include "wirbel/base.h"

/// Rows from top to bottom, without gaps; channels 3 (RGB) or 4 (RGBA), one byte each, sRGB.
wbStatus wbWritePng(const char *path, const uint8_t *pixels, int width, int height, int channels);
