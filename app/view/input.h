// SPDX-License-Identifier: MIT
// What a user does at a window, without a word of the library that opens it.
#pragma once

#include <stdbool.h>

/// Keys: printable ones by their capital letter or sign, the others by these.
typedef enum wbKey {
    wb_keyNone,
    wb_keySpace = ' ',
    wb_keyMinus = '-',
    wb_keyDot = '.',
    wb_keyPlus = '+',
    wb_keyEscape = 256,
    wb_keyTab,
    wb_keyBackspace,
    wb_keyLeft,
    wb_keyRight,
    wb_keyHome,
    wb_keyF1,
    wb_keyF2,
    wb_keyF3,
    wb_keyF9,
    wb_keyF11,
    wb_keyF12,
} wbKey;

enum { WB_MOD_SHIFT = 1, WB_MOD_CTRL = 2, WB_MOD_ALT = 4 };

typedef enum wbInputKind {
    wb_inputKey,     ///< pressed, or repeated while it is held
    wb_inputPress,   ///< a button
    wb_inputRelease, ///< a button
    wb_inputMove,
    wb_inputWheel,
    wb_inputDrop, ///< files
} wbInputKind;

enum { WB_BUTTON_LEFT, WB_BUTTON_RIGHT, WB_BUTTON_MIDDLE, WB_MAX_DROP = 1 << 15 };

typedef struct wbInput {
    wbInputKind kind;
    int code;     ///< wbKey, a button, or how many files
    int mods;     ///< of WB_MOD_…
    double x, y;  ///< of the cursor: pixels of the window from the left and the top
    double wheel; ///< notches, upwards
} wbInput;
