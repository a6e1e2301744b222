// SPDX-License-Identifier: MIT
// Checkpoints: a world as a file. The sections of the file (core/section_file.h) are
//
//     writer              "key=value" lines: version, compiler, CPU, instruction set, backend
//     params              "section.name=value" lines, as wbWorld_SetParam reads them
//     domain              wbDomainDef
//     fluids              wbSavedFluid per fluid
//     fluidOfId           u32 per particle id that was ever given
//     time, sph.count, …  one per number of wbWorld_ListValues
//     sph.x, sph.id, …    one per saved column of wbSph_ListColumns, in memory order
#pragma once

#include "core/section_file.h"
#include "world/world.h"

typedef struct wbSavedFluid {
    char name[WB_NAME_SIZE];
    uint32_t generation;
} wbSavedFluid;

enum { WB_CHECKPOINT_TEXT = 8192 };

/// The lines of "writer" and "params"; they give the length.
size_t wbDescribeWriter(const wbWorld *world, char text[WB_CHECKPOINT_TEXT]);
size_t wbDescribeParams(const wbWorld *world, char text[WB_CHECKPOINT_TEXT]);

/// Refuses unknown names and values out of range.
wbStatus wbReadSavedParams(const wbSection *section, wbWorldDef *def);
/// Tells the log what in this program or machine is not as it was when the file was written.
void wbNoticeWriter(const wbSection *section, const wbWorld *world);

/// Whether what a file says of fluids and particles can be a world's state; counts the fluids' particles.
wbStatus wbCheckLoaded(wbWorld *world);

/// wbLoadWorld of what a file holds. Any bytes are allowed.
wbStatus wbLoadWorldFromBytes(const void *bytes, size_t size, wbWorld **world);
