// SPDX-License-Identifier: MIT
// compare_pictures A.png B.png PERCENT: 0 if the mean difference of their colours is at most so much of full scale, and five times that in
// each block of 20 pixels, so that nothing small is missing. With "halves" for B.png the two halves of A.png are compared, without
// the text in their upper and lower sixths.
#include <math.h>
#include <png.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char *readPicture(const char *path, png_image *image) {
    *image = (png_image){.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(image, path)) {
        fprintf(stderr, "%s: %s\n", path, image->message);
        return NULL;
    }
    image->format = PNG_FORMAT_RGB;
    unsigned char *pixels = malloc(PNG_IMAGE_SIZE(*image));
    if (pixels && png_image_finish_read(image, NULL, pixels, 0, NULL)) return pixels;
    fprintf(stderr, "%s: %s\n", path, image->message);
    free(pixels);
    return NULL;
}

enum { BLOCK = 20 };

typedef struct Picture {
    const unsigned char *pixels; ///< its first one
    unsigned stride;             ///< bytes from row to row
} Picture;

// Percent of full scale, within a rectangle.
static double compare(Picture a, Picture b, unsigned left, unsigned top, unsigned right, unsigned bottom) {
    double sum = 0;
    for (unsigned y = top; y < bottom; y++)
        for (unsigned i = 3 * left; i < 3 * right; i++)
            sum += abs(a.pixels[y * a.stride + i] - b.pixels[y * b.stride + i]);
    return 100 * sum / (255.0 * 3 * (right - left) * (bottom - top));
}

static int judge(Picture a, Picture b, unsigned width, unsigned height, double limit) {
    const double whole = compare(a, b, 0, 0, width, height);
    double worst = 0;
    for (unsigned y = 0; y + BLOCK <= height; y += BLOCK)
        for (unsigned x = 0; x + BLOCK <= width; x += BLOCK)
            worst = fmax(worst, compare(a, b, x, y, x + BLOCK, y + BLOCK));
    printf("mean difference %.3f %%, of a block %.3f %%\n", whole, worst);
    return whole <= limit && worst <= 5 * limit ? 0 : 1;
}

int main(int count, char **arguments) {
    if (count != 4) return 2;
    png_image a, b;
    const bool isHalves = strcmp(arguments[2], "halves") == 0;
    const double limit = strtod(arguments[3], NULL);
    unsigned char *first = readPicture(arguments[1], &a);
    if (!first) return 2;
    if (isHalves) {
        const unsigned width = a.width / 2 - 1, stride = 3 * a.width;
        const unsigned char *rows = first + a.height / 6 * stride;
        return judge((Picture){rows, stride}, (Picture){rows + 3 * (a.width - width), stride}, width,
                     a.height * 4 / 6, limit);
    }
    unsigned char *second = readPicture(arguments[2], &b);
    if (!second) return 2;
    if (a.width != b.width || a.height != b.height) {
        fprintf(stderr, "%u x %u and %u x %u\n", a.width, a.height, b.width, b.height);
        return 1;
    }
    return judge((Picture){first, 3 * a.width}, (Picture){second, 3 * a.width}, a.width, a.height, limit);
}
