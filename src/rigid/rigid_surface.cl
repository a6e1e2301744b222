// SPDX-License-Identifier: MIT
// How particles feel pieces of static and kinematic bodies on a device, as piece_query.c finds it on the cores: there in double, which
// devices need not have. All of it is in a piece's own frame.

// Outwards, of length 1; and m from the surface, negative inside.
typedef struct Felt {
    wbVec3 normal;
    float distance;
} Felt;

// Hulls and meshes of all surfaces.
typedef struct SurfaceModels {
    __global const RigidFace *faces;
    __global const int *loops;
    __global const wbVec3 *corners;
    __global const ShapeNode *nodes;
    __global const ShapeCluster *clusters;
    __global const ShapeTriangle *triangles;
} SurfaceModels;

WB_INLINE float length_of(wbVec3 v) { return sqrt(wbDot(v, v)); }

// From a point of the surface to p, outside of it.
WB_INLINE Felt feel_point(wbVec3 p, wbVec3 point, wbVec3 otherwise) {
    const wbVec3 away = wbSub(p, point);
    Felt felt = {otherwise, length_of(away)};
    if (felt.distance > 0) felt.normal = wbScale(1 / felt.distance, away);
    return felt;
}

// A ball of a radius about the point of the axis, from -half to half along y, that is nearest.
WB_INLINE Felt feel_capsule(wbVec3 p, float radius, float halfLength) {
    const wbVec3 axis = wbMakeVec3(0, clamp(p.y, -halfLength, halfLength), 0);
    Felt felt = feel_point(p, axis, halfLength > 0 ? wbMakeVec3(1, 0, 0) : wbMakeVec3(0, 1, 0));
    felt.distance -= radius;
    return felt;
}

WB_INLINE Felt feel_cylinder(wbVec3 p, float radius, float halfHeight) {
    const float flat = sqrt(p.x * p.x + p.z * p.z), up = p.y < 0 ? -1 : 1;
    const float beyond = fabs(p.y) - halfHeight, beside = flat - radius;
    const wbVec3 out = flat > 0 ? wbMakeVec3(p.x / flat, 0, p.z / flat) : wbMakeVec3(1, 0, 0),
                 end = wbMakeVec3(0, up, 0);
    Felt felt = {beyond > beside ? end : out, fmax(beyond, beside)};
    if (felt.distance <= 0) return felt;
    wbVec3 q = p;
    if (beside > 0) q.x = radius * out.x, q.z = radius * out.z;
    if (beyond > 0) q.y = up * halfHeight;
    return feel_point(p, q, felt.normal);
}

// Inside, the face that is least above; the first of equal ones, in the order +x, -x, +y, … of the cores.
WB_INLINE Felt feel_box(wbVec3 p, wbVec3 size) {
    const wbVec3 q =
        wbMakeVec3(clamp(p.x, -size.x, size.x), clamp(p.y, -size.y, size.y), clamp(p.z, -size.z, size.z));
    const float x = fabs(p.x) - size.x, y = fabs(p.y) - size.y, z = fabs(p.z) - size.z;
    const wbVec3 face = x >= y && x >= z ? wbMakeVec3(p.x < 0 ? -1 : 1, 0, 0)
                        : y >= z         ? wbMakeVec3(0, p.y < 0 ? -1 : 1, 0)
                                         : wbMakeVec3(0, 0, p.z < 0 ? -1 : 1);
    Felt felt = {face, fmax(x, fmax(y, z))};
    return felt.distance <= 0 ? felt : feel_point(p, q, face);
}

// The point of an edge that is nearest to p.
WB_INLINE wbVec3 nearest_on_edge(wbVec3 p, wbVec3 a, wbVec3 b) {
    const wbVec3 along = wbSub(b, a);
    const float length2 = wbDot(along, along);
    const float at = length2 > 0 ? clamp(wbDot(wbSub(p, a), along) / length2, 0.0f, 1.0f) : 0;
    return wbAdd(a, wbScale(at, along));
}

// Takes a point if it is nearer than what was found.
WB_INLINE void take_nearer(wbVec3 p, wbVec3 point, float *least2, wbVec3 *nearest) {
    const wbVec3 away = wbSub(p, point);
    const float distance2 = wbDot(away, away);
    if (distance2 < *least2) *least2 = distance2, *nearest = point;
}

// Above a face whose edges it is within, the foot on it is nearest; else a point of an edge.
WB_INLINE void try_face(const SurfaceModels *m, __global const RigidSurface *s, int face, wbVec3 p,
                        float height, float *least2, wbVec3 *nearest) {
    const RigidFace f = m->faces[s->firstFace + face];
    bool isOver = true;
    for (int k = 0; k < f.count; k++) {
        const int next = k + 1 < f.count ? k + 1 : 0;
        const wbVec3 a = m->corners[s->firstCorner + m->loops[s->firstLoop + f.first + k]],
                     b = m->corners[s->firstCorner + m->loops[s->firstLoop + f.first + next]];
        if (wbDot(wbCross(f.normal, wbSub(b, a)), wbSub(p, a)) >= 0) continue;
        isOver = false;
        take_nearer(p, nearest_on_edge(p, a, b), least2, nearest);
    }
    if (isOver) take_nearer(p, wbSub(p, wbScale(height, f.normal)), least2, nearest);
}

