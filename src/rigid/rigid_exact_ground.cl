// SPDX-License-Identifier: MIT
// Pieces on meshes, on a device, in float: collide_ground.c, with the same formulas. A mesh's tree is walked by one work-item for each pair
// that has one, unless the pair hardly moved against each other since, and what was found then is carried along.
//
// The frame has the mesh's axes and its origin in the piece's: far from the mesh's origin floats still tell corners apart.

typedef struct Meshes {
    __global const RigidMeshNode *nodes;
    __global const RigidMeshTriangle *triangles;
} Meshes;

// Points of a feature that are found once for many triangles; of a larger face the others are found each time.
enum { GROUND_POINTS = 16 };

typedef struct Ground {
    const Colliding *c;
    Solid solid;
    GroundPiece piece;
    float look;
    RigidVector shift;  // m, of the frame's origin in the mesh's frame
    RigidVector centre; // m, inside the piece
    RigidVector middle; // m, of the box around the piece's core in its own frame
    float extents[3];   // m, of that box, halves
    float radius;       // m, of the core about the middle
    GroundReach reach;  // in the mesh's frame
    Feature feature;    // of the piece that looks against `normal`; without points: there is none yet
    RigidVector points[GROUND_POINTS];
    RigidVector normal, lowest; // m: its lowest point along that
    RigidVector out;            // if it is a face: out of it, of any length
    __global GroundContact *contacts;
    int room, count; // `count` goes on where there is no room
    float apart;     // m, that it surely may move before it touches, if it does not
} Ground;

// Contacts

static void add_contact(Ground *g, RigidVector place, RigidVector normal, float separation, int triangle) {
    if (g->count == GROUND_MOST_CONTACTS && g->room >= g->count)
        for (int done = 0; done < g->count;)
            done +=
                ground_thin(g->contacts, &g->count, done, g->piece.thickness, g->solid.kind == PIECE_SPHERE);
    if (g->count < g->room) {
        const GroundContact contact = {place, separation, wbMakeVec3(normal.x, normal.y, normal.z), triangle};
        g->contacts[g->count] = contact;
    }
    g->count++;
}

// Halfway between the surfaces: of the piece, a point of its core.
static void add_height(Ground *g, RigidVector point, RigidVector normal, float height, int triangle) {
    const float skin = g->piece.skin, separation = height - skin;
    if (separation <= g->piece.margin)
        add_contact(g, rigid_madd(-0.5f * (height + skin), normal, point), normal, separation, triangle);
}

// Features

WB_INLINE RigidVector point_of(const Ground *g, int i) {
    return i < GROUND_POINTS ? g->points[i] : corner_of(g->c, &g->feature, i);
}

// Of a box the face that looks most along a direction of its own: up or down, if there are several.
WB_INLINE int box_face(RigidVector d) {
    const float x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
    if (y >= x && y >= z) return 2 + (d.y > 0);
    return x >= z ? d.x > 0 : 4 + (d.z > 0);
}

static bool has_corner(const Colliding *c, const Solid *s, int face, int corner) {
    const int2 loop = c->loops[s->firstFace + face];
    for (int i = loop.x; i < loop.x + loop.y; i++)
        if (c->edges[i] == corner) return true;
    return false;
}

// Of the faces of a hull around the corner that is farthest in a direction of its own, the one that looks most that way.
static int hull_face(const Colliding *c, const Solid *s, RigidVector d) {
    int corner = 0, best = 0;
    float farthest = -MAXFLOAT, most = -MAXFLOAT;
    for (int i = 0; i < s->cornerCount; i++) {
        const float far = rigid_dot(xyz(c->corners[s->firstCorner + i]), d);
        if (far > farthest) farthest = far, corner = i;
    }
    for (int f = 0; f < s->faceCount; f++) {
        const float along = rigid_dot(xyz(c->faces[s->firstFace + f]), d);
        if (along > most && has_corner(c, s, f, corner)) most = along, best = f;
    }
    return best;
}

