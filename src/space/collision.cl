// SPDX-License-Identifier: MIT
// The collision of collision.h: one item per particle.

__kernel void collision_particles(int count, int isFlat, int colliderCount, int boxCount,
                                  __global const CollisionCollider *colliders,
                                  __global const BroadNode *boxes, __global const ShapeNode *nodes,
                                  __global const ShapeTriangle *triangles, __global const float *beforeX,
                                  __global const float *beforeY, __global const float *beforeZ,
                                  __global float *x, __global float *y, __global float *z, __global float *vx,
                                  __global float *vy, __global float *vz, __global int *counts, float share,
                                  int isMixed, __global const float *relative, __global SharedSum *sums,
                                  int firstSum) {
    const int i = get_global_id(0);
    if (i >= count) return;
    const CollisionTrees trees = {colliders, colliderCount, boxes, boxCount, nodes, triangles};
    CollisionParticle particle;
    particle.before = wbMakeVec3(beforeX[i], beforeY[i], beforeZ[i]);
    particle.position = wbMakeVec3(x[i], y[i], z[i]);
    particle.velocity = wbMakeVec3(vx[i], vy[i], vz[i]);
    const CollisionGift gift = {firstSum < 0 ? 0 : sums + firstSum, isMixed ? share * relative[i] : share};
    const int result = collision_particle(&trees, &particle, &gift);
    if (result == COLLISION_FREE) return;
    if (isFlat) particle.position.z = particle.velocity.z = 0;
    x[i] = particle.position.x, y[i] = particle.position.y, z[i] = particle.position.z;
    vx[i] = particle.velocity.x, vy[i] = particle.velocity.y, vz[i] = particle.velocity.z;
    atomic_inc(&counts[0]);
    if (result == COLLISION_LOST) atomic_inc(&counts[1]);
}
