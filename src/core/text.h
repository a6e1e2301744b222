// SPDX-License-Identifier: MIT
// Small helpers for messages.
#pragma once

/// The entry of `names` (count entries) nearest to `name` by edits, NULL if none is near enough to be meant.
const char *wbNearestName(const char *name, const char *const *names, int count);
