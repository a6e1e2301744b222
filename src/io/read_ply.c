// SPDX-License-Identifier: MIT
// PLY, as text or binary: the places of its vertices, and its faces.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/status.h"
#include "core/text.h"
#include "io/polygons.h"

enum { MAX_ELEMENTS = 16, MAX_PROPERTIES = 256, MAX_WORD = 64, MAX_WORDS = 6 };

typedef enum Type { I8, U8, I16, U16, I32, U32, F32, F64, TYPES } Type;
static const size_t typeBytes[TYPES] = {1, 1, 2, 2, 4, 4, 4, 8};

/// What a property means for a surface.
typedef enum Role { NO_ROLE, X, Y, Z, CORNERS } Role;

typedef struct Property {
    bool isList;
    Type countType, type; ///< countType: of a list
    Role role;
} Property;

typedef struct Element {
    char name[MAX_WORD];
    double count;
    int first, propertyCount;
} Element;

typedef enum Format { NO_FORMAT, TEXT, LITTLE, BIG } Format;

typedef struct Reader {
    const char *path, *bytes;
    size_t size, at;
    Format format;
    Element elements[MAX_ELEMENTS];
    Property properties[MAX_PROPERTIES];
    int elementCount, propertyCount;
} Reader;

/// The words of a line of the header.
typedef struct Line {
    char words[MAX_WORDS][MAX_WORD];
    int count;
} Line;