// Faces of boxes and hulls are the same for many normals, and so are points and segments.
static void find_feature(Ground *g, RigidVector normal) {
    const Solid *s = &g->solid;
    const int kind = s->kind;
    if (g->feature.count > 0 && normal.x == g->normal.x && normal.y == g->normal.y && normal.z == g->normal.z)
        return;
    const RigidVector down = rigid_scale(-1, normal), own = to_own(s, down);
    const int face = kind == PIECE_BOX ? box_face(own) : kind == PIECE_HULL ? hull_face(g->c, s, own) : -1;
    if (g->feature.count == 0 || face != g->feature.face || kind == PIECE_CYLINDER) {
        g->feature = face >= 0 ? make_face(g->c, s, face) : make_feature(g->c, s, down);
        for (int i = 0; i < g->feature.count && i < GROUND_POINTS; i++)
            g->points[i] = corner_of(g->c, &g->feature, i);
        if (g->feature.count > 2)
            g->out =
                rigid_cross(rigid_sub(g->points[1], g->points[0]), rigid_sub(g->points[2], g->points[0]));
    }
    g->normal = normal, g->lowest = g->points[0];
    for (int i = 1; i < g->feature.count; i++)
        if (rigid_dot(normal, rigid_sub(point_of(g, i), g->lowest)) < 0) g->lowest = point_of(g, i);
}

// Faces

// The piece's corners over a triangle.
static void collide_corners(Ground *g, const GroundTriangle *t) {
    const float most = g->piece.margin + g->piece.skin;
    for (int i = 0; i < g->feature.count; i++) {
        const RigidVector p = point_of(g, i);
        const float height = rigid_dot(t->normal, rigid_sub(p, t->corners[0]));
        if (height <= most && ground_is_over(&g->piece, t, p)) add_height(g, p, t->normal, height, t->number);
    }
}

// An edge that stands out a little below a face of the piece: its ends, or where it leaves the face.
static void collide_ridge(Ground *g, const GroundTriangle *t, int k) {
    const RigidVector from = t->corners[k], way = rigid_sub(t->corners[k < 2 ? k + 1 : 0], from);
    const float most = g->piece.margin + g->piece.skin;
    const GroundRidge ridge = ground_find_ridge(g->out, g->points[0], from, way, t->normal);
    float ends[2] = {0, 1};
    if (!ridge.isBelow || (ridge.height > most && ridge.height + ridge.rise > most)) return;
    for (int i = 0; i < g->feature.count; i++) {
        const RigidVector p = point_of(g, i), next = point_of(g, i + 1 < g->feature.count ? i + 1 : 0);
        if (!ground_clip_border(rigid_cross(rigid_sub(next, p), g->out), p, from, way, &ends[0], &ends[1]))
            return;
    }
    for (int end = 0; end < 2; end++) {
        const float at = ridge.height + ends[end] * ridge.rise;
        add_height(g, rigid_madd(at, t->normal, rigid_madd(ends[end], way, from)), t->normal, at, t->number);
    }
}

// An edge of the piece across an edge of the mesh.
static void collide_crossing(Ground *g, const GroundTriangle *t, int k) {
    RigidVector p;
    if (ground_crosses(t, k, g->points[0], rigid_sub(g->points[1], g->points[0]), &p) &&
        ground_is_over(&g->piece, t, p))
        add_height(g, p, t->normal, rigid_dot(t->normal, rigid_sub(p, t->corners[0])), t->number);
}

// Where the piece lies over a triangle with the triangle's normal.
static void collide_face(Ground *g, const GroundTriangle *t) {
    collide_corners(g, t);
    for (int k = 0; k < 3 && g->feature.count > 1; k++) {
        if (!ground_counts_edge(t, k)) continue;
        if (g->feature.count == 2)
            collide_crossing(g, t, k);
        else
            collide_ridge(g, t, k);
    }
}

// Edges

static Solid make_triangle(const GroundTriangle *t) {
    Solid s;
    s.kind = PIECE_TRIANGLE;
    s.at = rigid_set(0, 0, 0), s.skin = s.depth = 0, s.share = 1;
    for (int k = 0; k < 3; k++) s.axes[k] = t->corners[k];
    s.size[0] = t->normal.x, s.size[1] = t->normal.y, s.size[2] = t->normal.z;
    s.firstCorner = s.cornerCount = s.firstFace = 0, s.faceCount = 1;
    return s;
}

// A point of the mesh and the one of the piece that is nearest to it; 1 if they are near.
static int add_across(Ground *g, RigidVector onMesh, RigidVector onPiece, RigidVector normal, int triangle) {
    const float height = rigid_dot(normal, rigid_sub(onPiece, onMesh));
    const RigidVector middle = rigid_scale(0.5f, rigid_add(onMesh, onPiece));
    if (height - g->piece.skin > g->piece.margin) return 0;
    add_contact(g, rigid_madd(-0.5f * g->piece.skin, normal, middle), normal, height - g->piece.skin,
                triangle);
    return 1;
}

