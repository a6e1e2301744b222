// SPDX-License-Identifier: MIT
// Manifolds of pieces that are not two boxes, on a device, in float. A normal is a face's of one of both, or is found between cores
// (Gilbert, Johnson and Keerthi 1988): pieces without their skin, or a little smaller than they are, so that cores of pieces that touch
// are apart and floats tell the way between them well. How far the pieces themselves are apart along the normal is then exact. Points are
// where edges of one face leave or enter the other, and corners of the other that lie over the first.
//
// The frame has the world's axes and its origin in the first piece's centre.

typedef struct Colliding {
    const RigidExactModel *model;
    __global const RigidPieceTerms *pieces;
    __global const float4 *places;
    __global const float4 *corners, *faces; // of hulls: places; normals and offsets
    __global const int2 *loops;             // of faces: where its corners begin in `edges`, and how many
    __global const int *edges;
} Colliding;

// Shares: by which cores are smaller, by which faces are preferred (collide_pieces.c), from which on a cylinder lies on its side.
#define CORE_SHARE       0.9f
#define PREFER_DEPTH     0.05f
#define PREFER_THICKNESS 0.005f
#define PREFER_FIRST     0.001f
#define END_COSINE       0.7f
// Of collide_clip.c: how far corners may stand over a face; sines of edges across a normal, and beside each other; the tilt below which a rim
// stays where it is. Of collide_pieces.c: how far a round piece may reach over the edge of a face that it lies on.
#define CLIP_SLACK 1e-4f
#define ACROSS     0.1f
#define PARALLEL   0.1f
#define UPRIGHT    0.02f
#define LOST_SLACK 0.01f
// Shares of the thickness below which floats do not tell well enough which way pieces are apart, and that two points are not one.
#define NEAR       0.005f
#define SAME_PLACE 1e-4f
enum { RIM = 16, MOST_ROUNDS = 40 };

// Pieces

// A triangle's own frame are weights of its corners: its axes are these, and how far they are in a direction is that direction.
typedef struct Solid {
    int kind;
    RigidVector at, axes[3];
    float size[3];
    float skin;
    float share; // of its core
    float depth; // m, of a ball about its middle that is inside
    int firstCorner, cornerCount, firstFace, faceCount;
} Solid;

WB_INLINE RigidBox load_box(__global const float4 *places, int piece) {
    __global const float4 *place = places + 5 * piece;
    RigidBox box;
    for (int k = 0; k < 3; k++) box.axes[k] = xyz(place[k]), box.extent[k] = place[k].w;
    box.centre = xyz(place[3]), box.thickness = place[3].w;
    return box;
}

static Solid load_solid(const Colliding *c, int piece, RigidVector origin) {
    __global const RigidPieceTerms *terms = &c->pieces[piece];
    __global const float4 *place = c->places + 5 * piece;
    Solid s;
    s.kind = terms->kind;
    s.at = rigid_sub(xyz(place[3]), origin);
    for (int k = 0; k < 3; k++) s.axes[k] = xyz(place[k]), s.size[k] = terms->size[k];
    s.skin = s.kind == PIECE_SPHERE || s.kind == PIECE_CAPSULE ? s.size[0] : 0;
    s.share = 1, s.depth = terms->depth;
    s.firstCorner = terms->firstCorner, s.cornerCount = terms->cornerCount;
    s.firstFace = terms->firstFace, s.faceCount = terms->faceCount;
    if (s.kind == PIECE_BOX) s.faceCount = 6;
    if (s.kind == PIECE_CYLINDER) s.faceCount = 2;
    return s;
}

WB_INLINE RigidVector to_own(const Solid *s, RigidVector d) {
    return rigid_vector(rigid_dot(s->axes[0], d), rigid_dot(s->axes[1], d), rigid_dot(s->axes[2], d));
}
WB_INLINE RigidVector from_own(const Solid *s, RigidVector d) {
    return rigid_madd(d.x, s->axes[0], rigid_madd(d.y, s->axes[1], rigid_scale(d.z, s->axes[2])));
}
WB_INLINE RigidVector place_own(const Solid *s, RigidVector p) { return rigid_add(s->at, from_own(s, p)); }

WB_INLINE RigidVector normalise(RigidVector v, RigidVector otherwise) {
    const float length2 = rigid_dot(v, v);
    return length2 > 1e-30f ? rigid_scale(1 / sqrt(length2), v) : otherwise;
}

// The point that is farthest in a direction, in the piece's frame, without the skin.
static RigidVector support(const Colliding *c, const Solid *s, RigidVector d) {
    const float *size = s->size;
    if (s->kind == PIECE_SPHERE) return rigid_set(0, 0, 0);
    if (s->kind == PIECE_CAPSULE) return rigid_vector(0, rigid_with_sign(size[1], d.y), 0);
    if (s->kind == PIECE_BOX)
        return rigid_vector(rigid_with_sign(size[0], d.x), rigid_with_sign(size[1], d.y),
                            rigid_with_sign(size[2], d.z));
    if (s->kind == PIECE_CYLINDER) {
        const RigidVector out = normalise(rigid_vector(d.x, 0, d.z), rigid_set(1, 0, 0));
        return rigid_vector(size[0] * out.x, rigid_with_sign(size[1], d.y), size[0] * out.z);
    }
    if (s->kind == PIECE_TRIANGLE)
        return d.y > d.x && d.y >= d.z ? rigid_set(0, 1, 0)
               : d.z > d.x             ? rigid_set(0, 0, 1)
                                       : rigid_set(1, 0, 0);
    int best = s->firstCorner;
    float most = -MAXFLOAT;
    for (int i = s->firstCorner; i < s->firstCorner + s->cornerCount; i++) {
        const float along = rigid_dot(xyz(c->corners[i]), d);
        if (along > most) most = along, best = i;
    }
    return xyz(c->corners[best]);
}

