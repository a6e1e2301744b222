// SPDX-License-Identifier: MIT
// Where the pieces of rigid bodies are on a device, and which are near each other: the search of rigid_pairs.c, with cells that are
// hashed, one table for all sizes. Of two pieces the smaller one looks for the other.

WB_INLINE RigidVector xyz(float4 a) { return rigid_vector(a.x, a.y, a.z); }
WB_INLINE float4 quad(RigidVector a, float w) { return (float4)(a.x, a.y, a.z, w); }
WB_INLINE RigidVector three(__global const float *a) { return rigid_vector(a[0], a[1], a[2]); }
WB_INLINE float4 four(__global const float *a) { return (float4)(a[0], a[1], a[2], a[3]); }

// v + 2 q x (q x v + w v)
WB_INLINE RigidVector rotate(float4 turn, RigidVector v) {
    const RigidVector q = xyz(turn);
    return rigid_madd(2, rigid_cross(q, rigid_madd(turn.w, v, rigid_cross(q, v))), v);
}

WB_INLINE float4 multiply(float4 p, float4 q) {
    return (
        float4)(p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y, p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
                p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w, p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z);
}

WB_INLINE bool is_zero(float4 a) { return a.x == 0 && a.y == 0 && a.z == 0; }

// A place is five quads: axes with half extents, the centre with the thickness, the offset from the body's centre.
__kernel void exact_place(RigidExactModel model, __global const RigidPieceTerms *pieces,
                          __global const uint *bits, __global const float4 *centres,
                          __global const float4 *turns, __global const float4 *velocities,
                          __global const float4 *spins, __global const float4 *known, __global float4 *places,
                          __global int *moves, __global RigidCounters *counters) {
    const int i = get_global_id(0);
    if (i >= model.pieceCount) return;
    __global const RigidPieceTerms *piece = &pieces[i];
    const int body = piece->body;
    const float4 q = multiply(turns[body], four(piece->rotation)), at = centres[body];
    const RigidVector offset = rotate(turns[body], three(piece->position)),
                      centre = rigid_add(xyz(at), offset);
    const float x = q.x, y = q.y, z = q.z, w = q.w;
    __global float4 *place = places + 5 * i;
    place[0] = (float4)(1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), piece->extent[0]);
    place[1] = (float4)(2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x), piece->extent[1]);
    place[2] = (float4)(2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), piece->extent[2]);
    place[3] = quad(centre, piece->thickness);
    place[4] = quad(offset, 0);
    const uint b = bits[body];
    const bool isOn = !(b & (BIT_OFF | BIT_ASLEEP));
    const bool goes = b & BIT_KINEMATIC && !(is_zero(velocities[body]) && is_zero(spins[body]));
    moves[i] = isOn && (b & BIT_DYNAMIC || goes);
    // where it is so far from where it was that others may be near which are not in the list
    const float4 before = known[i];
    const RigidVector way = rigid_sub(centre, xyz(before));
    // the cores, whose list it may be, keep no reach of meshes
    const float skin = RIGID_SKIN / (1 + RIGID_SKIN) * fmin(before.w, piece->reach);
    if (!(rigid_dot(way, way) <= skin * skin)) atomic_inc(&counters->movedFar);
    const float farthest = 1e18f;
    if (!(fabs(centre.x) <= farthest && fabs(centre.y) <= farthest && fabs(centre.z) <= farthest))
        atomic_inc(&counters->far);
}

// Cells

WB_INLINE float cell_size(const RigidExactModel *model, int level) { return 2 * model->levelReach[level]; }
WB_INLINE int cell_along(float x, float size) { return convert_int_sat(floor(x / size)); }
WB_INLINE int4 cell_of(RigidVector p, float size, int level) {
    return (int4)(cell_along(p.x, size), cell_along(p.y, size), cell_along(p.z, size), level);
}
WB_INLINE uint bucket_of(int4 cell, uint mask) {
    const uint hash = (uint)cell.x * 73856093u ^ (uint)cell.y * 19349663u ^ (uint)cell.z * 83492791u ^
                      (uint)cell.w * 2654435761u;
    return (hash ^ hash >> 15) & mask;
}

// Notes where pieces are. What is in no cell, planes and what is off, is behind the last bucket.
__kernel void exact_know(RigidExactModel model, __global const RigidPieceTerms *pieces,
                         __global const uint *bits, __global const float4 *places, __global float4 *known,
                         __global int4 *cells, __global uint *keys) {
    const int i = get_global_id(0);
    if (i >= model.pieceCount) return;
    const RigidVector centre = xyz(places[5 * i + 3]);
    const int level = bits[pieces[i].body] & BIT_OFF ? -1 : pieces[i].level;
    known[i] = quad(centre, pieces[i].reach);
    const int4 cell = level < 0 ? (int4)(0, 0, 0, -1) : cell_of(centre, cell_size(&model, level), level);
    cells[i] = cell;
    keys[i] = level < 0 ? model.bucketMask + 1 : bucket_of(cell, model.bucketMask);
}

