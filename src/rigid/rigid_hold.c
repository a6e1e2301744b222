// SPDX-License-Identifier: MIT
// Contacts and pairs while a step may be undone. They are most of the state: contacts are not copied at all, and pairs only by steps in
// which something is awake.
#include <string.h>

#include "core/status.h"
#include "rigid/rigid_code.h"

enum { blockBytes = 1 << 16 };

static void swap(wbArray *a, wbArray *b) {
    const wbArray array = *a;
    *a = *b, *b = array;
}

void wbRigidContacts_Hold(wbRigidContacts *contacts) {
    contacts->hold = wb_holdCurrent;
    contacts->areListsHeld = false;
}

// The first step of those that may be undone leaves what is held behind, and the next ones change between two other arrays.
void wbChangeContacts(wbRigidContacts *contacts) {
    if (contacts->hold == wb_holdCurrent) {
        swap(&contacts->contacts, &contacts->before);
        contacts->hold = wb_holdBefore;
    }
    swap(&contacts->contacts, &contacts->spare);
}

typedef struct Copy {
    char *to;
    const char *from;
    size_t bytes;
} Copy;

static void copyBlocks(int begin, int end, int worker, void *context) {
    const Copy *copy = context;
    (void)worker;
    const size_t first = (size_t)begin * blockBytes, last = (size_t)end * blockBytes;
    memcpy(copy->to + first, copy->from + first, (last < copy->bytes ? last : copy->bytes) - first);
}

wbStatus wbHoldLists(wbRigidContacts *contacts, const wbWork *work) {
    wbColumn lists[WB_CONTACT_LISTS];
    int counts[WB_CONTACT_LISTS];
    if (contacts->hold == wb_holdNone || contacts->areListsHeld) return wb_okStatus;
    wbRigidContacts_ListColumns(contacts, lists, counts);
    for (int c = 0; c < WB_HELD_LISTS; c++) {
        wbArray *held = &contacts->held[c];
        const int count = counts[c + 1];
        if (!wbArray_Reserve(work->memory, held, count))
            return wbMemoryError(work->memory, "pairs of rigid bodies before a step need");
        const Copy copy = {held->data, *lists[c + 1].data, (size_t)count * (size_t)held->elementSize};
        wbParallelFor(work->pool, (int)((copy.bytes + blockBytes - 1) / blockBytes), 1, copyBlocks,
                      (void *)&copy);
        contacts->heldCounts[c] = count;
    }
    contacts->areListsHeld = true;
    return wb_okStatus;
}

static void returnLists(wbRigidContacts *contacts) {
    wbColumn lists[WB_CONTACT_LISTS];
    int counts[WB_CONTACT_LISTS];
    wbRigidContacts_ListColumns(contacts, lists, counts);
    for (int c = 0; c < WB_HELD_LISTS; c++)
        if (contacts->heldCounts[c] > 0)
            memcpy(*lists[c + 1].data, contacts->held[c].data,
                   (size_t)contacts->heldCounts[c] * (size_t)contacts->held[c].elementSize);
}

void wbRigidContacts_Release(wbRigidContacts *contacts, bool isUndone) {
    if (isUndone && contacts->areListsHeld) returnLists(contacts);
    if (contacts->hold == wb_holdBefore) {
        if (isUndone) swap(&contacts->contacts, &contacts->before);
        swap(&contacts->spare, &contacts->before);
    }
    contacts->hold = wb_holdNone;
    contacts->areListsHeld = false;
}