// Behind a hull's corners is its middle.
WB_INLINE RigidVector own_middle(const Colliding *c, const Solid *s) {
    if (s->kind == PIECE_TRIANGLE) return rigid_set(1.0f / 3, 1.0f / 3, 1.0f / 3);
    return s->kind == PIECE_HULL ? xyz(c->corners[s->firstCorner + s->cornerCount]) : rigid_set(0, 0, 0);
}
WB_INLINE RigidVector middle_of(const Colliding *c, const Solid *s) { return place_own(s, own_middle(c, s)); }

WB_INLINE RigidVector core_point(const Colliding *c, const Solid *s, RigidVector p) {
    const RigidVector middle = own_middle(c, s);
    return rigid_madd(s->share, rigid_sub(p, middle), middle);
}

WB_INLINE RigidVector deepest_of(const Colliding *c, const Solid *s, RigidVector n) {
    return place_own(s, support(c, s, to_own(s, n)));
}

// m: how far a piece reaches along a direction of length 1, skin included.
WB_INLINE float reach_towards(const Colliding *c, const Solid *s, RigidVector n) {
    return rigid_dot(n, deepest_of(c, s, n)) + s->skin;
}

// Distance

typedef struct Simplex {
    RigidVector w[4], a[4]; // points of the difference of both cores, and of the first's
    float weights[4];
    int count;
} Simplex;

// The nearest point to the origin on a simplex, of which only the points that it needs stay (Ericson 2005, 5.1).
static RigidVector nearest_on_segment(Simplex *s) {
    const RigidVector ab = rigid_sub(s->w[1], s->w[0]);
    const float t = -rigid_dot(s->w[0], ab), length2 = rigid_dot(ab, ab);
    if (t <= 0) {
        s->count = 1, s->weights[0] = 1;
    } else if (t >= length2) {
        s->w[0] = s->w[1], s->a[0] = s->a[1], s->count = 1, s->weights[0] = 1;
    } else {
        s->weights[1] = t / length2, s->weights[0] = 1 - s->weights[1];
        // what is left along the segment is rounding, which far ends of long edges would feel
        const RigidVector p = rigid_madd(s->weights[1], ab, s->w[0]);
        return rigid_madd(-rigid_dot(p, ab) / length2, ab, p);
    }
    return s->w[0];
}

static RigidVector nearest_on_edge(Simplex *s, int i, int j) {
    const RigidVector w0 = s->w[i], w1 = s->w[j], a0 = s->a[i], a1 = s->a[j];
    s->w[0] = w0, s->w[1] = w1, s->a[0] = a0, s->a[1] = a1, s->count = 2;
    return nearest_on_segment(s);
}

static RigidVector nearest_on_triangle(Simplex *s) {
    const RigidVector a = s->w[0], b = s->w[1], c = s->w[2], ab = rigid_sub(b, a), ac = rigid_sub(c, a);
    const float d1 = -rigid_dot(ab, a), d2 = -rigid_dot(ac, a), d3 = -rigid_dot(ab, b),
                d4 = -rigid_dot(ac, b), d5 = -rigid_dot(ab, c), d6 = -rigid_dot(ac, c);
    const float va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    if (va > 0 && vb > 0 && vc > 0) {
        const float per = 1 / (va + vb + vc);
        s->weights[1] = vb * per, s->weights[2] = vc * per;
        s->weights[0] = 1 - s->weights[1] - s->weights[2];
        // along the normal, of which floats know more than of the sum of the weighted corners
        const RigidVector n = rigid_cross(ab, ac);
        const float n2 = rigid_dot(n, n);
        if (n2 > 0) return rigid_scale(rigid_dot(n, a) / n2, n);
        return rigid_madd(s->weights[1], ab, rigid_madd(s->weights[2], ac, a));
    }
    // outside of at least one edge: the nearest point of all three
    Simplex best = *s;
    RigidVector nearest = nearest_on_edge(&best, 0, 1);
    float least = rigid_dot(nearest, nearest);
    for (int k = 0; k < 2; k++) {
        Simplex other = *s;
        const RigidVector p = nearest_on_edge(&other, k, 2);
        const float d2p = rigid_dot(p, p);
        if (d2p < least) least = d2p, nearest = p, best = other;
    }
    *s = best;
    return nearest;
}

// Zero, with all four points: the origin is inside.
static RigidVector nearest_on_tetrahedron(Simplex *s) {
    Simplex best = *s;
    RigidVector nearest = rigid_set(0, 0, 0);
    float least = MAXFLOAT;
    for (int skip = 0; skip < 4; skip++) {
        Simplex face;
        face.count = 3;
        for (int k = 0; k < 3; k++) {
            const int from = k < skip ? k : k + 1;
            face.w[k] = s->w[from], face.a[k] = s->a[from];
        }
        const RigidVector n = rigid_cross(rigid_sub(face.w[1], face.w[0]), rigid_sub(face.w[2], face.w[0]));
        const float inner = rigid_dot(n, rigid_sub(s->w[skip], face.w[0])), own = -rigid_dot(n, face.w[0]);
        if (own * inner > 0) continue; // the origin is on the inner side
        const RigidVector p = nearest_on_triangle(&face);
        const float d2 = rigid_dot(p, p);
        if (d2 < least) least = d2, nearest = p, best = face;
    }
    if (least < MAXFLOAT) *s = best;
    return nearest;
}

