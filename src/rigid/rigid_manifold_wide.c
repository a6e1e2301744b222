// SPDX-License-Identifier: MIT
// Pairs of boxes that touch, and groups of contacts with their points, masses and impulses of before.
#include "rigid/rigid_lanes.h"
#include "rigid/rigid_manifold_formula.h"

WB_INLINE RigidBox load_box(const wbPiecePlace *places, const int *quads) {
    const float *records = &places->axes[0][0];
    RigidBox box;
    for (int k = 0; k < 3; k++) {
        REAL4 axis = lane_load4(records + 4 * k, quads);
        box.axes[k] = first3(axis), box.extent[k] = axis.w;
    }
    REAL4 centre = lane_load4(records + 12, quads);
    box.centre = first3(centre), box.thickness = centre.w;
    return box;
}

static void collide_boxes(int begin, int end, int worker, void *context) {
    const wbExactStep *step = context;
    const wbPiecePair *pairs = step->rigid->contacts.pairs.data;
    (void)worker;
    for (int k = begin; k < end; k += WB_LANES) {
        int quadsA[WB_LANES], quadsB[WB_LANES];
        bool moves = false;
        for (int l = 0; l < WB_LANES; l++) {
            const wbPiecePair *pair = &pairs[k + l < end ? k + l : k];
            quadsA[l] = WB_PLACE_QUADS * pair->a, quadsB[l] = WB_PLACE_QUADS * pair->b;
            moves |= step->moves[pair->a] || step->moves[pair->b];
        }
        INTS codes = ints_set(WB_PAIR_ASLEEP);
        if (moves) {
            const RigidBox a = load_box(step->places, quadsA), b = load_box(step->places, quadsB);
            const RigidAxis best = rigid_box_axis(&a, &b);
            const MASK near =
                real_less(best.separation, real_min(a.thickness, b.thickness) * step->terms.margin);
            codes = ints_truncate(real_select(near, best.code, real_set(-1)));
        }
        int found[WB_LANES];
        ints_store(found, codes);
        for (int l = 0; l < WB_LANES && k + l < end; l++) {
            const bool sleeps = !step->moves[pairs[k + l].a] && !step->moves[pairs[k + l].b];
            step->axes[k + l] = sleeps ? WB_PAIR_ASLEEP : found[l];
        }
    }
}

// A group that is being built, and where its lanes are from.
typedef struct Building {
    const wbExactStep *step;
    const wbGroupPlan *plan;
    int sources[WB_CONTACT_LANES]; // as of contacts' plans; lanes without one repeat the first
    int rowsA[WB_CONTACT_LANES], rowsB[WB_CONTACT_LANES];   // likewise
    int quadsA[WB_CONTACT_LANES], quadsB[WB_CONTACT_LANES]; // of places
    int massesA[WB_CONTACT_LANES], massesB[WB_CONTACT_LANES];
    int old[WB_CONTACT_LANES];
    float live[WB_CONTACT_LANES];   // 1, or 0
    float isSide[WB_CONTACT_LANES]; // likewise: the second body is a side of the domain
    bool hasOld;
} Building;

