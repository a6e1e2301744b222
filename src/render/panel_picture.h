// SPDX-License-Identifier: MIT
// Pictures that a window's panels show, as textures of the context that is current.
#pragma once

#include <stdint.h>

/// rgb: rows from top to bottom, 3 bytes per pixel. The name of a texture; 0: it could not be made.
unsigned wbCreatePanelPicture(const uint8_t *rgb, int width, int height);
/// 0 is allowed.
void wbDestroyPanelPicture(unsigned picture);
