// SPDX-License-Identifier: MIT
// The solver of exact contacts on a device: one body or contact for each work-item, contacts of one colour at a time. A body is three
// quads, as wbSolverBody without its filler: velocity, spin, way and turn since the step began.

typedef struct Body {
    RigidVector v, w, way, turn;
} Body;

WB_INLINE Body load_body(__global const float4 *bodies, int row) {
    const float4 p = bodies[3 * row], q = bodies[3 * row + 1], r = bodies[3 * row + 2];
    Body body = {rigid_vector(p.x, p.y, p.z), rigid_vector(p.w, q.x, q.y), rigid_vector(q.z, q.w, r.x),
                 rigid_vector(r.y, r.z, r.w)};
    return body;
}
WB_INLINE void store_speed(__global float4 *bodies, int row, RigidVector v, RigidVector w, RigidVector way) {
    bodies[3 * row] = (float4)(v.x, v.y, v.z, w.x);
    bodies[3 * row + 1] = (float4)(w.y, w.z, way.x, way.y);
}
WB_INLINE void store_body(__global float4 *bodies, int row, const Body *b) {
    store_speed(bodies, row, b->v, b->w, b->way);
    bodies[3 * row + 2] = (float4)(b->way.z, b->turn.x, b->turn.y, b->turn.z);
}

WB_INLINE RigidInertia load_inertia(__global const float4 *masses, int row) {
    const float4 a = masses[2 * row], b = masses[2 * row + 1];
    RigidInertia inertia = {a.x, a.y, a.z, a.w, b.x, b.y, b.z};
    return inertia;
}

WB_INLINE void store_inertia(__global float4 *masses, int row, const RigidInertia *mass) {
    masses[2 * row] = (float4)(mass->mass, mass->xx, mass->xy, mass->xz);
    masses[2 * row + 1] = (float4)(mass->yy, mass->yz, mass->zz, 0);
}

// Bodies

// R diag(m) R^T; as rigid_axes divided by the square of the quaternion's length, which rounding leaves a hair from 1.
WB_INLINE RigidInertia turn_inertia(float4 q, RigidVector m) {
    const float x = q.x, y = q.y, z = q.z, w = q.w, d = 2 / dot(q, q);
    const float r[3][3] = {{1 - d * (y * y + z * z), d * (x * y - w * z), d * (x * z + w * y)},
                           {d * (x * y + w * z), 1 - d * (x * x + z * z), d * (y * z - w * x)},
                           {d * (x * z - w * y), d * (y * z + w * x), 1 - d * (x * x + y * y)}};
    float t[6];
    int k = 0;
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            t[k++] = r[i][0] * m.x * r[j][0] + r[i][1] * m.y * r[j][1] + r[i][2] * m.z * r[j][2];
    RigidInertia inertia = {0, t[0], t[1], t[2], t[3], t[4], t[5]};
    return inertia;
}

WB_INLINE bool is_round(RigidVector m) {
    const float most = fmax(fmax(m.x, m.y), m.z);
    return most - fmin(fmin(m.x, m.y), m.z) <= 1e-6f * most;
}
WB_INLINE bool is_pushed(uint bits) { return bits & BIT_DYNAMIC && !(bits & (BIT_OFF | BIT_ASLEEP)); }
WB_INLINE bool is_moving(uint bits) {
    return bits & (BIT_DYNAMIC | BIT_KINEMATIC) && !(bits & (BIT_OFF | BIT_ASLEEP));
}
WB_INLINE bool is_top(uint bits, RigidVector m) {
    return is_pushed(bits) && m.x > 0 && m.y > 0 && m.z > 0 && !is_round(m);
}

// Adds a turn, a vector, rad, to a rotation; series up to half a radian, as wbTurnBy.
WB_INLINE float4 turn_by(float4 q, RigidVector turn) {
    const float a2 = rigid_dot(turn, turn);
    float s = 0.5f - a2 * (1.0f / 48 - a2 * (1.0f / 3840 - a2 / 645120)),
          w = 1 - a2 * (1.0f / 8 - a2 * (1.0f / 384 - a2 / 46080));
    if (a2 > 0.25f) {
        const float angle = sqrt(a2);
        s = sin(0.5f * angle) / angle, w = cos(0.5f * angle);
    }
    const float4 turned = multiply((float4)(s * turn.x, s * turn.y, s * turn.z, w), q);
    return turned / sqrt(dot(turned, turned));
}

WB_INLINE RigidVector weigh(RigidInertia i, RigidVector v) { return rigid_spin(i, v, 0); }
WB_INLINE RigidVector invert3(RigidVector m) { return rigid_vector(1 / m.x, 1 / m.y, 1 / m.z); }