// A box's face, and the other box.
WB_INLINE RigidPoints find_face(const Building *building, int l) {
    const wbExactStep *step = building->step;
    const float *records = &step->places->axes[0][0];
    int quads[5][WB_LANES], ownQuads[WB_LANES], otherQuads[WB_LANES];
    float swapped[WB_LANES];
    for (int k = 0; k < WB_LANES; k++) {
        const int axis = building->sources[l + k], swaps = axis >= RIGID_AXIS_B, own = axis - 3 * swaps;
        swapped[k] = swaps ? -1.0f : 1.0f;
        ownQuads[k] = swaps ? building->quadsB[l + k] : building->quadsA[l + k];
        otherQuads[k] = swaps ? building->quadsA[l + k] : building->quadsB[l + k];
        for (int i = 0; i < 3; i++) quads[i][k] = ownQuads[k] + (own + i) % 3;
        quads[3][k] = ownQuads[k] + 3, quads[4][k] = ownQuads[k] + 4;
    }
    const REAL side = real_load(swapped);
    const MASK swaps = real_less(side, real_set(0));
    const REAL4 facing = lane_load4(records, quads[0]), along = lane_load4(records, quads[1]),
                across = lane_load4(records, quads[2]), centre = lane_load4(records, quads[3]);
    const RigidVector ownOffset = first3(lane_load4(records, quads[4]));
    const RigidBox other = load_box(step->places, otherQuads);
    const RigidVector otherOffset = first3(lane_load4(records + 16, otherQuads));
    const RigidVector d = rigid_sub(other.centre, first3(centre)), n = first3(facing);
    const RigidVector toOther = rigid_add(rigid_sub(d, otherOffset), ownOffset); // between the bodies
    const RigidVector start = rigid_select(swaps, rigid_sub(ownOffset, toOther), ownOffset);
    const RigidFace face = {rigid_scale(rigid_with_sign(real_set(1), rigid_dot(n, d)), n),
                            first3(along),
                            first3(across),
                            facing.w,
                            along.w,
                            across.w,
                            centre.w};
    RigidPoints points = rigid_face_points(&face, start, d, &other, step->terms.margin);
    points.between = rigid_scale(side, toOther);
    points.normal = rigid_scale(side, points.normal);
    return points;
}

WB_INLINE RigidPoints find_edge(const Building *building, int l) {
    const wbExactStep *step = building->step;
    const float *records = &step->places->axes[0][0];
    float ownA[WB_LANES], ownB[WB_LANES];
    int quadsA[WB_LANES], quadsB[WB_LANES];
    for (int k = 0; k < WB_LANES; k++) {
        const int code = building->sources[l + k] - RIGID_AXIS_EDGES;
        ownA[k] = (float)(code / 3), ownB[k] = (float)(code % 3);
        quadsA[k] = building->quadsA[l + k] + code / 3, quadsB[k] = building->quadsB[l + k] + code % 3;
    }
    const RigidBox a = load_box(step->places, building->quadsA + l),
                   b = load_box(step->places, building->quadsB + l);
    const RigidVector offsetA = first3(lane_load4(records + 16, building->quadsA + l)),
                      offsetB = first3(lane_load4(records + 16, building->quadsB + l));
    const REAL4 alongA = lane_load4(records, quadsA), alongB = lane_load4(records, quadsB);
    const RigidEdge edgeA = {first3(alongA), alongA.w, real_load(ownA)},
                    edgeB = {first3(alongB), alongB.w, real_load(ownB)};
    return rigid_edge_points(&a, edgeA, offsetA, &b, edgeB, offsetB);
}

WB_INLINE RigidPoints find_side(const Building *building, int l) {
    const wbExactStep *step = building->step;
    const wbDomain *domain = step->model->domain;
    float normals[3][WB_LANES], ends[WB_LANES];
    for (int k = 0; k < WB_LANES; k++) {
        const int side = building->sources[l + k];
        const float out = side % 2 ? 1.0f : -1.0f;
        for (int c = 0; c < 3; c++) normals[c][k] = c == side / 2 ? out : 0;
        ends[k] = out * wbDomain_GetEnd(domain, side);
    }
    const RigidBox box = load_box(step->places, building->quadsA + l);
    const RigidVector offset = first3(lane_load4(&step->places->offset[0], building->quadsA + l));
    const RigidVector n = rigid_vector(real_load(normals[0]), real_load(normals[1]), real_load(normals[2]));
    return rigid_side_points(&box, offset, n, real_load(ends), step->terms.margin);
}

