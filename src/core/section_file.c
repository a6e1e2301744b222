// SPDX-License-Identifier: MIT
#include "core/section_file.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/hash.h"
#include "core/input_file.h"
#include "core/memory.h"
#include "core/output_file.h"
#include "core/status.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as the machine holds them");

// A transfer that changes line ends changes it.
static const char magic[8] = {'W', 'I', 'R', 'B', 'E', 'L', '\r', '\n'};

typedef struct Header {
    char magic[8];
    uint32_t version, sectionCount;
    uint64_t fileSize;
    uint64_t checksum; // of all before it and of the table
} Header;
_Static_assert(sizeof(Header) == 32, "as it stands in the file");

typedef struct Entry {
    char name[WB_SECTION_NAME];
    uint64_t size, checksum;
} Entry;
_Static_assert(sizeof(Entry) == 40, "as it stands in the file");

static uint64_t hashHead(const Header *header, const void *table) {
    uint64_t hash = wbHashBytes(WB_HASH_START, header, offsetof(Header, checksum));
    return wbHashBytes(hash, table, header->sectionCount * sizeof(Entry));
}

static void *allocate(const wbSectionList *list, size_t bytes) {
    return list->arena && bytes ? wbArena_Alloc(list->arena, bytes) : wbAlloc(NULL, bytes);
}

static void release(const wbSectionList *list, void *data, size_t bytes) {
    if (!list->arena) wbFree(NULL, data, bytes);
}

void wbFreeSections(wbSectionList *list) {
    for (int i = 0; i < list->count; i++)
        if (list->items[i].isOwned) release(list, (void *)list->items[i].data, list->items[i].size);
    release(list, list->items, (size_t)list->capacity * sizeof *list->items);
    *list = (wbSectionList){.arena = list->arena};
}

static bool reserve(wbSectionList *list, int needed) {
    if (needed <= list->capacity) return true;
    wbSection *items = allocate(list, (size_t)needed * sizeof *items);
    if (!items) return false;
    if (list->count) memcpy(items, list->items, (size_t)list->count * sizeof *items);
    release(list, list->items, (size_t)list->capacity * sizeof *items);
    list->items = items, list->capacity = needed;
    return true;
}

void wbAddSection(wbSectionList *list, const char *name, const void *data, size_t size) {
    enum { FEW = 64 };
    WB_ASSERT(strlen(name) < WB_SECTION_NAME, "the name of a section is too long");
    list->lacksMemory |= list->count == list->capacity && !reserve(list, list->capacity + FEW);
    if (list->lacksMemory) return;
    wbSection *section = &list->items[list->count++];
    *section = (wbSection){.data = data, .size = size};
    strcpy(section->name, name);
}

void *wbAddOwnedSection(wbSectionList *list, const char *name, size_t size) {
    int count = list->count;
    void *data = allocate(list, size);
    list->lacksMemory |= size > 0 && !data;
    if (data) memset(data, 0, size);
    wbAddSection(list, name, data, size);
    if (list->count > count) {
        list->items[count].isOwned = true;
        return data;
    }
    release(list, data, size);
    return NULL;
}

static size_t getFileSize(const wbSectionList *list) {
    size_t size = sizeof(Header) + (size_t)list->count * sizeof(Entry);
    for (int i = 0; i < list->count; i++) size += list->items[i].size;
    return size;
}

static Entry makeEntry(const wbSection *section) {
    Entry entry = {.size = section->size,
                   .checksum = wbHashBytes(WB_HASH_START, section->data, section->size)};
    strcpy(entry.name, section->name);
    return entry;
}

// When the table is complete.
static Header makeHeader(const wbSectionList *list, const void *table) {
    Header header = {
        .version = WB_SECTION_VERSION, .sectionCount = (uint32_t)list->count, .fileSize = getFileSize(list)};
    memcpy(header.magic, magic, sizeof magic);
    header.checksum = hashHead(&header, table);
    return header;
}

static wbStatus failByMemory(void) { return wbMemoryError(NULL, "the sections of a checkpoint need"); }

// What was in them is not needed; by an eighth more where they grow, as snapshots are taken again and again.
static bool reserveBytes(wbBytes *bytes, size_t needed) {
    if (needed <= bytes->capacity) return true;
    size_t ample = bytes->capacity ? needed + needed / 8 : needed;
    void *data = wbAlloc(NULL, ample);
    if (!data && ample > needed) data = wbAlloc(NULL, ample = needed);
    if (!data) return false;
    wbFreeBytes(bytes);
    *bytes = (wbBytes){.data = data, .capacity = ample};
    return true;
}