// Where two edges, round sides or corners meet: one point, or two where edges lie side by side.
static void collide_free(Ground *g, const Solid *mesh, RigidVector normal, RigidVector onMesh, int triangle) {
    const RigidVector deepest = deepest_of(g->c, &g->solid, rigid_scale(-1, normal));
    RigidVector a[2], b[2];
    int count = 0;
    if (g->solid.kind != PIECE_SPHERE && meet_edges(g->c, mesh, &g->solid, normal, a, b) == 2)
        for (int end = 0; end < 2; end++) count += add_across(g, a[end], b[end], normal, triangle);
    if (count < 2)
        add_across(g, onMesh, rigid_madd(rigid_dot(normal, rigid_sub(deepest, onMesh)), normal, onMesh),
                   normal, triangle);
}

// A face of the piece over a triangle.
static void collide_own_face(Ground *g, const Solid *mesh, const Axis *axis, int triangle) {
    Clip clip;
    clip.face = make_face(g->c, &g->solid, axis->face);
    clip.up = rigid_scale(-1, axis->normal);
    clip.height = get_face(g->c, &g->solid, axis->face).w;
    clip.other = make_feature(g->c, mesh, axis->normal);
    clip.margin = g->piece.margin, clip.slack = 1e-4f * g->piece.thickness;
    const int count = 2 * clip.other.count + clip.face.count;
    for (int i = 0; i < count; i++) {
        const float4 point = make_candidate(g->c, &clip, i);
        if (point.w < RIGID_FAR) add_contact(g, xyz(point), axis->normal, point.w, triangle);
    }
}

// Where a piece hardly touches, or overlaps, floats do not tell the way between cores: it is moved out along ways that are known, the best
// face's and the one found so far, by a little more than it takes, and from there the way back to where it is nearest is a better one.
static int find_way_out(Ground *g, const Solid *mesh, int found, RigidVector *normal, RigidVector *onMesh) {
    const Colliding *c = g->c;
    const float near = NEAR * g->piece.thickness;
    Solid *own = &g->solid;
    Axis starts[2] = {{-MAXFLOAT, *normal, -1, 0}, {-MAXFLOAT, *normal, -1, 0}};
    if (found == FOUND_NEAREST) starts[0].separation = separate(c, mesh, own, *normal);
    float most = starts[0].separation;
    try_faces(c, mesh, own, 0, 0, &starts[1]);
    try_faces(c, own, mesh, 1, 0, &starts[1]);
    for (int k = 0; k < 2; k++) {
        Axis out = starts[k];
        for (int round = 0; round < 3 && out.separation > -MAXFLOAT; round++) {
            RigidVector better, on;
            own->at = rigid_scale(near - out.separation, out.normal);
            const int next = find_nearest(c, mesh, own, rigid_scale(-1, out.normal), RIGID_FAR, &better, &on);
            own->at = rigid_set(0, 0, 0);
            if (next != FOUND_NEAREST) break;
            const float separation = separate(c, mesh, own, better);
            if (separation > most) most = separation, *normal = better, *onMesh = on, found = FOUND_NEAREST;
            if (separation <= out.separation) break;
            out.separation = separation, out.normal = better;
        }
    }
    return found;
}

// The way between a triangle and the piece, other than along a face.
static int find_way(Ground *g, const Solid *mesh, RigidVector *normal, RigidVector *onMesh) {
    const RigidVector guess = rigid_sub(middle_of(g->c, mesh), g->centre);
    if (g->solid.kind == PIECE_CYLINDER) {
        const int found = find_radial(g->c, mesh, &g->solid, guess, g->piece.margin, normal, onMesh);
        if (found != FOUND_OVERLAP) return found;
    }
    const int found = find_nearest(g->c, mesh, &g->solid, guess, g->piece.margin, normal, onMesh);
    const bool isVague = found == FOUND_NEAREST && g->solid.skin == 0 &&
                         separate(g->c, mesh, &g->solid, *normal) < NEAR * g->piece.thickness;
    return found == FOUND_OVERLAP || isVague ? find_way_out(g, mesh, found, normal, onMesh) : found;
}

