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

/// What is written of a particle, in the order of the appended arrays.
typedef enum Field { POINTS, VELOCITY, DENSITY, PRESSURE, ID, CONNECTIVITY, OFFSETS, FIELD_COUNT } Field;

static const struct {
    const char *name, *type;
    int components;
} fields[FIELD_COUNT] = {
    [POINTS] = {"Points", "Float32", 3},
    [VELOCITY] = {"velocity", "Float32", 3},
    [DENSITY] = {"density", "Float32", 1},
    [PRESSURE] = {"pressure", "Float32", 1},
    [ID] = {"id", "UInt32", 1},
    [CONNECTIVITY] = {"connectivity", "Int32", 1},
    [OFFSETS] = {"offsets", "Int32", 1},
};

static uint64_t fieldBytes(Field field, int64_t count) {
    return (uint64_t)count * 4u * (uint64_t)fields[field].components;
}

static wbStatus writeArrayTag(wbOutputFile *file, Field field, int64_t count) {
    uint64_t offset = 0;
    for (int f = 0; f < (int)field; ++f) offset += 8 + fieldBytes((Field)f, count);
    return wbOutputFile_Print(file,
                              "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" "
                              "format=\"appended\" offset=\"%llu\"/>\n",
                              fields[field].type, fields[field].name, fields[field].components,
                              (unsigned long long)offset);
}

static wbStatus writeSection(wbOutputFile *file, const char *tag, Field first, Field last, int64_t count) {
    WB_TRY(wbOutputFile_Print(file, "      <%s>\n", tag));
    for (int f = (int)first; f <= (int)last; ++f) WB_TRY(writeArrayTag(file, (Field)f, count));
    int word = (int)strcspn(tag, " "); // the closing tag has no attributes
    return wbOutputFile_Print(file, "      </%.*s>\n", word, tag);
}

static wbStatus writeHead(wbOutputFile *file, int64_t count, double time) {
    WB_TRY(wbOutputFile_Print(file,
                              "<?xml version=\"1.0\"?>\n"
                              "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
                              "header_type=\"UInt64\">\n"
                              "  <PolyData>\n"
                              "    <FieldData>\n"
                              "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
                              "format=\"ascii\">%.17g</DataArray>\n"
                              "    </FieldData>\n"
                              "    <Piece NumberOfPoints=\"%lld\" NumberOfVerts=\"%lld\" NumberOfLines=\"0\" "
                              "NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n",
                              time, (long long)count, (long long)count));
    WB_TRY(writeSection(file, "Points", POINTS, POINTS, count));
    WB_TRY(writeSection(file, "PointData Scalars=\"density\" Vectors=\"velocity\"", VELOCITY, ID, count));
    WB_TRY(writeSection(file, "Verts", CONNECTIVITY, OFFSETS, count));
    return wbOutputFile_Print(file, "    </Piece>\n"
                                    "  </PolyData>\n"
                                    "  <AppendedData encoding=\"raw\">\n"
                                    "_");
}

// `number` counts particles over all views: it is the point that the particle's cell consists of.
static uint8_t *putElement(uint8_t *to, Field field, const wbView *view, size_t i, int64_t number) {
    switch (field) {
    case POINTS:
        return wbPutF32(wbPutF32(wbPutF32(to, view->x[i]), view->y[i]), view->z[i]);
    case VELOCITY:
        return wbPutF32(wbPutF32(wbPutF32(to, view->vx[i]), view->vy[i]), view->vz[i]);
    case DENSITY:
        return wbPutF32(to, view->density ? view->density[i] : 0);
    case PRESSURE:
        return wbPutF32(to, view->pressure ? view->pressure[i] : 0);
    case ID:
        return wbPutU32(to, view->id[i]);
    case CONNECTIVITY:
        return wbPutU32(to, (uint32_t)number);
    default:
        return wbPutU32(to, (uint32_t)(number + 1)); // OFFSETS: where the particle's cell ends
    }
}

static wbStatus writeArray(wbOutputFile *file, Field field, const wbView *views, int viewCount,
                           int64_t count) {
    uint8_t buffer[12];
    uint8_t *end = wbPutU64(buffer, fieldBytes(field, count));
    WB_TRY(wbOutputFile_Write(file, buffer, (size_t)(end - buffer)));
    int64_t number = 0;
    for (int v = 0; v < viewCount; ++v) {
        for (int i = 0; i < views[v].count; ++i, ++number) {
            end = putElement(buffer, field, &views[v], (size_t)i * (size_t)views[v].stride, number);
            WB_TRY(wbOutputFile_Write(file, buffer, (size_t)(end - buffer)));
        }
    }
    return wb_okStatus;
}

wbStatus wbWriteVtp(const char *path, const wbView *views, int viewCount, double time) {
    int64_t count = 0;
    for (int v = 0; v < viewCount; ++v) count += views[v].count;
    wbOutputFile file;
    WB_TRY(wbOutputFile_Open(&file, path));
    WB_TRY(writeHead(&file, count, time));
    for (int f = 0; f < FIELD_COUNT; ++f) WB_TRY(writeArray(&file, (Field)f, views, viewCount, count));
    WB_TRY(wbOutputFile_Print(&file, "\n  </AppendedData>\n</VTKFile>\n"));
    return wbOutputFile_Close(&file);
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

wbStatus wbVtkSeries_Open(const char *directory, wbVtkSeries **series) {
    return openSeries(directory, "particles", "vtp", series);
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

wbStatus wbVtkSeries_AddFrame(wbVtkSeries *series, int frame, double time, const wbView *views,
                              int viewCount) {
    char path[WB_MAX_PATH];
    WB_TRY(wbMakeFramePath(path, series->directory, series->stem, frame, series->ending));
    WB_TRY(wbWriteVtp(path, views, viewCount, time));
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