WB_INLINE RigidVector nearest_on(Simplex *s) {
    if (s->count == 2) return nearest_on_segment(s);
    return s->count == 3 ? nearest_on_triangle(s) : nearest_on_tetrahedron(s);
}

// Where two cores are nearest, unless they overlap, or the pieces are farther apart than `margin` m.
enum { FOUND_OVERLAP, FOUND_NEAREST, FOUND_APART };
static int find_nearest(const Colliding *c, const Solid *a, const Solid *b, RigidVector guess, float margin,
                        RigidVector *normal, RigidVector *onA) {
    Simplex s;
    RigidVector v = guess;
    s.count = 0;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        const RigidVector ownA = support(c, a, to_own(a, rigid_scale(-1, v))),
                          ownB = support(c, b, to_own(b, v));
        const RigidVector gap = rigid_sub(place_own(a, ownA), place_own(b, ownB));
        if (rigid_dot(v, gap) > (margin + a->skin + b->skin) * sqrt(rigid_dot(v, v))) {
            *normal = normalise(rigid_scale(-1, v), rigid_set(0, 1, 0));
            return FOUND_APART;
        }
        const RigidVector pa = place_own(a, core_point(c, a, ownA)),
                          pb = place_own(b, core_point(c, b, ownB));
        const RigidVector w = rigid_sub(pa, pb);
        const float v2 = rigid_dot(v, v);
        bool isKnown = false;
        for (int k = 0; k < s.count; k++) {
            const RigidVector d = rigid_sub(w, s.w[k]);
            isKnown |= rigid_dot(d, d) == 0;
        }
        if (s.count > 0 && (isKnown || v2 - rigid_dot(v, w) <= 1e-6f * v2)) break;
        s.w[s.count] = w, s.a[s.count++] = pa;
        v = w, s.weights[0] = 1;
        if (s.count > 1) v = nearest_on(&s);
        const float size2 = fmax(rigid_dot(w, w), fmax(rigid_dot(pa, pa), rigid_dot(pb, pb)));
        if (s.count == 4 || rigid_dot(v, v) <= 1e-10f * size2) return FOUND_OVERLAP;
        if (round > 0 && rigid_dot(v, v) >= v2) break; // all that is left is rounding
    }
    *normal = normalise(rigid_scale(-1, v), rigid_set(0, 1, 0));
    *onA = rigid_set(0, 0, 0);
    for (int k = 0; k < s.count; k++) *onA = rigid_madd(s.weights[k], s.a[k], *onA);
    return FOUND_NEAREST;
}

// Faces

// Outwards, with the offset along it, in the frame of the pair.
static float4 get_face(const Colliding *c, const Solid *s, int face) {
    RigidVector n;
    float offset;
    if (s->kind == PIECE_TRIANGLE) { // its size is its normal
        n = rigid_vector(s->size[0], s->size[1], s->size[2]);
        return quad(n, rigid_dot(n, s->axes[0]));
    }
    if (s->kind == PIECE_HULL) {
        n = xyz(c->faces[s->firstFace + face]), offset = c->faces[s->firstFace + face].w;
    } else {
        const int axis = s->kind == PIECE_BOX ? face / 2 : 1;
        const float sign = face % 2 ? 1 : -1;
        n = rigid_vector(axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0);
        offset = s->size[axis];
    }
    const RigidVector world = from_own(s, n);
    return quad(world, offset + rigid_dot(world, s->at));
}

typedef struct Axis {
    float separation;
    RigidVector normal; // from the first to the second
    int owner, face;    // owner -1: no face's
} Axis;

// Faces that separate more than what is known. One has the other's middle at least so far before it as that is deep.
static void try_faces(const Colliding *c, const Solid *own, const Solid *other, int owner, float more,
                      Axis *best) {
    const RigidVector middle = middle_of(c, other);
    for (int f = 0; f < own->faceCount; f++) {
        const float4 face = get_face(c, own, f);
        if (rigid_dot(xyz(face), middle) - face.w - other->depth <= best->separation + more) continue;
        const float separation = -reach_towards(c, other, rigid_scale(-1, xyz(face))) - face.w;
        if (separation <= best->separation + more) continue;
        best->separation = separation, best->owner = owner, best->face = f;
        best->normal = owner ? rigid_scale(-1, xyz(face)) : xyz(face);
        more = 0;
    }
}

// The face that looks most along a direction; -1: there is none.
static int find_face_towards(const Colliding *c, const Solid *s, RigidVector d) {
    int best = -1;
    float most = -MAXFLOAT;
    for (int f = 0; f < s->faceCount; f++) {
        const float along = rigid_dot(xyz(get_face(c, s, f)), d);
        if (along > most) most = along, best = f;
    }
    return best;
}

// What of a piece touches something that is in a direction: a point, an edge, or a face counter-clockwise as seen from outside.
typedef struct Feature {
    const Solid *solid;
    int face; // -1: an edge or a point
    int count;
    RigidVector ends[2];
    float x, z; // of a rim: where its first point is
} Feature;

static Feature make_face(const Colliding *c, const Solid *s, int face) {
    Feature f = {s, face, 4, {rigid_set(0, 0, 0), rigid_set(0, 0, 0)}, 1, 0};
    if (s->kind == PIECE_CYLINDER) f.count = RIM;
    if (s->kind == PIECE_TRIANGLE) f.count = 3;
    if (s->kind == PIECE_HULL) f.count = c->loops[s->firstFace + face].y;
    return f;
}