typedef struct Search {
    const RigidExactModel *model;
    __global const RigidPieceTerms *pieces;
    __global const RigidBodyTerms *bodies;
    __global const uint *bits;
    __global const float4 *places, *known;
    __global const int4 *cells;
    __global const uint *starts, *order;
    __global const int *tieStarts, *ties; // by body: with which others joints tie it
    // what is found
    __global int4 *pairs;
    uint at[3]; // by class: how many, or where the next one is written
    bool writes;
} Search;

WB_INLINE bool is_dynamic(const Search *s, int piece) { return s->bits[s->pieces[piece].body] & BIT_DYNAMIC; }

// Whether a joint keeps two bodies from touching.
WB_INLINE bool are_tied(const Search *s, int i, int j) {
    if (i >= s->model->tiedBodies || j >= s->model->tiedBodies) return false;
    for (int k = s->tieStarts[i]; k < s->tieStarts[i + 1]; k++)
        if (s->ties[k] == j) return true;
    return false;
}

WB_INLINE bool may_touch(const Search *s, int a, int b) {
    const int i = s->pieces[a].body, j = s->pieces[b].body;
    return i != j && s->bodies[i].category & s->bodies[j].mask && s->bodies[j].category & s->bodies[i].mask &&
           !are_tied(s, i, j);
}

// m, along an axis: of the box about a piece that may turn while the list holds, no larger than the ball about it.
WB_INLINE float reach_along(const Search *s, int piece, int axis) {
    const float reach = s->known[piece].w;
    if (is_dynamic(s, piece)) return reach;
    float extent = 2 * RIGID_SKIN / (1 + RIGID_SKIN) * reach;
    for (int k = 0; k < 3; k++) {
        const float4 own = s->places[5 * piece + k];
        extent += own.w * fabs(axis == 0 ? own.x : axis == 1 ? own.y : own.z);
    }
    return fmin(reach, extent);
}

WB_INLINE bool are_near(const Search *s, int a, int b) {
    const float4 p = s->known[a], q = s->known[b];
    const RigidVector d = rigid_sub(xyz(q), xyz(p));
    if (is_dynamic(s, a) && is_dynamic(s, b)) return rigid_dot(d, d) < (p.w + q.w) * (p.w + q.w);
    return fabs(d.x) <= reach_along(s, a, 0) + reach_along(s, b, 0) &&
           fabs(d.y) <= reach_along(s, a, 1) + reach_along(s, b, 1) &&
           fabs(d.z) <= reach_along(s, a, 2) + reach_along(s, b, 2);
}

// The first is moved by forces, and of two that are the one with the lower number: the same from list to list.
static void add_pair(Search *s, int a, int b) {
    const bool swaps = b >= 0 && is_dynamic(s, b) && (b < a || !is_dynamic(s, a));
    const int first = swaps ? b : a, second = swaps ? a : b;
    const bool isBox = s->pieces[first].kind == PIECE_BOX;
    uint sensor = s->bits[s->pieces[first].body];
    if (second >= 0) sensor |= s->bits[s->pieces[second].body];
    const bool areBoxes =
        isBox && second >= 0 && s->pieces[second].kind == PIECE_BOX && !(sensor & BIT_SENSOR);
    const int class = areBoxes ? 0 : isBox && second < 0 ? 1 : 2;
    if (s->writes) s->pairs[s->at[class]] = (int4)(first, second, -1, 0);
    s->at[class]++;
}

static void try_pair(Search *s, int i, int j) {
    if (i == j || s->cells[j].w < s->cells[i].w || (s->cells[j].w == s->cells[i].w && j < i)) return;
    // most of what is in neighbouring cells is farther away; all below reads more of memory
    const float4 gap = fabs(s->known[j] - s->known[i]);
    const float reach = s->known[j].w + s->known[i].w;
    if (gap.x > reach || gap.y > reach || gap.z > reach) return;
    if (!(is_dynamic(s, i) || is_dynamic(s, j)) || !may_touch(s, i, j) || !are_near(s, i, j)) return;
    add_pair(s, i, j);
}

// Cells of one level around a piece. Places that are far from the origin are coarse, and there may be more cells between two of them
// than there are pieces.
enum { MOST_CELLS = 6 };
static void search_level(Search *s, int i, int level) {
    const float size = cell_size(s->model, level);
    const float4 p = s->known[i];
    const float reach = (p.w + s->model->levelReach[level]) * 1.00001f;
    const RigidVector slack =
        rigid_vector(reach + 2.4e-7f * fabs(p.x), reach + 2.4e-7f * fabs(p.y), reach + 2.4e-7f * fabs(p.z));
    const int4 low = cell_of(rigid_sub(xyz(p), slack), size, level),
               high = cell_of(rigid_add(xyz(p), slack), size, level);
    if ((float)high.x - (float)low.x > MOST_CELLS || (float)high.y - (float)low.y > MOST_CELLS ||
        (float)high.z - (float)low.z > MOST_CELLS) {
        for (int j = 0; j < s->model->pieceCount; j++)
            if (s->cells[j].w == level) try_pair(s, i, j);
        return;
    }
    for (int z = low.z; z <= high.z; z++)
        for (int y = low.y; y <= high.y; y++)
            for (int x = low.x; x <= high.x; x++) {
                const int4 cell = (int4)(x, y, z, level);
                const uint bucket = bucket_of(cell, s->model->bucketMask);
                for (uint k = s->starts[bucket]; k < s->starts[bucket + 1]; k++) {
                    const int j = s->order[k];
                    const int4 other = s->cells[j];
                    // cells may share a bucket
                    if (other.x == x && other.y == y && other.z == z && other.w == level) try_pair(s, i, j);
                }
            }
}

