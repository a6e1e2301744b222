// SPDX-License-Identifier: MIT
// Straight lines with round ends, a given number of pixels wide: edges of the box, strokes of letters.
#ifdef VERTEX
uniform mat4 transform; // to clip space

layout(location = 0) in vec4 from; // xyz; w: half the width in pixels
layout(location = 1) in vec3 to;
layout(location = 2) in vec4 tint;

out vec2 local;       // pixels along and across, from the start
flat out vec2 shape;  // length and half width in pixels
flat out vec4 colours;

void main() {
    vec4 a = transform * vec4(from.xyz, 1.0), b = transform * vec4(to, 1.0);
    // what lies behind the eye is cut off
    const float nearest = 1e-4;
    if (a.w < nearest) a = mix(b, a, clamp((b.w - nearest) / (b.w - a.w), 0.0, 1.0));
    if (b.w < nearest) b = mix(a, b, clamp((a.w - nearest) / (a.w - b.w), 0.0, 1.0));
    vec3 start = a.xyz / a.w, end = b.xyz / b.w;
    vec2 span = (end.xy - start.xy) * 0.5 * screen.xy;
    float size = length(span);
    vec2 along = size > 1e-4 ? span / size : vec2(1.0, 0.0);
    vec2 across = vec2(-along.y, along.x);
    float reach = from.w + 1.0;
    float atEnd = float(gl_VertexID & 1), side = float(gl_VertexID >> 1) * 2.0 - 1.0;
    local = vec2(mix(-reach, size + reach, atEnd), side * reach);
    // divided by w here: then distances in pixels are linear on the screen
    vec2 p = start.xy + (along * local.x + across * local.y) * 2.0 / screen.xy;
    gl_Position = vec4(p, mix(start.z, end.z, atEnd), 1.0);
    shape = vec2(size, from.w);
    colours = tint;
}
#endif

#ifdef FRAGMENT
in vec2 local;
flat in vec2 shape;
flat in vec4 colours;
out vec4 colour;

void main() {
    float beyond = local.x - clamp(local.x, 0.0, shape.x);
    float covered = clamp(shape.y + 0.5 - length(vec2(beyond, local.y)), 0.0, 1.0);
    covered *= min(1.0, shape.y * 2.0); // thinner than a pixel: fainter
    if (covered <= 0.0) discard;
    colour = vec4(colours.rgb, colours.a * covered);
}
#endif