static Feature make_feature(const Colliding *c, const Solid *s, RigidVector d) {
    Feature f = {s, -1, 1, {s->at, s->at}, 1, 0};
    const RigidVector own = to_own(s, d);
    const bool isSide = s->kind == PIECE_CYLINDER && fabs(own.y) < END_COSINE;
    if (s->kind == PIECE_SPHERE) return f;
    if (s->kind != PIECE_CAPSULE && !isSide) {
        const float flat = sqrt(own.x * own.x + own.z * own.z);
        f = make_face(c, s, find_face_towards(c, s, d));
        // if it is tilted, a rim begins where it is farthest in the direction
        if (s->kind == PIECE_CYLINDER && flat > UPRIGHT) f.x = own.x / flat, f.z = own.z / flat;
        return f;
    }
    const RigidVector out =
        isSide ? normalise(rigid_vector(own.x, 0, own.z), rigid_set(1, 0, 0)) : rigid_set(0, 0, 0);
    for (int k = 0; k < 2; k++)
        f.ends[k] =
            place_own(s, rigid_vector(s->size[0] * out.x, k ? s->size[1] : -s->size[1], s->size[0] * out.z));
    f.count = 2;
    return f;
}

// Of RIM points around a quarter.
__constant float rimCosines[RIM / 4 + 1] = {1, 0.92387953f, 0.70710678f, 0.38268343f, 0};

static RigidVector corner_of(const Colliding *c, const Feature *f, int i) {
    const Solid *s = f->solid;
    if (f->face < 0) return f->ends[i];
    if (s->kind == PIECE_TRIANGLE) return s->axes[i];
    if (s->kind == PIECE_HULL) {
        const int2 loop = c->loops[s->firstFace + f->face];
        return place_own(s, xyz(c->corners[s->firstCorner + c->edges[loop.x + i]]));
    }
    const float sign = f->face % 2 ? 1 : -1;
    if (s->kind == PIECE_CYLINDER) {
        const int quarter = i / (RIM / 4), place = i % (RIM / 4);
        const float u = rimCosines[place], v = rimCosines[RIM / 4 - place];
        const float cosine = quarter == 0   ? u
                             : quarter == 1 ? -v
                             : quarter == 2 ? -u
                                            : v,
                    sine = -sign * (quarter == 0   ? v
                                    : quarter == 1 ? u
                                    : quarter == 2 ? -v
                                                   : -u);
        return place_own(s, rigid_vector(s->size[0] * (cosine * f->x - sine * f->z), sign * s->size[1],
                                         s->size[0] * (cosine * f->z + sine * f->x)));
    }
    const float u = i == 0 || i == 3 ? 1 : -1, w = sign * (i < 2 ? 1 : -1);
    const int axis = f->face / 2;
    const float p[3] = {sign, u, w};
    return place_own(s, rigid_vector(s->size[0] * p[(3 - axis) % 3], s->size[1] * p[(4 - axis) % 3],
                                     s->size[2] * p[(5 - axis) % 3]));
}

// Points

typedef struct Clip {
    Feature face, other; // the reference, and what lies over it
    RigidVector up;      // out of the reference
    float height, slack, margin;
} Clip;

// Out of a face beyond its edge from corner i on, and how far that is from the origin.
static float4 edge_plane(const Colliding *c, const Feature *f, int i, RigidVector up) {
    const RigidVector from = corner_of(c, f, i), to = corner_of(c, f, i + 1 < f->count ? i + 1 : 0);
    const RigidVector out = normalise(rigid_cross(rigid_sub(to, from), up), rigid_set(0, 0, 0));
    return quad(out, rigid_dot(out, from));
}
WB_INLINE float beyond(float4 plane, RigidVector p) { return rigid_dot(xyz(plane), p) - plane.w; }

// An edge of the other feature, from where it enters the column over the reference to where it leaves it: one of its ends.
static bool clip_edge(const Colliding *c, const Clip *clip, int i, int end, RigidVector *p) {
    const Feature *f = &clip->other;
    const RigidVector from = corner_of(c, f, i), to = corner_of(c, f, i + 1 < f->count ? i + 1 : 0);
    float begin = 0, stop = 1;
    for (int k = 0; k < clip->face.count; k++) {
        const float4 plane = edge_plane(c, &clip->face, k, clip->up);
        const float out0 = beyond(plane, from), out1 = beyond(plane, to);
        const bool isOut0 = out0 > clip->slack, isOut1 = out1 > clip->slack;
        if (isOut0 && isOut1) return false;
        const float at = fmin(fmax(out0 / (out0 - out1), 0.0f), 1.0f);
        if (isOut0) begin = fmax(begin, at);
        if (isOut1) stop = fmin(stop, at);
    }
    if (begin > stop) return false;
    // of a face, an uncut end is where the next edge begins
    if (end == 1 && stop == 1 && f->count > 2) return false;
    *p = rigid_madd(end ? stop : begin, rigid_sub(to, from), from);
    return true;
}

// A corner of the reference that lies under the other face, lifted onto it.
static bool lift_corner(const Colliding *c, const Clip *clip, int i, RigidVector *p) {
    const Feature *f = &clip->other;
    const RigidVector corner = corner_of(c, &clip->face, i);
    if (f->count < 3) return false;
    const float4 plane = get_face(c, f->solid, f->face);
    const float along = rigid_dot(xyz(plane), clip->up);
    if (along > -0.1f) return false;
    // seen from above, the other face goes around the other way
    for (int k = 0; k < f->count; k++)
        if (-beyond(edge_plane(c, f, k, clip->up), corner) > clip->slack) return false;
    *p = rigid_madd((plane.w - rigid_dot(xyz(plane), corner)) / along, clip->up, corner);
    return true;
}

