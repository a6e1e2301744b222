// SPDX-License-Identifier: MIT
#include "app/view/keys.h"

#include <stdio.h>

const wbKeyRow wb_keys[] = {
    {wb_keySpace, 0, wb_actPause, "Space", "run or pause"},
    {wb_keyDot, 0, wb_actStep, ".", "one step, then pause"},
    {wb_keyBackspace, 0, wb_actRestart, "Backspace", "restart the scene"},
    {'R', 0, wb_actReload, "R", "read the scene's file again"},
    {'R', WB_MOD_CTRL, wb_actAutoReload, "Ctrl R", "read it again whenever it changes, or not"},
    {wb_keyPlus, 0, wb_actFaster, "+", "twice as fast"},
    {wb_keyPlus, WB_MOD_SHIFT, wb_actFaster, "+", ""},
    {wb_keyMinus, 0, wb_actSlower, "-", "half as fast"},
    {wb_keyLeft, 0, wb_actBack, "Left", "one step back"},
    {wb_keyLeft, WB_MOD_SHIFT, wb_actBackTen, "Shift Left", "ten steps back"},
    {wb_keyLeft, WB_MOD_CTRL, wb_actBackFrame, "Ctrl Left", "one frame of a film back"},
    {wb_keyRight, 0, wb_actForth, "Right", "one step forth"},
    {wb_keyRight, WB_MOD_SHIFT, wb_actForthTen, "Shift Right", "ten steps forth"},
    {wb_keyRight, WB_MOD_CTRL, wb_actForthFrame, "Ctrl Right", "one frame of a film forth"},
    {'G', 0, wb_actGravity, "G", "gravity off or on"},
    {'B', 0, wb_actThrow, "B", "throw a ball along the cursor"},
    {'H', 0, wb_actHandles, "H", "handles of things, of the domain's sides too, or none"},
    {'S', WB_MOD_CTRL, wb_actSave, "Ctrl S", "write the recording: NAME-recording.json"},
    {'S', WB_MOD_CTRL | WB_MOD_SHIFT, wb_actCheckpoint, "Ctrl Shift S",
     "write a checkpoint: NAME-STEP.checkpoint"},
    {'E', WB_MOD_CTRL, wb_actSaveSettings, "Ctrl E", "write what was set: NAME-settings.json"},
    {'E', WB_MOD_CTRL | WB_MOD_SHIFT, wb_actSaveScene, "Ctrl Shift E",
     "write the scene with what was set: NAME-changed.json"},
    {'L', WB_MOD_CTRL, wb_actLoadSettings, "Ctrl L", "set what is in NAME-settings.json"},
    {'M', 0, wb_actMark, "M", "set a mark on the line of time"},
    {wb_keyF9, 0, wb_actFilm, "F9", "begin or end a film: NAME-film.mp4"},
    {'F', 0, wb_actFrame, "F", "frame what is selected, or the whole domain"},
    {wb_keyHome, 0, wb_actSceneCamera, "Home", "the scene's own camera (C, too)"},
    {'C', 0, wb_actSceneCamera, "C", ""},
    {'1', 0, wb_actFront, "1", "look from the front"},
    {'1', WB_MOD_CTRL, wb_actBehind, "Ctrl 1", "look from behind"},
    {'3', 0, wb_actRight, "3", "look from the right"},
    {'3', WB_MOD_CTRL, wb_actLeft, "Ctrl 3", "look from the left"},
    {'7', 0, wb_actTop, "7", "look from above"},
    {'7', WB_MOD_CTRL, wb_actBottom, "Ctrl 7", "look from below"},
    {'5', 0, wb_actFlat, "5", "with or without perspective"},
    {'C', WB_MOD_CTRL, wb_actCopyCamera, "Ctrl C", "copy the camera as --set"},
    {'Z', WB_MOD_CTRL, wb_actUndo, "Ctrl Z", "undo the last change of a parameter"},
    {'Q', 0, wb_actQuality, "Q", "next quality of the picture"},
    {wb_keyTab, 0, wb_actPanels, "Tab", "hide or show the panels"},
    {wb_keyF1, 0, wb_actKeys, "F1", "this page"},
    {wb_keyF2, 0, wb_actStatistics, "F2", "statistics"},
    {wb_keyF12, 0, wb_actPicture, "F12", "write the picture: NAME-STEP.png"},
    {wb_keyF12, WB_MOD_SHIFT, wb_actWindowPicture, "Shift F12", "write the picture with its panels"},
    {wb_keyF3, 0, wb_actPlots, "F3", "plots"},
    {'O', 0, wb_actOverlays, "O", "overlays, and what the picture shows"},
    {'1', WB_MOD_SHIFT, wb_actSurface, "Shift 1", "water as a surface"},
    {'2', WB_MOD_SHIFT, wb_actSpheres, "Shift 2", "water as spheres"},
    {'3', WB_MOD_SHIFT, wb_actPoints, "Shift 3", "water as points"},
    {'K', 0, wb_actNextColour, "K", "what the water's colour shows: the next quantity"},
    {'L', 0, wb_actNextField, "L", "the air on a slice: the next field"},
    {'[', 0, wb_actSliceBack, "[", "the slice a cell back"},
    {']', 0, wb_actSliceForth, "]", "the slice a cell forth"},
    {'V', 0, wb_actArrows, "V", "arrows of velocities"},
    {'O', WB_MOD_CTRL, wb_actScenes, "Ctrl O", "list of scenes"},
    {'N', 0, wb_actNext, "N", "next scene"},
    {'P', 0, wb_actPrevious, "P", "previous scene"},
    {wb_keyF11, 0, wb_actFullScreen, "F11", "full screen"},
    {wb_keyEscape, 0, wb_actEscape, "Esc", "end a drag, or close what is open"},
    {'Q', WB_MOD_CTRL, wb_actQuit, "Ctrl Q", "quit"},
};
const int wb_keyCount = sizeof wb_keys / sizeof wb_keys[0];

wbAction wbFindAction(int key, int mods) {
    for (int i = 0; i < wb_keyCount; i++)
        if (wb_keys[i].key == key && wb_keys[i].mods == mods) return wb_keys[i].action;
    return wb_actNone;
}

wbAction wbFindActionNamed(const char *name) {
    for (int i = 0; i < wb_keyCount; i++) {
        const char *a = wb_keys[i].name, *b = name;
        while (*a && (*a == *b || (*a == ' ' && *b == '+'))) a++, b++;
        if (!*a && !*b) return wb_keys[i].action;
    }
    return wb_actNone;
}

const char *wbGetKeyName(wbAction action) {
    for (int i = 0; i < wb_keyCount; i++)
        if (wb_keys[i].action == action) return wb_keys[i].name;
    return "";
}

void wbPrintKeys(void) {
    printf("| key | does |\n|---|---|\n");
    for (int i = 0; i < wb_keyCount; i++)
        if (wb_keys[i].sentence[0]) printf("| %s | %s |\n", wb_keys[i].name, wb_keys[i].sentence);
}
