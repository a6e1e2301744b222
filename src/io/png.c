// SPDX-License-Identifier: MIT
#include "io/png.h"

#include "core/input_file.h"
#include "core/output_file.h"
#include "core/status.h"
#include "wirbel/math.h"

#include <png.h>
#include <setjmp.h>
#include <string.h>

/// What libpng's callbacks reach: the file and the first error.
typedef struct Writer {
    wbOutputFile file;
    wbStatus status;
} Writer;

static void onError(png_structp png, png_const_charp message) {
    Writer *writer = png_get_error_ptr(png);
    if (writer->status.code == wb_ok) {
        writer->status =
            wbError(wb_errorFile, "cannot write %.150s: libpng: %s", writer->file.path.final, message);
        wbOutputFile_Abort(&writer->file);
    }
    png_longjmp(png, 1);
}

static void onWarning(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

static void onWrite(png_structp png, png_bytep data, size_t bytes) {
    Writer *writer = png_get_io_ptr(png);
    writer->status = wbOutputFile_Write(&writer->file, data, bytes);
    if (writer->status.code != wb_ok) png_error(png, writer->status.text);
}

static void onFlush(png_structp png) { (void)png; }

// Errors of libpng jump out of here: no local variable changes after setjmp, so that none is clobbered.
static bool writeImage(png_structp png, png_infop info, const uint8_t *pixels, wbSize size, int channels) {
    if (setjmp(png_jmpbuf(png))) return false;
    // level 3 and one filter: a third of the default's time for about a tenth more bytes
    png_set_compression_level(png, 3);
    png_set_filter(png, 0, PNG_FILTER_SUB);
    png_set_IHDR(png, info, (png_uint_32)size.width, (png_uint_32)size.height, 8,
                 channels == 4 ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (int y = 0; y < size.height; ++y) {
        png_write_row(png, pixels + (size_t)y * (size_t)size.width * (size_t)channels);
    }
    png_write_end(png, info);
    return true;
}

static bool encode(Writer *writer, const uint8_t *pixels, wbSize size, int channels) {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, writer, onError, onWarning);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    bool written = false;
    if (info != NULL) {
        png_set_write_fn(png, writer, onWrite, onFlush);
        written = writeImage(png, info, pixels, size, channels);
    }
    png_destroy_write_struct(&png, &info);
    return written;
}

wbStatus wbWritePng(const char *path, const uint8_t *pixels, int width, int height, int channels) {
    WB_ASSERT(width > 0 && height > 0 && (channels == 3 || channels == 4), "a picture needs pixels");
    Writer writer = {.status = wb_okStatus};
    WB_TRY(wbOutputFile_Open(&writer.file, path));
    if (encode(&writer, pixels, (wbSize){width, height}, channels)) return wbOutputFile_Close(&writer.file);
    if (writer.status.code != wb_ok) return writer.status;
    wbOutputFile_Abort(&writer.file);
    return wbError(wb_errorMemory, "cannot write %.150s: no memory for libpng", path);
}

static wbStatus decode(const char *path, FILE *file, wbArray *rgb, wbSize *size) {
    enum { MOST = 8192 };
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_stdio(&image, file))
        return wbError(wb_errorInput, "%.150s: %s", path, image.message);
    wbStatus status = wb_okStatus;
    image.format = PNG_FORMAT_RGB;
    rgb->elementSize = 1;
    if (image.width > MOST || image.height > MOST)
        status = wbError(wb_errorInput, "%.150s has %u x %u pixels, allowed are %d each way", path,
                         image.width, image.height, MOST);
    else if (!wbArray_Reserve(NULL, rgb, (int)PNG_IMAGE_SIZE(image)))
        status = wbMemoryError(NULL, "%.100s needs", path);
    else if (!png_image_finish_read(&image, NULL, rgb->data, 0, NULL))
        status = wbError(wb_errorInput, "%.150s: %s", path, image.message);
    *size = (wbSize){(int)image.width, (int)image.height};
    png_image_free(&image);
    return status;
}

wbStatus wbReadPng(const char *path, wbArray *rgb, wbSize *size) {
    FILE *file;
    size_t bytes;
    WB_TRY(wbOpenInput(path, &file, &bytes));
    wbStatus status = decode(path, file, rgb, size);
    fclose(file);
    return status;
}
