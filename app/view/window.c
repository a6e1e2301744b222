// SPDX-License-Identifier: MIT
#include "app/view/window.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/status.h"

enum { MAX_INPUTS = 256 };

struct wbWindow {
    GLFWwindow *handle;
    wbInput inputs[MAX_INPUTS]; ///< a ring
    int first, count;
    char drop[WB_MAX_DROP];
    wbInput cursor; ///< where it is, and what is held
    int windowed[4];
};

// Of moves in a row the last one counts. A full ring loses the oldest: nothing is so old that it still matters.
static void put(wbWindow *window, wbInput input) {
    wbInput *last = &window->inputs[(window->first + window->count + MAX_INPUTS - 1) % MAX_INPUTS];
    if (window->count > 0 && input.kind == wb_inputMove && last->kind == wb_inputMove) {
        *last = input;
        return;
    }
    if (window->count == MAX_INPUTS) window->first = (window->first + 1) % MAX_INPUTS, window->count--;
    window->inputs[(window->first + window->count++) % MAX_INPUTS] = input;
}

static int toMods(int mods) {
    return (mods & GLFW_MOD_SHIFT ? WB_MOD_SHIFT : 0) | (mods & GLFW_MOD_CONTROL ? WB_MOD_CTRL : 0) |
           (mods & GLFW_MOD_ALT ? WB_MOD_ALT : 0);
}

// A key that is a modifier itself is not in the event's own: there they are as of before.
static int toOwnMod(int key) {
    if (key == GLFW_KEY_LEFT_SHIFT || key == GLFW_KEY_RIGHT_SHIFT) return WB_MOD_SHIFT;
    if (key == GLFW_KEY_LEFT_CONTROL || key == GLFW_KEY_RIGHT_CONTROL) return WB_MOD_CTRL;
    return key == GLFW_KEY_LEFT_ALT || key == GLFW_KEY_RIGHT_ALT ? WB_MOD_ALT : 0;
}

static int toKey(int key) {
    static const struct {
        int from, to;
    } others[] = {
        {GLFW_KEY_ESCAPE, wb_keyEscape}, {GLFW_KEY_TAB, wb_keyTab},     {GLFW_KEY_BACKSPACE, wb_keyBackspace},
        {GLFW_KEY_LEFT, wb_keyLeft},     {GLFW_KEY_RIGHT, wb_keyRight}, {GLFW_KEY_HOME, wb_keyHome},
        {GLFW_KEY_F1, wb_keyF1},         {GLFW_KEY_F2, wb_keyF2},       {GLFW_KEY_F3, wb_keyF3},
        {GLFW_KEY_F9, wb_keyF9},         {GLFW_KEY_F11, wb_keyF11},     {GLFW_KEY_F12, wb_keyF12},
        {GLFW_KEY_EQUAL, wb_keyPlus},    {GLFW_KEY_KP_ADD, wb_keyPlus}, {GLFW_KEY_KP_SUBTRACT, wb_keyMinus},
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i].from == key) return others[i].to;
    return key < 128 ? key : wb_keyNone; // letters, digits and signs are named by their capitals
}

static void onKey(GLFWwindow *handle, int key, int scan, int action, int mods) {
    wbWindow *window = glfwGetWindowUserPointer(handle);
    (void)scan;
    const int own = toOwnMod(key), others = toMods(mods) & ~own;
    window->cursor.mods = action == GLFW_RELEASE ? others : others | own;
    wbInput input = window->cursor;
    input.kind = wb_inputMove;
    if (own) put(window, input); // what the cursor is on may be shown now
    if (action == GLFW_RELEASE) return;
    input.kind = wb_inputKey, input.code = toKey(key);
    if (input.code != wb_keyNone) put(window, input);
}

static void onButton(GLFWwindow *handle, int button, int action, int mods) {
    wbWindow *window = glfwGetWindowUserPointer(handle);
    wbInput input = window->cursor;
    input.kind = action == GLFW_PRESS ? wb_inputPress : wb_inputRelease;
    input.mods = toMods(mods);
    input.code = button;
    put(window, input);
}

static void onMove(GLFWwindow *handle, double x, double y) {
    wbWindow *window = glfwGetWindowUserPointer(handle);
    window->cursor.x = x, window->cursor.y = y;
    wbInput input = window->cursor;
    input.kind = wb_inputMove;
    put(window, input);
}

static void onWheel(GLFWwindow *handle, double x, double y) {
    wbWindow *window = glfwGetWindowUserPointer(handle);
    (void)x;
    wbInput input = window->cursor;
    input.kind = wb_inputWheel, input.wheel = y;
    put(window, input);
}