// A manifold that was found by itself.
WB_INLINE RigidPoints load_manifolds(const Building *building, int l) {
    const wbExactStep *step = building->step;
    const wbRigid *rigid = step->rigid;
    float normals[3][WB_LANES], places[RIGID_POINTS][3][WB_LANES], separation[RIGID_POINTS][WB_LANES];
    float between[3][WB_LANES], thickness[WB_LANES];
    for (int k = 0; k < WB_LANES; k++) {
        const wbManifold *manifold = &step->manifolds[building->sources[l + k]];
        const int a = building->rowsA[l + k], b = building->rowsB[l + k];
        const float thickA = step->places[building->quadsA[l + k] / WB_PLACE_QUADS].centre[3],
                    thickB = step->places[building->quadsB[l + k] / WB_PLACE_QUADS].centre[3];
        const float at[3] = {rigid->x[a], rigid->y[a], rigid->z[a]};
        const bool isSide = b >= step->bodyCount;
        const float n[3] = {manifold->normal.x, manifold->normal.y, manifold->normal.z};
        const float to[3] = {isSide ? 0 : rigid->x[b] - at[0], isSide ? 0 : rigid->y[b] - at[1],
                             isSide ? 0 : rigid->z[b] - at[2]};
        thickness[k] = thickA < thickB ? thickA : thickB;
        for (int c = 0; c < 3; c++) normals[c][k] = n[c], between[c][k] = to[c];
        for (int i = 0; i < RIGID_POINTS; i++) {
            const wbManifoldPoint *point = &manifold->points[i < manifold->count ? i : 0];
            const float place[3] = {point->place.x, point->place.y, point->place.z};
            for (int c = 0; c < 3; c++) places[i][c][k] = place[c] - at[c];
            separation[i][k] = i < manifold->count ? point->separation : 2 * RIGID_FAR;
        }
    }
    RigidPoints points;
    points.normal = rigid_vector(real_load(normals[0]), real_load(normals[1]), real_load(normals[2]));
    points.between = rigid_vector(real_load(between[0]), real_load(between[1]), real_load(between[2]));
    points.thickness = real_load(thickness);
    for (int i = 0; i < RIGID_POINTS; i++) {
        points.places[i] =
            rigid_vector(real_load(places[i][0]), real_load(places[i][1]), real_load(places[i][2]));
        points.separation[i] = real_load(separation[i]);
    }
    return points;
}

// Building groups

WB_INLINE RigidInertia load_inertia(const wbSolverMass *masses, const int *quads) {
    const float *records = (const float *)masses;
    const REAL4 a = lane_load4(records, quads), b = lane_load4(records + 4, quads);
    RigidInertia inertia = {a.x, a.y, a.z, a.w, b.x, b.y, b.z};
    return inertia;
}

WB_INLINE void store_inertia(float columns[6][WB_CONTACT_LANES], int l, RigidInertia i) {
    real_store(columns[0] + l, i.xx), real_store(columns[1] + l, i.xy), real_store(columns[2] + l, i.xz);
    real_store(columns[3] + l, i.yy), real_store(columns[4] + l, i.yz), real_store(columns[5] + l, i.zz);
}

WB_INLINE REAL invert(REAL a, REAL live) { return live / real_max(a, real_set(1e-30f)); }

// Impulses of the step before: of points, by nearness; friction by its direction.
typedef struct Before {
    REAL impulse[RIGID_POINTS];
    RigidVector friction;
    REAL twist;
} Before;

WB_INLINE Before find_before(const Building *building, int l, const RigidPoints *points, int count) {
    const float *records = (const float *)building->step->oldContacts;
    const float scale = building->step->warmScale;
    const int *old = building->old + l;
    RigidOldPoint known[RIGID_POINTS];
    for (int j = 0; j < RIGID_POINTS; j++) {
        const REAL4 point = lane_load4(records + 4 * j, old);
        known[j] = (RigidOldPoint){first3(point), point.w};
    }
    const REAL4 friction = lane_load4(records + 4 * WB_FRICTION_QUAD, old);
    Before before;
    for (int i = 0; i < count; i++)
        before.impulse[i] = rigid_old_impulse(known, points->places[i], points->thickness, scale);
    before.friction = rigid_scale(real_set(scale), first3(friction));
    before.twist = friction.w * scale;
    return before;
}

// What all groups have: where their middle is, masses, and the friction of before.
typedef struct Common {
    RigidFrame frame;
    RigidVector armA, armB;
    RigidInertia a, b;
    REAL live;
} Common;

WB_INLINE RigidVector load_speed(const wbSolverBody *bodies, const int *quads, RigidVector *w) {
    const REAL4 a = lane_load4((const float *)bodies, quads),
                b = lane_load4((const float *)bodies + 4, quads);
    *w = rigid_vector(a.w, b.x, b.y);
    return first3(a);
}

