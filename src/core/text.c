// SPDX-License-Identifier: MIT
#include "core/text.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 64 };

static int minInt(int a, int b) { return a < b ? a : b; }
static int maxInt(int a, int b) { return a > b ? a : b; }
static int lower(char c) { return tolower((unsigned char)c); }

// Insertions, deletions, replacements and swaps of neighbours that make b of a (Damerau 1964, each letter
// swapped at most once). Lengths are at most LONGEST_NAME.
static int countEdits(const char *a, int lengthA, const char *b, int lengthB) {
    int rows[3][LONGEST_NAME + 1];
    int *before = rows[0], *above = rows[1], *row = rows[2];
    for (int j = 0; j <= lengthB; ++j) above[j] = before[j] = j;
    for (int i = 1; i <= lengthA; ++i) {
        row[0] = i;
        for (int j = 1; j <= lengthB; ++j) {
            int replace = above[j - 1] + (lower(a[i - 1]) != lower(b[j - 1]));
            row[j] = minInt(replace, minInt(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1])) {
                row[j] = minInt(row[j], before[j - 2] + 1);
            }
        }
        int *oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[lengthB];
}

wbNameSearch wbStartNameSearch(const char *name) {
    return (wbNameSearch){.name = name, .fewest = maxInt(2, (int)strlen(name) / 3) + 1};
}

void wbNameSearch_Try(wbNameSearch *search, const char *known) {
    size_t length = strlen(search->name), otherLength = strlen(known);
    if (length > LONGEST_NAME || otherLength > LONGEST_NAME) return;
    int edits = countEdits(search->name, (int)length, known, (int)otherLength);
    // short names need a letter in common, or "xy" would be near to "dt"
    if (edits >= search->fewest || edits >= maxInt((int)length, (int)otherLength)) return;
    search->fewest = edits;
    search->nearest = known;
}

const char *wbNearestName(const char *name, const char *const *names, int count) {
    wbNameSearch search = wbStartNameSearch(name);
    for (int i = 0; i < count; ++i) wbNameSearch_Try(&search, names[i]);
    return search.nearest;
}

// Numbers have a decimal point whatever the host program's locale says.
static locale_t enterPlainLocale(locale_t *plain) {
    *plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return uselocale(*plain);
}

static void leavePlainLocale(locale_t plain, locale_t previous) {
    uselocale(previous);
    if (plain) freelocale(plain);
}

bool wbParseNumber(const char *text, double *value) {
    // strtod also takes spaces, hexadecimals, "inf" and "nan"
    if (text[0] == 0 || text[strspn(text, "0123456789+-.eE")] != 0) return false;
    locale_t plain, previous = enterPlainLocale(&plain);
    char *end;
    double number = strtod(text, &end);
    leavePlainLocale(plain, previous);
    if (*end != 0 || end == text || !isfinite(number)) return false;
    *value = number;
    return true;
}

void wbFormatFloat(float value, char *text, int size) {
    locale_t plain, previous = enterPlainLocale(&plain);
    for (int digits = 6; digits <= 9; ++digits) {
        snprintf(text, (size_t)size, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value) break;
    }
    leavePlainLocale(plain, previous);
}

void wbFormatBytes(double bytes, char *text, int size) {
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    int unit = 0;
    for (; bytes >= 999.95 && unit < 6; bytes /= 1000) unit++;
    snprintf(text, (size_t)size, unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
}
