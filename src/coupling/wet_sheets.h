// SPDX-License-Identifier: MIT
// All that is thin in fluids, in one set of sheets: nodes of soft bodies, then those of hulls.
#pragma once

#include "coupling/of_hull.h"
#include "coupling/of_soft.h"

typedef struct wbWetSheets {
    wbSheets sheets;
    wbWetSoft *soft; ///< whose particles are the first nodes, while its sub-step is open
    wbWetHulls *hulls;
    // what elements were listed of
    bool isListed;
    uint32_t version; ///< of constraints of soft bodies
    uint64_t key;     ///< of hulls
    double work;      ///< J, that they did on fluids since it was set to 0
    double ms;        ///< since it was set to 0: of sheets, and of bodies in a fluid's iterations
} wbWetSheets;

void wbWetSheets_Init(wbWetSheets *wet, wbWetSoft *soft, wbWetHulls *hulls);
void wbWetSheets_Free(wbMemory *memory, wbWetSheets *wet);
/// Before a step: soft bodies, if there are any (else `pbd` is NULL), and hulls, which are prepared.
wbStatus wbWetSheets_Prepare(wbWetSheets *wet, const wbWork *work, const wbPbd *pbd,
                             const wbWetSoftBody *bodies, int bodyCount);
/// For wbFluidColliders.
wbFluidSheets wbWetSheets_GetCalls(wbWetSheets *wet);
