// SPDX-License-Identifier: MIT
// A node keeps the colours at it as words of 64 bits, of which it stores only those that are not empty: never more
// than it has items, however high their colours are. Words at the front that are full are skipped.
#include "space/colour.h"

#include <string.h>

#include "core/sort.h"
#include "core/status.h"

typedef struct Palette {
    int *start;     // of each node's words
    int *used;      // words in use
    int *full;      // words at the front without a free colour
    int *index;     // of a word: its first colour is 64 times that
    uint64_t *bits; // colours in use
} Palette;

static bool createPalette(Palette *palette, const wbWork *work, const int *members, int64_t memberCount,
                          int nodeCount) {
    size_t nodes = sizeof(int) * ((size_t)nodeCount + 1);
    palette->start = wbArena_Alloc(work->arena, nodes);
    palette->used = wbArena_Alloc(work->arena, nodes);
    palette->full = wbArena_Alloc(work->arena, nodes);
    palette->index = wbArena_Alloc(work->arena, sizeof(int) * ((size_t)memberCount + 1));
    palette->bits = wbArena_Alloc(work->arena, sizeof(uint64_t) * ((size_t)memberCount + 1));
    if (!palette->start || !palette->used || !palette->full || !palette->index || !palette->bits)
        return false;
    memset(palette->start, 0, nodes), memset(palette->used, 0, nodes), memset(palette->full, 0, nodes);
    for (int64_t k = 0; k < memberCount; k++)
        if (members[k] >= 0) palette->start[members[k]]++;
    wbPrefixSum(work->pool, palette->start, nodeCount, palette->start);
    return true;
}

// The place of a node's word, or where it belongs.
static int findWord(const Palette *palette, int node, int word) {
    const int *index = palette->index + palette->start[node];
    int low = 0, high = palette->used[node];
    while (low < high) {
        int middle = (low + high) / 2;
        if (index[middle] < word)
            low = middle + 1;
        else
            high = middle;
    }
    return palette->start[node] + low;
}

static bool hasWord(const Palette *palette, int node, int place, int word) {
    return place < palette->start[node] + palette->used[node] && palette->index[place] == word;
}

static int findColour(const Palette *palette, const int *nodes, int width) {
    int word = 0;
    for (int k = 0; k < width; k++)
        if (nodes[k] >= 0 && palette->full[nodes[k]] > word) word = palette->full[nodes[k]];
    for (;; word++) {
        uint64_t used = 0;
        for (int k = 0; k < width; k++) {
            if (nodes[k] < 0) continue;
            int place = findWord(palette, nodes[k], word);
            if (hasWord(palette, nodes[k], place, word)) used |= palette->bits[place];
        }
        if (used != UINT64_MAX) return 64 * word + __builtin_ctzll(~used);
    }
}

static void useColour(Palette *palette, int node, int colour) {
    int word = colour / 64, place = findWord(palette, node, word), first = palette->start[node];
    if (!hasWord(palette, node, place, word)) {
        size_t behind = (size_t)(first + palette->used[node]++ - place);
        memmove(palette->index + place + 1, palette->index + place, sizeof(int) * behind);
        memmove(palette->bits + place + 1, palette->bits + place, sizeof(uint64_t) * behind);
        palette->index[place] = word, palette->bits[place] = 0;
    }
    palette->bits[place] |= UINT64_C(1) << colour % 64;
    int *full = &palette->full[node];
    while (*full < palette->used[node] && palette->index[first + *full] == *full &&
           palette->bits[first + *full] == UINT64_MAX)
        ++*full;
}

wbStatus wbColourItems(const wbWork *work, const int *members, int width, int itemCount, int nodeCount,
                       int *colours, int *colourCount) {
    Palette palette;
    size_t mark = wbArena_Mark(work->arena);
    *colourCount = 0;
    if (!createPalette(&palette, work, members, (int64_t)itemCount * width, nodeCount))
        return wbMemoryError(work->memory, "the colours of %d constraints need", itemCount);
    for (int item = 0; item < itemCount; item++) {
        const int *nodes = members + (size_t)item * (size_t)width;
        int colour = colours[item] = findColour(&palette, nodes, width);
        for (int k = 0; k < width; k++)
            if (nodes[k] >= 0) useColour(&palette, nodes[k], colour);
        if (colour >= *colourCount) *colourCount = colour + 1;
    }
    wbArena_Release(work->arena, mark);
    return wb_okStatus;
}
