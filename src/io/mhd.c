// SPDX-License-Identifier: MIT
#include "io/mhd.h"

#include "core/status.h"
#include "io/air_field.h"
#include "io/output_folder.h"

#include <string.h>

static wbStatus writeNumbers(const char *path, const wbSmokeView *view, wbAirField field) {
    wbOutputFile file;
    WB_TRY(wbOutputFile_Open(&file, path));
    WB_TRY(wbWriteAirField(&file, view, field));
    return wbOutputFile_Close(&file);
}

// `numbers` is the name of the other file, beside this one. The offset is the centre of the first cell.
static wbStatus writeText(const char *path, const char *numbers, const wbSmokeView *view, wbAirField field) {
    double h = (double)view->cellSize;
    wbOutputFile file;
    WB_TRY(wbOutputFile_Open(&file, path));
    WB_TRY(wbOutputFile_Print(&file,
                              "ObjectType = Image\n"
                              "NDims = 3\n"
                              "BinaryData = True\n"
                              "BinaryDataByteOrderMSB = False\n"
                              "CompressedData = False\n"
                              "TransformMatrix = 1 0 0 0 1 0 0 0 1\n"
                              "Offset = %.9g %.9g %.9g\n"
                              "ElementSpacing = %.9g %.9g %.9g\n"
                              "DimSize = %d %d %d\n",
                              (double)view->min.x + 0.5 * h, (double)view->min.y + 0.5 * h,
                              (double)view->min.z + 0.5 * h, h, h, h, view->cells[0], view->cells[1],
                              view->cells[2]));
    WB_TRY(wbOutputFile_Print(&file,
                              "ElementNumberOfChannels = %d\n"
                              "ElementType = %s\n"
                              "ElementDataFile = %s\n",
                              wbGetAirComponents(field), field == wb_airSolid ? "MET_UCHAR" : "MET_FLOAT",
                              numbers));
    return wbOutputFile_Close(&file);
}

// The text last: where it is, the numbers are whole.
static wbStatus writeField(const char *directory, int frame, const wbSmokeView *view, wbAirField field) {
    char numbers[WB_MAX_PATH], text[WB_MAX_PATH];
    WB_TRY(wbMakeFramePath(numbers, directory, wbGetAirFieldName(field), frame, "raw"));
    WB_TRY(wbMakeFramePath(text, directory, wbGetAirFieldName(field), frame, "mhd"));
    WB_TRY(writeNumbers(numbers, view, field));
    return writeText(text, strrchr(numbers, '/') + 1, view, field);
}

wbStatus wbWriteMhd(const char *directory, int frame, const wbSmokeView *view) {
    for (int f = 0; f < wb_airFieldCount; ++f)
        if (wbHasAirField(view, (wbAirField)f)) WB_TRY(writeField(directory, frame, view, (wbAirField)f));
    return wb_okStatus;
}
