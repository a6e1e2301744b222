// SPDX-License-Identifier: MIT
// The format is described in "VTK File Formats" (Kitware). Arrays are appended raw: each is preceded by its
// size in bytes as UInt64, and `offset` counts from behind the underscore.
#include "io/vtk.h"

#include "core/array.h"
#include "core/status.h"
#include "io/little_endian.h"
#include "io/output_folder.h"
#include "io/vti.h"

#include <string.h>

/// What is written, in the order of the appended arrays.
typedef enum Field {
    POINTS,
    VELOCITY,
    DENSITY,
    PRESSURE,
    MASS,
    RADIUS,
    AGE,
    ID,
    KIND,
    BODY,
    VERTEX_POINTS,
    VERTEX_ENDS,
    TRIANGLE_POINTS,
    TRIANGLE_ENDS,
    FIELD_COUNT
} Field;

static const struct {
    const char *name, *type;
    int components;
} fields[FIELD_COUNT] = {
    [POINTS] = {"Points", "Float32", 3},
    [VELOCITY] = {"velocity", "Float32", 3},
    [DENSITY] = {"density", "Float32", 1},
    [PRESSURE] = {"pressure", "Float32", 1},
    [MASS] = {"mass", "Float32", 1},
    [RADIUS] = {"radius", "Float32", 1},
    [AGE] = {"age", "Float32", 1},
    [ID] = {"id", "UInt32", 1},
    [KIND] = {"kind", "UInt32", 1},
    [BODY] = {"body", "UInt32", 1},
    [VERTEX_POINTS] = {"connectivity", "Int32", 1},
    [VERTEX_ENDS] = {"offsets", "Int32", 1},
    [TRIANGLE_POINTS] = {"connectivity", "Int32", 1},
    [TRIANGLE_ENDS] = {"offsets", "Int32", 1},
};

/// A file: its bodies and, of each array, how many elements it has; -1: it is left out.
typedef struct Vtp {
    wbOutputFile file;
    const wbWrittenBody *bodies;
    int count;
    int64_t elements[FIELD_COUNT];
} Vtp;

// Points that no triangle shows are cells of their own.
static int64_t countVertices(const wbWrittenBody *bodies, int count) {
    int64_t vertices = 0;
    for (int b = 0; b < count; ++b)
        if (bodies[b].triangleCount == 0) vertices += bodies[b].view.count;
    return vertices;
}

static void countElements(Vtp *vtp) {
    const wbWrittenBody *bodies = vtp->bodies;
    const int64_t points = wbCountPoints(bodies, vtp->count),
                  triangles = wbCountTriangles(bodies, vtp->count);
    int64_t *elements = vtp->elements;
    elements[POINTS] = elements[BODY] = points;
    elements[VELOCITY] = wbHasPointColumn(bodies, vtp->count, wb_pointVx) ? points : -1;
    elements[DENSITY] = wbHasPointColumn(bodies, vtp->count, wb_pointDensity) ? points : -1;
    elements[PRESSURE] = wbHasPointColumn(bodies, vtp->count, wb_pointPressure) ? points : -1;
    elements[MASS] = wbHasPointColumn(bodies, vtp->count, wb_pointMass) ? points : -1;
    elements[RADIUS] = wbHasPointColumn(bodies, vtp->count, wb_pointRadius) ? points : -1;
    elements[AGE] = wbHasPointColumn(bodies, vtp->count, wb_pointAge) ? points : -1;
    elements[KIND] = wbHasPointKinds(bodies, vtp->count) ? points : -1;
    elements[ID] = wbHasPointIds(bodies, vtp->count) ? points : -1;
    elements[VERTEX_POINTS] = elements[VERTEX_ENDS] = countVertices(bodies, vtp->count);
    elements[TRIANGLE_POINTS] = 3 * triangles;
    elements[TRIANGLE_ENDS] = triangles;
}

static uint64_t getFieldBytes(const Vtp *vtp, int field) {
    return (uint64_t)vtp->elements[field] * 4u * (uint64_t)fields[field].components;
}

static wbStatus writeArrayTag(Vtp *vtp, int field) {
    uint64_t offset = 0;
    for (int f = 0; f < field; ++f)
        if (vtp->elements[f] >= 0) offset += 8 + getFieldBytes(vtp, f);
    return wbOutputFile_Print(&vtp->file,
                              "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" "
                              "format=\"appended\" offset=\"%llu\"/>\n",
                              fields[field].type, fields[field].name, fields[field].components,
                              (unsigned long long)offset);
}

static wbStatus writeSection(Vtp *vtp, const char *tag, Field first, Field last) {
    WB_TRY(wbOutputFile_Print(&vtp->file, "      <%s>\n", tag));
    for (int f = (int)first; f <= (int)last; ++f)
        if (vtp->elements[f] >= 0) WB_TRY(writeArrayTag(vtp, f));
    return wbOutputFile_Print(&vtp->file, "      </%s>\n", tag);
}