static void begin_top(float4 q, RigidVector moments, RigidVector spin, __global RigidTop *top) {
    const RigidInertia inertia = turn_inertia(q, invert3(moments));
    const RigidVector momentum = weigh(inertia, spin);
    RigidTop own = {{q.x, q.y, q.z, q.w},
                    {momentum.x, momentum.y, momentum.z},
                    {spin.x, spin.y, spin.z},
                    {inertia.xx, inertia.xy, inertia.xz, inertia.yy, inertia.yz, inertia.zz},
                    0,
                    0};
    *top = own;
}

// What woke has not been still; what fell asleep is.
__kernel void exact_wake(int count, int resets, __global const uint *now, __global uint *bits,
                         __global float4 *velocities, __global float4 *spins, __global float *still) {
    const int i = get_global_id(0);
    if (i >= count) return;
    const uint changed = now[i] ^ bits[i];
    if (resets || (changed & BIT_ASLEEP && !(now[i] & BIT_ASLEEP))) still[i] = 0;
    if (changed & BIT_ASLEEP && now[i] & BIT_ASLEEP) velocities[i] = spins[i] = (float4)(0, 0, 0, 0);
    bits[i] = now[i];
}

// Bodies where the step begins, and what a sub-step does to them before contacts: v = (v + kick) keep.
__kernel void exact_begin(RigidExactModel model, __global const RigidBodyTerms *terms,
                          __global const uint *bits, __global const float4 *turns,
                          __global const float4 *velocities, __global const float4 *spins,
                          __global const float4 *loads, __global float4 *bodies, __global float4 *masses,
                          __global float4 *kicks, __global float4 *starts, __global RigidTop *tops) {
    const int i = get_global_id(0);
    if (i >= model.bodyCount + RIGID_SIDES) return;
    const RigidVector zero = rigid_set(0, 0, 0);
    Body body = {zero, zero, zero, zero};
    RigidInertia mass = {0, 0, 0, 0, 0, 0, 0};
    float4 kick = (float4)(0, 0, 0, 1), twist = (float4)(0, 0, 0, 1);
    if (i >= model.bodyCount) {
        const int side = i - model.bodyCount;
        if (model.isClosed[side])
            body.v = rigid_vector(model.sideVelocities[side][0], model.sideVelocities[side][1],
                                  model.sideVelocities[side][2]);
    } else if (is_moving(bits[i])) {
        body.v = xyz(velocities[i]), body.w = xyz(spins[i]);
    }
    if (i < model.bodyCount && is_pushed(bits[i])) {
        __global const RigidBodyTerms *own = &terms[i];
        const RigidVector moments = three(own->inverseInertia);
        if (is_round(moments))
            mass.xx = mass.yy = mass.zz = moments.x;
        else
            mass = turn_inertia(turns[i], moments);
        mass.mass = own->inverseMass;
        if (is_top(bits[i], moments)) begin_top(turns[i], moments, body.w, &tops[i]);
        const float h = model.h, scale = h * own->gravityScale, push = h * mass.mass;
        const float4 force = loads[2 * i];
        const RigidVector turn = weigh(mass, xyz(loads[2 * i + 1]));
        const bool isFlat = model.dimensions == 2;
        if (mass.mass > 0)
            kick =
                (float4)(scale * model.gravity[0] + push * force.x, scale * model.gravity[1] + push * force.y,
                         isFlat ? 0 : scale * model.gravity[2] + push * force.z,
                         1 / (1 + h * own->linearDamping)),
            twist = (float4)(h * turn.x, h * turn.y, h * turn.z, 1 / (1 + h * own->angularDamping));
    }
    store_body(bodies, i, &body);
    store_inertia(masses, i, &mass);
    kicks[2 * i] = kick, kicks[2 * i + 1] = twist;
    starts[2 * i] = quad(body.v, 0), starts[2 * i + 1] = quad(body.w, 0);
}

WB_INLINE RigidVector kicked(RigidVector v, float4 kick) {
    return rigid_scale(kick.w, rigid_add(v, xyz(kick)));
}

// Forces, and the impulses of the sub-step before once more: they are the warm start of this one.
__kernel void exact_kick(int rows, __global const float4 *kicks, __global float4 *starts,
                         __global float4 *bodies) {
    const int i = get_global_id(0);
    if (i >= rows) return;
    Body body = load_body(bodies, i);
    const RigidVector v = kicked(body.v, kicks[2 * i]), w = kicked(body.w, kicks[2 * i + 1]);
    const RigidVector impulse = rigid_sub(body.v, xyz(starts[2 * i])),
                      turn = rigid_sub(body.w, xyz(starts[2 * i + 1]));
    starts[2 * i] = quad(v, 0), starts[2 * i + 1] = quad(w, 0);
    store_speed(bodies, i, rigid_add(v, impulse), rigid_add(w, turn), body.way);
}

// As keepImpulses on the cores: what starts hold becomes the impulses so far, and at the next call starts again.
__kernel void exact_hold(int rows, __global const float4 *bodies, __global float4 *starts) {
    const int i = get_global_id(0);
    if (i >= rows) return;
    const Body body = load_body(bodies, i);
    starts[2 * i] = quad(rigid_sub(body.v, xyz(starts[2 * i])), 0);
    starts[2 * i + 1] = quad(rigid_sub(body.w, xyz(starts[2 * i + 1])), 0);
}

