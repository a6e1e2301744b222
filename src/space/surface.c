// SPDX-License-Identifier: MIT
#include "space/surface.h"

void wbSurfaceOwner_Show(const wbSurfaceOwner *owner, wbBoundary *boundary) {
    const int *moving;
    const int count = owner->listMoving(owner->context, &moving);
    for (int k = 0; k < count; k++)
        wbBoundary_SetMotion(boundary, moving[k], owner->getBody(owner->context, moving[k]).motions);
}

void wbSurfaceOwner_Give(const wbSurfaceOwner *owner, const wbBoundary *boundary) {
    const int *touched = boundary->touched.data;
    for (int k = 0; k < boundary->touchedCount; k++)
        owner->take(owner->context, touched[k], &wbBoundary_GetBody(boundary, touched[k])->impulse);
}
