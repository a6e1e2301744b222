// SPDX-License-Identifier: MIT
// How rigid bodies move on a device, one body or particle for each work-item. Formulas stand in rigid_motion_formula.h and
// rigid_force_formula.h.

WB_INLINE RigidVector get_inertia(__global const RigidBodyLaw *law) {
    __global const float *i = law->inverseInertia;
    return rigid_vector(i[0] > 0 ? 1 / i[0] : 0, i[1] > 0 ? 1 / i[1] : 0, i[2] > 0 ? 1 / i[2] : 0);
}

// kg m2/s: angular momentum when a step begins.
__kernel void rigid_begin(int count, __global const RigidBodyLaw *laws, __global const float4 *turns,
                          __global const float4 *spins, __global float4 *momenta) {
    const int b = get_global_id(0);
    if (b >= count) return;
    momenta[b] = quad(rigid_weigh(rigid_axes(as_turn(turns[b])), get_inertia(laws + b), xyz(spins[b])));
}

// Spins when a step ends: those of which the next one makes this angular momentum again, as nearly as floats can. Else rounding would
// add a hair of the same sign to it in every step; the cores take doubles there.
__kernel void rigid_end(int count, __global const RigidBodyLaw *laws, __global const float4 *turns,
                        __global const float4 *momenta, __global float4 *spins) {
    const int b = get_global_id(0);
    if (b >= count || !(laws[b].inverseMass > 0)) return;
    const RigidAxes axes = rigid_axes(as_turn(turns[b]));
    const RigidVector inertia = get_inertia(laws + b), inverse = three(laws[b].inverseInertia);
    RigidVector spin = rigid_weigh(axes, inverse, xyz(momenta[b]));
    for (int k = 0; k < 2; k++) {
        const RigidVector missing = rigid_sub(xyz(momenta[b]), rigid_weigh(axes, inertia, spin));
        spin = rigid_add(spin, rigid_weigh(axes, inverse, missing));
    }
    spins[b] = quad(spin);
}

__kernel void rigid_place(int count, __global const int *bodies, __global const float4 *own,
                          __global const float4 *centres, __global const float4 *turns,
                          __global float4 *places, __global float *x, __global float *y, __global float *z) {
    const int i = get_global_id(0);
    if (i >= count) return;
    const int b = bodies[i];
    const RigidVector at = rigid_add(xyz(centres[b]), rigid_turn(rigid_axes(as_turn(turns[b])), xyz(own[i])));
    places[i] = (float4)(at.x, at.y, at.z, own[i].w);
    x[i] = at.x, y[i] = at.y, z[i] = at.z;
}

// What bodies gather of their particles, in their order, beside what programs want.
__kernel void rigid_gather(int count, __global const RigidBodyLaw *laws, __global const float4 *forces,
                           __global const float4 *torques, __global const float4 *ownForces,
                           __global const float4 *ownTorques, __global float4 *loads) {
    const int b = get_global_id(0);
    if (b >= count) return;
    float4 force = ownForces[b], torque = ownTorques[b];
    for (int i = laws[b].first; i < laws[b].first + laws[b].count; i++)
        force += forces[i], torque += torques[i];
    loads[2 * b] = force, loads[2 * b + 1] = torque;
}

WB_INLINE ForceBody get_force_body(int b, __global const RigidBodyLaw *laws, __global const float4 *centres,
                                   __global const float4 *turns, __global const float4 *velocities,
                                   __global const float4 *spins) {
    const float4 c = centres[b], q = turns[b], v = velocities[b], w = spins[b];
    __global const float *i = laws[b].inverseInertia;
    const ForceBody body = {{{c.x, c.y, c.z}, {q.x, q.y, q.z, q.w}},
                            {v.x, v.y, v.z},
                            {w.x, w.y, w.z},
                            {i[0], i[1], i[2]},
                            laws[b].moves ? laws[b].inverseMass : 0};
    return body;
}

