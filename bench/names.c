// SPDX-License-Identifier: MIT
#include "bench/names.h"

#include <string.h>

#include "core/status.h"
#include "core/text.h"

wbStatus wbFindName(const char *what, const char *command, const char *name, const char *const *known,
                    int count, int *index) {
    for (*index = 0; *index < count; ++*index) {
        if (strcmp(known[*index], name) == 0) return wb_okStatus;
    }
    const char *nearest = wbNearestName(name, known, count);
    if (nearest == NULL)
        return wbError(wb_errorInput, "no %s is called '%s'; `%s --list` shows them", what, name, command);
    return wbError(wb_errorInput, "no %s is called '%s'; did you mean '%s'?", what, name, nearest);
}
