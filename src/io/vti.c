// SPDX-License-Identifier: MIT
// The format is described in "VTK File Formats" (Kitware); see vtk.c for appended arrays.
#include "io/vti.h"

#include "core/status.h"
#include "io/air_field.h"
#include "io/little_endian.h"

static wbStatus writeArrayTags(wbOutputFile *file, const wbSmokeView *view) {
    uint64_t offset = 0;
    for (int f = 0; f < wb_airFieldCount; ++f) {
        wbAirField field = (wbAirField)f;
        if (!wbHasAirField(view, field)) continue;
        WB_TRY(wbOutputFile_Print(file,
                                  "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" "
                                  "format=\"appended\" offset=\"%llu\"/>\n",
                                  field == wb_airSolid ? "UInt8" : "Float32", wbGetAirFieldName(field),
                                  wbGetAirComponents(field), (unsigned long long)offset));
        offset += 8 + wbGetAirBytes(view, field);
    }
    return wb_okStatus;
}

static wbStatus writeHead(wbOutputFile *file, const wbSmokeView *view, double time) {
    const int *n = view->cells;
    double h = (double)view->cellSize;
    WB_TRY(wbOutputFile_Print(
        file,
        "<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
        "  <ImageData WholeExtent=\"0 %d 0 %d 0 %d\" Origin=\"%.9g %.9g %.9g\" Spacing=\"%.9g %.9g %.9g\">\n"
        "    <FieldData>\n"
        "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
        "format=\"ascii\">%.17g</DataArray>\n"
        "    </FieldData>\n"
        "    <Piece Extent=\"0 %d 0 %d 0 %d\">\n"
        "      <CellData Scalars=\"density\" Vectors=\"velocity\">\n",
        n[0], n[1], n[2], (double)view->min.x, (double)view->min.y, (double)view->min.z, h, h, h, time, n[0],
        n[1], n[2]));
    WB_TRY(writeArrayTags(file, view));
    return wbOutputFile_Print(file, "      </CellData>\n"
                                    "    </Piece>\n"
                                    "  </ImageData>\n"
                                    "  <AppendedData encoding=\"raw\">\n"
                                    "_");
}

static wbStatus writeArray(wbOutputFile *file, const wbSmokeView *view, wbAirField field) {
    uint8_t size[8];
    wbPutU64(size, wbGetAirBytes(view, field));
    WB_TRY(wbOutputFile_Write(file, size, sizeof size));
    return wbWriteAirField(file, view, field);
}

wbStatus wbWriteVti(const char *path, const wbSmokeView *view, double time) {
    wbOutputFile file;
    WB_TRY(wbOutputFile_Open(&file, path));
    WB_TRY(writeHead(&file, view, time));
    for (int f = 0; f < wb_airFieldCount; ++f)
        if (wbHasAirField(view, (wbAirField)f)) WB_TRY(writeArray(&file, view, (wbAirField)f));
    WB_TRY(wbOutputFile_Print(&file, "\n  </AppendedData>\n</VTKFile>\n"));
    return wbOutputFile_Close(&file);
}
