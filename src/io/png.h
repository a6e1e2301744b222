// SPDX-License-Identifier: MIT
// PNG pictures.
#pragma once

#include "core/array.h"
#include "wirbel/math.h"

/// Rows from top to bottom, without gaps; channels 3 (RGB) or 4 (RGBA), one byte each, sRGB.
wbStatus wbWritePng(const char *path, const uint8_t *pixels, int width, int height, int channels);

/// Rows from top to bottom, 3 bytes per pixel, into an array of bytes that grows where it is too small; up to 8192 pixels each way.
wbStatus wbReadPng(const char *path, wbArray *rgb, wbSize *size);