// What force generators do to each body: acts of body b are from starts[b] to starts[b + 1] - 1. Both bodies of a spring compute it.
__kernel void rigid_act(int count, ForceSpan span, __global const RigidBodyLaw *laws,
                        __global const float4 *centres, __global const float4 *turns,
                        __global const float4 *velocities, __global const float4 *spins,
                        __global const int *starts, __global const RigidAct *acts,
                        __global const ForceRule *rules, __global const int *members,
                        __global const int *ties, __global float4 *loads) {
    const int b = get_global_id(0);
    if (b >= count) return;
    const ForceBody body = get_force_body(b, laws, centres, turns, velocities, spins);
    if (!(body.inverseMass > 0)) return;
    const wbVec3 at = wbMakeVec3(centres[b].x, centres[b].y, centres[b].z);
    float4 force = loads[2 * b], torque = loads[2 * b + 1];
    for (int k = starts[b]; k < starts[b + 1]; k++) {
        const RigidAct act = acts[k];
        const ForceRule rule = rules[act.force];
        ForceLoad load = force_none();
        if (rule.kind == FORCE_SPRING) {
            const ForceBody other = get_force_body(act.other, laws, centres, turns, velocities, spins);
            const ForceTie tie = act.isSecond ? force_tie_bodies(span, &rule, &other, &body)
                                              : force_tie_bodies(span, &rule, &body, &other);
            const float tension = force_stretch(span, &rule, &tie, max(ties[b], ties[act.other]));
            load = force_of_tie(&tie, tension, act.isSecond);
        } else if (rule.kind == FORCE_ATTRACTION) {
            for (int n = rule.first; n < rule.first + rule.count; n++) {
                const int m = members[n];
                if (!laws[m].moves || !(laws[m].inverseMass > 0)) continue;
                const wbVec3 to = wbMakeVec3(centres[m].x, centres[m].y, centres[m].z);
                load.force =
                    wbAdd(load.force, force_attraction(&rule, at, body.inverseMass, to, laws[m].inverseMass));
            }
        } else {
            load = force_on_body(span, &rule, &body, act.volume, ties[b]);
        }
        force += (float4)(load.force.x, load.force.y, load.force.z, 0);
        torque += (float4)(load.torque.x, load.torque.y, load.torque.z, 0);
    }
    loads[2 * b] = force, loads[2 * b + 1] = torque;
}

__kernel void rigid_kick(int count, RigidMove move, __global const RigidBodyLaw *laws,
                         __global const float4 *loads, __global const float4 *turns,
                         __global float4 *velocities, __global float4 *spins, __global float4 *momenta) {
    const int b = get_global_id(0);
    if (b >= count || !(laws[b].inverseMass > 0)) return;
    const RigidVector gravity = rigid_set(move.gravity[0], move.gravity[1], move.gravity[2]);
    const RigidVector pace =
        rigid_madd(laws[b].inverseMass, xyz(loads[2 * b]), rigid_scale(laws[b].gravityScale, gravity));
    RigidVector v = rigid_madd(move.h, pace, xyz(velocities[b]));
    v = rigid_scale(1 / (1 + move.h * laws[b].linearDamping), v);
    if (move.terminalSpeed > 0) v = rigid_limit(v, move.terminalSpeed);
    RigidVector momentum = rigid_madd(move.h, xyz(loads[2 * b + 1]), xyz(momenta[b]));
    momentum = rigid_scale(1 / (1 + move.h * laws[b].angularDamping), momentum);
    velocities[b] = quad(v), momenta[b] = quad(momentum);
    spins[b] = quad(rigid_weigh(rigid_axes(as_turn(turns[b])), three(laws[b].inverseInertia), momentum));
}

__kernel void rigid_drift(int count, RigidMove move, int halfway, __global const RigidBodyLaw *laws,
                          __global float4 *centres, __global float4 *turns, __global const float4 *velocities,
                          __global float4 *spins, __global const float4 *momenta) {
    const int b = get_global_id(0);
    if (b >= count || !laws[b].moves) return;
    const RigidVector inverse = three(laws[b].inverseInertia), w = xyz(spins[b]);
    const RigidTurn q = as_turn(turns[b]);
    const bool isDynamic = laws[b].inverseMass > 0;
    const RigidTurn turned = isDynamic ? rigid_drift_turn(q, move.h, w, xyz(momenta[b]), inverse, halfway)
                                       : rigid_normalise(rigid_advance_turn(q, move.h, w));
    centres[b] = quad(rigid_madd(move.h, xyz(velocities[b]), xyz(centres[b])));
    turns[b] = (float4)(turned.x, turned.y, turned.z, turned.w);
    if (isDynamic) spins[b] = quad(rigid_weigh(rigid_axes(turned), inverse, xyz(momenta[b])));
}

// Runge-Kutta of fourth order: adds what a stage wants, and gives where the next one starts: from the base by a part of it, or from
// the sum after the last one.
WB_INLINE float4 add_stage(int stage, float h, float4 base, float4 rate, __global float4 *change) {
    const float weight = stage % 3 ? 1.0f / 3 : 1.0f / 6, step = stage == 2 ? 1 : 0.5f;
    const float4 sum = (stage == 0 ? (float4)(0) : *change) + weight * rate;
    *change = sum;
    return base + (stage == 3 ? h * sum : h * step * rate);
}