// Only faces that are seen from outside can be nearest; below all of them, the one that is least above.
WB_INLINE Felt feel_hull(const SurfaceModels *m, __global const RigidSurface *s, wbVec3 p) {
    Felt felt = {wbMakeVec3(0, 1, 0), -MAXFLOAT};
    wbVec3 nearest = p;
    float least2 = MAXFLOAT;
    for (int f = 0; f < s->faceCount; f++) {
        const RigidFace face = m->faces[s->firstFace + f];
        const float height = wbDot(face.normal, p) - face.offset;
        if (height > felt.distance) felt.distance = height, felt.normal = face.normal;
        if (height > 0) try_face(m, s, f, p, height, &least2, &nearest);
    }
    return felt.distance <= 0 ? felt : feel_point(p, nearest, felt.normal);
}

// Meshes: normals and directions across the edges are those that the cores made in double, so that thin triangles lose no digits.

WB_INLINE float box_distance2(__global const ShapeNode *node, wbVec3 p) {
    const float x = fmax(fmax(node->min[0] - p.x, p.x - node->max[0]), 0.0f),
                y = fmax(fmax(node->min[1] - p.y, p.y - node->max[1]), 0.0f),
                z = fmax(fmax(node->min[2] - p.z, p.z - node->max[2]), 0.0f);
    return x * x + y * y + z * z;
}

typedef struct NearTriangle {
    float distance2;
    wbVec3 point;
    int triangle;
} NearTriangle;

WB_INLINE void try_triangle(__global const ShapeTriangle *t, int index, wbVec3 p, NearTriangle *nearest) {
    float least2 = nearest->distance2;
    const float height = wbDot(wbSub(p, t->corners[0]), t->normal);
    bool isOver = wbDot(t->normal, t->normal) > 0;
    for (int k = 0; k < 3; k++) {
        const wbVec3 a = t->corners[k];
        if (isOver && wbDot(wbSub(p, a), t->inwards[k]) >= 0) continue;
        isOver = false;
    }
    if (isOver) {
        take_nearer(p, wbSub(p, wbScale(height, t->normal)), &least2, &nearest->point);
    } else if (height * height < least2) {
        for (int k = 0; k < 3; k++)
            take_nearer(p, nearest_on_edge(p, t->corners[k], t->corners[k < 2 ? k + 1 : 0]), &least2,
                        &nearest->point);
    }
    if (least2 < nearest->distance2) nearest->distance2 = least2, nearest->triangle = index;
}

// Of two children the nearer one first; the other waits on a stack as deep as the tree.
WB_INLINE NearTriangle find_triangle(const SurfaceModels *m, __global const RigidSurface *s, wbVec3 p) {
    __global const ShapeNode *nodes = m->nodes + s->firstNode;
    NearTriangle nearest = {MAXFLOAT, p, -1};
    int stack[64], depth = 0;
    float distances[64];
    stack[depth] = 0, distances[depth++] = 0;
    while (depth > 0) {
        const int index = stack[--depth];
        if (distances[depth] >= nearest.distance2) continue;
        if (nodes[index].count > 0) {
            for (int t = nodes[index].first; t < nodes[index].first + nodes[index].count; t++)
                try_triangle(m->triangles + s->firstTriangle + t, t, p, &nearest);
            continue;
        }
        const int first = index + 1, second = nodes[first].skip;
        const float d1 = box_distance2(nodes + first, p), d2 = box_distance2(nodes + second, p);
        const bool isSecondNearer = d2 < d1;
        stack[depth] = isSecondNearer ? first : second, distances[depth++] = isSecondNearer ? d1 : d2;
        stack[depth] = isSecondNearer ? second : first, distances[depth++] = isSecondNearer ? d2 : d1;
    }
    return nearest;
}

// Solid angle of a triangle: Van Oosterom and Strackee 1983, eq. 8.
WB_INLINE float solid_angle(__global const ShapeTriangle *t, wbVec3 p) {
    const wbVec3 a = wbSub(t->corners[0], p), b = wbSub(t->corners[1], p), c = wbSub(t->corners[2], p);
    const float la = length_of(a), lb = length_of(b), lc = length_of(c);
    return 2 * atan2(wbDot(a, wbCross(b, c)),
                     la * lb * lc + wbDot(a, b) * lc + wbDot(b, c) * la + wbDot(c, a) * lb);
}

