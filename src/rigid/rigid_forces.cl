// SPDX-License-Identifier: MIT
// Forces between particles of rigid bodies on a device, one particle for each work-item, as in the source. Formulas stand in
// rigid_particles_formula.h, lists in rigid_particles.cl.

// How bodies move.
typedef struct Movers {
    __global const float4 *centres, *velocities, *spins;
} Movers;

WB_INLINE RigidVector velocity_at(const Movers *m, int b, RigidVector point) {
    return rigid_add(xyz(m->velocities[b]),
                     rigid_cross(xyz(m->spins[b]), rigid_sub(point, xyz(m->centres[b]))));
}

// How a particle touches what it meets, as the first of the two sees it.
typedef struct Meeting {
    RigidTouch touch;
    RigidVector point, speed; // of the contact, and of the first there against the second
    RigidMatter first, second;
    float sign; // 1: the particle is the first, -1: it is the second
} Meeting;

// Both particles of a pair compute it as the first body's sees it, so that both find the same bits, up to the sign of the force.
WB_INLINE Meeting meet_particle(__global const float4 *places, __global const int *bodies,
                                __global const RigidMatter *matter, const Movers *movers, int i, int j) {
    const bool isFirst = bodies[i] < bodies[j];
    const float4 one = places[isFirst ? i : j], two = places[isFirst ? j : i];
    const int a = bodies[isFirst ? i : j], b = bodies[isFirst ? j : i];
    Meeting m;
    m.touch = rigid_touch(rigid_sub(xyz(one), xyz(two)), one.w + two.w);
    m.point = rigid_madd(-(one.w - 0.5f * m.touch.overlap), m.touch.normal, xyz(one));
    m.speed = rigid_sub(velocity_at(movers, a, m.point), velocity_at(movers, b, m.point));
    m.first = matter[a], m.second = matter[b], m.sign = isFirst ? 1 : -1;
    return m;
}

WB_INLINE Meeting meet_side(const RigidSides *sides, int side, __global const RigidMatter *matter,
                            const Movers *movers, float4 place, int body) {
    const RigidSide s = sides->sides[side];
    Meeting m;
    m.touch.normal = rigid_vector(s.normal[0], s.normal[1], s.normal[2]);
    m.touch.overlap = get_side_overlap(place, &s);
    m.point = rigid_madd(-(place.w - m.touch.overlap), m.touch.normal, xyz(place));
    m.speed = rigid_sub(velocity_at(movers, body, m.point),
                        rigid_vector(s.velocity[0], s.velocity[1], s.velocity[2]));
    m.first = matter[body], m.second = sides->matter, m.sign = 1;
    return m;
}

WB_INLINE Meeting meet_surface(const SurfaceModels *models, __global const RigidSurface *surface, wbPose pose,
                               __global const RigidMatter *matter, const Movers *movers, float4 place,
                               int body) {
    const Felt felt =
        feel_surface(models, surface, wbPose_ApplyInverse(&pose, wbMakeVec3(place.x, place.y, place.z)));
    const wbVec3 n = wbPose_Rotate(&pose, felt.normal);
    Meeting m;
    m.touch.normal = rigid_vector(n.x, n.y, n.z), m.touch.overlap = place.w - felt.distance;
    m.point = rigid_madd(-felt.distance, m.touch.normal, xyz(place));
    m.speed = rigid_sub(velocity_at(movers, body, m.point), velocity_at(movers, surface->body, m.point));
    m.first = matter[body], m.second = matter[surface->body], m.sign = 1;
    return m;
}

// Force of each particle, and its torque about the body's centre. Contacts are sheared since `span` s; they remember it if `keeps`.
__kernel void rigid_forces(int count, __global const float4 *places, __global const int *bodies,
                           RigidSides sides, __global const RigidSurface *surfaces,
                           __global const wbPose *poses, __global const RigidFace *faces,
                           __global const int *loops, __global const wbVec3 *corners,
                           __global const ShapeNode *nodes, __global const ShapeCluster *clusters,
                           __global const ShapeTriangle *triangles, RigidRule rule,
                           __global const RigidMatter *matter, __global const float4 *centres,
                           __global const float4 *velocities, __global const float4 *spins, float span,
                           int keeps, __global const uint *starts, __global const int *targets,
                           __global float4 *shears, __global float4 *forces, __global float4 *torques) {
    const int i = get_global_id(0);
    if (i >= count) return;
    const Movers movers = {centres, velocities, spins};
    const SurfaceModels models = {faces, loops, corners, nodes, clusters, triangles};
    const int body = bodies[i];
    const float4 place = places[i];
    RigidVector force = rigid_set(0, 0, 0), torque = force;
    for (uint k = starts[i]; k < starts[i + 1]; k++) {
        const int t = targets[k], surface = -1 - RIGID_SIDES - t;
        const Meeting m = t >= 0        ? meet_particle(places, bodies, matter, &movers, i, t)
                          : surface < 0 ? meet_side(&sides, -1 - t, matter, &movers, place, body)
                                        : meet_surface(&models, surfaces + surface, poses[surface], matter,
                                                       &movers, place, body);
        RigidVector shear = xyz(shears[k]);
        if (m.touch.overlap > 0) {
            const RigidSprings s = rigid_springs(rule, m.first, m.second);
            const RigidLaw law = {s.stiffness,    s.damping,      s.shearStiffness,
                                  s.inverseShear, s.shearDamping, s.friction};
            const RigidVector f = rigid_scale(m.sign, rigid_contact(m.touch, m.speed, &law, span, &shear));
            force = rigid_add(force, f);
            torque = rigid_add(torque, rigid_cross(rigid_sub(m.point, xyz(centres[body])), f));
        }
        if (keeps) shears[k] = m.touch.overlap > 0 ? quad(shear) : 0;
    }
    forces[i] = quad(force), torques[i] = quad(torque);
}