static bool isSpace(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

// Lines end with \n, \r\n or \r. False at the end of the file.
static bool readLine(Reader *reader, Line *line) {
    const char *bytes = reader->bytes;
    size_t end = reader->at;
    while (end < reader->size && bytes[end] != '\n' && bytes[end] != '\r') end++;
    if (end == reader->size) return false;
    line->count = 0;
    for (size_t i = reader->at; i < end && line->count < MAX_WORDS;) {
        size_t length = 0;
        while (i < end && isSpace(bytes[i])) i++;
        for (; i < end && !isSpace(bytes[i]); i++)
            if (length < MAX_WORD - 1) line->words[line->count][length++] = bytes[i];
        line->words[line->count][length] = 0;
        line->count += length > 0;
    }
    bool isPair = bytes[end] == '\r' && end + 1 < reader->size && bytes[end + 1] == '\n';
    reader->at = end + (isPair ? 2 : 1);
    return true;
}

static bool isWord(const Line *line, int index, const char *word) {
    return index < line->count && strcmp(line->words[index], word) == 0;
}

static wbStatus failHeader(const Reader *reader, const Line *line) {
    return wbError(wb_errorInput, "%s: this is no ply file: its header has a line \"%.30s %.30s\"",
                   reader->path, line->count > 0 ? line->words[0] : "",
                   line->count > 1 ? line->words[1] : "");
}

static bool findType(const Line *line, int index, Type *type) {
    static const char *const names[][TYPES] = {
        {"char", "uchar", "short", "ushort", "int", "uint", "float", "double"},
        {"int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64"}};
    for (int n = 0; n < 2; n++)
        for (int t = 0; t < TYPES; t++)
            if (isWord(line, index, names[n][t])) {
                *type = (Type)t;
                return true;
            }
    return false;
}

static wbStatus readFormat(Reader *reader, const Line *line) {
    static const char *const names[] = {"", "ascii", "binary_little_endian", "binary_big_endian"};
    for (int f = TEXT; f <= BIG; f++)
        if (isWord(line, 1, names[f])) reader->format = (Format)f;
    return reader->format ? wb_okStatus : failHeader(reader, line);
}

static wbStatus readElement(Reader *reader, const Line *line) {
    double count;
    if (line->count != 3 || !wbParseNumber(line->words[2], &count) || count < 0 || count != floor(count))
        return failHeader(reader, line);
    // each takes a byte at least
    if (count > (double)reader->size)
        return wbError(wb_errorInput, "%s: its header promises %.0f of \"%s\", but the file has %zu bytes",
                       reader->path, count, line->words[1], reader->size);
    if (reader->elementCount == MAX_ELEMENTS)
        return wbError(wb_errorInput, "%s: it has more than %d kinds of elements; export a surface",
                       reader->path, MAX_ELEMENTS);
    if (count > 0 && isWord(line, 1, "tristrips"))
        return wbError(wb_errorInput, "%s: it has strips of triangles; export faces", reader->path);
    Element *element = &reader->elements[reader->elementCount++];
    *element = (Element){.count = count, .first = reader->propertyCount};
    strcpy(element->name, line->words[1]);
    return wb_okStatus;
}

static Role findRole(const Element *element, bool isList, const char *name) {
    bool isCorners = strcmp(name, "vertex_indices") == 0 || strcmp(name, "vertex_index") == 0;
    bool isPlace = strlen(name) == 1 && name[0] >= 'x' && name[0] <= 'z';
    if (isList) return strcmp(element->name, "face") == 0 && isCorners ? CORNERS : NO_ROLE;
    return strcmp(element->name, "vertex") == 0 && isPlace ? (Role)(X + (name[0] - 'x')) : NO_ROLE;
}

static wbStatus readProperty(Reader *reader, const Line *line) {
    Property property = {.isList = isWord(line, 1, "list")};
    int at = property.isList ? 3 : 1;
    bool isGood = reader->elementCount > 0 && line->count == at + 2 && findType(line, at, &property.type) &&
                  (!property.isList || findType(line, 2, &property.countType));
    if (!isGood) return failHeader(reader, line);
    if (reader->propertyCount == MAX_PROPERTIES)
        return wbError(wb_errorInput, "%s: it has more than %d properties; export a surface alone",
                       reader->path, MAX_PROPERTIES);
    Element *element = &reader->elements[reader->elementCount - 1];
    property.role = findRole(element, property.isList, line->words[at + 1]);
    reader->properties[reader->propertyCount++] = property;
    element->propertyCount++;
    return wb_okStatus;
}

static wbStatus readHeader(Reader *reader) {
    Line line = {.count = 0};
    bool isPly = readLine(reader, &line) && line.count == 1 && isWord(&line, 0, "ply");
    while (isPly && readLine(reader, &line)) {
        if (isWord(&line, 0, "end_header"))
            return reader->format ? wb_okStatus : failHeader(reader, &line);
        else if (isWord(&line, 0, "format"))
            WB_TRY(readFormat(reader, &line));
        else if (isWord(&line, 0, "element"))
            WB_TRY(readElement(reader, &line));
        else if (isWord(&line, 0, "property"))
            WB_TRY(readProperty(reader, &line));
        else if (line.count > 0 && !isWord(&line, 0, "comment") && !isWord(&line, 0, "obj_info"))
            return failHeader(reader, &line);
    }
    return wbError(wb_errorInput, "%s: this is no ply file: its header has no end", reader->path);
}

// The place in the file of what is read, for messages.
typedef struct Place {
    const Element *element;
    int64_t index;
} Place;

static wbStatus failAsCut(const Reader *reader, Place place) {
    return wbError(wb_errorInput, "%s: the file ends within %s %lld of %.0f", reader->path,
                   place.element->name, (long long)place.index, place.element->count);
}

static wbStatus readText(Reader *reader, Place place, double *value) {
    char word[MAX_WORD];
    size_t length = 0;
    while (reader->at < reader->size && isSpace(reader->bytes[reader->at])) reader->at++;
    if (reader->at == reader->size) return failAsCut(reader, place);
    for (; reader->at < reader->size && !isSpace(reader->bytes[reader->at]); reader->at++)
        if (length < sizeof word - 1) word[length++] = reader->bytes[reader->at];
    word[length] = 0;
    if (wbParseNumber(word, value)) return wb_okStatus;
    return wbError(wb_errorInput, "%s: %s %lld has \"%.20s\", which is no number; write finite numbers",
                   reader->path, place.element->name, (long long)place.index, word);
}

static double decode(const unsigned char *bytes, Type type, bool isBig) {
    unsigned char low[8] = {0};
    size_t size = typeBytes[type];
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++) low[i] = bytes[isBig ? size - 1 - i : i];
    for (size_t i = size; i-- > 0;) bits = bits << 8 | low[i];
    float single;
    double number;
    switch (type) {
    case I8:
        return (int8_t)bits;
    case I16:
        return (int16_t)bits;
    case I32:
        return (int32_t)bits;
    case F32:
        memcpy(&single, &(uint32_t){(uint32_t)bits}, sizeof single);
        return (double)single;
    case F64:
        memcpy(&number, &bits, sizeof number);
        return number;
    default:
        return (double)bits;
    }
}