static void search_planes(Search *s, int i, __global const int *planes) {
    const float4 p = s->known[i];
    for (int k = 0; k < s->model->planeCount; k++) {
        const int plane = planes[k];
        const RigidVector up = xyz(s->places[5 * plane + 1]);
        const float height = rigid_dot(up, rigid_sub(xyz(p), xyz(s->places[5 * plane + 3])));
        if (s->bits[s->pieces[plane].body] & BIT_OFF) continue;
        if (height <= p.w && may_touch(s, i, plane)) add_pair(s, i, plane);
    }
}

static void search_sides(Search *s, int i) {
    const float4 p = s->known[i];
    for (int side = 0; side < RIGID_SIDES; side++) {
        const float place = side < 2 ? p.x : side < 4 ? p.y : p.z, end = s->model->sideEnds[side];
        if (s->model->isClosed[side] && (side % 2 ? end - place : place - end) <= p.w)
            add_pair(s, i, -1 - side);
    }
}

// First how many pairs a piece has of each class, then, when these are summed up, which.
__kernel void exact_list(RigidExactModel model, int writes, __global const RigidPieceTerms *pieces,
                         __global const RigidBodyTerms *bodies, __global const uint *bits,
                         __global const float4 *places, __global const float4 *known,
                         __global const int4 *cells, __global const uint *starts, __global const uint *order,
                         __global const int *planes, __global const int *tieStarts, __global const int *ties,
                         __global uint *counts, __global int4 *pairs) {
    const int i = get_global_id(0);
    if (i >= model.pieceCount) return;
    Search s = {&model, pieces, bodies,    bits, places, known,     cells,
                starts, order,  tieStarts, ties, pairs,  {0, 0, 0}, writes};
    for (int c = 0; c < 3 && writes; c++) s.at[c] = counts[c * model.pieceCount + i];
    if (cells[i].w >= 0) {
        // levels between those of small and large pieces may be empty
        for (int level = cells[i].w; level < model.levelCount; level++)
            if (model.levelReach[level] > 0) search_level(&s, i, level);
        if (is_dynamic(&s, i)) search_planes(&s, i, planes), search_sides(&s, i);
    }
    for (int c = 0; c < 3 && !writes; c++) counts[c * model.pieceCount + i] = s.at[c];
}

// Contacts of before

WB_INLINE int contact_piece(const RigidExactModel *model, __global const RigidBodyTerms *bodies, int body,
                            uint own) {
    if (body & CONTACT_SIDE) return -1 - (body & ~CONTACT_SIDE);
    const int row = body & CONTACT_GUEST ? model->ownCount + (body & ~CONTACT_GUEST) : body;
    const bool isThere = row < model->bodyCount && (int)own < bodies[row].pieceCount;
    return isThere ? bodies[row].firstPiece + (int)own : model->pieceCount;
}

WB_INLINE uint bucket_of_pieces(int a, int b, uint mask) {
    uint hash = (uint)a * 2654435761u + (uint)b;
    hash = (hash ^ hash >> 16) * 2246822519u;
    return (hash ^ hash >> 13) & mask;
}

// A contact is eight quads (wbContact), the last of which says who touches.
WB_INLINE int2 contact_pieces(const RigidExactModel *model, __global const RigidBodyTerms *bodies,
                              int4 names) {
    return (int2)(contact_piece(model, bodies, names.x, (uint)names.z & 0xffffu),
                  contact_piece(model, bodies, names.y, (uint)names.z >> 16));
}

__kernel void exact_name(RigidExactModel model, int count, uint mask, __global const RigidBodyTerms *bodies,
                         __global const int4 *contacts, __global uint *keys) {
    const int k = get_global_id(0);
    if (k >= count) return;
    const int2 pieces = contact_pieces(&model, bodies, contacts[8 * k + 7]);
    keys[k] = bucket_of_pieces(pieces.x, pieces.y, mask);
}

__kernel void exact_link(RigidExactModel model, int pairCount, uint mask,
                         __global const RigidBodyTerms *bodies, __global const int4 *contacts,
                         __global const uint *starts, __global const uint *order, __global int4 *pairs) {
    const int i = get_global_id(0);
    if (i >= pairCount) return;
    int4 pair = pairs[i];
    const uint bucket = bucket_of_pieces(pair.x, pair.y, mask);
    for (uint k = starts[bucket]; k < starts[bucket + 1]; k++) {
        const int2 pieces = contact_pieces(&model, bodies, contacts[8 * order[k] + 7]);
        if (pieces.x != pair.x || pieces.y != pair.y) continue;
        if (pair.w++ == 0) pair.z = order[k];
    }
    pairs[i] = pair;
}