// One stage: rates from the state and the forces there, and the state of the next. `base` and `change` have four quads by body.
__kernel void rigid_stage(int count, RigidMove move, int stage, __global const RigidBodyLaw *laws,
                          __global const float4 *loads, __global float4 *centres, __global float4 *turns,
                          __global float4 *velocities, __global float4 *spins, __global float4 *momenta,
                          __global float4 *bases, __global float4 *changes) {
    const int b = get_global_id(0);
    const bool isDynamic = b < count && laws[b].inverseMass > 0;
    if (b >= count || !(laws[b].moves || isDynamic)) return;
    __global float4 *base = bases + 4 * b, *change = changes + 4 * b;
    if (stage == 0) base[0] = centres[b], base[1] = turns[b], base[2] = velocities[b], base[3] = momenta[b];
    const float4 v = velocities[b], q = turns[b];
    const RigidTurn moved = rigid_advance_turn(as_turn(q), 1, xyz(spins[b]));
    const float4 turning = (float4)(moved.x, moved.y, moved.z, moved.w) - q;
    const float4 gravity = (float4)(move.gravity[0], move.gravity[1], move.gravity[2], 0);
    const float4 pace = laws[b].inverseMass * loads[2 * b] + laws[b].gravityScale * gravity;
    RigidTurn turned = as_turn(q);
    if (laws[b].moves) {
        turned = rigid_normalise(as_turn(add_stage(stage, move.h, base[1], turning, change + 1)));
        centres[b] = add_stage(stage, move.h, base[0], v, change);
        turns[b] = (float4)(turned.x, turned.y, turned.z, turned.w);
    }
    if (!isDynamic) return;
    RigidVector nextV = xyz(add_stage(stage, move.h, base[2], pace, change + 2));
    RigidVector momentum = xyz(add_stage(stage, move.h, base[3], loads[2 * b + 1], change + 3));
    if (stage == 3) {
        nextV = rigid_scale(1 / (1 + move.h * laws[b].linearDamping), nextV);
        if (move.terminalSpeed > 0) nextV = rigid_limit(nextV, move.terminalSpeed);
        momentum = rigid_scale(1 / (1 + move.h * laws[b].angularDamping), momentum);
        momenta[b] = quad(momentum);
    }
    velocities[b] = quad(nextV);
    spins[b] = quad(rigid_weigh(rigid_axes(turned), three(laws[b].inverseInertia), momentum));
}

// One group: each item looks at every RIGID_SUMMARY_GROUP-th body, the first joins what they found.
__kernel void rigid_summarise(int count, __global const RigidBodyLaw *laws, __global const float4 *centres,
                              __global const float4 *velocities, __global const float4 *spins,
                              __global RigidSummary *summary) {
    __local RigidSummary parts[RIGID_SUMMARY_GROUP];
    const int item = get_local_id(0);
    RigidSummary own = {0, {MAXFLOAT, MAXFLOAT, MAXFLOAT}, {-MAXFLOAT, -MAXFLOAT, -MAXFLOAT}, 0};
    for (int b = item; b < count; b += RIGID_SUMMARY_GROUP) {
        if (!laws[b].moves) continue;
        const float speed = length(velocities[b].xyz) + laws[b].reach * length(spins[b].xyz);
        const float at[3] = {centres[b].x, centres[b].y, centres[b].z};
        // not a number is not below anything
        if (!(speed < 1e30f && fabs(at[0]) < 1e30f && fabs(at[1]) < 1e30f && fabs(at[2]) < 1e30f))
            own.broken++;
        own.maxSpeed = fmax(own.maxSpeed, speed);
        for (int k = 0; k < 3 && laws[b].count > 0; k++)
            own.min[k] = fmin(own.min[k], at[k]), own.max[k] = fmax(own.max[k], at[k]);
    }
    parts[item] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item > 0) return;
    for (int n = 1; n < RIGID_SUMMARY_GROUP; n++) {
        own.maxSpeed = fmax(own.maxSpeed, parts[n].maxSpeed), own.broken += parts[n].broken;
        for (int k = 0; k < 3; k++)
            own.min[k] = fmin(own.min[k], parts[n].min[k]), own.max[k] = fmax(own.max[k], parts[n].max[k]);
    }
    *summary = own;
}