// Candidate i: halfway between both surfaces, and its separation; RIGID_FAR: there is none.
static float4 make_candidate(const Colliding *c, const Clip *clip, int i) {
    const int ends = clip->other.count == 1 ? 1 : 2 * clip->other.count;
    RigidVector p;
    const bool isThere =
        i >= ends ? lift_corner(c, clip, i - ends, &p) : clip_edge(c, clip, i / 2, i % 2, &p);
    if (!isThere) return (float4)(0, 0, 0, 2 * RIGID_FAR);
    const float skin = clip->other.solid->skin, separation = rigid_dot(clip->up, p) - clip->height - skin;
    return quad(rigid_madd(-0.5f * separation - skin, clip->up, p),
                separation <= clip->margin ? separation : 2 * RIGID_FAR);
}

// Of candidates that come one by one in each of four passes the ones that choose_points takes (collide_choose_formula.h).
typedef struct Choice {
    RigidVector normal;
    float4 points[RIGID_POINTS];
    int count;
    float most, left, right; // m2
    float4 third, fourth;
    float sign; // of the side on which there is none yet
    float same; // m2, up to which two are one: an edge that is cut to a point has two ends
} Choice;
enum { CHOOSE_DEEPEST, CHOOSE_FARTHEST, CHOOSE_SIDES, CHOOSE_LAST, CHOOSE_PASSES };

static Choice begin_choice(RigidVector normal, float thickness) {
    Choice choice;
    const float4 none = (float4)(0, 0, 0, 2 * RIGID_FAR);
    choice.normal = normal, choice.count = 0, choice.most = -1, choice.left = choice.right = 0,
    choice.sign = 1;
    choice.same = SAME_PLACE * SAME_PLACE * thickness * thickness;
    for (int k = 0; k < RIGID_POINTS; k++) choice.points[k] = none;
    choice.third = choice.fourth = none;
    return choice;
}

// Of the triangle that a point spans with two others, across the normal.
WB_INLINE float span(const Choice *choice, float4 a, float4 b, float4 point) {
    const RigidVector across = rigid_cross(choice->normal, rigid_sub(xyz(b), xyz(a)));
    return rigid_dot(across, rigid_sub(xyz(point), xyz(a)));
}

static void choose(Choice *choice, int pass, float4 point) {
    const float4 *p = choice->points;
    if (point.w >= RIGID_FAR) return;
    if (pass == CHOOSE_DEEPEST) {
        if (point.w < p[0].w) choice->points[0] = point, choice->count = 1;
    } else if (pass == CHOOSE_FARTHEST) {
        const RigidVector way = rigid_sub(xyz(point), xyz(p[0]));
        if (rigid_dot(way, way) > choice->most) choice->most = rigid_dot(way, way), choice->points[1] = point;
    } else if (pass == CHOOSE_SIDES) {
        const float area = span(choice, p[0], p[1], point);
        if (area > choice->left) choice->left = area, choice->third = point;
        if (-area > choice->right) choice->right = -area, choice->fourth = point;
    } else {
        const float one = choice->sign * span(choice, p[1], p[2], point),
                    other = choice->sign * span(choice, p[2], p[0], point);
        if (one > choice->left) choice->left = one, choice->third = point;
        if (other > choice->right) choice->right = other, choice->fourth = point;
    }
}

// Between passes; false: there is nothing more to choose.
static bool end_pass(Choice *choice, int pass) {
    const bool isThird = choice->third.w < RIGID_FAR, isFourth = choice->fourth.w < RIGID_FAR;
    const float least = CHOOSE_SHARE * choice->most;
    if (pass == CHOOSE_DEEPEST) return choice->count > 0;
    if (pass == CHOOSE_FARTHEST) {
        choice->count += choice->most > choice->same;
        choice->left = choice->right = least;
        return choice->count == 2;
    }
    if (pass == CHOOSE_LAST) {
        if (choice->right > choice->left)
            choice->points[choice->count++] = choice->fourth;
        else if (choice->left > least)
            choice->points[choice->count++] = choice->third;
        return false;
    }
    if (isThird) choice->points[choice->count++] = choice->third;
    if (isFourth) choice->points[choice->count++] = choice->fourth;
    choice->left = choice->right = least, choice->sign = isThird ? -1 : 1;
    return choice->count == 3;
}

// Most faces are small: of what does not fit here, candidates are found once for each pass.
enum { CACHED = 48 };
static Choice pick_points(const Colliding *c, const Clip *clip, RigidVector normal, float thickness) {
    const int count = (clip->other.count == 1 ? 1 : 2 * clip->other.count) + clip->face.count;
    Choice choice = begin_choice(normal, thickness);
    float4 cache[CACHED];
    for (int i = 0; i < count && i < CACHED; i++) cache[i] = make_candidate(c, clip, i);
    for (int pass = 0; pass < CHOOSE_PASSES; pass++) {
        for (int i = 0; i < count; i++)
            choose(&choice, pass, i < CACHED ? cache[i] : make_candidate(c, clip, i));
        if (!end_pass(&choice, pass)) break;
    }
    return choice;
}

