// SPDX-License-Identifier: MIT
// The first step of the smooth surface: how far the nearest sphere is from the eye. Spheres overlap inside the
// water and shrink to drops where they are alone; closed sides of the domain cut them flat, as glass does. Particles
// keep half a spacing from bodies and cloth, and spheres are larger: those whose middle is behind a body are left out, so that they bulge
// neither through it nor beyond its outline. Beside it those that are seen overlap as far.
#ifdef VERTEX
uniform sampler2D bodies; // eye depth; 1e30 where there is none

layout(location = 0) in vec4 drop; // position, value
layout(location = 1) in vec4 body; // normal of the body of water, occlusion
layout(location = 2) in float scale; // its size over the smallest's

out vec2 local;        // on the square; the sphere's outline has radius 1
flat out vec4 depthRow; // eye depth = w + dot(xyz, point of the unit sphere)
flat out float share;   // 0: a lone drop, 1: inside the water
flat out float free;    // 1: farther from all sides than its radius

bool isBehindBody(vec3 c) {
    vec2 pixel = (c.xy / (max(-c.z, 1e-6) * screen.zw) * 0.5 + 0.5) * screen.xy;
    bool isOnScreen = all(greaterThanEqual(pixel, vec2(0.0))) && all(lessThan(pixel, screen.xy));
    return isOnScreen && texelFetch(bodies, ivec2(pixel), 0).r < -c.z;
}

void main() {
    share = smoothstep(0.02, 0.22, body.w);
    float size = mix(surface.y, surface.x, share * share) * scale;
    float room = size + 0.1 * surface.z;
    bvec3 isFree = lessThan(abs(drop.xyz - 0.5 * (sideMin.xyz + sideMax.xyz)), 0.5 * (sideMax.xyz - sideMin.xyz) - room);
    free = all(isFree) ? 1.0 : 0.0;
    vec3 c = (view * vec4(drop.xyz, 1.0)).xyz;
    float distance = length(c);
    vec3 back = -c / distance;
    vec3 right = normalize(cross(vec3(0.0, 1.0, 0.0), back) + vec3(1e-6, 0.0, 0.0));
    vec3 up = cross(back, right);

    // the outline of a sphere is a circle around its centre, a little wider than the sphere when it is near
    float nearness = min(size / distance, 0.95);
    float radius = size * inversesqrt(1.0 - nearness * nearness);
    local = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    // smaller than a pixel it would come and go between the pixels' centres
    float pixels = radius / distance * projection[1][1] * 0.5 * screen.y;
    radius *= max(1.0, 0.7 / pixels);
    gl_Position = projection * vec4(c + radius * (local.x * right + local.y * up), 1.0);
    if (isBehindBody(c)) gl_Position = vec4(0.0, 0.0, 2.0, 1.0); // beyond what is drawn
    depthRow = -vec4(size * right.z, size * up.z, size * back.z, c.z);
}
#endif

#ifdef FRAGMENT
in vec2 local;
flat in vec4 depthRow;
flat in float share;
flat in float free;

out vec2 depth; // eye depth; share, negative on a side, never 0

void main() {
    float across = dot(local, local);
    if (across >= 1.0) discard;
    float middle = depthRow.w + dot(depthRow.xy, local), reach = depthRow.z * sqrt(1.0 - across);
    float first = middle + reach, last = middle - reach; // depthRow.z is negative

    vec2 sides = free > 0.5 ? vec2(-1e30, 1e30) : sideDepths(gl_FragCoord.xy);
    float side = sides.x;
    last = min(last, sides.y);
    bool cut = first < side + 0.02 * surface.z; // what lies just behind is as good as cut
    float nearest = cut ? side : first;
    if (nearest >= last) discard;

    float part = max(share, 1e-3);
    depth = vec2(nearest, cut ? -part : part);
    gl_FragDepth = 0.5 + 0.5 * (projection[3][2] / nearest - projection[2][2]);
}
#endif