WB_INLINE Common begin_lanes(const Building *building, int l, const RigidPoints *points, RigidVector middle,
                             wbGroupHead *head) {
    const wbExactStep *step = building->step;
    const bool isSide = building->plan->kind == wb_contactSide, isRound = head->isRound;
    Common common;
    common.frame = rigid_frame(points->normal);
    common.armA = middle;
    common.armB = isSide ? rigid_set(0, 0, 0) : rigid_sub(middle, points->between);
    common.a = load_inertia(step->masses, building->massesA + l);
    common.b = load_inertia(step->masses, building->massesB + l);
    common.live = real_load(building->live + l);
    store3(head->normal, l, points->normal), store3(head->armA, l, common.armA),
        store3(head->armB, l, common.armB);
    real_store(head->massA + l, common.a.mass), real_store(head->massB + l, common.b.mass);
    real_store(head->turnA + l, common.a.xx), real_store(head->turnB + l, common.b.xx);
    if (!isRound) store_inertia(head->inertia->a, l, common.a), store_inertia(head->inertia->b, l, common.b);
    const REAL s = rigid_yielding(common.frame.s, common.armA, common.armB, common.a, common.b, isRound);
    const REAL t = rigid_yielding(common.frame.t, common.armA, common.armB, common.a, common.b, isRound);
    real_store(head->dragMass[0] + l, invert(s, common.live)),
        real_store(head->dragMass[1] + l, invert(t, common.live));
    if (head->rolls) {
        // no more than what stops the axis about which they turn most easily
        const REAL about = real_max(real_max(common.a.xx + common.b.xx, common.a.yy + common.b.yy),
                                    common.a.zz + common.b.zz);
        real_store(head->roll->mass + l, invert(about, common.live));
        store3(head->roll->impulse, l, rigid_set(0, 0, 0));
    }
    // in a sub-step by no more than a quarter of the thinner one's thickness: faster, small bodies would spin up
    const REAL quarter = points->thickness * (0.25f * step->terms.perSubStep);
    real_store(head->pushSpeed + l, real_min(quarter, real_set(step->terms.pushSpeed)));
    RigidVector wa, wb;
    const RigidVector va = load_speed(step->bodies, head->a + l, &wa),
                      vb = load_speed(step->bodies, head->b + l, &wb);
    const RigidVector parting = rigid_parting(va, wa, common.armA, vb, wb, common.armB);
    real_store(head->approach->speed + l, -rigid_dot(points->normal, parting));
    return common;
}

WB_INLINE void store_drag(wbGroupHead *head, int l, const Common *common, RigidVector friction) {
    real_store(head->dragImpulse[0] + l, common->live * rigid_dot(friction, common->frame.s));
    real_store(head->dragImpulse[1] + l, common->live * rigid_dot(friction, common->frame.t));
}

WB_INLINE void build_many(const Building *building, int l, const RigidPoints *points, wbManyGroup *group) {
    const REAL zero = real_set(0), one = real_set(1), far = real_set(RIGID_FAR);
    REAL count = zero, there[RIGID_POINTS];
    RigidVector middle = rigid_set(0, 0, 0);
    for (int i = 0; i < RIGID_POINTS; i++) {
        there[i] = real_select(real_less(points->separation[i], far), one, zero);
        count += there[i];
        middle = rigid_madd(there[i], points->places[i], middle);
    }
    middle = rigid_scale(one / real_max(count, one), middle);
    const Common common = begin_lanes(building, l, points, middle, &group->head);
    const RigidFrame frame = common.frame;
    const RigidResponse r =
        rigid_response(frame, common.armA, common.armB, common.a, common.b, group->head.isRound);
    store3(group->response, l, rigid_vector(r.nn, r.nx, r.ny));
    if (!group->head.isRound || group->head.bounces)
        store3(group->head.tilt->response, l, rigid_vector(r.xx, r.xy, r.yy));
    const RigidVector twist = rigid_add(rigid_spin(common.a, frame.n, group->head.isRound),
                                        rigid_spin(common.b, frame.n, group->head.isRound));
    real_store(group->twistMass + l, invert(rigid_dot(frame.n, twist), common.live));
    Before before = {{zero, zero, zero, zero}, rigid_set(0, 0, 0), zero};
    if (building->hasOld) before = find_before(building, l, points, RIGID_POINTS);
    REAL arms = zero, press = zero;
    for (int i = 0; i < RIGID_POINTS; i++) {
        const RigidVector from = rigid_sub(points->places[i], middle);
        const REAL x = there[i] * rigid_dot(from, frame.s), y = there[i] * rigid_dot(from, frame.t);
        const REAL live = there[i] * common.live;
        arms += real_sqrt(real_madd(x, x, y * y));
        real_store(group->x[i] + l, x), real_store(group->y[i] + l, y);
        real_store(group->separation[i] + l, real_select(real_less(zero, live), points->separation[i], far));
        real_store(group->impulse[i] + l, live * before.impulse[i]);
        press = real_max(press, live * before.impulse[i] * rigid_point_response(r, x, y).yields);
    }
    real_store(group->head.keep + l, rigid_keep(points->thickness, press, building->step->terms));
    real_store(group->twistArm + l, arms / real_max(count, one));
    real_store(group->twistImpulse + l, common.live * before.twist);
    store_drag(&group->head, l, &common, before.friction);
}