static wbStatus writeHead(Vtp *vtp, double time) {
    WB_TRY(wbOutputFile_Print(&vtp->file,
                              "<?xml version=\"1.0\"?>\n"
                              "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
                              "header_type=\"UInt64\">\n"
                              "  <PolyData>\n"
                              "    <FieldData>\n"
                              "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
                              "format=\"ascii\">%.17g</DataArray>\n"
                              "    </FieldData>\n"
                              "    <Piece NumberOfPoints=\"%lld\" NumberOfVerts=\"%lld\" NumberOfLines=\"0\" "
                              "NumberOfStrips=\"0\" NumberOfPolys=\"%lld\">\n",
                              time, (long long)vtp->elements[POINTS], (long long)vtp->elements[VERTEX_ENDS],
                              (long long)vtp->elements[TRIANGLE_ENDS]));
    WB_TRY(writeSection(vtp, "Points", POINTS, POINTS));
    WB_TRY(writeSection(vtp, "PointData", VELOCITY, BODY));
    WB_TRY(writeSection(vtp, "Verts", VERTEX_POINTS, VERTEX_ENDS));
    WB_TRY(writeSection(vtp, "Polys", TRIANGLE_POINTS, TRIANGLE_ENDS));
    return wbOutputFile_Print(&vtp->file, "    </Piece>\n"
                                          "  </PolyData>\n"
                                          "  <AppendedData encoding=\"raw\">\n"
                                          "_");
}

static uint8_t *putFloats(uint8_t *to, const wbWrittenBody *body, size_t i, wbPointColumn column, int count) {
    for (int c = 0; c < count; ++c) {
        const float *values = wbGetPointColumn(body, (wbPointColumn)((int)column + c));
        to = wbPutF32(to, values ? values[i] : 0);
    }
    return to;
}

// An array of the points of a body.
static wbStatus writePoints(Vtp *vtp, Field field, int number) {
    const wbWrittenBody *body = &vtp->bodies[number];
    for (int n = 0; n < body->view.count; ++n) {
        const size_t i = (size_t)n * (size_t)body->view.stride;
        uint8_t buffer[12], *end = buffer;
        if (field == POINTS) end = putFloats(buffer, body, i, wb_pointX, 3);
        if (field == VELOCITY) end = putFloats(buffer, body, i, wb_pointVx, 3);
        if (field == DENSITY) end = putFloats(buffer, body, i, wb_pointDensity, 1);
        if (field == PRESSURE) end = putFloats(buffer, body, i, wb_pointPressure, 1);
        if (field == MASS) end = putFloats(buffer, body, i, wb_pointMass, 1);
        if (field == RADIUS) end = putFloats(buffer, body, i, wb_pointRadius, 1);
        if (field == AGE) end = putFloats(buffer, body, i, wb_pointAge, 1);
        if (field == KIND) end = wbPutU32(buffer, body->kind ? body->kind[i] : 0);
        if (field == ID) end = wbPutU32(buffer, body->view.id ? body->view.id[i] : 0);
        if (field == BODY) end = wbPutU32(buffer, (uint32_t)number);
        WB_TRY(wbOutputFile_Write(&vtp->file, buffer, (size_t)(end - buffer)));
    }
    return wb_okStatus;
}

static wbStatus writeNumber(Vtp *vtp, int64_t number) {
    uint8_t buffer[4];
    wbPutU32(buffer, (uint32_t)number);
    return wbOutputFile_Write(&vtp->file, buffer, sizeof buffer);
}

// The points of a body's cells.
static wbStatus writeCells(Vtp *vtp, Field field, int number) {
    const wbWrittenBody *body = &vtp->bodies[number];
    const int64_t first = wbCountPoints(vtp->bodies, number);
    const int vertices = field == VERTEX_POINTS && body->triangleCount == 0 ? body->view.count : 0,
              corners = field == TRIANGLE_POINTS ? 3 * body->triangleCount : 0;
    for (int n = 0; n < vertices; ++n) WB_TRY(writeNumber(vtp, first + n));
    for (int n = 0; n < corners; ++n) WB_TRY(writeNumber(vtp, first + body->triangles[n] - body->firstPoint));
    return wb_okStatus;
}

static wbStatus writeArray(Vtp *vtp, Field field) {
    uint8_t size[8];
    wbPutU64(size, getFieldBytes(vtp, (int)field));
    WB_TRY(wbOutputFile_Write(&vtp->file, size, sizeof size));
    const int step = field == VERTEX_ENDS ? 1 : 3; // points of a cell: its end counts them
    for (int64_t n = 1; (field == VERTEX_ENDS || field == TRIANGLE_ENDS) && n <= vtp->elements[field]; ++n)
        WB_TRY(writeNumber(vtp, step * n));
    for (int b = 0; b < vtp->count; ++b)
        WB_TRY(field <= BODY ? writePoints(vtp, field, b) : writeCells(vtp, field, b));
    return wb_okStatus;
}