// False if the triangle's own normal is the right one. What leans over an edge that does not stand out is the other side's.
static bool collide_edges(Ground *g, const GroundTriangle *t) {
    const Colliding *c = g->c;
    const Solid mesh = make_triangle(t), *own = &g->solid;
    const float margin = g->piece.margin;
    Axis best = {-MAXFLOAT, rigid_set(0, 1, 0), -1, 0};
    RigidVector onMesh = rigid_set(0, 0, 0);
    const int found = find_way(g, &mesh, &best.normal, &onMesh);
    float free = -MAXFLOAT;
    if (found != FOUND_OVERLAP) free = separate(c, &mesh, own, best.normal);
    if (free > margin || found == FOUND_APART) {
        g->apart = fmin(g->apart, free - margin);
        return true;
    }
    if (found == FOUND_NEAREST)
        best.separation = free - PREFER_DEPTH * fabs(free) - PREFER_THICKNESS * g->piece.thickness;
    // a ball's normal is exact, and its point need not be over a face
    if (own->kind != PIECE_SPHERE || found == FOUND_OVERLAP) {
        try_faces(c, &mesh, own, 0, 0, &best);
        try_faces(c, own, &mesh, 1, PREFER_FIRST * g->piece.thickness, &best);
    }
    if (best.owner == 0) return false;
    if (best.owner > 0 && best.separation > margin) {
        g->apart = fmin(g->apart, best.separation - margin);
        return true;
    }
    if (!ground_is_of_surface(t, best.normal)) return true;
    const int before = g->count;
    if (best.owner > 0)
        collide_own_face(g, &mesh, &best, t->number);
    else
        collide_free(g, &mesh, best.normal, onMesh, t->number);
    return g->count > before;
}

// Triangles

// m: how far the core reaches from its middle at most.
WB_INLINE float extent_along(const Ground *g, RigidVector normal) {
    float extent = 0;
    for (int k = 0; k < 3; k++) extent += g->extents[k] * fabs(rigid_dot(g->solid.axes[k], normal));
    return fmin(extent, g->radius);
}

WB_INLINE RigidVector to_vector(wbVec3 a) { return rigid_vector(a.x, a.y, a.z); }

static GroundTriangle load_triangle(const Ground *g, __global const RigidMeshTriangle *from, int number) {
    GroundTriangle t;
    t.normal = to_vector(from->shape.normal);
    for (int k = 0; k < 3; k++) {
        t.corners[k] = rigid_sub(to_vector(from->shape.corners[k]), g->shift);
        t.inwards[k] = to_vector(from->shape.inwards[k]);
        t.bends[k] = from->bends[k], t.neighbours[k] = from->neighbours[k];
    }
    t.number = number, t.isEdgeKnown = 1;
    return t;
}

static void collide_triangle(Ground *g, __global const RigidMeshTriangle *from, int number) {
    const wbVec3 corners[3] = {from->shape.corners[0], from->shape.corners[1], from->shape.corners[2]};
    if (!ground_is_triangle_near(&g->reach, corners)) return;
    const GroundPiece *piece = &g->piece;
    const GroundTriangle t = load_triangle(g, from, number);
    const float height = rigid_dot(t.normal, rigid_sub(g->centre, t.corners[0]));
    // one that is seen from behind is not felt before the piece's centre is in front of it
    const float above = height > 0 ? rigid_dot(t.normal, rigid_sub(g->middle, t.corners[0])) -
                                         extent_along(g, t.normal) - piece->margin - piece->skin
                                   : -height;
    if (height <= 0 || above > 0) {
        g->apart = fmin(g->apart, above);
        return;
    }
    find_feature(g, t.normal);
    const float separation = rigid_dot(t.normal, rigid_sub(g->lowest, t.corners[0])) - piece->skin;
    if (separation > piece->margin) {
        g->apart = fmin(g->apart, separation - piece->margin);
        return;
    }
    // where its lowest point is over the triangle, and not deep, the triangle's own normal is the way out
    const bool isPlain = separation > -GROUND_DEEP * piece->thickness && ground_is_over(piece, &t, g->lowest);
    if (ground_stands_out(&t) && !isPlain && collide_edges(g, &t)) return;
    g->apart = 0;
    collide_face(g, &t);
}

