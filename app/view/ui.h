// SPDX-License-Identifier: MIT
// Panels, rows and curves as plain functions; ui.cpp alone knows the library that draws them. No logic is here: who calls
// decides what a row shows and what a change of it does.
#pragma once

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// After the window's own callbacks are set.
void wbUi_Open(void *windowHandle);
void wbUi_Close(void);
void wbUi_BeginFrame(void);
/// Draws into the framebuffer that is bound.
void wbUi_EndFrame(void);

/// Whether a panel of the last frame, or something that opened over all of them, is at a place of the window.
bool wbUi_HasMouseAt(float x, float y);
/// Whether a text field has the keys.
bool wbUi_HasKeys(void);
/// Takes the keys away from it: the library does not see one that is pressed and released within a frame.
void wbUi_LeaveField(void);

/// A panel at a fixed place, in pixels of the window. To be ended in any case.
bool wbUi_BeginPanel(const char *name, float x, float y, float width, float height);
/// One over the others, in the middle, as large as it needs to be; *open becomes false when the user closes it.
bool wbUi_BeginPopup(const char *name, float x, float y, float width, float height, bool *open);
void wbUi_EndPanel(void);

/// @name Rows. Each may have a tooltip; NULL: none.
/// @{
void wbUi_Text(const char *format, ...) __attribute__((format(printf, 1, 2)));
void wbUi_Faint(const char *format, ...) __attribute__((format(printf, 1, 2)));
void wbUi_Warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
/// A name on the left of a panel and its value on the right.
void wbUi_Pair(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool wbUi_Button(const char *label, const char *tooltip);
/// Pressed: it stays lit.
bool wbUi_Toggle(const char *label, bool isOn, const char *tooltip);
bool wbUi_Tick(const char *label, bool *value, const char *tooltip);
bool wbUi_Combo(const char *label, int *value, const char *const *names, int count, float width,
                const char *tooltip);
/// A headline that opens and closes what belongs to it.
bool wbUi_Section(const char *label, bool isOpenAtFirst, const char *tooltip);
bool wbUi_Selectable(const char *label, bool isSelected, const char *tooltip);
/// A picture with a headline and lines beside it, over the whole width.
typedef struct wbUiCard {
    const char *title, *text; ///< the title also tells cards apart
    unsigned picture;         ///< a texture; 0: an empty frame
    float width, height;      ///< of the picture
    bool isSelected;
    bool isSeen; ///< set: it lies within the panel, and its picture is needed
} wbUiCard;

/// True when it was clicked.
bool wbUi_Card(wbUiCard *card);
bool wbUi_Input(const char *hint, char *text, int size, float width);
void wbUi_SameLine(void);
void wbUi_Space(float width);
void wbUi_Separator(void);
/// What follows stands in so many columns, one after the other by wbUi_NextColumn; 1: no longer.
void wbUi_Columns(int count);
void wbUi_NextColumn(void);
/// @}

/// What a user did with a row.
typedef enum wbUiEdit { wb_uiNone, wb_uiChanged, wb_uiDefault, wb_uiScene, wb_uiCopy, wb_uiPlot } wbUiEdit;

/// How a row of numbers is shown.
typedef struct wbUiRow {
    const char *key; ///< tells it from others with the same label; NULL: there are none
    const char *label, *tooltip;
    bool isChanged; ///< has a mark
    bool isFixed;   ///< can only be read
    float low, high;
    bool isLogarithmic, isWhole;
    const char *format; ///< "%.4g m"
} wbUiRow;

/// One or three numbers, a colour, a tick, a choice: changed in place.
wbUiEdit wbUi_Slider(const wbUiRow *row, float *value);
wbUiEdit wbUi_Vector(const wbUiRow *row, float value[3]);
wbUiEdit wbUi_Colour(const wbUiRow *row, float value[3]);
wbUiEdit wbUi_Check(const wbUiRow *row, bool *value);
wbUiEdit wbUi_Choice(const wbUiRow *row, int *value, const char *zeroSeparated);
/// A tick "auto" before the row that follows on the same line; true when it was clicked.
bool wbUi_Auto(const wbUiRow *row, bool *isAuto);

/// A line of time. Marks are shares of it, each with a kind: 0 a checkpoint, 1 a command, 2 a note.
typedef struct wbUiMark {
    float share;
    int kind;
} wbUiMark;

/// Share of the line that was pressed or dragged to; negative: it was not.
float wbUi_TimeLine(float now, const wbUiMark *marks, int count, const char *label, float height);

/// One curve of a plot, oldest value first.
typedef struct wbUiCurve {
    const char *name, *summary; ///< what stands below the plot
    const float *values;        ///< a ring, if first is not 0; gaps are not finite
    int first, count, capacity;
} wbUiCurve;

/// Curves over frames, on one scale; the index below the cursor, if it was clicked, else -1.
int wbUi_Plot(const char *title, const wbUiCurve *curves, int count, bool isStacked, float height,
              bool *isRightClicked);

/// @name Over the picture and below the panels, within a rectangle. Colours are red, green, blue, opacity.
/// @{
void wbUi_BeginOver(float x, float y, float width, float height);
void wbUi_EndOver(void);
void wbUi_Line(float x0, float y0, float x1, float y1, float width, const unsigned char colour[4]);
/// Filled, or a ring.
void wbUi_Disc(float x, float y, float radius, const unsigned char colour[4], bool isFull);
/// Lines of text beside a cursor there.
void wbUi_Tip(const char *text, float x, float y);
/// @}

/// Large letters over the picture, around a place; smaller where there is less room.
void wbUi_Banner(const char *text, float x, float y, float room);
/// A bar with what is done so far, around a place.
void wbUi_Progress(const char *text, float share, float x, float y);
/// A line between two pictures, two pixels wide.
void wbUi_Divider(float x, float y, float height);
/// Text over the picture, from its left and upper end on, in lines where it is long; how high it stands there.
float wbUi_Note(const char *text, float x, float y);

#ifdef __cplusplus
}
#endif