// About one of its own axes, by the share `rate` of the momentum along it.
WB_INLINE float4 turn_about(float4 q, RigidVector own, float rate, RigidVector momentum) {
    const RigidVector axis = rotate(q, own);
    return turn_by(q, rigid_scale(rate * rigid_dot(axis, momentum), axis));
}

// A free body for a time h, as turnTop: as one with two equal moments, and by what the moments that differ least do differ.
static float4 turn_top(float4 q, RigidVector m, RigidVector momentum, float h) {
    const RigidVector x = rigid_vector(1, 0, 0), y = rigid_vector(0, 1, 0), z = rigid_vector(0, 0, 1);
    const float dx = fabs(m.y - m.z), dy = fabs(m.z - m.x), dz = fabs(m.x - m.y);
    RigidVector axis = x, other = z;
    float along = m.x, equal = m.y, last = m.z;
    if (dy < dx) axis = y, other = x, along = m.y, equal = m.z, last = m.x;
    if (dz < fmin(dx, dy)) axis = z, other = y, along = m.z, equal = m.x, last = m.y;
    const float rest = 0.5f * h * (last - equal);
    if (rest != 0) q = turn_about(q, other, rest, momentum);
    q = turn_about(q, axis, h * (along - equal), momentum);
    q = turn_by(q, rigid_scale(h * equal, momentum));
    return rest != 0 ? turn_about(q, other, rest, momentum) : q;
}

WB_INLINE RigidInertia load_top_inertia(__global const RigidTop *top) {
    const RigidInertia inertia = {0,
                                  top->inertia[0],
                                  top->inertia[1],
                                  top->inertia[2],
                                  top->inertia[3],
                                  top->inertia[4],
                                  top->inertia[5]};
    return inertia;
}

WB_INLINE void store3(__global float *to, RigidVector v) { to[0] = v.x, to[1] = v.y, to[2] = v.z; }
WB_INLINE void store4(__global float *to, float4 v) { to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w; }

// Whether a needle is not to turn before the step ends: waits() of rigid_exact.c.
static bool waits(__global RigidTop *top, RigidVector moments, RigidVector spin, RigidVector pushed,
                  float h) {
    if (top->waiting > 0) return true;
    const float most = fmax(fmax(moments.x, moments.y), moments.z),
                slenderness = most / fmin(fmin(moments.x, moments.y), moments.z);
    if (!(slenderness > RIGID_NEEDLE)) return false;
    const RigidVector own = rotate(four(top->rotation),
                                   rigid_vector(moments.x == most, moments.y == most && moments.x != most,
                                                moments.z == most && moments.x != most && moments.y != most));
    const float along = rigid_dot(own, spin), all = rigid_dot(spin, spin);
    const float swing = top->swing + h * sqrt(fmax(all - along * along, 0.0f));
    if (slenderness * swing * swing > RIGID_SWING && rigid_dot(pushed, pushed) > 1e-6f * all) return true;
    top->swing = swing;
    return false;
}

// Between impulses a body's angular momentum stays, not its spin. Contacts see the turn of the mean spin.
// `joined` is what joints changed of its spin: they see the inertia as it is now, others as it was when the step began.
static float4 tumble(float h, RigidVector moments, RigidVector joined, __global RigidTop *top, Body *body,
                     __global float4 *start) {
    const float4 q = four(top->rotation);
    const RigidVector pushed = rigid_sub(body->w, rigid_add(three(top->spin), joined));
    const RigidVector turned = weigh(turn_inertia(q, invert3(moments)), joined);
    const RigidVector momentum =
        rigid_add(rigid_add(three(top->momentum), turned), weigh(load_top_inertia(top), pushed));
    const RigidVector spin = weigh(turn_inertia(q, moments), momentum);
    store3(top->momentum, momentum);
    if (waits(top, moments, spin, pushed, h)) {
        top->waiting += h;
        store3(top->spin, body->w);
        return q;
    }
    const float4 end = turn_top(q, moments, momentum, h);
    const RigidVector now = weigh(turn_inertia(end, moments), momentum);
    const RigidVector middle = rigid_scale(0.5f, rigid_add(spin, now));
    *start = quad(rigid_add(xyz(*start), rigid_sub(now, body->w)), 0);
    body->turn = rigid_madd(h, rigid_sub(middle, body->w), body->turn);
    body->w = now;
    store4(top->rotation, end), store3(top->spin, now);
    return end;
}

