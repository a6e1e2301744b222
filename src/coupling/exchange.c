// SPDX-License-Identifier: MIT
#include "coupling/exchange.h"

void wbExchange_Show(const wbExchange *exchange) {
    const wbSurfaceOwner *owner = exchange->owner;
    const int *moving;
    const int count = owner->listMoving(owner->context, &moving);
    for (int k = 0; k < count; k++)
        wbBoundary_SetMotion(exchange->boundary, exchange->first + moving[k],
                             owner->getMotions(owner->context, moving[k]));
}

void wbExchange_Take(const wbExchange *exchange) {
    const wbSurfaceOwner *owner = exchange->owner;
    const wbBoundary *boundary = exchange->boundary;
    const int *touched = boundary->touched.data, last = exchange->first + owner->countBodies(owner->context);
    for (int k = 0; k < boundary->touchedCount; k++)
        if (touched[k] >= exchange->first && touched[k] < last)
            owner->take(owner->context, touched[k] - exchange->first,
                        &wbBoundary_GetBody(boundary, touched[k])->impulse);
}