WB_INLINE void build_one(const Building *building, int l, const RigidPoints *points, wbOneGroup *group) {
    const REAL zero = real_set(0);
    const Common common = begin_lanes(building, l, points, points->places[0], &group->head);
    const REAL yields =
        rigid_yielding(common.frame.n, common.armA, common.armB, common.a, common.b, group->head.isRound);
    Before before = {{zero}, rigid_set(0, 0, 0), zero};
    if (building->hasOld) before = find_before(building, l, points, 1);
    real_store(group->mass + l, invert(yields, common.live));
    real_store(group->separation + l,
               real_select(real_less(zero, common.live), points->separation[0], real_set(RIGID_FAR)));
    real_store(group->impulse + l, common.live * before.impulse[0]);
    real_store(group->head.keep + l, rigid_keep(points->thickness, common.live * before.impulse[0] * yields,
                                                building->step->terms));
    store_drag(&group->head, l, &common, before.friction);
}

WB_INLINE RigidPoints find_points(const Building *building, int l) {
    switch (building->plan->kind) {
    case wb_contactFace:
    case wb_contactFaceFixed:
        return find_face(building, l);
    case wb_contactEdge:
    case wb_contactEdgeFixed:
        return find_edge(building, l);
    case wb_contactSide:
        return find_side(building, l);
    default:
        return load_manifolds(building, l);
    }
}

WB_INLINE REAL mix(wbMix rule, REAL a, REAL b) {
    switch (rule) {
    case wb_mixGeometric:
        return real_sqrt(a * b);
    case wb_mixMean:
        return (a + b) * 0.5f;
    case wb_mixLeast:
        return real_min(a, b);
    case wb_mixMost:
        return real_max(a, b);
    default:
        return a * b;
    }
}

// What two materials are together. A side of the domain is of the same material as what touches it, unless it has its own.
WB_INLINE void mix_materials(const Building *building, int l, const int *quadsA, const int *quadsB,
                             wbGroupHead *head) {
    const wbExactStep *step = building->step;
    const wbRigidParams *params = &step->model->params;
    const float *records = (const float *)step->materials;
    const REAL4 a = lane_load4(records, quadsA + l), b = lane_load4(records, quadsB + l);
    const REAL zero = real_set(0), live = real_load(building->live + l);
    const MASK isSide = real_less(zero, real_load(building->isSide + l));
    const bool isOwn = params->sideMaterial == wb_sideMaterialOwn;
    const REAL sideFriction = isOwn ? mix(params->frictionMix, a.x, real_set(params->sideFriction)) : a.x,
               sideBounce = isOwn ? mix(params->restitutionMix, a.z, real_set(params->sideRestitution)) : a.z;
    const REAL rolling = live * real_select(isSide, a.y, real_max(a.y, b.y)),
               bounce = live * real_select(isSide, sideBounce, mix(params->restitutionMix, a.z, b.z));
    real_store(head->friction + l, real_select(isSide, sideFriction, mix(params->frictionMix, a.x, b.x)));
    if (head->roll) real_store(head->roll->arm + l, rolling);
    if (head->bounce) real_store(head->bounce->share + l, bounce);
    head->isRound &= lane_less(zero, real_min(a.w, b.w)) == lane_first(WB_LANES);
    head->rolls |= lane_less(zero, rolling) != 0, head->bounces |= lane_less(zero, bounce) != 0;
}