__kernel void exact_move(RigidExactModel model, __global const RigidBodyTerms *terms,
                         __global const uint *bits, __global float4 *starts, __global float4 *bodies,
                         __global RigidTop *tops, __global float4 *jointTurns, __global float4 *jointMasses) {
    const int i = get_global_id(0);
    if (i >= model.bodyCount + RIGID_SIDES) return;
    Body body = load_body(bodies, i);
    body.way = rigid_madd(model.h, body.v, body.way);
    body.turn = rigid_madd(model.h, body.w, body.turn);
    if (i < model.bodyCount && is_top(bits[i], three(terms[i].inverseInertia))) {
        const RigidVector moments = three(terms[i].inverseInertia);
        const bool isJoined = model.jointCount > 0;
        const RigidVector joined = isJoined ? xyz(jointTurns[i]) : rigid_set(0, 0, 0);
        const float4 q = tumble(model.h, moments, joined, &tops[i], &body, &starts[2 * i + 1]);
        if (isJoined) {
            RigidInertia now = turn_inertia(q, moments);
            now.mass = terms[i].inverseMass;
            store_inertia(jointMasses, i, &now);
            jointTurns[i] = (float4)(0, 0, 0, 0);
        }
    }
    store_body(bodies, i, &body);
}

// Needles that did not turn in the solver do so when the step ends.
__kernel void exact_swing(RigidExactModel model, __global const RigidBodyTerms *terms,
                          __global const uint *bits, __global float4 *bodies, __global RigidTop *tops) {
    const int i = get_global_id(0);
    if (i >= model.bodyCount || !is_top(bits[i], three(terms[i].inverseInertia))) return;
    __global RigidTop *top = &tops[i];
    if (!(top->waiting > 0)) return;
    Body body = load_body(bodies, i);
    const RigidVector moments = three(terms[i].inverseInertia), pushed = rigid_sub(body.w, three(top->spin)),
                      momentum = rigid_add(three(top->momentum), weigh(load_top_inertia(top), pushed));
    const float4 end = turn_top(four(top->rotation), moments, momentum, top->waiting);
    body.w = weigh(turn_inertia(end, moments), momentum);
    store4(top->rotation, end), store_body(bodies, i, &body);
}

// Points

WB_INLINE RigidPoints find_face(const RigidExactModel *model, __global const float4 *places, int4 pair,
                                int axis) {
    const bool swaps = axis >= RIGID_AXIS_B;
    const int own = swaps ? axis - RIGID_AXIS_B : axis, ownPiece = swaps ? pair.y : pair.x,
              otherPiece = swaps ? pair.x : pair.y;
    __global const float4 *place = places + 5 * ownPiece;
    const float4 facing = place[own], along = place[(own + 1) % 3], across = place[(own + 2) % 3],
                 centre = place[3];
    const RigidBox other = load_box(places, otherPiece);
    const RigidVector ownOffset = xyz(place[4]), otherOffset = xyz(places[5 * otherPiece + 4]);
    const RigidVector d = rigid_sub(other.centre, xyz(centre)), n = xyz(facing);
    const RigidVector toOther = rigid_add(rigid_sub(d, otherOffset), ownOffset); // between the bodies
    const RigidVector start = swaps ? rigid_sub(ownOffset, toOther) : ownOffset;
    const RigidFace face = {rigid_scale(rigid_with_sign(1, rigid_dot(n, d)), n),
                            xyz(along),
                            xyz(across),
                            facing.w,
                            along.w,
                            across.w,
                            centre.w};
    RigidPoints points = rigid_face_points(&face, start, d, &other, model->terms.margin);
    points.between = rigid_scale(swaps ? -1 : 1, toOther);
    points.normal = rigid_scale(swaps ? -1 : 1, points.normal);
    return points;
}

WB_INLINE RigidPoints find_edge(__global const float4 *places, int4 pair, int code) {
    const int i = code / 3, j = code % 3;
    const RigidBox a = load_box(places, pair.x), b = load_box(places, pair.y);
    const RigidEdge edgeA = {a.axes[i], a.extent[i], i}, edgeB = {b.axes[j], b.extent[j], j};
    RigidPoints points =
        rigid_edge_points(&a, edgeA, xyz(places[5 * pair.x + 4]), &b, edgeB, xyz(places[5 * pair.y + 4]));
    for (int k = 1; k < RIGID_POINTS; k++)
        points.places[k] = points.places[0], points.separation[k] = 2 * RIGID_FAR;
    return points;
}

WB_INLINE RigidPoints find_side(const RigidExactModel *model, __global const float4 *places, int4 pair,
                                int side) {
    const RigidBox box = load_box(places, pair.x);
    return rigid_side_points(&box, xyz(places[5 * pair.x + 4]), side_normal(side), side_offset(model, side),
                             model->terms.margin);
}

