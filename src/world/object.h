// SPDX-License-Identifier: MIT
// What has a name in a world: one registry of all kinds of objects. Names are unique over all kinds, and a parameter of
// an object is set by its name: "pipe.rate".
#pragma once

#include "world/world.h"

typedef struct wbObjectKind {
    const char *word;  ///< "softBody": the name of its table, if it has parameters
    const char *title; ///< "soft body": what messages call it
    int (*getCount)(const wbWorld *world);
    const char *(*getName)(const wbWorld *world, int index);
    // NULL if it has no parameters of its own
    const void *(*getParams)(const wbWorld *world, int index);
    wbStatus (*setParams)(wbWorld *world, int index, const void *params); ///< checks them first
} wbObjectKind;

extern const wbObjectKind wb_fluidKind, wb_emitterKind, wb_drainKind, wb_colliderKind, wb_mechanismKind,
    wb_softBodyKind, wb_sourceKind;

enum { WB_MAX_OBJECT_PARAMS = 512 };

typedef struct wbObject {
    const wbObjectKind *kind; ///< NULL: there is none of that name
    int index;
} wbObject;

wbObject wbFindObject(const wbWorld *world, const char *name);
/// wb_errorInput unless a new object may have this name.
wbStatus wbCheckNewName(const wbWorld *world, const char *title, const char *name);
/// wb_errorInput unless a new object may have this name, and it is fit to stand before a point: letters, digits, - and _.
wbStatus wbCheckPlainName(const wbWorld *world, const char *title, const char *name);

/// "pipe.rate" of a world: the object and the row, or an error that names the nearest known key.
wbStatus wbFindObjectParam(const wbWorld *world, const char *key, wbObject *object, const wbParam **param);
wbStatus wbSetObjectParam(wbWorld *world, const char *key, const char *value);
wbStatus wbGetObjectParam(const wbWorld *world, const char *key, char *value, int size);