// Of what is flat only the piece's corners matter: whether one of them is over a node whose triangles are all of one plane.
static bool has_corner_over(Ground *g, const ShapeNode *node, RigidVector n) {
    const float slack =
        GROUND_BESIDE_SKIN * g->piece.skin + GROUND_BESIDE * g->piece.thickness + g->piece.margin + g->look;
    const RigidVector min = rigid_sub(rigid_vector(node->min[0], node->min[1], node->min[2]), g->shift),
                      max = rigid_sub(rigid_vector(node->max[0], node->max[1], node->max[2]), g->shift);
    const RigidVector low =
        rigid_vector(n.x < 0 ? max.x : min.x, n.y < 0 ? max.y : min.y, n.z < 0 ? max.z : min.z);
    find_feature(g, n);
    for (int i = 0; i < g->feature.count; i++) {
        const RigidVector p = point_of(g, i), q = rigid_madd(rigid_dot(n, rigid_sub(low, p)), n, p);
        if (q.x >= min.x - slack && q.x <= max.x + slack && q.y >= min.y - slack && q.y <= max.y + slack &&
            q.z >= min.z - slack && q.z <= max.z + slack)
            return true;
    }
    return false;
}

static void collide_mesh(Ground *g, const Meshes *mesh, int nodeCount) {
    for (int i = 0; i < nodeCount;) {
        const ShapeNode node = mesh->nodes[i].node;
        if (!ground_is_node_near(&g->reach, &node) ||
            (mesh->nodes[i].isFlat &&
             !has_corner_over(g, &node, to_vector(mesh->triangles[node.first].shape.normal)))) {
            i = node.skip;
            continue;
        }
        for (int k = node.first; k < node.first + node.count; k++)
            collide_triangle(g, &mesh->triangles[k], k);
        i++;
    }
}

// Inside

// From here on relative to the piece's centre.
WB_INLINE RigidVector low_corner(const ShapeNode *node, RigidVector at) {
    return rigid_sub(rigid_vector(node->min[0], node->min[1], node->min[2]), at);
}
WB_INLINE RigidVector high_corner(const ShapeNode *node, RigidVector at) {
    return rigid_sub(rigid_vector(node->max[0], node->max[1], node->max[2]), at);
}

// Which side of the line from a to b the origin is on, as seen from above.
WB_INLINE float side_of(RigidVector a, RigidVector b) { return a.x * b.z - a.z * b.x; }

// The first triangle above is one seen from behind.
static bool is_inside(const Meshes *mesh, int nodeCount, RigidVector at) {
    float nearest = MAXFLOAT;
    bool isInside = false;
    for (int i = 0; i < nodeCount;) {
        const ShapeNode node = mesh->nodes[i].node;
        const RigidVector low = low_corner(&node, at), high = high_corner(&node, at);
        if (low.x > 0 || high.x < 0 || low.z > 0 || high.z < 0 || high.y < 0 || low.y > nearest) {
            i = node.skip;
            continue;
        }
        for (int k = node.first; k < node.first + node.count; k++) {
            __global const ShapeTriangle *t = &mesh->triangles[k].shape;
            const RigidVector a = rigid_sub(to_vector(t->corners[0]), at),
                              b = rigid_sub(to_vector(t->corners[1]), at),
                              c = rigid_sub(to_vector(t->corners[2]), at);
            const float ab = side_of(a, b), bc = side_of(b, c), ca = side_of(c, a), sum = ab + bc + ca;
            if ((ab < 0 || bc < 0 || ca < 0) && (ab > 0 || bc > 0 || ca > 0)) continue;
            const float height = (bc * a.y + ca * b.y + ab * c.y) / sum;
            if (sum != 0 && height >= 0 && height < nearest) nearest = height, isInside = t->normal.y > 0;
        }
        i++;
    }
    return isInside;
}

// The nearest point of the surface, and the normal there.
static RigidVector find_surface(const Meshes *mesh, int nodeCount, RigidVector at, RigidVector *normal) {
    RigidVector nearest = rigid_set(0, 0, 0);
    float least = MAXFLOAT;
    for (int i = 0; i < nodeCount;) {
        const ShapeNode node = mesh->nodes[i].node;
        const RigidVector low = low_corner(&node, at), high = high_corner(&node, at);
        const RigidVector away =
            rigid_vector(fmax(fmax(low.x, -high.x), 0.0f), fmax(fmax(low.y, -high.y), 0.0f),
                         fmax(fmax(low.z, -high.z), 0.0f));
        if (rigid_dot(away, away) > least) {
            i = node.skip;
            continue;
        }
        for (int k = node.first; k < node.first + node.count; k++) {
            __global const ShapeTriangle *t = &mesh->triangles[k].shape;
            Simplex s;
            s.count = 3;
            for (int j = 0; j < 3; j++) s.w[j] = s.a[j] = rigid_sub(to_vector(t->corners[j]), at);
            const RigidVector p = nearest_on_triangle(&s);
            if (rigid_dot(p, p) < least) least = rigid_dot(p, p), nearest = p, *normal = to_vector(t->normal);
        }
        i++;
    }
    return nearest;
}