WB_INLINE void add_point(RigidManifold *m, RigidVector p, float separation) {
    m->points[m->count][0] = p.x, m->points[m->count][1] = p.y, m->points[m->count][2] = p.z;
    m->points[m->count++][3] = separation;
}
static void add_choice(RigidManifold *m, const Choice *choice, RigidVector offset) {
    for (int i = 0; i < choice->count; i++)
        add_point(m, rigid_add(offset, xyz(choice->points[i])), choice->points[i].w);
}

// Places from the first body's centre. False: what is round lies beside the face and not over it.
static bool clip_faces(const Colliding *c, const Solid *a, const Solid *b, const Axis *axis, float margin,
                       float thickness, RigidVector offset, RigidManifold *m) {
    const Solid *own = axis->owner ? b : a, *other = axis->owner ? a : b;
    Clip clip;
    clip.face = make_face(c, own, axis->face);
    clip.up = rigid_scale(axis->owner ? -1 : 1, axis->normal);
    clip.height = get_face(c, own, axis->face).w;
    clip.other = make_feature(c, other, rigid_scale(-1, clip.up));
    clip.margin = margin, clip.slack = CLIP_SLACK * 2 * own->depth;
    const Choice choice = pick_points(c, &clip, axis->normal, thickness);
    const bool isLost = choice.count == 0 ||
                        (other->skin > 0 && choice.points[0].w - axis->separation > LOST_SLACK * thickness);
    if (isLost) return false;
    add_choice(m, &choice, offset);
    return true;
}

// The edge of a feature that is farthest in a direction; false: it does not lie across it.
static bool find_edge_towards(const Colliding *c, const Feature *f, RigidVector d, RigidVector edge[2]) {
    int best = -1;
    float farthest = -MAXFLOAT;
    for (int i = 0; i < f->count && f->count > 1; i++) {
        const float height = fmin(rigid_dot(d, corner_of(c, f, i)),
                                  rigid_dot(d, corner_of(c, f, i + 1 < f->count ? i + 1 : 0)));
        if (height > farthest) farthest = height, best = i;
    }
    if (best < 0) return false;
    edge[0] = corner_of(c, f, best), edge[1] = corner_of(c, f, best + 1 < f->count ? best + 1 : 0);
    const RigidVector way = rigid_sub(edge[1], edge[0]);
    return fabs(rigid_dot(way, d)) <= ACROSS * sqrt(rigid_dot(way, way));
}

// Where an edge of each meets the other's along a normal: how many places, two where they lie side by side; 0: they do not meet by edges.
static int meet_edges(const Colliding *c, const Solid *a, const Solid *b, RigidVector n, RigidVector onA[2],
                      RigidVector onB[2]) {
    const Feature featureA = make_feature(c, a, n), featureB = make_feature(c, b, rigid_scale(-1, n));
    RigidVector p[2], q[2];
    if (!find_edge_towards(c, &featureA, n, p) || !find_edge_towards(c, &featureB, rigid_scale(-1, n), q))
        return 0;
    const RigidVector u = rigid_sub(p[1], p[0]), v = rigid_sub(q[1], q[0]), w = rigid_sub(q[0], p[0]);
    const float uu = rigid_dot(u, u), uv = rigid_dot(u, v), vv = rigid_dot(v, v), wu = rigid_dot(w, u),
                wv = rigid_dot(w, v), cross2 = uu * vv - uv * uv;
    if (!(cross2 < PARALLEL * PARALLEL * uu * vv)) {
        const float s = fmin(fmax((wu * vv - wv * uv) / cross2, 0.0f), 1.0f),
                    t = fmin(fmax((s * uv - wv) / vv, 0.0f), 1.0f);
        onA[0] = rigid_madd(s, u, p[0]), onB[0] = rigid_madd(t, v, q[0]);
        return 1;
    }
    const float from = wu / uu, to = from + uv / uu;
    const float low = fmax(fmin(from, to), 0.0f), high = fmin(fmax(from, to), 1.0f);
    if (!(high > low)) return 0;
    for (int end = 0; end < 2; end++) {
        const float t = end ? high : low;
        onA[end] = rigid_madd(t, u, p[0]), onB[end] = rigid_madd((t - from) / (to - from), v, q[0]);
    }
    return 2;
}

// A point of each, nearest to each other along a normal: 1 if they are near.
static int add_between(const Solid *a, const Solid *b, RigidVector n, RigidVector onA, RigidVector onB,
                       float margin, RigidVector offset, RigidManifold *m) {
    const float separation = rigid_dot(n, rigid_sub(onB, onA)) - a->skin - b->skin;
    const RigidVector middle = rigid_scale(0.5f, rigid_add(onA, onB));
    if (separation > margin) return 0;
    add_point(m, rigid_add(offset, rigid_madd(0.5f * (a->skin - b->skin), n, middle)), separation);
    return 1;
}

// Where two edges, round sides or corners meet. `onA` is of the first's core: what is a little smaller has no edges where the piece has.
static void join_edges(const Colliding *c, const Solid *a, const Solid *b, const Axis *axis, RigidVector onA,
                       float margin, RigidVector offset, RigidManifold *m) {
    const RigidVector n = axis->normal;
    const bool isBall = a->kind == PIECE_SPHERE || b->kind == PIECE_SPHERE;
    RigidVector placesA[2], placesB[2];
    const int count = isBall ? 0 : meet_edges(c, a, b, n, placesA, placesB);
    if (count == 2) {
        const int before = m->count;
        for (int k = 0; k < 2; k++) add_between(a, b, n, placesA[k], placesB[k], margin, offset, m);
        if (m->count - before == 2) return;
    }
    if (count == 1 && a->share < 1) onA = placesA[0];
    const float height = reach_towards(c, a, n) + 0.5f * axis->separation;
    add_point(m, rigid_add(offset, rigid_madd(height - rigid_dot(n, onA), n, onA)), axis->separation);
}