static void onDrop(GLFWwindow *handle, int count, const char **paths) {
    wbWindow *window = glfwGetWindowUserPointer(handle);
    wbInput input = window->cursor;
    input.kind = wb_inputDrop;
    size_t length = 0;
    window->drop[0] = 0;
    for (int i = 0; i < count && length + strlen(paths[i]) + 2 < sizeof window->drop; i++)
        length += (size_t)snprintf(window->drop + length, sizeof window->drop - length, "%s%s", i ? "\t" : "",
                                   paths[i]);
    input.code = count;
    put(window, input);
}

// Set before the panels' library sets its own, which calls these.
static void setCallbacks(GLFWwindow *handle) {
    glfwSetKeyCallback(handle, onKey);
    glfwSetMouseButtonCallback(handle, onButton);
    glfwSetCursorPosCallback(handle, onMove);
    glfwSetScrollCallback(handle, onWheel);
    glfwSetDropCallback(handle, onDrop);
}

static wbStatus refuse(const char *what) {
    const char *why = NULL;
    glfwGetError(&why);
    return wbError(wb_errorDevice, "no window: %s (%s)", what, why ? why : "no reason given");
}

wbStatus wbCreateWindow(wbSize size, const char *title, wbWindow **window) {
    *window = NULL;
    if (!glfwInit()) return refuse("there is no display: set DISPLAY, or film with wirbel run --video");
    wbWindow *made = wbAllocZero(NULL, sizeof *made);
    if (!made) return wbError(wb_errorMemory, "no memory for a window");
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    made->handle = glfwCreateWindow(size.width, size.height, title, NULL, NULL);
    if (!made->handle) {
        wbStatus status = refuse("OpenGL 3.3 is needed: install the package libgl1-mesa-dri");
        wbDestroyWindow(made);
        return status;
    }
    glfwSetWindowUserPointer(made->handle, made);
    setCallbacks(made->handle);
    glfwMakeContextCurrent(made->handle);
    glfwSwapInterval(0); // frames are limited by the clock: drivers on the CPU do not wait
    *window = made;
    return wb_okStatus;
}

void wbDestroyWindow(wbWindow *window) {
    if (!window) return;
    if (window->handle) glfwDestroyWindow(window->handle);
    glfwTerminate();
    wbFree(NULL, window, sizeof *window);
}

void wbWindow_Poll(wbWindow *window, double seconds) {
    if (seconds > 0 && window->count == 0)
        glfwWaitEventsTimeout(seconds);
    else
        glfwPollEvents();
}

bool wbWindow_NextInput(wbWindow *window, wbInput *input) {
    if (window->count == 0) return false;
    *input = window->inputs[window->first];
    window->first = (window->first + 1) % MAX_INPUTS;
    window->count--;
    return true;
}

const char *wbWindow_GetDrop(const wbWindow *window) { return window->drop; }

bool wbWindow_IsClosed(const wbWindow *window) { return glfwWindowShouldClose(window->handle); }

wbSize wbWindow_GetPixels(const wbWindow *window) {
    wbSize size = {0, 0};
    if (!glfwGetWindowAttrib(window->handle, GLFW_ICONIFIED))
        glfwGetFramebufferSize(window->handle, &size.width, &size.height);
    return size;
}

wbSize wbWindow_GetSize(const wbWindow *window) {
    wbSize size;
    glfwGetWindowSize(window->handle, &size.width, &size.height);
    return size;
}

void wbWindow_Show(wbWindow *window) { glfwSwapBuffers(window->handle); }
void wbWindow_SetTitle(wbWindow *window, const char *title) { glfwSetWindowTitle(window->handle, title); }
void wbWindow_Copy(wbWindow *window, const char *text) { glfwSetClipboardString(window->handle, text); }
void *wbWindow_GetHandle(wbWindow *window) { return window->handle; }

void wbWindow_ToggleFullScreen(wbWindow *window) {
    int *old = window->windowed;
    if (glfwGetWindowMonitor(window->handle)) {
        glfwSetWindowMonitor(window->handle, NULL, old[0], old[1], old[2], old[3], GLFW_DONT_CARE);
        return;
    }
    GLFWmonitor *monitor = glfwGetPrimaryMonitor();
    const GLFWvidmode *mode = monitor ? glfwGetVideoMode(monitor) : NULL;
    if (!mode) return;
    glfwGetWindowPos(window->handle, &old[0], &old[1]);
    glfwGetWindowSize(window->handle, &old[2], &old[3]);
    glfwSetWindowMonitor(window->handle, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
}