// A piece whose centre is inside is pushed out the shortest way.
static void leave_mesh(Ground *g, const Meshes *mesh, int nodeCount) {
    const RigidVector at = rigid_add(g->shift, g->centre);
    RigidVector out = rigid_set(0, 1, 0);
    if (!is_inside(mesh, nodeCount, at)) return;
    const RigidVector nearest = find_surface(mesh, nodeCount, at, &out);
    out = normalise(nearest, out);
    const RigidVector deepest = deepest_of(g->c, &g->solid, rigid_scale(-1, out));
    add_height(g, deepest, out, rigid_dot(out, rigid_sub(rigid_sub(deepest, g->centre), nearest)), 0);
}

// Pairs

// Around the core, in its own frame: a box; returns its middle.
static RigidVector bound_core(Ground *g) {
    const Solid *s = &g->solid;
    RigidVector low = rigid_set(0, 0, 0), high = low;
    for (int k = 0; k < 3; k++) {
        const RigidVector axis = rigid_vector(k == 0, k == 1, k == 2);
        low = rigid_madd(rigid_dot(axis, support(g->c, s, rigid_scale(-1, axis))), axis, low);
        high = rigid_madd(rigid_dot(axis, support(g->c, s, axis)), axis, high);
    }
    const RigidVector extent = rigid_scale(0.5f, rigid_sub(high, low)),
                      middle = rigid_scale(0.5f, rigid_add(high, low));
    float farthest2 = rigid_dot(extent, extent);
    if (s->kind == PIECE_CYLINDER) farthest2 = extent.x * extent.x + extent.y * extent.y;
    if (s->kind == PIECE_HULL) farthest2 = 0;
    for (int i = s->firstCorner; i < s->firstCorner + s->cornerCount && s->kind == PIECE_HULL; i++) {
        const RigidVector way = rigid_sub(xyz(g->c->corners[i]), middle);
        farthest2 = fmax(farthest2, rigid_dot(way, way));
    }
    g->extents[0] = extent.x, g->extents[1] = extent.y, g->extents[2] = extent.z, g->radius = sqrt(farthest2);
    return middle;
}

static void bound_piece(Ground *g) {
    g->middle = place_own(&g->solid, bound_core(g));
    const RigidVector at = rigid_add(g->shift, g->middle);
    const float middle[3] = {at.x, at.y, at.z}, more = g->piece.skin + g->piece.margin + g->look;
    GroundReach *reach = &g->reach;
    reach->reach[3] = g->radius + more;
    for (int k = 0; k < 3; k++) {
        const RigidVector way = g->solid.axes[k];
        const float extent = extent_along(g, rigid_vector(k == 0, k == 1, k == 2)) + more;
        reach->ways[k][0] = way.x, reach->ways[k][1] = way.y, reach->ways[k][2] = way.z;
        reach->reach[k] = g->extents[k] + more, reach->middle[k] = middle[k];
        reach->min[k] = middle[k] - extent, reach->max[k] = middle[k] + extent;
    }
}

// The frame of a mesh.
typedef struct MeshFrame {
    RigidVector axes[3];
} MeshFrame;
WB_INLINE RigidVector to_mesh(const MeshFrame *f, RigidVector v) {
    return rigid_vector(rigid_dot(f->axes[0], v), rigid_dot(f->axes[1], v), rigid_dot(f->axes[2], v));
}
WB_INLINE RigidVector from_mesh(const MeshFrame *f, RigidVector v) {
    return rigid_madd(v.x, f->axes[0], rigid_madd(v.y, f->axes[1], rigid_scale(v.z, f->axes[2])));
}

static Ground make_ground(const Colliding *c, int4 pair, const MeshFrame *frame, float margin) {
    Ground g;
    const RigidVector origin = xyz(c->places[5 * pair.x + 3]);
    g.c = c, g.solid = load_solid(c, pair.x, origin);
    for (int k = 0; k < 3; k++) g.solid.axes[k] = to_mesh(frame, g.solid.axes[k]);
    g.piece.skin = g.solid.skin, g.piece.thickness = 2 * g.solid.depth, g.piece.margin = margin;
    g.look = GROUND_LOOK * g.piece.thickness, g.apart = g.look;
    g.shift = to_mesh(frame, rigid_sub(origin, xyz(c->places[5 * pair.y + 3])));
    g.centre = middle_of(c, &g.solid);
    g.feature.count = 0, g.feature.face = -1, g.count = 0;
    g.normal = g.lowest = g.out = rigid_set(0, 0, 0);
    bound_piece(&g);
    return g;
}

