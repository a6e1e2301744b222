// SPDX-License-Identifier: MIT
// Smoke before what is behind it. Rays were cast for each fourth pixel: a pixel takes from those around it that end at
// the same depth, so that the outlines of bodies stay sharp; what lies behind the box of smoke ends where that does.
// Weights are such that rays of even and odd rows and columns count the same.
#ifdef VERTEX
void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0); }
#endif

#ifdef FRAGMENT
uniform sampler2D smoke;    // from volume_march
uniform sampler2D scene;    // depths
uniform sampler2D backdrop; // the picture without smoke

out vec4 colour;

float far;

float getDepth(ivec2 p) {
    return min(eyeDepth(texelFetch(scene, clamp(p, ivec2(0), ivec2(screen.xy) - 1), 0).r), far);
}

vec3 getBackdrop(ivec2 p) {
    return texelFetch(backdrop, clamp(p, ivec2(0), ivec2(screen.xy) - 1), 0).rgb;
}

// Smoke before what is this deep, from the rays around a pixel.
vec4 gatherSmoke(ivec2 p, float here) {
    ivec2 last = textureSize(smoke, 0) - 1, first = p / 2, odd = p & 1;
    vec4 sum = vec4(0.0);
    float total = 0.0;
    for (int y = odd.y - 1; y <= 1; ++y) {
        for (int x = odd.x - 1; x <= 1; ++x) {
            ivec2 q = clamp(first + ivec2(x, y), ivec2(0), last);
            float apart = 4.0 * (getDepth(2 * q) - here) / smokeSize.w;
            float weight = 1e-4 + 1.0 / (1.0 + apart * apart);
            if (odd.x == 0 && x == 0) weight *= 2.0;
            if (odd.y == 0 && y == 0) weight *= 2.0;
            sum += weight * texelFetch(smoke, q, 0);
            total += weight;
        }
    }
    return sum / total;
}

// At an outline a pixel has one depth, but its colour is the mean of both sides: how much there is of each tells how much
// of the smoke before each counts. Across the outline, colours differ most.
vec4 gatherBothSides(ivec2 p, float here) {
    float most = 1e-3, own = 1.0, there = here;
    for (int n = 0; n < 4; ++n) {
        ivec2 way = n < 2 ? ivec2(2 * n - 1, 0) : ivec2(0, 2 * n - 5);
        float depth = getDepth(p + way);
        if (abs(depth - here) < smokeSize.w) continue;
        vec3 other = getBackdrop(p + way), across = getBackdrop(p - way) - other;
        float apart = dot(across, across);
        if (apart < most) continue;
        most = apart, there = depth;
        own = clamp(dot(getBackdrop(p) - other, across) / apart, 0.0, 1.0);
    }
    vec4 sum = gatherSmoke(p, here);
    return own < 1.0 ? mix(gatherSmoke(p, there), sum, own) : sum;
}

void main() {
    ivec2 p = ivec2(gl_FragCoord.xy);
    far = boxDepths(smokeMin.xyz, smokeMin.xyz + smokeSize.xyz, gl_FragCoord.xy).y;
    vec4 sum = gatherBothSides(p, getDepth(p));
    if (sum == vec4(0.0)) discard;
    vec3 c = decode(getBackdrop(p)) * (1.0 - sum.a) + sum.rgb;
    colour = vec4(encode(c) + grain(gl_FragCoord.xy), 1.0);
}
#endif
