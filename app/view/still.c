// SPDX-License-Identifier: MIT
#include "app/view/still.h"

#include "core/status.h"

wbStatus wbStill_Fill(wbStill *still, const wbFrameScene *frame, int generation, unsigned wants) {
    WB_TRY(wbFrameCopy_Fill(&still->copy, frame, generation, wants & wb_wantAirMotion));
    still->scene = still->copy.scene;
    still->air = still->copy.air;
    still->domain = still->copy.domain;
    still->generation = generation;
    return wb_okStatus;
}

size_t wbStill_CountBytes(const wbFrameScene *frame, unsigned wants) {
    return wbFrameCopy_CountBytes(frame, wants & wb_wantAirMotion);
}

void wbStill_Borrow(wbStill *still, const wbFrameScene *frame, int generation) {
    still->air = *frame->scene.smoke;
    still->diffuse = *frame->scene.diffuse;
    still->domain = *frame->scene.domain;
    still->scene = frame->scene;
    still->scene.smoke = &still->air;
    still->scene.diffuse = &still->diffuse;
    still->scene.domain = &still->domain;
    still->generation = generation;
}

void wbStill_Free(wbStill *still) {
    wbFrameCopy_Free(&still->copy);
    wbExtras_Free(&still->extras);
    wbArray_Free(NULL, &still->values);
    wbArray_Free(NULL, &still->sections);
    wbObjects_Free(&still->objects);
}
