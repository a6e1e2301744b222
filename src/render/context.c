// SPDX-License-Identifier: MIT
#include "render/context.h"

#include "core/status.h"

#include <dlfcn.h>
#include <epoxy/egl.h>
#include <epoxy/gl.h>

static bool hasLibrary(const char *name) {
    void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (library != NULL) dlclose(library);
    return library != NULL;
}

// libepoxy loads these at the first call, and aborts the program if they are missing.
static wbStatus checkLibraries(void) {
    if (!hasLibrary("libEGL.so.1")) {
        return wbError(wb_errorDevice, "no pictures: libEGL.so.1 not found: install the package libegl1");
    }
    if (!hasLibrary("libOpenGL.so.0") && !hasLibrary("libGL.so.1")) {
        return wbError(wb_errorDevice, "no pictures: libGL.so.1 not found: install the package libgl1");
    }
    return wb_okStatus;
}

static EGLDisplay getDeviceDisplay(void) {
    EGLDeviceEXT device;
    EGLint count = 0;
    if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_device")) return EGL_NO_DISPLAY;
    if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_device_enumeration") &&
        !epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_device_base")) {
        return EGL_NO_DISPLAY;
    }
    if (!eglQueryDevicesEXT(1, &device, &count) || count < 1) return EGL_NO_DISPLAY;
    return eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, device, NULL);
}

static EGLDisplay getSurfacelessDisplay(void) {
    if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_base")) return EGL_NO_DISPLAY;
    if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless")) return EGL_NO_DISPLAY;
    return eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
}

static bool initialize(EGLDisplay display) {
    return display != EGL_NO_DISPLAY && eglInitialize(display, NULL, NULL);
}

// Mesa without any display first, then the first GPU (other vendors), then whatever the system's display is.
static EGLDisplay openDisplay(void) {
    EGLDisplay display = getSurfacelessDisplay();
    if (initialize(display)) return display;
    display = getDeviceDisplay();
    if (initialize(display)) return display;
    display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    return initialize(display) ? display : EGL_NO_DISPLAY;
}

static EGLContext createContext(EGLDisplay display, EGLConfig config) {
    const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION,
                                 3,
                                 EGL_CONTEXT_MINOR_VERSION,
                                 3,
                                 EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                 EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                 EGL_NONE};
    return eglCreateContext(display, config, EGL_NO_CONTEXT, attributes);
}

static EGLConfig chooseConfig(EGLDisplay display) {
    const EGLint attributes[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, EGL_PBUFFER_BIT,
                                 EGL_NONE};
    EGLConfig config = NULL;
    EGLint count = 0;
    if (!eglChooseConfig(display, attributes, &config, 1, &count) || count < 1) return NULL;
    return config;
}

// Pictures are drawn into framebuffer objects; a tiny surface is only made where EGL insists on one.
static EGLSurface createSurface(EGLDisplay display, EGLConfig config) {
    if (epoxy_has_egl_extension(display, "EGL_KHR_surfaceless_context")) return EGL_NO_SURFACE;
    const EGLint attributes[] = {EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE};
    return eglCreatePbufferSurface(display, config, attributes);
}

wbStatus wbGlContext_Create(wbGlContext *context) {
    *context = (wbGlContext){0};
    WB_TRY(checkLibraries());
    EGLDisplay display = openDisplay();
    if (display == EGL_NO_DISPLAY || !eglBindAPI(EGL_OPENGL_API)) {
        return wbError(wb_errorDevice,
                       "no pictures: EGL finds no OpenGL driver (error 0x%x): install the packages "
                       "libegl-mesa0 and libgl1-mesa-dri",
                       (unsigned)eglGetError());
    }
    EGLConfig config = chooseConfig(display);
    context->display = display;
    context->context = createContext(display, config);
    if (context->context == EGL_NO_CONTEXT) {
        return wbError(
            wb_errorDevice,
            "no pictures: the OpenGL driver is older than 3.3 (EGL error 0x%x): install the package "
            "libgl1-mesa-dri",
            (unsigned)eglGetError());
    }
    context->surface = createSurface(display, config);
    wbStatus status = wbGlContext_MakeCurrent(context);
    if (status.code != wb_ok) wbGlContext_Destroy(context);
    return status;
}

wbGlContext wbBorrowGlContext(void) { return (wbGlContext){.isBorrowed = true}; }

// The display stays open: it is one for the whole process, and other renderers may use it.
void wbGlContext_Destroy(wbGlContext *context) {
    if (context->display == NULL) return;
    eglMakeCurrent(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (context->surface != EGL_NO_SURFACE) eglDestroySurface(context->display, context->surface);
    if (context->context != EGL_NO_CONTEXT) eglDestroyContext(context->display, context->context);
    *context = (wbGlContext){0};
}

wbStatus wbGlContext_MakeCurrent(const wbGlContext *context) {
    if (context->isBorrowed) return wb_okStatus;
    if (eglMakeCurrent(context->display, context->surface, context->surface, context->context))
        return wb_okStatus;
    return wbError(wb_errorDevice, "no pictures: EGL cannot use its OpenGL context (error 0x%x)",
                   (unsigned)eglGetError());
}
