// SPDX-License-Identifier: MIT
// Commands: what changes a world beside its parameters, by a key and a text, so that all of it can be written down and done again.
#pragma once

#include "world/object.h"

/// The text of a command, word by word: "12", "ball radius=0.1 position=0,1,0".
typedef struct wbCommandText {
    const char *rest; ///< what is not yet read
} wbCommandText;

typedef struct wbCommandRow {
    const wbObjectKind *kind; ///< of the object that stands before the point; NULL: "world"
    const char *name;         ///< behind the point
    const char *form;         ///< what its text looks like
    wbStatus (*run)(wbWorld *world, int index, wbCommandText *text);
} wbCommandRow;