void wbFreeBytes(wbBytes *bytes) {
    WB_REQUIRE(bytes);
    wbFree(NULL, bytes->data, bytes->capacity);
    *bytes = (wbBytes){0};
}

wbStatus wbPackSections(const wbSectionList *list, wbBytes *bytes) {
    if (list->lacksMemory || !reserveBytes(bytes, getFileSize(list))) return failByMemory();
    char *table = (char *)bytes->data + sizeof(Header), *data = table + (size_t)list->count * sizeof(Entry);
    for (int i = 0; i < list->count; i++) {
        const wbSection *section = &list->items[i];
        const Entry entry = makeEntry(section);
        memcpy(table + (size_t)i * sizeof entry, &entry, sizeof entry);
        if (section->size) memcpy(data, section->data, section->size);
        data += section->size;
    }
    const Header header = makeHeader(list, table);
    memcpy(bytes->data, &header, sizeof header);
    bytes->size = header.fileSize;
    return wb_okStatus;
}

static wbStatus writeFile(const char *path, const wbSectionList *list, Entry *table) {
    for (int i = 0; i < list->count; i++) table[i] = makeEntry(&list->items[i]);
    const Header header = makeHeader(list, table);
    wbOutputFile file;
    WB_TRY(wbOutputFile_Open(&file, path));
    WB_TRY(wbOutputFile_Write(&file, &header, sizeof header));
    WB_TRY(wbOutputFile_Write(&file, table, (size_t)list->count * sizeof *table));
    for (int i = 0; i < list->count; i++)
        if (list->items[i].size) WB_TRY(wbOutputFile_Write(&file, list->items[i].data, list->items[i].size));
    return wbOutputFile_CloseSafely(&file);
}

wbStatus wbWriteSections(const char *path, const wbSectionList *list) {
    size_t bytes = (size_t)list->count * sizeof(Entry);
    Entry *table = list->lacksMemory ? NULL : wbAlloc(NULL, bytes);
    if (list->lacksMemory || (bytes && !table)) return failByMemory();
    wbStatus status = writeFile(path, list, table);
    wbFree(NULL, table, bytes);
    return status;
}

// What can be said from the first bytes, `got` of them, and the size of the file.
static wbStatus checkHeader(const Header *header, size_t got, uint64_t fileSize) {
    size_t magicBytes = got < sizeof magic ? got : sizeof magic;
    if (got == 0) return wbError(wb_errorInput, "empty, not a Wirbel checkpoint");
    if (memcmp(header->magic, magic, magicBytes) != 0)
        return wbError(wb_errorInput, "not a Wirbel checkpoint");
    if (got < sizeof *header) return wbError(wb_errorInput, "cut off after %zu bytes", got);
    if (header->version != WB_SECTION_VERSION && header->version != 0)
        return wbError(wb_errorInput,
                       "written by %s Wirbel (format %u, this one reads %d): resume with that one",
                       header->version > WB_SECTION_VERSION ? "a newer" : "an older", header->version,
                       WB_SECTION_VERSION);
    if (header->fileSize != fileSize)
        return wbError(wb_errorInput, "damaged: it has %llu bytes, written were %llu",
                       (unsigned long long)fileSize, (unsigned long long)header->fileSize);
    uint64_t head = sizeof *header + (uint64_t)header->sectionCount * sizeof(Entry);
    if (header->version == 0 || header->sectionCount > INT_MAX || head > fileSize)
        return wbError(wb_errorInput, "damaged: its header makes no sense");
    return wb_okStatus;
}

// Whether it is a name that wbAddSection takes, and fit for messages.
static bool isName(const char name[WB_SECTION_NAME]) {
    size_t length = strnlen(name, WB_SECTION_NAME);
    for (size_t i = 0; i < length; i++)
        if (name[i] <= ' ' || name[i] > '~') return false;
    return length > 0 && length < WB_SECTION_NAME;
}

