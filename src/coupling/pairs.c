// SPDX-License-Identifier: MIT
#include "coupling/pairs.h"

#include <stddef.h>

typedef struct Pair {
    wbPairLaw law;
    size_t mode; // of its parameter, in bytes; 0 where `law` is none between two kinds: it cannot be chosen
} Pair;

// The lower half: the table is symmetric.
static const Pair pairs[wb_matterCount][wb_matterCount] = {
    [wb_matterWater] = {[wb_matterWater] = {wb_lawOwn, 0}},
    [wb_matterRigid] = {[wb_matterWater] = {wb_lawSamples, offsetof(wbCouplingParams, waterRigid)},
                        [wb_matterRigid] = {wb_lawOwn, 0}},
    [wb_matterSoft] = {[wb_matterWater] = {wb_lawSheets, offsetof(wbCouplingParams, waterSoft)},
                       [wb_matterRigid] = {wb_lawContact, offsetof(wbCouplingParams, rigidSoft)},
                       [wb_matterSoft] = {wb_lawOwn, 0}},
    [wb_matterAir] = {[wb_matterWater] = {wb_lawDrag, offsetof(wbCouplingParams, airWater)},
                      [wb_matterRigid] = {wb_lawDrag, offsetof(wbCouplingParams, airRigid)},
                      [wb_matterSoft] = {wb_lawDrag, offsetof(wbCouplingParams, airSoft)},
                      [wb_matterAir] = {wb_lawOwn, 0}},
};

static const Pair *getPair(wbMatter one, wbMatter other) {
    return one < other ? &pairs[other][one] : &pairs[one][other];
}

wbPairLaw wbGetPairLaw(wbMatter one, wbMatter other) { return getPair(one, other)->law; }

wbPairMode wbGetPairMode(const wbCouplingParams *params, wbMatter one, wbMatter other) {
    const Pair *pair = getPair(one, other);
    if (pair->law == wb_lawNone || pair->law == wb_lawOwn) return wb_pairOff;
    return *(const wbPairMode *)((const char *)params + pair->mode);
}
