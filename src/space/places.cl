// SPDX-License-Identifier: MIT
// Searching points of colliders on a device, or particles around them: a work-item's points need not be in the order of the
// cells that are searched. Records of places have four floats: x, y, z, weight and vx, vy, vz, weight where fluid does not
// slip.

// The end of those points behind `begin` that are near it, whose cells are not those that are searched.
WB_INLINE int end_of_bunch(int begin, int last, float reach, __global const float *x, __global const float *y,
                           __global const float *z) {
    int end = begin + 1;
    while (end < last && fabs(x[end] - x[begin]) < 4 * reach && fabs(y[end] - y[begin]) < reach &&
           fabs(z[end] - z[begin]) < reach)
        end++;
    return end;
}

WB_INLINE bool is_near_places(const Box *box, const SpacePlaces *places) {
    const float reach = places->cells.reach;
    bool near = true;
    for (int a = 0; a < 3; a++)
        near &= box->low[a] - reach <= places->max[a] && box->high[a] + reach >= places->min[a];
    return near;
}

// One field of the records of WB_LANES points.
WB_INLINE REAL load_field(__global const float *records, int first, int field) {
    float lanes[WB_LANES];
    for (int l = 0; l < WB_LANES; l++) lanes[l] = records[4 * (first + l) + field];
    return lanes_load(lanes);
}
