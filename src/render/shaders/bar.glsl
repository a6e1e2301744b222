// SPDX-License-Identifier: MIT
// The legend's bar of colours, with round ends.
uniform float kind; // of the colours: 0 the water's, else see fieldRamp
uniform vec4 area; // pixels from the left and the top: left, top, width, height

#ifdef VERTEX
out vec2 local; // pixels from the bar's left top

void main() {
    local = mix(vec2(-2.0), area.zw + 2.0, vec2(gl_VertexID & 1, gl_VertexID >> 1));
    vec2 p = (area.xy + local) / screen.xy * 2.0 - 1.0;
    gl_Position = vec4(p.x, -p.y, 0.0, 1.0);
}
#endif

#ifdef FRAGMENT
in vec2 local;
out vec4 colour;

void main() {
    vec2 halfSize = area.zw * 0.5;
    float corner = min(3.0, halfSize.y);
    vec2 q = abs(local - halfSize) - halfSize + corner;
    float away = length(max(q, 0.0)) - corner;
    float t = clamp(local.x / area.z, 0.0, 1.0);
    vec3 fill = encode((kind < 0.5 ? ramp(t) : fieldRamp(t, kind)) * scaleLight);
    float inner = clamp(0.5 - away, 0.0, 1.0), outer = clamp(2.0 - away, 0.0, 1.0);
    colour = vec4(mix(vec3(0.05, 0.08, 0.12), fill, inner), max(inner, 0.45 * outer));
}
#endif