// Places of a manifold are from the first body's centre.
WB_INLINE RigidPoints load_manifold(const RigidExactModel *model, __global const float4 *places, int4 pair,
                                    __global const RigidManifold *manifold, RigidVector between) {
    RigidPoints points;
    points.normal = three(manifold->normal);
    points.between = between;
    points.thickness = places[5 * pair.x + 3].w;
    if (pair.y >= 0) points.thickness = fmin(points.thickness, places[5 * pair.y + 3].w);
    for (int i = 0; i < RIGID_POINTS; i++) {
        const bool isThere = i < manifold->count;
        points.places[i] = three(manifold->points[isThere ? i : 0]);
        points.separation[i] = isThere ? manifold->points[i][3] : 2 * RIGID_FAR;
    }
    return points;
}

// Building

#define AT(c, field) ((c)[(field)*RIGID_GROUP])
WB_INLINE int place_of(int slot) {
    return slot / RIGID_GROUP * RIGID_FIELDS * RIGID_GROUP + slot % RIGID_GROUP;
}
WB_INLINE RigidVector field3(__global const float *c, int field) {
    return rigid_vector(AT(c, field), AT(c, field + 1), AT(c, field + 2));
}
WB_INLINE void set_field3(__global float *c, int field, RigidVector v) {
    AT(c, field) = v.x, AT(c, field + 1) = v.y, AT(c, field + 2) = v.z;
}

WB_INLINE float mix_two(int rule, float a, float b) {
    return rule == MIX_GEOMETRIC ? sqrt(a * b)
           : rule == MIX_MEAN    ? 0.5f * (a + b)
           : rule == MIX_LEAST   ? fmin(a, b)
           : rule == MIX_MOST    ? fmax(a, b)
                                 : a * b;
}

WB_INLINE int bounce_place(int slot) {
    return slot / RIGID_GROUP * BOUNCE_FIELDS * RIGID_GROUP + slot % RIGID_GROUP;
}

// A property of a body's material where it touches a side of the domain, which has the same one, or its own.
WB_INLINE float mix_with_side(const RigidExactModel *model, int rule, float body, float side) {
    return model->sidesAreOwn ? mix_two(rule, body, side) : body;
}

// What is left of the speed along the normal; a contact behind the last of a colour has none.
static void build_bounce(const RigidExactModel *model, __global const RigidBodyTerms *terms, int a, int b,
                         __global float *c) {
    const bool isSide = b >= model->bodyCount;
    const float own = a < 0 ? 0 : terms[a].restitution;
    AT(c, BOUNCE_SHARE) = a < 0    ? 0
                          : isSide ? mix_with_side(model, model->restitutionMix, own, model->sideRestitution)
                                   : mix_two(model->restitutionMix, own, terms[b].restitution);
    AT(c, BOUNCE_BOUNCED) = 0;
    for (int i = 0; i < RIGID_POINTS; i++)
        AT(c, BOUNCE_WANTED + i) = RIGID_NO_BOUNCE, AT(c, BOUNCE_KICK + i) = 0;
}

WB_INLINE float invert(float a) { return 1 / fmax(a, 1e-30f); }

static void mix_materials(const RigidExactModel *model, __global const RigidBodyTerms *terms, int a, int b,
                          __global float *c) {
    __global const RigidBodyTerms *own = &terms[a], *other = &terms[b < model->bodyCount ? b : a];
    const bool isSide = b >= model->bodyCount;
    AT(c, FIELD_FRICTION) = isSide
                                ? mix_with_side(model, model->frictionMix, own->friction, model->sideFriction)
                                : mix_two(model->frictionMix, own->friction, other->friction);
    AT(c, FIELD_ROLLING) = fmax(own->rolling, other->rolling);
}

// Impulses of the step before: of points, by nearness; friction by its direction.
static void warm_up(const RigidExactModel *model, __global const float4 *old, const RigidPoints *points,
                    const RigidFrame *frame, __global float *c) {
    RigidOldPoint known[RIGID_POINTS];
    for (int j = 0; j < RIGID_POINTS; j++) {
        const RigidOldPoint point = {xyz(old[j]), old[j].w};
        known[j] = point;
    }
    for (int i = 0; i < RIGID_POINTS; i++)
        if (points->separation[i] < RIGID_FAR)
            AT(c, FIELD_IMPULSE + i) =
                rigid_old_impulse(known, points->places[i], points->thickness, model->warmScale);
    const RigidVector friction = rigid_scale(model->warmScale, xyz(old[4]));
    AT(c, FIELD_DRAG) = rigid_dot(friction, frame->s), AT(c, FIELD_DRAG + 1) = rigid_dot(friction, frame->t);
    AT(c, FIELD_TWIST) = old[4].w * model->warmScale;
}

