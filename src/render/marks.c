// SPDX-License-Identifier: MIT
#include "render/marks.h"

#include "core/status.h"
#include "render/overlay.h"

#include <string.h>

static void addLine(const wbMark *mark, wbVec3 from, wbVec3 to, float width, wbSegments *segments) {
    wbSegment segment = {.from = from, .halfWidth = 0.5f * width, .to = to};
    memcpy(segment.colour, mark->colour, sizeof segment.colour);
    wbSegments_Add(segments, segment);
}

// The head's two barbs lie across the line of sight, so that they are seen from everywhere.
static void addArrow(const wbMark *mark, const wbCamera *camera, wbSegments *segments) {
    wbVec3 way = wbSub(mark->to, mark->from);
    wbVec3 across = wbCross(way, camera->back);
    addLine(mark, mark->from, mark->to, mark->width, segments);
    for (int side = -1; side <= 1; side += 2) {
        wbVec3 barb = wbAdd(wbScale(-0.28f, way), wbScale(0.16f * (float)side, across));
        addLine(mark, mark->to, wbAdd(mark->to, barb), mark->width, segments);
    }
}

static void addWorldMarks(const wbRenderScene *scene, const wbCamera *camera, wbSegments *segments) {
    for (int i = 0; i < scene->markCount; i++) {
        const wbMark *mark = &scene->marks[i];
        if (mark->kind == wb_markLine) addLine(mark, mark->from, mark->to, mark->width, segments);
        if (mark->kind == wb_markPoint) addLine(mark, mark->from, mark->from, mark->width, segments);
        if (mark->kind == wb_markArrow) addArrow(mark, camera, segments);
    }
}

static void addLabels(const wbRenderScene *scene, const wbCamera *camera, wbSize size, wbSegments *segments) {
    for (int i = 0; i < scene->markCount; i++) {
        const wbMark *mark = &scene->marks[i];
        wbLabel label = {.height = mark->width};
        if (mark->kind == wb_markLabel && wbCamera_Project(camera, mark->from, size, &label.x, &label.y))
            wbAddText(segments, mark->text, label);
    }
}

wbStatus wbDrawMarks(const wbRenderScene *scene, const wbCamera *camera, wbSize size, wbSegments *segments) {
    if (scene->markCount == 0) return wb_okStatus;
    const wbMat4 world = wbMulMat4(&camera->projection, &camera->view);
    const wbMat4 pixels =
        wbMakeOrthographic(wbMakeVec3(0, (float)size.height, -1), wbMakeVec3((float)size.width, 0, 1));
    addWorldMarks(scene, camera, segments);
    WB_TRY(wbSegments_Draw(segments, &world));
    addLabels(scene, camera, size, segments);
    return wbSegments_Draw(segments, &pixels);
}
