// SPDX-License-Identifier: MIT
// A field of the air on a plane, in the colours of its scale.
uniform vec3 corner, across, up; // m
uniform float kind;              // of the colours: see fieldRamp

#ifdef VERTEX
out vec2 place; // 0 to 1

void main() {
    place = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = projection * (view * vec4(corner + place.x * across + place.y * up, 1.0));
}
#endif

#ifdef FRAGMENT
uniform sampler2D values; // shares of the scale

in vec2 place;
out vec4 colour;

void main() {
    float t = clamp(textureLod(values, place, 0.0).r, 0.0, 1.0);
    colour = vec4(encode(fieldRamp(t, kind) * scaleLight) + grain(gl_FragCoord.xy), 0.0);
}
#endif
