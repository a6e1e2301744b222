// SPDX-License-Identifier: MIT
// picture_check FIRST.png LAST.png: both pictures show something, and what they show has moved.
#include <png.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Picture {
    int width, height;
    png_bytep rgb;
} Picture;

static Picture readPicture(const char *path) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&image, path)) {
        fprintf(stderr, "%s: %s\n", path, image.message);
        exit(1);
    }
    image.format = PNG_FORMAT_RGB;
    png_bytep rgb = malloc(PNG_IMAGE_SIZE(image));
    if (!rgb || !png_image_finish_read(&image, NULL, rgb, 0, NULL)) {
        fprintf(stderr, "%s: %s\n", path, image.message);
        exit(1);
    }
    return (Picture){(int)image.width, (int)image.height, rgb};
}

static bool showsSomething(const char *path, Picture picture) {
    static unsigned char seen[4096];
    int colours = 0, dark = 0, count = picture.width * picture.height;
    for (int i = 0; i < 4096; i++) seen[i] = 0;
    for (int i = 0; i < count; i++) {
        png_bytep p = picture.rgb + 3 * i;
        int colour = (p[0] >> 4) << 8 | (p[1] >> 4) << 4 | p[2] >> 4;
        colours += !seen[colour];
        seen[colour] = 1;
        dark += p[0] < 8 && p[1] < 8 && p[2] < 8;
    }
    printf("%s: %d x %d, %d colours, %.0f %% black\n", path, picture.width, picture.height, colours,
           100.0 * dark / count);
    return colours >= 32 && dark < 0.9 * count;
}

static double shareChanged(Picture a, Picture b) {
    int changed = 0, count = a.width * a.height;
    for (int i = 0; i < count; i++) {
        png_bytep p = a.rgb + 3 * i, q = b.rgb + 3 * i;
        changed += abs(p[0] - q[0]) + abs(p[1] - q[1]) + abs(p[2] - q[2]) > 48;
    }
    return (double)changed / count;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: picture_check FIRST.png LAST.png\n");
        return 2;
    }
    Picture first = readPicture(argv[1]), last = readPicture(argv[2]);
    bool good = showsSomething(argv[1], first) && showsSomething(argv[2], last);
    if (first.width != last.width || first.height != last.height) {
        fprintf(stderr, "the sizes differ\n");
        good = false;
    } else {
        double changed = shareChanged(first, last);
        printf("%.1f %% of the pixels changed\n", 100 * changed);
        good = good && changed > 0.01;
    }
    free(first.rgb);
    free(last.rgb);
    return !good;
}