// How often the surface goes around p, far groups of triangles as one: wbShape_GetWinding.
WB_INLINE float get_winding(const SurfaceModels *m, __global const RigidSurface *s, wbVec3 p) {
    __global const ShapeNode *nodes = m->nodes + s->firstNode;
    __global const ShapeCluster *clusters = m->clusters + s->firstNode;
    float sum = 0;
    for (int i = 0; i < s->nodeCount;) {
        __global const float *c = clusters[i].centre, *area = clusters[i].area;
        const wbVec3 d = wbSub(wbMakeVec3(c[0], c[1], c[2]), p);
        const float r2 = wbDot(d, d), far = 2 * clusters[i].radius;
        if (r2 > far * far) {
            sum += wbDot(d, wbMakeVec3(area[0], area[1], area[2])) / (r2 * sqrt(r2));
            i = nodes[i].skip;
            continue;
        }
        for (int t = nodes[i].first; t < nodes[i].first + nodes[i].count; t++)
            sum += solid_angle(m->triangles + s->firstTriangle + t, p);
        i++;
    }
    return sum / (4 * M_PI_F);
}

// Behind a face that is the nearest is inside. Before it may be inside another part; over an edge nothing is clear.
WB_INLINE Felt feel_mesh(const SurfaceModels *m, __global const RigidSurface *s, wbVec3 p) {
    const NearTriangle nearest = find_triangle(m, s, p);
    Felt felt = {wbMakeVec3(0, 1, 0), MAXFLOAT};
    if (nearest.triangle < 0) return felt;
    felt.normal = m->triangles[s->firstTriangle + nearest.triangle].normal;
    felt.distance = sqrt(nearest.distance2);
    const wbVec3 away = wbSub(p, nearest.point);
    const float along = wbDot(away, felt.normal);
    const bool isInside = (along < 0 && along * along > 0.9999f * nearest.distance2) ||
                          (box_distance2(m->nodes + s->firstNode, p) == 0 && get_winding(m, s, p) > 0.5f);
    // on the surface itself the way there says nothing
    const float sign = isInside ? -1 : 1, reach = fmax(length_of(s->min), length_of(s->max));
    if (felt.distance > 1e-6f * reach) felt.normal = wbScale(sign / felt.distance, away);
    felt.distance *= sign;
    return felt;
}

WB_INLINE Felt feel_surface(const SurfaceModels *m, __global const RigidSurface *s, wbVec3 p) {
    const wbVec3 size = s->size;
    const Felt plane = {wbMakeVec3(0, 1, 0), p.y};
    switch (s->kind) {
    case RIGID_SPHERE:
        return feel_capsule(p, size.x, 0);
    case RIGID_CAPSULE:
        return feel_capsule(p, size.x, size.y);
    case RIGID_BOX:
        return feel_box(p, size);
    case RIGID_CYLINDER:
        return feel_cylinder(p, size.x, size.y);
    case RIGID_HULL:
        return feel_hull(m, s, p);
    case RIGID_MESH:
        return feel_mesh(m, s, p);
    default:
        return plane;
    }
}

// Surfaces where their bodies are.
__kernel void rigid_place_surfaces(int count, __global const RigidSurface *surfaces,
                                   __global const float4 *centres, __global const float4 *turns,
                                   __global wbPose *poses) {
    const int i = get_global_id(0);
    if (i >= count) return;
    const float4 c = centres[surfaces[i].body], q = turns[surfaces[i].body];
    const wbPose body = {{c.x, c.y, c.z}, {q.x, q.y, q.z, q.w}}, own = surfaces[i].pose;
    poses[i] = wbPose_Multiply(&body, &own);
}

// How far a point is from the box around a surface, in its own frame.
WB_INLINE bool is_near_box(__global const RigidSurface *s, wbVec3 p, float reach) {
    if (s->kind == RIGID_PLANE) return p.y < reach;
    const wbVec3 q = wbMakeVec3(clamp(p.x, s->min.x, s->max.x), clamp(p.y, s->min.y, s->max.y),
                                clamp(p.z, s->min.z, s->max.z));
    const wbVec3 away = wbSub(p, q);
    return wbDot(away, away) <= reach * reach;
}

// Which surfaces each body may come nearer to than a margin: a bit each, in `words` words for each body. The slack is for rounding.
__kernel void rigid_near(int count, int words, int surfaceCount, float margin,
                         __global const RigidBodyLaw *laws, __global const float4 *centres,
                         __global const RigidSurface *surfaces, __global const wbPose *poses,
                         __global uint *near) {
    const int i = get_global_id(0);
    if (i >= count * words) return;
    const int body = i / words, first = 32 * (i % words);
    const float reach = laws[body].reach * 1.0001f + margin;
    const float4 at = centres[body];
    uint bits = 0;
    for (int s = first; laws[body].count > 0 && s < first + 32 && s < surfaceCount; s++) {
        __global const RigidBodyLaw *other = laws + surfaces[s].body;
        const wbPose pose = poses[s];
        if (!may_meet(&laws[body], other->category, other->mask)) continue;
        if (is_near_box(surfaces + s, wbPose_ApplyInverse(&pose, wbMakeVec3(at.x, at.y, at.z)), reach))
            bits |= 1u << (s - first);
    }
    near[i] = bits;
}
