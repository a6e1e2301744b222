// SPDX-License-Identifier: MIT
// What the fuzz targets share. A target is the function that libFuzzer calls; without libFuzzer fuzz_main.c
// calls it for each file of the corpus.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "wirbel/scene.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// Aborts with the message unless the condition holds: that is a finding.
void wbExpect(bool condition, const char *message);

/// A failure has a text, and success has none.
void wbExpectText(wbStatus status);

/// Makes the scene small enough for thousands of runs a second: one thread, little memory, an instruction set by
/// `choice`. False if its particles are too many.
bool wbLimitScene(wbScene *scene, size_t choice);

/// Makes the scene's world, steps it, reads it and frees it. Whatever happens must be a status.
void wbRunScene(const wbScene *scene);

/// Steps once; what a successful step leaves must be finite, and what a failed one leaves must be readable.
void wbStepOnce(wbWorld *world);
