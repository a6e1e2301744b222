// SPDX-License-Identifier: MIT
// Manifolds of pieces that are not two boxes, on a device.

typedef struct Colliding {
    const RigidExactModel *model;
    __global const RigidPieceTerms *pieces;
    __global const float4 *places, *rotations, *corners;
} Colliding;

WB_INLINE RigidBox load_box(__global const float4 *places, int piece) {
    __global const float4 *place = places + 5 * piece;
    RigidBox box;
    for (int k = 0; k < 3; k++) box.axes[k] = xyz(place[k]), box.extent[k] = place[k].w;
    box.centre = xyz(place[3]), box.thickness = place[3].w;
    return box;
}

// Out of the domain.
WB_INLINE RigidVector side_normal(int side) {
    const float out = side % 2 ? 1 : -1;
    return rigid_vector(side / 2 == 0 ? out : 0, side / 2 == 1 ? out : 0, side / 2 == 2 ? out : 0);
}
WB_INLINE float side_offset(const RigidExactModel *model, int side) {
    return (side % 2 ? 1 : -1) * model->sideEnds[side];
}

WB_INLINE void store_points(const RigidPoints *points, RigidManifold *m) {
    m->count = 0;
    m->normal[0] = points->normal.x, m->normal[1] = points->normal.y, m->normal[2] = points->normal.z;
    for (int i = 0; i < RIGID_POINTS; i++) {
        if (points->separation[i] >= RIGID_FAR) continue;
        m->points[m->count][0] = points->places[i].x, m->points[m->count][1] = points->places[i].y;
        m->points[m->count][2] = points->places[i].z, m->points[m->count++][3] = points->separation[i];
    }
}

static void collide_pieces(const Colliding *c, int4 pair, RigidManifold *manifold) {
    const RigidBox box = load_box(c->places, pair.x);
    const RigidVector offset = xyz(c->places[5 * pair.x + 4]);
    RigidVector n;
    float end;
    manifold->count = 0;
    if (pair.y < 0) {
        n = side_normal(-1 - pair.y), end = side_offset(c->model, -1 - pair.y);
    } else {
        n = rigid_scale(-1, xyz(c->places[5 * pair.y + 1])),
        end = rigid_dot(n, xyz(c->places[5 * pair.y + 3]));
    }
    const RigidPoints points = rigid_side_points(&box, offset, n, end, c->model->terms.margin);
    store_points(&points, manifold);
}
