// SPDX-License-Identifier: MIT
// The objects of a scene file, each declared once as a table: the reader and the schema walk the same rows.
#pragma once

#include "wirbel/scene.h"

typedef struct wbShape {
    const wbParamTable *table;
    const char *const *others;   ///< keys that code of their own reads; ends with NULL; may be NULL
    const char *const *required; ///< ends with NULL; may be NULL
    bool depthAllowed;           ///< in 2D a vector may have three numbers as well
} wbShape;

/// {"position", "velocity"}
typedef struct wbSceneParticle {
    wbVec3 position, velocity;
} wbSceneParticle;

/// {"at", "set", "value"}; the latter two are read by code of their own.
typedef struct wbSceneMoment {
    float at;
} wbSceneMoment;

extern const wbShape wb_domainShape;   ///< wbDomainDef
extern const wbShape wb_sideShape;     ///< wbSideDef
extern const wbShape wb_fluidShape;    ///< wbFluidDef
extern const wbShape wb_blockShape;    ///< wbBlockDef
extern const wbShape wb_particleShape; ///< wbSceneParticle
extern const wbShape wb_scriptShape;   ///< wbSceneMoment

/// A section of parameters: one of wbGetParamTables or wbGetSceneParamTables.
wbShape wbMakeSectionShape(const wbParamTable *table);

/// Objects with parameters: those of wbGetObjectTables.
wbShape wbMakeEmitterShape(void); ///< wbEmitterParams
wbShape wbMakeDrainShape(void);   ///< wbDrainParams

extern const char *const wb_sideNames[wb_sideCount];

/// Keys of the whole file, section by section; `count` receives how many.
const char *const *wbGetSceneKeys(int *count);
