// SPDX-License-Identifier: MIT
#include "render/font.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// Each letter is a list of strokes, each stroke a list of points: x as '0' + units, y as 'e' + units. '~'
// starts a stroke that is bent smoothly by its points (quadratic B-spline); it is closed if it ends where it
// starts.
static const char *const letters[] = {
    "",                                 // space
    "1q1i 1f1f",                        // !
    "0q0n 3q3n",                        // "
    "2e3q 6e7q 0i8i 1m9m",              // #
    "~7o7q0q0k7k7e0e0g 3s4c",           // $
    "0e9q ~0q3q3m0m0q ~6i9i9e6e6i",     // %
    "~8e1m1q5q5m0j0e5e8j",              // &
    "0q0n",                             // '
    "~3r0o0g3d",                        // (
    "~0r3o3g0d",                        // )
    "3p3j 0o6k 6o0k",                   // *
    "0j6j 3m3g",                        // +
    "2f0c",                             // ,
    "0j5j",                             // -
    "2f2f",                             // .
    "0d6r",                             // /
    "~0q7q7e0e0q",                      // 0
    "1n4q4e",                           // 1
    "~0n0q7q7m4i0e 0e7e",               // 2
    "~0o1q7q7k3k ~3k7k7e1e0g",          // 3
    "5e5q0h8h",                         // 4
    "7q1q0k ~0k3l7m7e1e0f",             // 5
    "~0l7l7e0e0l ~6q0q0i",              // 6
    "0q7q2e",                           // 7
    "~1q6q6k1k1q ~0k7k7e0e0k",          // 8
    "~0q7q7j0j0q ~7m7e1e",              // 9
    "1f1f 1l1l",                        // :
    "1f0c 1l1l",                        // ;
    "7n0j7f",                           // <
    "0l6l 0h6h",                        // =
    "0n7j0f",                           // >
    "~0n0q6q6l3k3h 3e3e",               // ?
    "~7h7m3m3h7h ~7l7h:h:q0q0e8e",      // @
    "0e4q8e 1i7i",                      // A
    "0e0q ~0q4q7q7k4k0k ~0k4k8k8e4e0e", // B
    "~8n8q0q0e8e8h",                    // C
    "0e0q ~0q3q8q8e3e0e",               // D
    "7q0q0e7e 0k6k",                    // E
    "7q0q0e 0k6k",                      // F
    "~8n8q0q0e8e8j 8j8k5k",             // G
    "0e0q 8e8q 0k8k",                   // H
    "0e0q",                             // I
    "~5q5i5e0e0h",                      // J
    "0e0q 7q0j 2l7e",                   // K
    "0q0e6e",                           // L
    "0e0q5h:q:e",                       // M
    "0e0q8e8q",                         // N
    "~0q9q9e0e0q",                      // O
    "0e0q ~0q4q7q7j4j0j",               // P
    "~0q9q9e0e0q 5h9d",                 // Q
    "0e0q ~0q4q7q7j4j0j 4j8e",          // R
    "~7o7q0q0k7k7e0e0g",                // S
    "0q8q 4q4e",                        // T
    "~0q0j0e8e8j8q",                    // U
    "0q4e8q",                           // V
    "0q3e6o9e<q",                       // W
    "0q8e 8q0e",                        // X
    "0q4k8q 4k4e",                      // Y
    "0q8q0e8e",                         // Z
    "3r0r0d3d",                         // [
    "0r6d",                             // backslash
    "0r3r3d0d",                         // ]
    "0m3q6m",                           // ^
    "0d8d",                             // _
    "0q2o",                             // `
    "~0m7m7e0e0m 7m7e",                 // a
    "0q0e ~0m7m7e0e0m",                 // b
    "~6k6m0m0e6e6g",                    // c
    "~0m7m7e0e0m 7q7e",                 // d
    "0i7i ~7i7m0m0e6e7g",               // e
    "~5q2q2n2e 0m5m",                   // f
    "~0m7m7e0e0m ~7m7e7a1a0b",          // g
    "0q0e ~0j0m6m6j6e",                 // h
    "0m0e 0q0q",                        // i
    "~2m2e2a0a 2q2q",                   // j
    "0q0e 6m0h 2j6e",                   // k
    "0q0e",                             // l
    "0m0e ~0j0m5m5j5e ~5j5m:m:j:e",     // m
    "0m0e ~0j0m6m6j6e",                 // n
    "~0m7m7e0e0m",                      // o
    "0m0a ~0m7m7e0e0m",                 // p
    "~0m7m7e0e0m 7m7a",                 // q
    "0m0e ~0i0m4m",                     // r
    "~5k5m0m0i5i5e0e0g",                // s
    "~2p2h2e5e 0m5m",                   // t
    "~0m0h0e6e6h 6m6e",                 // u
    "0m3e6m",                           // v
    "0m2e5l8e:m",                       // w
    "0m6e 6m0e",                        // x
    "0m3e 6m2b",                        // y
    "0m6m0e6e",                         // z
    "~4r1r1m1j0j ~0j1j1g1d4d",          // {
    "0r0d",                             // |
    "~0r3r3m3j4j ~4j3j3g3d0d",          // }
    "~0j1l3l4i6i7k",                    // ~
};

