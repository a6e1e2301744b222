// SPDX-License-Identifier: MIT
// compare_pictures A.png B.png PERCENT: 0 if the mean difference of their colours is at most so much of full scale, and five times that in
// each block of 20 pixels, so that nothing small is missing.
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>

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

// Percent of full scale, within a rectangle.
static double compare(const unsigned char *a, const unsigned char *b, unsigned width, unsigned left,
                      unsigned top, unsigned right, unsigned bottom) {
    double sum = 0;
    for (unsigned y = top; y < bottom; y++)
        for (unsigned i = 3 * (y * width + left); i < 3 * (y * width + right); i++) sum += abs(a[i] - b[i]);
    return 100 * sum / (255.0 * 3 * (right - left) * (bottom - top));
}

int main(int count, char **arguments) {
    if (count != 4) return 2;
    png_image a, b;
    unsigned char *first = readPicture(arguments[1], &a), *second = readPicture(arguments[2], &b);
    if (!first || !second) return 2;
    if (a.width != b.width || a.height != b.height) {
        fprintf(stderr, "%u x %u and %u x %u\n", a.width, a.height, b.width, b.height);
        return 1;
    }
    const double whole = compare(first, second, a.width, 0, 0, a.width, a.height);
    double worst = 0;
    for (unsigned y = 0; y + BLOCK <= a.height; y += BLOCK)
        for (unsigned x = 0; x + BLOCK <= a.width; x += BLOCK)
            worst = fmax(worst, compare(first, second, a.width, x, y, x + BLOCK, y + BLOCK));
    printf("%s: mean difference %.3f %%, of a block %.3f %%\n", arguments[1], whole, worst);
    free(first), free(second);
    const double limit = strtod(arguments[3], NULL);
    return whole <= limit && worst <= 5 * limit ? 0 : 1;
}
