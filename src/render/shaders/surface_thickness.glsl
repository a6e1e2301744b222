// SPDX-License-Identifier: MIT
// How much water there is behind each pixel, in spacings: the volumes of all particles, added up. And the same
// weighted by the value that colours show, for its mean.
#ifdef VERTEX
uniform vec2 size; // of the picture of thickness, in pixels

layout(location = 0) in vec4 drop; // position, value
layout(location = 2) in float scale; // its size over the smallest's

out vec2 local;
flat out vec2 height; // and times the value

void main() {
    vec3 c = (view * vec4(drop.xyz, 1.0)).xyz;
    // wide enough to be smooth and to cover pixels; the volume stays that of its cube
    float pixel = 2.0 * screen.w * max(-c.z, 0.0) / size.y;
    float side = surface.z * scale;
    float radius = max(1.3 * side, 1.5 * pixel);
    float ratio = side / radius;
    local = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    height.x = scale * ratio * ratio * 0.6366198; // 2 / pi: the integral of the paraboloid below is 1
    height.y = height.x * clamp((drop.w - water.z) * water.w, 0.0, 1.0);
    gl_Position = projection * vec4(c + vec3(local * radius, 0.0), 1.0);
}
#endif

#ifdef FRAGMENT
in vec2 local;
flat in vec2 height;

out vec4 thickness;

void main() { thickness = vec4(height * max(1.0 - dot(local, local), 0.0), 0.0, 0.0); }
#endif
