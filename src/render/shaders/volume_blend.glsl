// SPDX-License-Identifier: MIT
// Smoke before what is behind it. Rays were cast for each fourth pixel: a pixel takes from those around it that end at
// the same depth, so that the outlines of solids stay sharp; what lies behind the box of smoke ends where that does. Weights are such that rays of even and odd rows and columns
// count the same.
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
    float far = boxDepths(smokeMin.xyz, smokeMin.xyz + smokeSize.xyz, gl_FragCoord.xy).y;
    float here = min(eyeDepth(texelFetch(scene, p, 0).r), far);
    vec4 sum = vec4(0.0);
    float total = 0.0;
    for (int y = odd.y - 1; y <= 1; ++y) {
        for (int x = odd.x - 1; x <= 1; ++x) {
            ivec2 q = clamp(first + ivec2(x, y), ivec2(0), last);
            float there = min(eyeDepth(texelFetch(scene, min(2 * q, ivec2(screen.xy) - 1), 0).r), far);
            float apart = 4.0 * (there - here) / smokeSize.w;
            float weight = 1e-4 + 1.0 / (1.0 + apart * apart);
            if (odd.x == 0 && x == 0) weight *= 2.0;
            if (odd.y == 0 && y == 0) weight *= 2.0;
            sum += weight * texelFetch(smoke, q, 0);
            total += weight;
        }
    }
    sum /= total;
    if (sum == vec4(0.0)) discard;
    vec3 c = decode(texelFetch(backdrop, p, 0).rgb) * (1.0 - sum.a) + sum.rgb;
    colour = vec4(encode(c) + grain(gl_FragCoord.xy), 1.0);
}
#endif
