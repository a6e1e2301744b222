// SPDX-License-Identifier: MIT
// Softens the stairs along the outlines of water: a blur along the edge, after FXAA (Lottes 2009).
#ifdef VERTEX
void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0); }
#endif

#ifdef FRAGMENT
uniform sampler2D shaded; // alpha: 0 where there may be an edge: on bodies, and where water ends

out vec4 colour;

float brightness(vec3 c) { return dot(c, vec3(0.299, 0.587, 0.114)); }

// And alpha.
vec2 look(ivec2 p) {
    vec4 c = texelFetch(shaded, clamp(p, ivec2(0), textureSize(shaded, 0) - 1), 0);
    return vec2(brightness(c.rgb), c.a);
}

void main() {
    ivec2 p = ivec2(gl_FragCoord.xy);
    vec4 c = texelFetch(shaded, p, 0);
    vec2 north = look(p + ivec2(-1, 1)), east = look(p + ivec2(1, 1));
    vec2 west = look(p + ivec2(-1, -1)), south = look(p + ivec2(1, -1));
    float nw = north.x, ne = east.x, sw = west.x, se = south.x, here = brightness(c.rgb);
    float low = min(here, min(min(nw, ne), min(sw, se))), high = max(here, max(max(nw, ne), max(sw, se)));
    bool isEdge = min(c.a, min(min(north.y, east.y), min(west.y, south.y))) < 0.5;
    // the picture is there already; of small differences no stair is seen
    if (!isEdge || high - low < max(0.03, 0.1 * high)) discard;
    vec2 pixel = 1.0 / screen.xy, at = gl_FragCoord.xy * pixel;
    vec2 along = vec2((sw + se) - (nw + ne), (sw + nw) - (se + ne));
    along /= min(abs(along.x), abs(along.y)) + max((nw + ne + sw + se) * 0.03125, 0.0078125);
    along = clamp(along, -6.0, 6.0) * pixel;
    vec3 narrow = 0.5 * (textureLod(shaded, at - along / 6.0, 0.0).rgb + textureLod(shaded, at + along / 6.0, 0.0).rgb);
    vec3 wide = 0.5 * narrow +
                0.25 * (textureLod(shaded, at - along / 2.0, 0.0).rgb + textureLod(shaded, at + along / 2.0, 0.0).rgb);
    float mean = brightness(wide);
    colour = vec4(mean < low || mean > high ? narrow : wide, 1.0);
}
#endif