// Where a ball touches what is not a hull is known in closed form.
static bool collide_ball(const Solid *a, const Solid *b, float margin, RigidVector offset, RigidManifold *m) {
    const bool isSecond = b->kind == PIECE_SPHERE;
    const Solid *ball = isSecond ? b : a, *other = isSecond ? a : b;
    if (ball->kind != PIECE_SPHERE || other->kind >= BALL_KINDS) return false;
    const RigidVector at = rigid_sub(ball->at, other->at);
    const BallWay way = ball_find_way(other->kind, other->size, to_own(other, at));
    const float separation = way.separation - ball->skin - other->skin;
    const RigidVector out = from_own(other, way.normal);
    if (separation > margin) return true;
    m->normal[0] = isSecond ? out.x : -out.x, m->normal[1] = isSecond ? out.y : -out.y;
    m->normal[2] = isSecond ? out.z : -out.z;
    add_point(m, rigid_add(offset, rigid_madd(-ball->skin - 0.5f * separation, out, ball->at)), separation);
    return true;
}

WB_INLINE float separate(const Colliding *c, const Solid *a, const Solid *b, RigidVector n) {
    return -reach_towards(c, b, rigid_scale(-1, n)) - reach_towards(c, a, n);
}

// Sides of cylinders: where the nearest point of an axis is across it the normal is exact. FOUND_OVERLAP: it is not.
#define RADIAL 1e-3f
static int find_radial(const Colliding *c, const Solid *a, const Solid *b, RigidVector guess, float margin,
                       RigidVector *normal, RigidVector *onA) {
    Solid roundA = *a, roundB = *b;
    RigidVector n, on = rigid_set(0, 0, 0);
    if (a->kind == PIECE_CYLINDER) roundA.kind = PIECE_CAPSULE, roundA.skin = a->size[0];
    if (b->kind == PIECE_CYLINDER) roundB.kind = PIECE_CAPSULE, roundB.skin = b->size[0];
    roundA.share = roundB.share = 1;
    const int found = find_nearest(c, &roundA, &roundB, guess, margin, &n, &on);
    if (found == FOUND_OVERLAP) return found;
    const float alongA = a->kind == PIECE_CYLINDER ? rigid_dot(n, a->axes[1]) : 0,
                alongB = b->kind == PIECE_CYLINDER ? rigid_dot(n, b->axes[1]) : 0;
    if (found == FOUND_NEAREST && (fabs(alongA) > RADIAL || fabs(alongB) > RADIAL)) return FOUND_OVERLAP;
    if (found == FOUND_NEAREST)
        n = normalise(rigid_madd(-alongA, a->axes[1], rigid_madd(-alongB, b->axes[1], n)), n);
    *normal = n, *onA = on;
    return found;
}

// The way between two pieces, other than along a face. Where they nearly touch or overlap, floats do not tell it. The first guess is then
// that of cores that are a little smaller, about their middles: edges and faces keep their directions. Along the best way that is known the
// second is moved out a little more than it takes, and from there the way back to where it is nearest is a better one.
static int find_free(const Colliding *c, Solid *a, Solid *b, float margin, float thickness, Axis *axis,
                     RigidVector *onA) {
    const RigidVector way = rigid_sub(middle_of(c, b), middle_of(c, a)), at = b->at;
    const RigidVector guess = rigid_dot(way, way) > 0 ? rigid_scale(-1, way) : rigid_set(0, -1, 0);
    if (a->kind == PIECE_CYLINDER || b->kind == PIECE_CYLINDER) {
        const int radial = find_radial(c, a, b, guess, margin, &axis->normal, onA);
        if (radial == FOUND_NEAREST) axis->separation = separate(c, a, b, axis->normal);
        if (radial != FOUND_OVERLAP) return radial;
    }
    if (a->skin + b->skin == 0) a->share = b->share = CORE_SHARE;
    const int found = find_nearest(c, a, b, guess, margin, &axis->normal, onA);
    if (found != FOUND_NEAREST) return found;
    axis->separation = separate(c, a, b, axis->normal);
    for (int round = 0; a->skin + b->skin == 0 && round < 3; round++) {
        const float smaller = a->share, shift = fmax(NEAR * thickness - axis->separation, 0.0f);
        Axis better = *axis;
        RigidVector on = *onA;
        a->share = b->share = 1, b->at = rigid_madd(shift, axis->normal, at);
        const int next = find_nearest(c, a, b, rigid_scale(-1, axis->normal), shift > 0 ? RIGID_FAR : margin,
                                      &better.normal, &on);
        b->at = at;
        if (next == FOUND_APART) return next;
        better.separation = next == FOUND_NEAREST ? separate(c, a, b, better.normal) : -MAXFLOAT;
        if (better.separation <= axis->separation) {
            a->share = b->share = smaller;
            break;
        }
        *axis = better, *onA = on;
        if (shift == 0) break;
    }
    return found;
}