static wbStatus readNumber(Reader *reader, Place place, Type type, double *value) {
    if (reader->format == TEXT) return readText(reader, place, value);
    if (typeBytes[type] > reader->size - reader->at) return failAsCut(reader, place);
    *value = decode((const unsigned char *)reader->bytes + reader->at, type, reader->format == BIG);
    reader->at += typeBytes[type];
    return wb_okStatus;
}

static wbStatus readCorners(Reader *reader, Place place, Type type, int64_t count, wbPolygons *polygons) {
    for (int64_t i = 0; i < count; i++) {
        double value;
        WB_TRY(readNumber(reader, place, type, &value));
        if (!(value >= 0 && value <= INT_MAX && value == floor(value)))
            return wbError(wb_errorInput, "%s: face %lld names vertex %g", reader->path,
                           (long long)place.index, value);
        if (!wbAddCorner(polygons, (uint32_t)value)) return wbMemoryError(NULL, "%s needs", reader->path);
    }
    return wbCloseFace(polygons) ? wb_okStatus : wbMemoryError(NULL, "%s needs", reader->path);
}

static wbStatus readList(Reader *reader, Place place, const Property *property, wbPolygons *polygons) {
    double count, value;
    WB_TRY(readNumber(reader, place, property->countType, &count));
    size_t each = reader->format == TEXT ? 1 : typeBytes[property->type];
    if (!(count >= 0 && count <= (double)((reader->size - reader->at) / each) && count == floor(count)))
        return wbError(wb_errorInput, "%s: %s %lld promises a list of %.10g, but the file has %zu bytes",
                       reader->path, place.element->name, (long long)place.index, count, reader->size);
    if (property->role == CORNERS)
        return readCorners(reader, place, property->type, (int64_t)count, polygons);
    for (int64_t i = 0; i < (int64_t)count; i++) WB_TRY(readNumber(reader, place, property->type, &value));
    return wb_okStatus;
}

static wbStatus readOne(Reader *reader, Place place, wbPolygons *polygons) {
    double at[3] = {0}; // where the file does not say a coordinate, as in a flat one
    for (int p = 0; p < place.element->propertyCount; p++) {
        const Property *property = &reader->properties[place.element->first + p];
        double value;
        if (property->isList) {
            WB_TRY(readList(reader, place, property, polygons));
            continue;
        }
        WB_TRY(readNumber(reader, place, property->type, &value));
        if (property->role != NO_ROLE) at[property->role - X] = value;
    }
    bool isVertex = strcmp(place.element->name, "vertex") == 0;
    return !isVertex || wbAddVertex(polygons, at) ? wb_okStatus
                                                  : wbMemoryError(NULL, "%s needs", reader->path);
}

wbStatus wbReadPly(const char *path, const char *bytes, size_t size, wbPolygons *polygons) {
    Reader reader = {.path = path, .bytes = bytes, .size = size};
    WB_TRY(readHeader(&reader));
    for (int e = 0; e < reader.elementCount; e++) {
        const Element *element = &reader.elements[e];
        // without properties it takes no bytes, however many there are
        for (int64_t i = 0; i < (int64_t)element->count && element->propertyCount > 0; i++)
            WB_TRY(readOne(&reader, (Place){element, i}, polygons));
    }
    return wb_okStatus;
}
