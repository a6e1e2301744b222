// SPDX-License-Identifier: MIT
// Which kinds of matter push each other, and by what law: one table, kind by kind.
#pragma once

#include "wirbel/params.h"

typedef enum wbMatter {
    wb_matterWater,
    wb_matterRigid,
    wb_matterSoft,
    wb_matterAir,
    wb_matterCount
} wbMatter;

typedef enum wbPairLaw {
    wb_lawNone,    ///< they do not know of each other
    wb_lawOwn,     ///< a solver's own affair
    wb_lawSamples, ///< the first feels the second by samples of its shell, and gives impulses back
    wb_lawSheets,  ///< the first feels the second by its nearest feet on it (coupling/sheet.h)
    wb_lawContact, ///< particles and triangles touch exact shapes (coupling/soft_contact.h)
    wb_lawDrag     ///< air pushes surfaces by the wind that they see (coupling/drag.h)
} wbPairLaw;

/// How two kinds are joined, by the world's parameters; off where there is no law for them.
wbPairMode wbGetPairMode(const wbCouplingParams *params, wbMatter one, wbMatter other);
/// The law of two kinds, in either order.
wbPairLaw wbGetPairLaw(wbMatter one, wbMatter other);