static const float gap = 3.4f, blank = 5;

/// How a letter's own units become the text's.
typedef struct Place {
    float x, y, scale;
    wbStrokeFn *stroke;
    void *context;
} Place;

static wbPen readPoint(const char *code) { return (wbPen){(float)(code[0] - '0'), (float)(code[1] - 'e')}; }

static wbPen middle(wbPen a, wbPen b) { return (wbPen){0.5f * (a.x + b.x), 0.5f * (a.y + b.y)}; }

static void drawLine(const Place *place, wbPen a, wbPen b) {
    if (place->stroke == NULL) return;
    wbPen from = {place->x + place->scale * a.x, place->y + place->scale * a.y};
    wbPen to = {place->x + place->scale * b.x, place->y + place->scale * b.y};
    place->stroke(from, to, place->context);
}

static void drawBend(const Place *place, wbPen a, wbPen control, wbPen b) {
    enum { PIECES = 6 };
    wbPen last = a;
    for (int i = 1; i <= PIECES; ++i) {
        float t = (float)i / PIECES, s = 1 - t;
        wbPen next = {s * s * a.x + 2 * s * t * control.x + t * t * b.x,
                      s * s * a.y + 2 * s * t * control.y + t * t * b.y};
        drawLine(place, last, next);
        last = next;
    }
}

static void drawCurve(const Place *place, const wbPen *p, int count) {
    bool closed = p[0].x == p[count - 1].x && p[0].y == p[count - 1].y;
    wbPen at = closed ? middle(p[0], p[1]) : p[0];
    for (int i = 1; i < count - 1; ++i) {
        wbPen next = !closed && i == count - 2 ? p[count - 1] : middle(p[i], p[i + 1]);
        drawBend(place, at, p[i], next);
        at = next;
    }
    if (closed) drawBend(place, at, p[0], middle(p[0], p[1]));
}

static void drawStroke(const Place *place, const char *code, int length) {
    enum { MAX_POINTS = 16 };
    bool curved = code[0] == '~';
    wbPen points[MAX_POINTS] = {0};
    int count = 0;
    for (int i = curved ? 1 : 0; i + 1 < length && count < MAX_POINTS; i += 2)
        points[count++] = readPoint(code + i);
    if (curved)
        drawCurve(place, points, count);
    else {
        for (int i = 0; i + 1 < count; ++i) drawLine(place, points[i], points[i + 1]);
    }
}

static float findWidth(const char *code) {
    float width = 0;
    for (; *code != '\0';) {
        if (*code == ' ' || *code == '~') {
            ++code;
            continue;
        }
        float x = readPoint(code).x;
        width = x > width ? x : width;
        code += 2;
    }
    return width;
}

static float drawLetter(const Place *place, const char *code) {
    if (*code == '\0') return blank;
    for (const char *at = code; *at != '\0';) {
        int length = (int)strcspn(at, " ");
        drawStroke(place, at, length);
        at += length;
        if (*at == ' ') ++at;
    }
    return findWidth(code) + gap;
}

// One letter of UTF-8 text: how many bytes it takes, what it looks like, and whether it is small and raised.
static int readLetter(const char *text, const char **code, bool *raised) {
    unsigned char c = (unsigned char)text[0];
    *raised = c == 0xC2 && ((unsigned char)text[1] == 0xB2 || (unsigned char)text[1] == 0xB3);
    int number = *raised ? '2' + ((unsigned char)text[1] - 0xB2) : c >= ' ' && c <= '~' ? c : '?';
    *code = letters[number - ' '];
    int bytes = 1;
    while (((unsigned char)text[bytes] & 0xC0) == 0x80) ++bytes;
    return bytes;
}

float wbDrawText(const char *text, wbStrokeFn *stroke, void *context) {
    float x = 0;
    while (*text != '\0') {
        const char *code;
        bool raised;
        text += readLetter(text, &code, &raised);
        Place place = {x, raised ? 6.5f : 0, raised ? 0.55f : 1, stroke, context};
        x += place.scale * drawLetter(&place, code);
    }
    return x > 0 ? x - gap : 0;
}
