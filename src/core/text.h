// SPDX-License-Identifier: MIT
// Small helpers for messages and values.
#pragma once

#include <stdbool.h>

/// Looks for the name that was meant, one known name after the other.
typedef struct wbNameSearch {
    const char *name;    ///< what was written
    const char *nearest; ///< of those seen; NULL: none is near enough to be meant
    int fewest;          ///< edits to it
} wbNameSearch;
wbNameSearch wbStartNameSearch(const char *name);
void wbNameSearch_Try(wbNameSearch *search, const char *known);

/// The entry of `names` (count entries) nearest to `name` by edits, NULL if none is near enough to be meant.
const char *wbNearestName(const char *name, const char *const *names, int count);

/// The whole text as one finite decimal number, with a point in any locale. False for anything else: empty,
/// spaces, trailing junk, nan, inf, hexadecimal, beyond double.
bool wbParseNumber(const char *text, double *value);

/// The shortest decimal number that reads back as the same float.
void wbFormatFloat(float value, char *text, int size);

/// "3.2 GB", in units of 1000.
void wbFormatBytes(double bytes, char *text, int size);