static wbStatus readEntry(const Entry *entry, const unsigned char *data, size_t left, wbSectionList *list) {
    if (!isName(entry->name) || entry->size > left)
        return wbError(wb_errorInput, "damaged: its list of sections makes no sense");
    if (wbHashBytes(WB_HASH_START, data, entry->size) != entry->checksum)
        return wbError(wb_errorInput, "damaged: section \"%s\" is not as it was written", entry->name);
    wbAddSection(list, entry->name, data, entry->size);
    return wb_okStatus;
}

static wbStatus readAll(const void *bytes, size_t size, wbSectionList *list) {
    Header header = {0};
    size_t got = size < sizeof header ? size : sizeof header;
    if (got) memcpy(&header, bytes, got);
    WB_TRY(checkHeader(&header, got, size));
    const unsigned char *table = (const unsigned char *)bytes + sizeof header;
    if (hashHead(&header, table) != header.checksum)
        return wbError(wb_errorInput, "damaged: its header is not as it was written");
    size_t at = sizeof header + header.sectionCount * sizeof(Entry);
    if (!reserve(list, (int)header.sectionCount)) return wbMemoryError(NULL, "the list of sections needs");
    for (uint32_t i = 0; i < header.sectionCount; i++) {
        Entry entry;
        memcpy(&entry, table + i * sizeof entry, sizeof entry);
        WB_TRY(readEntry(&entry, (const unsigned char *)bytes + at, size - at, list));
        at += entry.size;
    }
    if (at != size) return wbError(wb_errorInput, "damaged: %zu bytes belong to no section", size - at);
    return wb_okStatus;
}

wbStatus wbReadSections(const void *bytes, size_t size, wbArena *arena, wbSectionList *list) {
    *list = (wbSectionList){.arena = arena};
    wbStatus status = readAll(bytes, size, list);
    if (!wbIsOk(status)) wbFreeSections(list);
    return status;
}

static wbStatus readOpened(FILE *file, const char *path, void **bytes, size_t *size) {
    Header header = {0};
    size_t got = fread(&header, 1, sizeof header, file);
    if (ferror(file)) return wbFileError("read", path);
    WB_TRY(checkHeader(&header, got, *size));
    *bytes = wbAlloc(NULL, *size);
    if (!*bytes) return wbMemoryError(NULL, "a file of %zu bytes needs", *size);
    memcpy(*bytes, &header, got);
    got += fread((char *)*bytes + got, 1, *size - got, file);
    if (got == *size) return wb_okStatus;
    wbStatus status =
        ferror(file) ? wbFileError("read", path) : wbError(wb_errorInput, "cut off while it was read");
    wbFree(NULL, *bytes, *size);
    return status;
}

wbStatus wbReadSectionFile(const char *path, void **bytes, size_t *size) {
    FILE *file;
    *bytes = NULL;
    WB_TRY(wbOpenInput(path, &file, size));
    wbStatus status = readOpened(file, path, bytes, size);
    fclose(file);
    return status;
}

const wbSection *wbFindAnySection(wbSectionList *list, const char *name, wbStatus *status) {
    for (int i = 0; i < list->count; i++) {
        if (strcmp(list->items[i].name, name) != 0) continue;
        list->items[i].wasFound = true;
        return &list->items[i];
    }
    *status = wbError(wb_errorInput, "section \"%s\" is missing", name);
    return NULL;
}

const void *wbFindSection(wbSectionList *list, const char *name, size_t size, wbStatus *status) {
    const wbSection *section = wbFindAnySection(list, name, status);
    if (!section) return NULL;
    if (section->size == size) return section->data;
    *status =
        wbError(wb_errorInput, "section \"%s\" has %zu bytes, it must have %zu", name, section->size, size);
    return NULL;
}

// Sections begin anywhere in a file.
wbStatus wbCheckFloatSection(wbSectionList *list, const char *name, size_t count) {
    wbStatus status = wb_okStatus;
    const char *bytes = wbFindSection(list, name, count * sizeof(float), &status);
    for (size_t i = 0; bytes && i < count; i++) {
        float number;
        memcpy(&number, bytes + i * sizeof number, sizeof number);
        if (!(fabsf(number) <= 1e30f))
            return wbError(wb_errorInput, "section \"%s\" has a number that is not finite", name);
    }
    return status;
}

wbStatus wbCheckAllFound(const wbSectionList *list) {
    for (int i = 0; i < list->count; i++)
        if (!list->items[i].wasFound)
            return wbError(wb_errorInput, "section \"%s\" is unknown or there twice", list->items[i].name);
    return wb_okStatus;
}
