// SPDX-License-Identifier: MIT
#include "render/overlay.h"

#include "core/status.h"
#include "render/font.h"

#include <math.h>
#include <stdio.h>

wbStatus wbOverlay_Create(wbOverlay *overlay) {
    WB_TRY(wbCreateProgram("bar", wb_shaderBar, &overlay->program));
    overlay->areaLocation = glGetUniformLocation(overlay->program, "area");
    overlay->kindLocation = glGetUniformLocation(overlay->program, "kind");
    glGenVertexArrays(1, &overlay->emptyArray);
    return wb_okStatus;
}

void wbOverlay_Destroy(wbOverlay *overlay) {
    glDeleteProgram(overlay->program);
    glDeleteVertexArrays(1, &overlay->emptyArray);
}

/// One line of text on its way into segments. Pixels from the left and the top.
typedef struct Writing {
    wbSegments *segments;
    float x, y, scale; ///< baseline's start, pixels per unit of the font
    float halfWidth;
    uint8_t colour[4];
} Writing;

static void addStroke(wbPen from, wbPen to, void *context) {
    const Writing *w = context;
    bool dot = from.x == to.x && from.y == to.y;
    wbSegment segment = {
        .from = {w->x + w->scale * from.x, w->y - w->scale * from.y, 0},
        .halfWidth =
            dot ? 1.9f * w->halfWidth : w->halfWidth, // or it drowns: a decimal point is all there is
        .to = {w->x + w->scale * to.x, w->y - w->scale * to.y, 0},
        .colour = {w->colour[0], w->colour[1], w->colour[2], w->colour[3]},
    };
    wbSegments_Add(w->segments, segment);
}

// All halos go below all strokes.
void wbAddText(wbSegments *segments, const char *text, wbLabel label) {
    float scale = label.height / WB_FONT_CAPITAL;
    float width = scale * wbDrawText(text, NULL, NULL);
    Writing writing = {
        segments, label.x - label.alignment * width, label.y, scale, label.height * 0.16f, {10, 18, 28, 120}};
    wbDrawText(text, addStroke, &writing);
    writing.halfWidth = label.height * 0.072f;
    const uint8_t ink[4] = {247, 250, 252, 255};
    for (int i = 0; i < 4; ++i) writing.colour[i] = ink[i];
    wbDrawText(text, addStroke, &writing);
}

static void formatNumber(char *text, size_t size, double value, double range) {
    // a number that is tiny beside the range is zero
    if (value < range * 1e-3 && value > -range * 1e-3) value = 0;
    bool large = (value >= 100 || value <= -100) && value < 1e6 && value > -1e6;
    snprintf(text, size, large ? "%.0f" : "%.3g", value);
}

float wbRoundUp(float value) {
    static const float steps[] = {1, 1.5f, 2, 3, 4, 5, 6, 8, 10};
    float power = powf(10, floorf(log10f(value)));
    int i = 0;
    while (i < 8 && steps[i] * power < value * 0.999f) ++i;
    return steps[i] * power;
}

// Pixels per unit of the layout, which is made for 720 lines; in narrow pictures legend and time stand beside each other, too.
static float getUnit(wbSize size) { return fminf((float)size.height / 720, (float)size.width / 440); }

// Letters of small pictures are larger than that, or they could not be read.
static float getLetterUnit(wbSize size) { return fmaxf(getUnit(size), fminf(0.7f, (float)size.width / 440)); }

// Where nothing could be read, or little else be seen.
static bool isTooSmall(wbSize size) { return size.width < 200 || size.height < 120; }

static void addLegend(const wbOverlay *overlay, wbSegments *segments, wbSize size,
                      const wbColourScale *scale) {
    float unit = getLetterUnit(size);
    float left = 32 * unit, top = (float)size.height - 54 * unit, height = 12 * unit;
    float width = fmaxf(250 * getUnit(size), 150 * unit); // three numbers have room
    glUseProgram(overlay->program);
    glUniform4f(overlay->areaLocation, left, top, width, height);
    glUniform1f(overlay->kindLocation, (float)scale->kind);
    glBindVertexArray(overlay->emptyArray);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glDisable(GL_BLEND);

    wbLabel title = {left, top - 11 * unit, 13 * unit, 0};
    wbAddText(segments, scale->title, title);
    float range = scale->high - scale->low;
    for (int i = 0; i < 3 && !scale->isOfKinds; ++i) {
        char number[32];
        float share = 0.5f * (float)i;
        formatNumber(number, sizeof number, scale->low + share * range, range);
        wbLabel label = {left + share * width, top + height + 19 * unit, 12 * unit, share};
        wbAddText(segments, number, label);
    }
}

static void addCaptions(wbSegments *segments, const wbRenderScene *scene, wbSize size) {
    float unit = getLetterUnit(size), right = (float)size.width - 32 * unit;
    char time[48];
    snprintf(time, sizeof time, "t = %.2f s", scene->time);
    wbAddText(segments, time, (wbLabel){right, (float)size.height - 23 * unit, 14 * unit, 1});
    if (scene->title != NULL)
        wbAddText(segments, scene->title, (wbLabel){32 * unit, 44 * unit, 17 * unit, 0});
}

wbStatus wbOverlay_Draw(const wbOverlay *overlay, wbSegments *segments, const wbRenderScene *scene,
                        wbSize size, const wbColourScale *scale) {
    if (!scene->output.legend || isTooSmall(size)) return wb_okStatus;
    if (scale->title != NULL) addLegend(overlay, segments, size, scale);
    addCaptions(segments, scene, size);
    wbMat4 pixels =
        wbMakeOrthographic(wbMakeVec3(0, (float)size.height, -1), wbMakeVec3((float)size.width, 0, 1));
    return wbSegments_Draw(segments, &pixels);
}