static void build_points(const RigidPoints *points, RigidVector middle, const RigidFrame *frame, float count,
                         __global float *c) {
    float arms = 0;
    for (int i = 0; i < RIGID_POINTS; i++) {
        const bool isThere = points->separation[i] < RIGID_FAR;
        const RigidVector from = rigid_sub(points->places[i], middle);
        const float x = isThere ? rigid_dot(from, frame->s) : 0, y = isThere ? rigid_dot(from, frame->t) : 0;
        arms += sqrt(x * x + y * y);
        AT(c, FIELD_X + i) = x, AT(c, FIELD_Y + i) = y;
        AT(c, FIELD_SEPARATION + i) = isThere ? points->separation[i] : RIGID_FAR;
        AT(c, FIELD_IMPULSE + i) = 0;
    }
    AT(c, FIELD_TWIST_ARM) = arms / count;
    AT(c, FIELD_DRAG) = AT(c, FIELD_DRAG + 1) = AT(c, FIELD_TWIST) = 0;
}

static void build_masses(const RigidFrame *frame, RigidVector armA, RigidVector armB, RigidInertia a,
                         RigidInertia b, __global float *c) {
    const RigidResponse r = rigid_response(*frame, armA, armB, a, b, 0);
    AT(c, FIELD_RESPONSE) = r.nn, AT(c, FIELD_RESPONSE + 1) = r.nx, AT(c, FIELD_RESPONSE + 2) = r.ny;
    AT(c, FIELD_RESPONSE + 3) = r.xx, AT(c, FIELD_RESPONSE + 4) = r.xy, AT(c, FIELD_RESPONSE + 5) = r.yy;
    AT(c, FIELD_DRAG_MASS) = invert(rigid_yielding(frame->s, armA, armB, a, b, 0));
    AT(c, FIELD_DRAG_MASS + 1) = invert(rigid_yielding(frame->t, armA, armB, a, b, 0));
    AT(c, FIELD_TWIST_MASS) =
        invert(rigid_dot(frame->n, rigid_add(rigid_spin(a, frame->n, 0), rigid_spin(b, frame->n, 0))));
    // no more than what stops the axis about which they turn most easily
    AT(c, FIELD_ROLL_MASS) = invert(fmax(fmax(a.xx + b.xx, a.yy + b.yy), a.zz + b.zz));
    set_field3(c, FIELD_ROLL, rigid_set(0, 0, 0));
}

// m/s: of the point that bears most, for rigid_keep.
static float find_press(__global const float *c) {
    const RigidResponse r = {AT(c, FIELD_RESPONSE),     AT(c, FIELD_RESPONSE + 1), AT(c, FIELD_RESPONSE + 2),
                             AT(c, FIELD_RESPONSE + 3), AT(c, FIELD_RESPONSE + 4), AT(c, FIELD_RESPONSE + 5)};
    float press = 0;
    for (int i = 0; i < RIGID_POINTS; i++)
        press = fmax(press, AT(c, FIELD_IMPULSE + i) *
                                rigid_point_response(r, AT(c, FIELD_X + i), AT(c, FIELD_Y + i)).yields);
    return press;
}

// `isOne`: it is of a kind that has but one point.
static void build(const RigidExactModel *model, __global const RigidPlan *plan, const RigidPoints *points,
                  bool isOne, int crowd, __global const float4 *bodies, __global const float4 *masses,
                  __global const float4 *oldContacts, __global float *c) {
    float count = 0;
    RigidVector middle = rigid_set(0, 0, 0);
    for (int i = 0; i < RIGID_POINTS; i++) {
        const float there = points->separation[i] < RIGID_FAR;
        count += there;
        middle = rigid_madd(there, points->places[i], middle);
    }
    count = fmax(count, 1);
    middle = rigid_scale(1 / count, middle);
    const bool isSide = plan->b >= model->bodyCount;
    const RigidVector armB = isSide ? rigid_set(0, 0, 0) : rigid_sub(middle, points->between);
    const RigidFrame frame = rigid_frame(points->normal);
    set_field3(c, FIELD_NORMAL, points->normal), set_field3(c, FIELD_ARM_A, middle),
        set_field3(c, FIELD_ARM_B, armB);
    const Body a = load_body(bodies, plan->a), b = load_body(bodies, plan->b);
    const RigidApproach speed =
        rigid_approach(frame, rigid_parting(a.v, a.w, middle, b.v, b.w, armB), a.w, b.w);
    AT(c, FIELD_APPROACH) = -speed.along;
    // in a sub-step by no more than a quarter of the thinner one's thickness: faster, small bodies would spin up
    AT(c, FIELD_PUSH_SPEED) =
        fmin(points->thickness * 0.25f * model->terms.perSubStep, model->terms.pushSpeed);
    if (crowd > RIGID_CROWD) AT(c, FIELD_PUSH_SPEED) *= (float)RIGID_CROWD / (float)crowd;
    AT(c, FIELD_BLOW) = isOne ? RIGID_FAR : AT(c, FIELD_PUSH_SPEED) * RIGID_BLOW;
    build_masses(&frame, middle, armB, load_inertia(masses, plan->a), load_inertia(masses, plan->b), c);
    build_points(points, middle, &frame, count, c);
    if (plan->old >= 0) warm_up(model, oldContacts + 8 * plan->old, points, &frame, c);
    AT(c, FIELD_KEEP) = rigid_keep(points->thickness, find_press(c), model->terms);
}

