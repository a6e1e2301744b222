// SPDX-License-Identifier: MIT
// Smoke before what is behind it. Rays were cast for each fourth pixel: a pixel takes from those around it that end at
// the same depth, so that the outlines of solids stay sharp.
#ifdef VERTEX
void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0); }
#endif

#ifdef FRAGMENT
uniform sampler2D smoke;    // from volume_march
uniform sampler2D scene;    // depths
uniform sampler2D backdrop; // the picture without smoke

out vec4 colour;

void main() {
    ivec2 p = ivec2(gl_FragCoord.xy), last = textureSize(smoke, 0) - 1;
    ivec2 first = p / 2, odd = p & 1;
    float here = eyeDepth(texelFetch(scene, p, 0).r);
    vec4 sum = vec4(0.0);
    float total = 0.0;
    for (int i = 0; i < 4; ++i) {
        ivec2 step = ivec2(i & 1, i >> 1);
        if (any(greaterThan(step, odd))) continue;
        ivec2 q = min(first + step, last);
        float there = eyeDepth(texelFetch(scene, min(2 * q, ivec2(screen.xy) - 1), 0).r);
        float weight = 1e-4 + 1.0 / (1.0 + 64.0 * abs(there - here) / smokeSize.w);
        sum += weight * texelFetch(smoke, q, 0);
        total += weight;
    }
    sum /= total;
    if (sum == vec4(0.0)) discard;
    vec3 c = decode(texelFetch(backdrop, p, 0).rgb) * (1.0 - sum.a) + sum.rgb;
    colour = vec4(encode(c) + grain(gl_FragCoord.xy), 1.0);
}
#endif
