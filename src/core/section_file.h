// SPDX-License-Identifier: MIT
// Files of named sections, each with a checksum: the shell of checkpoints. All numbers are little-endian.
//
//     header   magic, 8 bytes | version, u32 | sections, u32 | bytes of the file, u64 | checksum, u64
//     table    per section: name, 24 bytes, filled up with zeros | bytes, u64 | checksum, u64
//     data     the sections in the order of the table, without gaps
//
// The header's checksum covers the header before it and the table. A checksum is wbHashBytes, which finds
// every change within 8 neighbouring bytes, and misses any other with a chance of one in 2^64.
#pragma once

#include "core/arena.h"

enum { WB_SECTION_VERSION = 7, WB_SECTION_NAME = 24 };

typedef struct wbSection {
    char name[WB_SECTION_NAME]; ///< closed by a zero
    const void *data;
    size_t size;   ///< bytes
    bool wasFound; ///< by wbFindSection
    bool isOwned;  ///< the list frees the data
} wbSection;

/// Any number of them; starts with zeros, or with an arena alone.
typedef struct wbSectionList {
    wbSection *items;
    int count, capacity;
    bool lacksMemory; ///< a section could not be added
    wbArena *arena; ///< that it takes memory from, and whose owner releases it; NULL: the allocator gives it
} wbSectionList;

/// Frees the list, and the data that it owns; what an arena gave stays in it.
void wbFreeSections(wbSectionList *list);

/// The data is not copied: it must stay until the list is written. Without memory for it nothing is added, and
/// wbWriteSections says so.
void wbAddSection(wbSectionList *list, const char *name, const void *data, size_t size);

/// Adds a section of zeros and gives its memory, which the list frees; NULL without memory, and of a section without bytes.
void *wbAddOwnedSection(wbSectionList *list, const char *name, size_t size);

/// A file in memory. Its bytes grow where they are too few; after wb_errorMemory they are as before.
wbStatus wbPackSections(const wbSectionList *list, wbBytes *bytes);

/// Written beside, brought to the disk and renamed: whatever happens, the old file is left or the new one.
wbStatus wbWriteSections(const char *path, const wbSectionList *list);

/// Checks header, table and checksums. The list points into `bytes`; after an error it is empty. The arena may be NULL.
wbStatus wbReadSections(const void *bytes, size_t size, wbArena *arena, wbSectionList *list);

/// A whole file, to be freed with wbFree(NULL, *bytes, *size). It is refused before memory is taken if its
/// header is wrong.
wbStatus wbReadSectionFile(const char *path, void **bytes, size_t *size);

/// NULL after an error that says which one is missing, or of another size.
const void *wbFindSection(wbSectionList *list, const char *name, size_t size, wbStatus *status);
/// That all floats of a section are numbers that a simulation can have; also if it is missing or of another size.
wbStatus wbCheckFloatSection(wbSectionList *list, const char *name, size_t count);
/// The section of any size; NULL after an error if it is missing.
const wbSection *wbFindAnySection(wbSectionList *list, const char *name, wbStatus *status);
/// wb_errorInput if there is a section that nobody asked for.
wbStatus wbCheckAllFound(const wbSectionList *list);