// Behind the last contact of a colour its group is filled up with what is near nothing.
static void build_nothing(__global float *c) {
    for (int f = 0; f < RIGID_FIELDS; f++) AT(c, f) = 0;
    AT(c, FIELD_NORMAL + 1) = 1;
    for (int i = 0; i < RIGID_POINTS; i++) AT(c, FIELD_SEPARATION + i) = RIGID_FAR;
}

__kernel void exact_build(RigidExactModel model, int slotCount, __global const int *slots,
                          __global const RigidPlan *plans, __global const int4 *pairs,
                          __global const RigidBodyTerms *terms, __global const uint *bits,
                          __global const float4 *centres, __global const float4 *places,
                          __global const RigidManifold *manifolds, __global const float4 *bodies,
                          __global const float4 *masses, __global const float4 *oldContacts,
                          __global const int *crowds, __global int2 *rows, __global float *constraints,
                          __global float *bounces) {
    const int s = get_global_id(0);
    if (s >= slotCount) return;
    __global float *c = constraints + place_of(s);
    if (slots[s] < 0) {
        rows[s] = (int2)(-1, -1);
        build_nothing(c);
        if (model.bounces) build_bounce(&model, terms, -1, -1, bounces + bounce_place(s));
        return;
    }
    __global const RigidPlan *plan = &plans[slots[s]];
    if (model.bounces) build_bounce(&model, terms, plan->a, plan->b, bounces + bounce_place(s));
    const int4 pair = pairs[plan->pair];
    RigidPoints points;
    bool isOne = plan->kind == RIGID_PLAN_EDGE;
    if (plan->kind == RIGID_PLAN_FACE) {
        points = find_face(&model, places, pair, plan->source);
    } else if (plan->kind == RIGID_PLAN_EDGE) {
        points = find_edge(places, pair, plan->source - RIGID_AXIS_EDGES);
    } else if (plan->kind == RIGID_PLAN_SIDE) {
        points = find_side(&model, places, pair, plan->source);
    } else {
        const RigidVector between = plan->b < model.bodyCount
                                        ? rigid_sub(xyz(centres[plan->b]), xyz(centres[plan->a]))
                                        : rigid_set(0, 0, 0);
        points = load_manifold(&model, places, pair, &manifolds[plan->source], between);
        isOne = manifolds[plan->source].count == 1;
    }
    const bool isFixed = plan->b >= model.bodyCount || !(bits[plan->b] & BIT_DYNAMIC);
    rows[s] = (int2)(plan->a, isFixed ? ~plan->b : plan->b);
    mix_materials(&model, terms, plan->a, plan->b, c);
    const int crowd = max(crowds[plan->a], isFixed ? 0 : crowds[plan->b]);
    build(&model, plan, &points, isOne, crowd, bodies, masses, oldContacts, c);
}

// After the last sub-step

WB_INLINE int name_body(const RigidExactModel *model, int row) {
    if (row >= model->bodyCount) return CONTACT_SIDE | (row - model->bodyCount);
    return row >= model->ownCount ? CONTACT_GUEST | (row - model->ownCount) : row;
}

WB_INLINE uint hash_touch(uint a, uint b, uint seed) {
    uint hash = (a * 2654435761u ^ seed) + b;
    hash = (hash ^ hash >> 15) * 2246822519u;
    return hash ^ hash >> 13;
}

// 1 if its bodies touch, not just nearly.
static int keep_solved(__global const float *c, __global float4 *contact) {
    const RigidFrame frame = rigid_frame(field3(c, FIELD_NORMAL));
    float any = 0;
    for (int i = 0; i < RIGID_POINTS; i++) {
        const bool isThere = AT(c, FIELD_SEPARATION + i) < NO_POINT;
        const RigidVector p =
            rigid_add(field3(c, FIELD_ARM_A), rigid_across(&frame, AT(c, FIELD_X + i), AT(c, FIELD_Y + i)));
        if (isThere) any = fmax(any, rigid_touches(AT(c, FIELD_SEPARATION + i), AT(c, FIELD_IMPULSE + i)));
        // what is not there is nowhere near
        contact[i] = (float4)(isThere ? p.x : RIGID_FAR, p.y, p.z, AT(c, FIELD_IMPULSE + i));
    }
    contact[4] = quad(rigid_across(&frame, AT(c, FIELD_DRAG), AT(c, FIELD_DRAG + 1)), AT(c, FIELD_TWIST));
    contact[5] = quad(frame.n, AT(c, FIELD_APPROACH));
    contact[6] = (float4)(AT(c, FIELD_SEPARATION), AT(c, FIELD_SEPARATION + 1), AT(c, FIELD_SEPARATION + 2),
                          AT(c, FIELD_SEPARATION + 3));
    return any > 0;
}