wbStatus wbWriteVtp(const char *path, const wbWrittenBody *bodies, int count, double time) {
    Vtp vtp = {.bodies = bodies, .count = count};
    countElements(&vtp);
    WB_TRY(wbOutputFile_Open(&vtp.file, path));
    WB_TRY(writeHead(&vtp, time));
    for (int f = 0; f < FIELD_COUNT; ++f)
        if (vtp.elements[f] >= 0) WB_TRY(writeArray(&vtp, (Field)f));
    WB_TRY(wbOutputFile_Print(&vtp.file, "\n  </AppendedData>\n</VTKFile>\n"));
    return wbOutputFile_Close(&vtp.file);
}

typedef struct Entry {
    double time;
    int frame;
} Entry;

struct wbVtkSeries {
    char directory[WB_MAX_PATH];
    const char *stem, *ending; ///< of the names of files
    wbArray entries;           ///< of Entry
    int count;
    int writtenCount; ///< entries that the collection on the disk has
};

/// The collection is rewritten after so many frames, so that a run that dies leaves most of it usable.
enum { WRITE_INTERVAL = 32 };

static wbStatus openSeries(const char *directory, const char *stem, const char *ending,
                           wbVtkSeries **series) {
    *series = NULL;
    WB_TRY(wbMakeDirectory(directory));
    wbVtkSeries *made = wbAllocZero(NULL, sizeof *made);
    if (made == NULL) return wbError(wb_errorMemory, "no memory for the list of VTK files");
    memcpy(made->directory, directory, strlen(directory) + 1);
    made->stem = stem;
    made->ending = ending;
    made->entries.elementSize = (int)sizeof(Entry);
    *series = made;
    return wb_okStatus;
}

wbStatus wbVtkSeries_Open(const char *directory, const char *stem, wbVtkSeries **series) {
    return openSeries(directory, stem, "vtp", series);
}

wbStatus wbVtkSeries_OpenAir(const char *directory, wbVtkSeries **series) {
    return openSeries(directory, "air", "vti", series);
}

static wbStatus writeCollection(wbVtkSeries *series) {
    char path[WB_MAX_PATH];
    int length = snprintf(path, sizeof path, "%s/%s.pvd", series->directory, series->stem);
    if (length >= WB_MAX_PATH) return wbError(wb_errorInput, "the path of the VTK directory is too long");
    wbOutputFile file;
    WB_TRY(wbOutputFile_Open(&file, path));
    WB_TRY(wbOutputFile_Print(&file,
                              "<?xml version=\"1.0\"?>\n"
                              "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
                              "  <Collection>\n"));
    const Entry *entries = series->entries.data;
    for (int i = 0; i < series->count; ++i) {
        WB_TRY(wbOutputFile_Print(&file, "    <DataSet timestep=\"%.17g\" part=\"0\" file=\"%s_%06d.%s\"/>\n",
                                  entries[i].time, series->stem, entries[i].frame, series->ending));
    }
    WB_TRY(wbOutputFile_Print(&file, "  </Collection>\n</VTKFile>\n"));
    series->writtenCount = series->count;
    return wbOutputFile_Close(&file);
}

static wbStatus addEntry(wbVtkSeries *series, int frame, double time) {
    if (!wbArray_Reserve(NULL, &series->entries, series->count + 1)) {
        return wbError(wb_errorMemory, "no memory for the list of %d VTK files", series->count + 1);
    }
    ((Entry *)series->entries.data)[series->count++] = (Entry){time, frame};
    if (series->count - series->writtenCount < WRITE_INTERVAL) return wb_okStatus;
    return writeCollection(series);
}

wbStatus wbVtkSeries_AddFrame(wbVtkSeries *series, int frame, double time, const wbWrittenBody *bodies,
                              int count) {
    char path[WB_MAX_PATH];
    WB_TRY(wbMakeFramePath(path, series->directory, series->stem, frame, series->ending));
    WB_TRY(wbWriteVtp(path, bodies, count, time));
    return addEntry(series, frame, time);
}

wbStatus wbVtkSeries_AddAir(wbVtkSeries *series, int frame, double time, const wbSmokeView *view) {
    char path[WB_MAX_PATH];
    WB_TRY(wbMakeFramePath(path, series->directory, series->stem, frame, series->ending));
    WB_TRY(wbWriteVti(path, view, time));
    return addEntry(series, frame, time);
}

wbStatus wbVtkSeries_Close(wbVtkSeries *series) {
    wbStatus status = writeCollection(series);
    wbVtkSeries_Abort(series);
    return status;
}

void wbVtkSeries_Abort(wbVtkSeries *series) {
    if (series == NULL) return;
    wbArray_Free(NULL, &series->entries);
    wbFree(NULL, series, sizeof *series);
}