// A ball touches the next triangle at any time.
static wbCollideHold hold_contacts(const Ground *g, __global const RigidPieceTerms *piece) {
    const int kind = g->solid.kind;
    const float still = kind == PIECE_SPHERE ? 0 : kind == PIECE_CYLINDER ? GROUND_ROLLING : GROUND_STILL;
    // of the piece, with its margin, and of its place in its body
    const RigidVector at = three(piece->position);
    const float reach = piece->reach / (1 + RIGID_SKIN) + sqrt(rigid_dot(at, at));
    const wbCollideHold hold = {g->count > 0 ? still * g->piece.thickness
                                             : fmin(fmax(g->apart, 0.0f), g->look),
                                reach,
                                {g->piece.skin, 0},
                                0};
    return hold;
}

// Places from the first body's centre.
static wbManifold write_group(__global const GroundContact *group, int count, const MeshFrame *frame,
                              RigidVector offset) {
    wbManifold m;
    const RigidVector n = from_mesh(frame, rigid_scale(-1, ground_normal(group)));
    m.normal = wbMakeVec3(n.x, n.y, n.z), m.count = count;
    for (int i = 0; i < count; i++) {
        const RigidVector p = rigid_add(offset, from_mesh(frame, group[i].place));
        m.points[i].place = wbMakeVec3(p.x, p.y, p.z), m.points[i].separation = group[i].separation;
    }
    return m;
}

static void store_manifold(const Colliding *c, int4 pair, const wbManifold *from, uint key,
                           __global RigidManifold *to) {
    RigidManifold m;
    m.normal[0] = from->normal.x, m.normal[1] = from->normal.y, m.normal[2] = from->normal.z;
    m.count = from->count, m.key = key;
    for (int i = 0; i < RIGID_POINTS; i++) {
        const wbVec3 p = from->points[i].place;
        const bool isThere = i < from->count;
        m.points[i][0] = isThere ? p.x : 0, m.points[i][1] = isThere ? p.y : 0;
        m.points[i][2] = isThere ? p.z : 0, m.points[i][3] = isThere ? from->points[i].separation : 0;
    }
    if (c->model->dimensions == 2) flatten(&m, c->places[5 * pair.x + 3].z - c->places[5 * pair.x + 4].z);
    *to = m;
}

typedef struct Following {
    __global wbCollideCache *cache;
    __global wbKeptManifold *kept;     // of all pairs
    __global RigidManifold *manifolds; // likewise
    wbPose first, second;              // bodies
} Following;

WB_INLINE wbPose load_pose(float4 centre, float4 turn) {
    const wbPose pose = {{centre.x, centre.y, centre.z}, {turn.x, turn.y, turn.z, turn.w}};
    return pose;
}

// What was found before, carried along: how many manifolds; -1: it holds no longer.
static int follow_pair(const Colliding *c, int4 pair, const Following *f, float margin) {
    const wbCollideCache cache = *f->cache;
    wbRelativeWay drift;
    int count = 0;
    if (!follow_holds(&cache, &f->first, &f->second, &drift)) return -1;
    for (int k = 0; k < 3; k++) drift.first.position[k] = 0; // places are from the first body's centre
    for (int k = 0; k < cache.count; k++) {
        const wbKeptManifold kept = f->kept[cache.first + k];
        wbManifold now;
        if (follow_kept(&kept, &cache.hold, &drift, margin, &now))
            store_manifold(c, pair, &now, kept.key, &f->manifolds[cache.first + count++]);
    }
    return count;
}

// Makes manifolds of contacts, the deepest first: how many there are, also if there is no room for them.
static int write_groups(Ground *g, int4 pair, const MeshFrame *frame, const Following *f,
                        const wbCollideHold *hold) {
    wbCollideCache cache = *f->cache;
    wbPose first = f->first;
    for (int k = 0; k < 3; k++) first.position[k] = 0;
    int count = 0;
    for (int done = 0, size; done < g->count; done += size, count++) {
        size = ground_thin(g->contacts, &g->count, done, g->piece.thickness, g->solid.kind == PIECE_SPHERE);
        if (count >= cache.room) continue;
        __global const GroundContact *group = g->contacts + done;
        const uint key = ground_key(group, size);
        const wbManifold m = write_group(group, size, frame, xyz(g->c->places[5 * pair.x + 4]));
        wbKeptManifold kept;
        follow_keep(&m, key, &first, &f->second, hold->skins[0], &kept);
        f->kept[cache.first + count] = kept;
        store_manifold(g->c, pair, &m, key, &f->manifolds[cache.first + count]);
    }
    cache.hold.way = 0;
    if (hold->way > 0 && count <= cache.room) follow_fill(&cache, &f->first, &f->second, hold, count);
    *f->cache = cache;
    return count;
}