// A manifold that is told and not felt.
static int keep_sensor(__global const RigidManifold *m, __global float4 *contact) {
    float separation[RIGID_POINTS];
    for (int i = 0; i < RIGID_POINTS; i++) {
        const bool isThere = i < m->count;
        separation[i] = isThere ? m->points[i][3] : RIGID_FAR;
        contact[i] = isThere ? (float4)(m->points[i][0], m->points[i][1], m->points[i][2], 0)
                             : (float4)(RIGID_FAR, 0, 0, 0);
    }
    contact[4] = (float4)(0, 0, 0, 0);
    contact[5] = (float4)(m->normal[0], m->normal[1], m->normal[2], 0);
    contact[6] = (float4)(separation[0], separation[1], separation[2], separation[3]);
    return separation[0] <= 0;
}

__kernel void exact_keep(RigidExactModel model, int count, __global const RigidPlan *plans,
                         __global const int4 *pairs, __global const RigidBodyTerms *terms,
                         __global const float *constraints, __global const float *bounces,
                         __global const RigidManifold *manifolds, __global const float4 *oldContacts,
                         __global float4 *contacts, __global int *touches, __global RigidCounters *counters) {
    const int k = get_global_id(0);
    if (k >= count) return;
    const RigidPlan plan = plans[k];
    __global float4 *contact = contacts + 8 * k;
    int touch = 0;
    if (plan.slot >= 0)
        touch = keep_solved(constraints + place_of(plan.slot), contact) ||
                (model.bounces && AT(bounces + bounce_place(plan.slot), BOUNCE_BOUNCED) > 0);
    else if (plan.kind == RIGID_PLAN_SENSOR)
        touch = keep_sensor(&manifolds[plan.source], contact);
    else
        for (int i = 0; i < 7; i++) contact[i] = oldContacts[8 * plan.old + i];
    const int4 pair = pairs[plan.pair];
    const int a = pair.x - terms[plan.a].firstPiece, b = pair.y < 0 ? 0 : pair.y - terms[plan.b].firstPiece;
    const int4 names = (int4)(name_body(&model, plan.a), name_body(&model, plan.b), a | b << 16, plan.key);
    contact[7] = as_float4(names);
    touches[k] = touch;
    if (plan.b >= model.bodyCount) return;
    if (touch) {
        atomic_add(&counters->touchHash[0], hash_touch(plan.a, plan.b, 0x9e3779b9u));
        atomic_add(&counters->touchHash[1], hash_touch(plan.a, plan.b, 0x85ebca6bu));
    }
    if (plan.slot >= 0 && contact[5].w >= model.hitSpeed) atomic_inc(&counters->hits);
}

// Where bodies are now. Those that went too far are only counted: the host may stop them, and this is done again.
__kernel void exact_end(RigidExactModel model, __global const RigidBodyTerms *terms,
                        __global const uint *bits, __global const float4 *bodies,
                        __global const RigidTop *tops, __global const float4 *centres,
                        __global const float4 *turns, __global const float4 *velocities,
                        __global const float4 *spins, __global const float *still,
                        __global float4 *nextCentres, __global float4 *nextTurns,
                        __global float4 *nextVelocities, __global float4 *nextSpins,
                        __global float *nextStill, __global RigidCounters *counters) {
    const int i = get_global_id(0);
    if (i >= model.bodyCount) return;
    const uint own = bits[i];
    const Body body = load_body(bodies, i);
    float4 centre = centres[i], turn = turns[i], v = velocities[i], w = spins[i];
    if (is_moving(own)) {
        centre += quad(body.way, 0);
        turn =
            is_top(own, three(terms[i].inverseInertia)) ? four(tops[i].rotation) : turn_by(turn, body.turn);
        v = quad(body.v, 0), w = quad(body.w, 0);
    }
    nextCentres[i] = centre, nextTurns[i] = turn, nextVelocities[i] = v, nextSpins[i] = w;
    nextStill[i] = still[i];
    if (i >= model.ownCount) return;
    const float reach = terms[i].reach, spin = length(w.xyz),
                speed = length(v.xyz) + (spin > 0 ? reach * spin : 0);
    if (!isfinite(speed + centre.x + centre.y + centre.z + turn.w)) atomic_inc(&counters->broken);
    atomic_max(&counters->maxSpeed, as_int(speed));
    if (model.isContinuous && is_pushed(own) && !(own & BIT_SENSOR)) {
        const float way = sqrt(rigid_dot(body.way, body.way)), turned = sqrt(rigid_dot(body.turn, body.turn));
        if (way + reach * turned > terms[i].core) atomic_inc(&counters->fast);
    }
    if (!model.maySleep || !(own & BIT_DYNAMIC) || own & BIT_ASLEEP) return;
    const bool isSlow = own & BIT_MAY_SLEEP && speed < model.sleepSpeed;
    const float time = isSlow ? still[i] + model.dt : 0;
    nextStill[i] = time;
    if (isSlow && time >= model.sleepTime) atomic_inc(&counters->tired);
}
