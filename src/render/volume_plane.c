// SPDX-License-Identifier: MIT
#include "render/volume_plane.h"

#include "core/status.h"

#include <math.h>
#include <stdlib.h>

/// How a field is shown.
static const struct {
    const char *title;
    bool isSigned; ///< 0 is in the middle of the colours
} looks[] = {
    [wb_fieldDensity] = {"density", false},
    [wb_fieldSpeed] = {"speed  m/s", false},
    [wb_fieldVorticity] = {"vorticity  1/s", true},
    [wb_fieldPressure] = {"pressure  m²/s²", true},
    [wb_fieldTemperature] = {"temperature  K", false},
    [wb_fieldFuel] = {"fuel", false},
    [wb_fieldSteam] = {"steam  g/m³", false},
    [wb_fieldCloud] = {"cloud  g/m³", false},
    [wb_fieldDivergence] = {"divergence  1/s", true},
    [wb_fieldVelocityX] = {"velocity along x  m/s", true},
    [wb_fieldVelocityY] = {"velocity along y  m/s", true},
    [wb_fieldVelocityZ] = {"velocity along z  m/s", true},
    [wb_fieldSolids] = {"solid cells", false},
};

wbStatus wbVolumePlane_Create(wbVolumePlane *plane) {
    WB_TRY(wbCreateProgram("volume_plane", wb_shaderVolumePlane, &plane->program));
    plane->cornerLocation = glGetUniformLocation(plane->program, "corner");
    plane->acrossLocation = glGetUniformLocation(plane->program, "across");
    plane->upLocation = glGetUniformLocation(plane->program, "up");
    plane->kindLocation = glGetUniformLocation(plane->program, "kind");
    wbSetSampler(plane->program, "values", 0);
    plane->values.elementSize = (int)sizeof(float);
    glGenTextures(1, &plane->texture);
    glBindTexture(GL_TEXTURE_2D, plane->texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glGenVertexArrays(1, &plane->emptyArray);
    return wb_okStatus;
}

void wbVolumePlane_Destroy(wbVolumePlane *plane) {
    glDeleteProgram(plane->program);
    glDeleteTextures(1, &plane->texture);
    glDeleteVertexArrays(1, &plane->emptyArray);
    wbArray_Free(NULL, &plane->values);
}

/// A cut through the air, a layer of cells or between two.
typedef struct Cut {
    const wbSmokeView *view;
    wbField field;
    int axis, across, up; ///< 0 to 2
    int layer;
    float share; ///< of the next layer
} Cut;

static ptrdiff_t getStride(const wbSmokeView *view, int axis) {
    return axis == 0 ? 1 : axis == 1 ? view->strideY : view->strideZ;
}

static ptrdiff_t getPlace(const wbSmokeView *view, const int cell[3]) {
    return cell[0] + cell[1] * view->strideY + cell[2] * view->strideZ;
}

static float getVelocity(const wbSmokeView *view, int component, const int cell[3]) {
    const float *const faces[3] = {view->u, view->v, view->w};
    ptrdiff_t at = getPlace(view, cell);
    return faces[component]
               ? 0.5f * (faces[component][at] + faces[component][at + getStride(view, component)])
               : 0;
}

static float getSpeed(const wbSmokeView *view, const int cell[3]) {
    float u = getVelocity(view, 0, cell), v = getVelocity(view, 1, cell), w = getVelocity(view, 2, cell);
    return sqrtf(u * u + v * v + w * w);
}

// 1/s: the change of a component of the velocity along an axis; one-sided at the sides of the box.
static float getSlope(const wbSmokeView *view, int component, int axis, const int cell[3]) {
    int low[3] = {cell[0], cell[1], cell[2]}, high[3] = {cell[0], cell[1], cell[2]};
    if (low[axis] > 0) --low[axis];
    if (high[axis] < view->cells[axis] - 1) ++high[axis];
    int steps = high[axis] - low[axis];
    if (steps == 0) return 0;
    return (getVelocity(view, component, high) - getVelocity(view, component, low)) /
           ((float)steps * view->cellSize);
}

// 1/s: what flows out through a cell's faces.
static float getDivergence(const wbSmokeView *view, const int cell[3]) {
    const float *const faces[3] = {view->u, view->v, view->w};
    float sum = 0;
    for (int a = 0; a < 3; ++a) {
        const float *face = faces[a] ? faces[a] + getPlace(view, cell) : NULL;
        if (face) sum += face[getStride(view, a)] - face[0];
    }
    return sum / view->cellSize;
}

static bool isSolidCell(const wbSmokeView *view, const int cell[3]) {
    return view->solid && view->solid[cell[0] + cell[1] * view->solidStrideY + cell[2] * view->solidStrideZ];
}

static float measure(const Cut *cut, const int cell[3]) {
    const wbSmokeView *view = cut->view;
    const float *const fields[] = {[wb_fieldDensity] = view->density,
                                   [wb_fieldPressure] = view->pressure,
                                   [wb_fieldTemperature] = view->temperature,
                                   [wb_fieldFuel] = view->fuel,
                                   [wb_fieldSteam] = view->steam,
                                   [wb_fieldCloud] = view->cloud};
    if (cut->field == wb_fieldSpeed) return getSpeed(view, cell);
    if (cut->field == wb_fieldDivergence) return getDivergence(view, cell);
    if (cut->field >= wb_fieldVelocityX && cut->field <= wb_fieldVelocityZ)
        return getVelocity(view, (int)cut->field - wb_fieldVelocityX, cell);
    if (cut->field == wb_fieldSolids) return isSolidCell(view, cell);
    if (cut->field == wb_fieldVorticity) {
        // across the plane: the axes after it, in turn
        int a = (cut->axis + 1) % 3, b = (cut->axis + 2) % 3;
        return getSlope(view, b, a, cell) - getSlope(view, a, b, cell);
    }
    return fields[cut->field] ? fields[cut->field][getPlace(view, cell)] : 0;
}

static bool isSolid(const Cut *cut, int column, int row) {
    int cell[3] = {0};
    cell[cut->axis] = cut->layer, cell[cut->across] = column, cell[cut->up] = row;
    return isSolidCell(cut->view, cell);
}

static float measureBetween(const Cut *cut, int column, int row) {
    int cell[3] = {0};
    cell[cut->axis] = cut->layer, cell[cut->across] = column, cell[cut->up] = row;
    float value = measure(cut, cell);
    if (cut->share > 0 && cut->field != wb_fieldSolids) {
        ++cell[cut->axis];
        value += cut->share * (measure(cut, cell) - value);
    }
    return isfinite(value) ? value : 0;
}

// Solid cells take over from the air beside them, so that colours do not change before the faces of colliders.
static void extendValues(const Cut *cut, float *values, int width, int height) {
    static const int around[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    for (int n = 0; n < width * height; ++n) {
        if (!isSolid(cut, n % width, n / width)) continue;
        float sum = 0;
        int count = 0;
        for (int d = 0; d < 4; ++d) {
            int x = n % width + around[d][0], y = n / width + around[d][1];
            if (x < 0 || y < 0 || x >= width || y >= height || isSolid(cut, x, y)) continue;
            sum += values[x + width * y];
            ++count;
        }
        values[n] = count > 0 ? sum / (float)count : 0;
    }
}

static int compareFloats(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// 99.5 % of the sizes lie below, as samples say.
static float findHigh(const wbVolumePlane *plane, int count) {
    enum { SAMPLES = 4096 };
    const float *values = plane->values.data;
    float samples[SAMPLES];
    int sampleCount = count < SAMPLES ? count : SAMPLES;
    for (int i = 0; i < sampleCount; ++i) samples[i] = fabsf(values[(int64_t)i * count / sampleCount]);
    qsort(samples, (size_t)sampleCount, sizeof samples[0], compareFloats);
    return samples[sampleCount - 1 - sampleCount / 200];
}

static bool hasCold(const wbVolumePlane *plane, int count, float least) {
    const float *values = plane->values.data;
    for (int i = 0; i < count; ++i)
        if (values[i] < least) return true;
    return false;
}

// Quick to rise, slow to fall: colours do not flicker. Temperatures below ambient count as signed from then on.
static void chooseScale(wbVolumePlane *plane, const wbRenderScene *scene, wbField field, int count) {
    if (plane->heldField != field) plane->held = 0, plane->isSigned = looks[field].isSigned;
    plane->heldField = field;
    plane->held = fmaxf(fmaxf(findHigh(plane, count), 1e-9f), 0.99f * plane->held);
    plane->isSigned = plane->isSigned || hasCold(plane, count, -0.02f * plane->held);
    float high = field == wb_fieldSolids ? 1 : wbRoundUp(plane->held);
    const wbOutputParams *output = &scene->output;
    plane->scale = (wbColourScale){
        .title = looks[field].title,
        .kind = plane->isSigned ? wb_rampSigned : wb_rampField,
        .low = isnan(output->colourMin) ? (plane->isSigned ? -high : 0) : output->colourMin,
        .high = isnan(output->colourMax) ? high : output->colourMax,
    };
}

static bool hasDensity(const wbSmokeView *view) {
    for (int k = 0; k < view->cells[2]; ++k)
        for (int j = 0; j < view->cells[1]; ++j)
            for (int i = 0; i < view->cells[0]; ++i)
                if (view->density[i + j * view->strideY + k * view->strideZ] > 0) return true;
    return false;
}

// Air in which there was never smoke shows how fast it is.
static wbField chooseField(wbVolumePlane *plane, const wbRenderScene *scene) {
    wbField field = wbRenderScene_GetField(scene);
    if (scene->output.field != wb_fieldAuto) return field;
    plane->hadSmoke = plane->hadSmoke || hasDensity(scene->smoke);
    return plane->hadSmoke ? field : wb_fieldSpeed;
}

static Cut makeCut(const wbRenderScene *scene, wbField field) {
    const wbSmokeView *view = scene->smoke;
    const float min[3] = {view->min.x, view->min.y, view->min.z};
    Cut cut = {.view = view, .field = field, .axis = 2, .across = 0, .up = 1};
    if (scene->dimensions == 3) cut.axis = (int)scene->output.slice;
    if (cut.axis == 0) cut.across = 2;
    if (cut.axis == 1) cut.up = 2;
    int count = view->cells[cut.axis];
    float place = 0.5f * (float)(view->boxCells[cut.axis] - 1) - (float)view->first[cut.axis];
    if (scene->dimensions == 3 && !isnan(scene->output.sliceAt))
        place = (scene->output.sliceAt - min[cut.axis]) / view->cellSize - 0.5f;
    place = fminf(fmaxf(place, 0), (float)(count - 1));
    cut.layer = (int)place;
    cut.share = place - (float)cut.layer;
    return cut;
}

static void placePlane(wbVolumePlane *plane, const wbRenderScene *scene, const Cut *cut) {
    const wbSmokeView *view = cut->view;
    const float min[3] = {view->min.x, view->min.y, view->min.z};
    for (int a = 0; a < 3; ++a) {
        plane->corner[a] = min[a];
        plane->across[a] = a == cut->across ? view->cellSize * (float)view->cells[a] : 0;
        plane->up[a] = a == cut->up ? view->cellSize * (float)view->cells[a] : 0;
    }
    plane->corner[cut->axis] += view->cellSize * ((float)cut->layer + cut->share + 0.5f);
    if (scene->dimensions == 2) plane->corner[2] = 0;
}

// Shares of the scale.
static void uploadValues(const wbVolumePlane *plane, int width, int height) {
    float *values = plane->values.data;
    float range = plane->scale.high - plane->scale.low;
    for (int i = 0; i < width * height; ++i)
        values[i] = (values[i] - plane->scale.low) / (range != 0 ? range : 1);
    wbBindTexture(0, plane->texture);
    // cells in colliders are shown as they are
    const GLint filter = plane->heldField == wb_fieldSolids ? GL_NEAREST : GL_LINEAR;
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R16F, width, height, 0, GL_RED, GL_FLOAT, values);
}

wbStatus wbVolumePlane_Gather(wbVolumePlane *plane, const wbRenderScene *scene) {
    plane->isShown = wbRenderScene_GetField(scene) != wb_fieldAuto;
    if (!plane->isShown) return wb_okStatus;
    Cut cut = makeCut(scene, chooseField(plane, scene));
    int width = scene->smoke->cells[cut.across], height = scene->smoke->cells[cut.up];
    GLint largest = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
    if (width > largest || height > largest)
        return wbError(wb_errorDevice,
                       "%d x %d cells of air, this OpenGL driver draws %d: make smoke.cellSize larger", width,
                       height, largest);
    int count = width * height;
    if (!wbArray_Reserve(NULL, &plane->values, count))
        return wbError(wb_errorMemory, "no memory to draw %d x %d cells of air", width, height);
    float *values = plane->values.data;
    for (int n = 0; n < count; ++n) values[n] = measureBetween(&cut, n % width, n / width);
    if (cut.field != wb_fieldSolids) extendValues(&cut, values, width, height);
    chooseScale(plane, scene, cut.field, count);
    placePlane(plane, scene, &cut);
    uploadValues(plane, width, height);
    return wb_okStatus;
}

void wbVolumePlane_Draw(const wbVolumePlane *plane) {
    if (!plane->isShown) return;
    glUseProgram(plane->program);
    glUniform3fv(plane->cornerLocation, 1, plane->corner);
    glUniform3fv(plane->acrossLocation, 1, plane->across);
    glUniform3fv(plane->upLocation, 1, plane->up);
    glUniform1f(plane->kindLocation, (float)plane->scale.kind);
    wbBindTexture(0, plane->texture);
    glBindVertexArray(plane->emptyArray);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}