static void collide_solids(const Colliding *c, int4 pair, float margin, RigidManifold *m) {
    const RigidVector origin = xyz(c->places[5 * pair.x + 3]), offset = xyz(c->places[5 * pair.x + 4]);
    Solid a = load_solid(c, pair.x, origin), b = load_solid(c, pair.y, origin);
    if (collide_ball(&a, &b, margin, offset, m)) return;
    const float thickness = 2 * fmin(a.depth, b.depth);
    const bool isBall = a.kind == PIECE_SPHERE || b.kind == PIECE_SPHERE;
    Axis free = {-MAXFLOAT, rigid_set(0, 1, 0), -1, 0}, best = free;
    RigidVector onA = rigid_set(0, 0, 0);
    const int found = find_free(c, &a, &b, margin, thickness, &free, &onA);
    if (found == FOUND_APART || free.separation > margin) return;
    // a face's normal is taken also if it is a little worse
    if (found == FOUND_NEAREST)
        best = free, best.separation -= PREFER_DEPTH * fabs(free.separation) + PREFER_THICKNESS * thickness;
    // a ball's normal is exact, and its point need not be over a face
    if (!isBall || found == FOUND_OVERLAP) {
        try_faces(c, &a, &b, 0, 0, &best);
        try_faces(c, &b, &a, 1, PREFER_FIRST * thickness, &best);
    }
    if (best.separation > margin) return;
    m->normal[0] = best.normal.x, m->normal[1] = best.normal.y, m->normal[2] = best.normal.z;
    if (best.owner >= 0 && clip_faces(c, &a, &b, &best, margin, thickness, offset, m)) return;
    if (found != FOUND_NEAREST) {
        free.normal = best.normal, free.separation = best.separation;
        // axes that meet, or centres that are one: any way across them
        if (best.owner < 0) free.normal = normalise(rigid_cross(a.axes[1], b.axes[1]), a.axes[0]);
        if (best.owner < 0) free.separation = separate(c, &a, &b, free.normal);
        onA = deepest_of(c, &a, free.normal);
    }
    m->normal[0] = free.normal.x, m->normal[1] = free.normal.y, m->normal[2] = free.normal.z;
    join_edges(c, &a, &b, &free, onA, margin, offset, m);
}

// Planes

// Out of the domain.
WB_INLINE RigidVector side_normal(int side) {
    const float out = side % 2 ? 1 : -1;
    return rigid_vector(side / 2 == 0 ? out : 0, side / 2 == 1 ? out : 0, side / 2 == 2 ? out : 0);
}
WB_INLINE float side_offset(const RigidExactModel *model, int side) {
    return (side % 2 ? 1 : -1) * model->sideEnds[side];
}

static void collide_plane(const Colliding *c, int piece, RigidVector n, float end, float margin,
                          RigidManifold *m) {
    const RigidVector origin = xyz(c->places[5 * piece + 3]), offset = xyz(c->places[5 * piece + 4]);
    const Solid s = load_solid(c, piece, origin);
    const Feature feature = make_feature(c, &s, n);
    const float height = end - rigid_dot(n, origin) - s.skin;
    Choice choice = begin_choice(rigid_scale(-1, n), 2 * s.depth); // out of the plane
    for (int pass = 0; pass < CHOOSE_PASSES; pass++) {
        for (int i = 0; i < feature.count; i++) {
            const RigidVector p = corner_of(c, &feature, i);
            const float separation = height - rigid_dot(n, p);
            choose(&choice, pass,
                   quad(rigid_madd(s.skin + 0.5f * separation, n, p),
                        separation <= margin ? separation : 2 * RIGID_FAR));
        }
        if (!end_pass(&choice, pass)) break;
    }
    m->normal[0] = n.x, m->normal[1] = n.y, m->normal[2] = n.z;
    add_choice(m, &choice, offset);
}

// For two dimensions: wbManifold_Flatten.
static void flatten(RigidManifold *m, float z) {
    const float length = sqrt(m->normal[0] * m->normal[0] + m->normal[1] * m->normal[1]);
    m->normal[0] = length > 0 ? m->normal[0] / length : 0,
    m->normal[1] = length > 0 ? m->normal[1] / length : 1;
    m->normal[2] = 0;
    int low = 0, high = 0;
    float least = MAXFLOAT, most = -MAXFLOAT;
    for (int i = 0; i < m->count; i++) {
        const float along = m->points[i][0] * m->normal[1] - m->points[i][1] * m->normal[0];
        m->points[i][2] = -z;
        if (along < least) least = along, low = i;
        if (along > most) most = along, high = i;
    }
    if (m->count == 0) return;
    float ends[2][4];
    for (int k = 0; k < 4; k++) ends[0][k] = m->points[low][k], ends[1][k] = m->points[high][k];
    for (int k = 0; k < 4; k++) m->points[0][k] = ends[0][k], m->points[1][k] = ends[1][k];
    m->count = most - least > 1e-6f ? 2 : 1;
}

static void collide_pieces(const Colliding *c, int4 pair, RigidManifold *m) {
    float thickness = c->places[5 * pair.x + 3].w;
    m->count = 0, m->key = 0;
    if (pair.y < 0) {
        const int side = -1 - pair.y;
        collide_plane(c, pair.x, side_normal(side), side_offset(c->model, side),
                      c->model->terms.margin * thickness, m);
    } else if (c->pieces[pair.y].kind == PIECE_PLANE) {
        const RigidVector n = rigid_scale(-1, xyz(c->places[5 * pair.y + 1]));
        collide_plane(c, pair.x, n, rigid_dot(n, xyz(c->places[5 * pair.y + 3])),
                      c->model->terms.margin * thickness, m);
    } else {
        thickness = fmin(thickness, c->places[5 * pair.y + 3].w);
        collide_solids(c, pair, c->model->terms.margin * thickness, m);
    }
    if (c->model->dimensions == 2) flatten(m, c->places[5 * pair.x + 3].z - c->places[5 * pair.x + 4].z);
}