// What begins the next group is fetched while this one is built; fetching also what its plans name cost more than it saved.
WB_INLINE void fetch_plans(const wbExactStep *step, const wbGroupPlan *plan) {
    for (int l = 0; l < plan->count; l++) __builtin_prefetch(&step->plans[step->slots[plan->first + l]]);
}

// Bodies of the lanes, and their materials.
static void begin_group(Building *building, wbGroupHead *head) {
    const wbExactStep *step = building->step;
    const wbGroupPlan *plan = building->plan;
    const int dummy = step->bodyCount + WB_SIDE_ROWS + (int)plan->kind;
    int materialsA[WB_CONTACT_LANES], materialsB[WB_CONTACT_LANES];
    building->hasOld = false;
    head->count = plan->count;
    head->isRound = true, head->rolls = head->bounces = false;
    const int index = plan->at + (wbIsOnePoint(plan->kind) ? step->manyCount : 0);
    head->approach = &step->approaches[index];
    head->inertia = step->inertias ? &step->inertias[index] : NULL;
    head->tilt = step->tilts && !wbIsOnePoint(plan->kind) ? &step->tilts[plan->at] : NULL;
    head->roll = step->rolls ? &step->rolls[index] : NULL;
    head->bounce = step->groupBounces ? &step->groupBounces[index] : NULL;
    for (int l = 0; l < WB_CONTACT_LANES; l++) {
        const bool live = l < plan->count;
        const wbContactPlan *contact = &step->plans[step->slots[plan->first + (live ? l : 0)]];
        const int a = live ? contact->rows[0] : dummy, b = live ? contact->rows[1] : dummy;
        const int old = WB_CONTACT_QUADS * (live && contact->old >= 0 ? contact->old : step->noContact);
        const float *record = (const float *)step->oldContacts + 4 * (int64_t)old;
        __builtin_prefetch(record), __builtin_prefetch(record + 4 * WB_FRICTION_QUAD);
        building->sources[l] = contact->source;
        building->rowsA[l] = contact->rows[0], building->rowsB[l] = contact->rows[1];
        building->quadsA[l] = WB_PLACE_QUADS * contact->pieces[0];
        building->quadsB[l] = WB_PLACE_QUADS * contact->pieces[contact->pieces[1] >= 0];
        building->massesA[l] = WB_MASS_QUADS * a, building->massesB[l] = WB_MASS_QUADS * b;
        building->live[l] = live, building->isSide[l] = b >= step->bodyCount;
        building->old[l] = old;
        building->hasOld |= contact->old >= 0;
        head->a[l] = WB_BODY_QUADS * a, head->b[l] = WB_BODY_QUADS * b;
        materialsA[l] = WB_MATERIAL_QUADS * a, materialsB[l] = WB_MATERIAL_QUADS * b;
    }
    for (int l = 0; l < plan->count; l += WB_LANES) mix_materials(building, l, materialsA, materialsB, head);
    for (int l = 0; head->bounces && l < WB_CONTACT_LANES; l++) head->bounce->bounced[l] = 0;
}

static void build(int begin, int end, int worker, void *context) {
    const wbExactStep *step = context;
    (void)worker;
    Building building = {.step = step};
    for (int g = begin; g < end; g++) {
        const wbGroupPlan *plan = &step->groupPlans[g];
        const bool isOne = wbIsOnePoint(plan->kind);
        wbManyGroup *many = isOne ? NULL : &step->many[plan->at];
        wbOneGroup *one = isOne ? &step->ones[plan->at] : NULL;
        building.plan = plan;
        if (g + 1 < end) fetch_plans(step, plan + 1);
        begin_group(&building, isOne ? &one->head : &many->head);
        for (int l = 0; l < plan->count; l += WB_LANES) {
            const RigidPoints points = find_points(&building, l);
            if (isOne)
                build_one(&building, l, &points, one);
            else
                build_many(&building, l, &points, many);
        }
    }
}

const wbManifoldCode WB_WIDE(wb_manifoldCode) = {collide_boxes, build};