// How pairs with meshes touch. `again`: of those for which there was no room; the others stay as they are.
__kernel void exact_ground(RigidExactModel model, int again, __global const int4 *pairs,
                           __global const RigidPieceTerms *pieces, __global const uint *bits,
                           __global const float4 *centres, __global const float4 *turns,
                           __global const float4 *places, __global const float4 *corners,
                           __global const float4 *faces, __global const int2 *loops,
                           __global const int *edges, __global const RigidMeshNode *nodes,
                           __global const RigidMeshTriangle *triangles, __global const int *moves,
                           __global RigidGroundRoom *rooms, __global GroundContact *contacts,
                           __global wbCollideCache *caches, __global wbKeptManifold *kept,
                           __global int *sources, __global RigidManifold *manifolds, __global uint *counts,
                           __global RigidCounters *counters) {
    const int other = get_global_id(0), i = model.boxPairs + model.sidePairs + other;
    if (other >= model.otherPairs) return;
    const int4 pair = pairs[i];
    if (!is_with_mesh(pair, pieces) || is_asleep(pair, moves)) return;
    RigidGroundRoom room = rooms[other];
    if (again && room.contacts + room.manifolds == 0) {
        counts[i] = room.count;
        return;
    }
    const Colliding c = {&model, pieces, places, corners, faces, loops, edges};
    const int a = pieces[pair.x].body, b = pieces[pair.y].body;
    const Following f = {&caches[other], kept, manifolds, load_pose(centres[a], turns[a]),
                         load_pose(centres[b], turns[b])};
    const float margin = model.terms.margin * places[5 * pair.x + 3].w;
    room.contacts = room.manifolds = 0;
    int count = follow_pair(&c, pair, &f, margin);
    if (count < 0) {
        const Meshes mesh = {nodes + pieces[pair.y].firstNode, triangles + pieces[pair.y].firstTriangle};
        const MeshFrame frame = {
            {xyz(places[5 * pair.y]), xyz(places[5 * pair.y + 1]), xyz(places[5 * pair.y + 2])}};
        Ground g = make_ground(&c, pair, &frame, margin);
        g.contacts = contacts + room.first, g.room = room.room;
        collide_mesh(&g, &mesh, pieces[pair.y].nodeCount);
        if (g.count == 0) leave_mesh(&g, &mesh, pieces[pair.y].nodeCount);
        const wbCollideHold hold = hold_contacts(&g, &pieces[pair.x]);
        if (g.count > g.room) {
            room.contacts = min(g.count, (int)GROUND_MOST_CONTACTS), count = 0;
        } else {
            count = write_groups(&g, pair, &frame, &f, &hold);
            if (count > f.cache->room) room.manifolds = count, count = 0;
        }
    }
    room.count = count;
    rooms[other] = room;
    if (room.contacts + room.manifolds > 0) atomic_inc(&counters->cramped);
    sources[i] = count > 0 ? f.cache->first : PAIR_APART, counts[i] = count;
    if (count > 0) note_touch(pair, pieces, bits, moves, counters);
}

// For a new list nothing is known of its pairs (`forgets`), nor how much room they need.
__kernel void exact_forget(int count, int forgets, __global wbCollideCache *caches,
                           __global wbKeptManifold *kept, __global RigidGroundRoom *rooms) {
    const int i = get_global_id(0);
    if (i >= count) return;
    const RigidGroundRoom room = {i * RIGID_GROUND_ROOM, RIGID_GROUND_ROOM, 0, 0, 0};
    rooms[i] = room;
    if (!forgets) return;
    const wbCollideCache cache = {{0, 0, 0}, {0, 0, 0, 0}, {0, 0, {0, 0}, 0}, i, 1, 0};
    const wbKeptManifold none = {{0, 0, 0}, 0, {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}, 0};
    caches[i] = cache, kept[i] = none;
}
