// SPDX-License-Identifier: MIT
// The shadow that the water throws on the floor: the covered share of the sun's map, blurred along x, then y.
#ifdef VERTEX
void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0); }
#endif

#ifdef FRAGMENT
uniform sampler2D source;
uniform vec3 blur; // xy: step in texels; z: 0 reads depths, 1 reads coverage

// a normal distribution, 2.2 texels wide
const float weights[7] = float[7](0.1819, 0.1640, 0.1203, 0.0718, 0.0348, 0.0137, 0.0044);

out vec4 colour;

float coverage(ivec2 p) {
    float covered = 0.0;
    for (int i = 0; i < 16; ++i) {
        covered += texelFetch(source, p * 4 + ivec2(i & 3, i >> 2), 0).r < 1.0 ? 1.0 : 0.0;
    }
    return covered / 16.0;
}

void main() {
    ivec2 p = ivec2(gl_FragCoord.xy);
    if (blur.z < 0.5) {
        colour = vec4(coverage(p));
        return;
    }
    ivec2 last = textureSize(source, 0) - 1;
    float sum = 0.0;
    for (int i = -6; i <= 6; ++i) {
        ivec2 q = p + i * ivec2(blur.xy);
        // beyond the map there is no water
        bool inside = all(greaterThanEqual(q, ivec2(0))) && all(lessThanEqual(q, last));
        sum += inside ? weights[abs(i)] * texelFetch(source, q, 0).r : 0.0;
    }
    colour = vec4(sum);
}
#endif
