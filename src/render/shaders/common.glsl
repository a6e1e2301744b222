// SPDX-License-Identifier: MIT
// Put before every shader. Written so that it is also valid GLSL ES 3.00, but for the version line.
#ifdef GL_ES
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler3D;
#endif

// the same as wbFrameUniforms
layout(std140) uniform Frame {
    mat4 view;
    mat4 projection;
    mat4 sun;     // world to the clip cube of the sun's depth map
    vec4 eye;     // xyz; w: 1 where water is a smooth surface
    vec4 toSun;   // xyz; w: depth of the sun's map in m
    vec4 screen;  // width, height; tangents of half the angles of view
    vec4 water;   // radius, absorption length, colour minimum, 1 / (maximum - minimum)
    vec4 options; // what colours show (wbColour), shadows, dimensions, texels of the sun's map
    vec4 ground;  // y, width of a tile, radius where it has faded, 1: drawn
    vec4 centre;  // xyz of what is shown; w: 1 if there are opaque bodies
    vec4 sideMin; // xyz of the closed sides; far away where a side is open
    vec4 sideMax;
    vec4 surface; // radius of spheres inside the water, and of a lone drop; spacing; length of absorption
    vec4 fire;       // xyz of the middle of all that glows; square of the radius around it
    vec4 fireLight;  // its red, green and blue at a distance of 1 m; w: brightness of sun and sky
    vec4 smokeMin;   // xyz of the box of smoke; w: 1 if there is any
    vec4 smokeSize;  // xyz of its edges; w: edge of a cell
    vec4 smokeShade; // x, z of the corner of its shadow; 1 / edges of that
    vec4 smokeDark;  // x: what full texels take of the light, 1/m
};

// Colours are linear light until encode.
vec3 speedRamp(float t) {
    vec3 c = mix(vec3(0.008, 0.088, 0.36), vec3(0.015, 0.22, 0.68), smoothstep(0.0, 0.30, t));
    c = mix(c, vec3(0.09, 0.50, 0.82), smoothstep(0.25, 0.60, t));
    return mix(c, vec3(0.80, 0.87, 0.90), smoothstep(0.55, 1.0, t));
}

vec3 densityRamp(float t) {
    vec3 c = mix(vec3(0.80, 0.90, 0.96), vec3(0.16, 0.50, 0.82), smoothstep(0.0, 0.55, t));
    return mix(c, vec3(0.008, 0.06, 0.34), smoothstep(0.45, 1.0, t));
}

// Fields of the air. 1: from dark over violet and orange to pale yellow; 2: blue, white in the middle, red.
vec3 fieldRamp(float t, float kind) {
    if (kind > 1.5) {
        vec3 end = t < 0.5 ? vec3(0.012, 0.10, 0.50) : vec3(0.48, 0.012, 0.03);
        vec3 way = t < 0.5 ? vec3(0.13, 0.42, 0.80) : vec3(0.82, 0.22, 0.10);
        float away = abs(t - 0.5) * 2.0;
        return mix(mix(vec3(0.86), way, smoothstep(0.0, 0.6, away)), end, smoothstep(0.5, 1.0, away));
    }
    vec3 c = mix(vec3(0.004, 0.004, 0.014), vec3(0.12, 0.012, 0.17), smoothstep(0.0, 0.35, t));
    c = mix(c, vec3(0.60, 0.06, 0.06), smoothstep(0.25, 0.60, t));
    c = mix(c, vec3(0.95, 0.38, 0.02), smoothstep(0.55, 0.82, t));
    return mix(c, vec3(0.97, 0.95, 0.50), smoothstep(0.78, 1.0, t));
}

// Blue below, green in the middle, red above.
vec3 deviationRamp(float t) {
    vec3 c = mix(vec3(0.02, 0.10, 0.70), vec3(0.05, 0.50, 0.12), smoothstep(0.0, 0.5, t));
    return mix(c, vec3(0.70, 0.03, 0.02), smoothstep(0.5, 1.0, t));
}

// All hues but the last sixth, so that both ends differ.
vec3 hueRamp(float t) {
    vec3 c = clamp(abs(fract(0.83 * t + vec3(0.0, 0.667, 0.333)) * 6.0 - 3.0) - 1.0, 0.0, 1.0);
    return 0.04 + 0.66 * c * c;
}

// Kinds of things, by their number; eight of them differ.
vec3 kindColour(float number) {
    const vec3 kinds[8] = vec3[8](vec3(0.03, 0.20, 0.62), vec3(0.72, 0.36, 0.03), vec3(0.05, 0.42, 0.12),
                                  vec3(0.60, 0.06, 0.05), vec3(0.30, 0.12, 0.55), vec3(0.55, 0.48, 0.05),
                                  vec3(0.05, 0.45, 0.48), vec3(0.60, 0.20, 0.38));
    return kinds[int(number + 0.01) & 7];
}

// What the water's colours show, by wbColour.
vec3 ramp(float t) {
    if (options.x < 1.5) return densityRamp(t);
    if (options.x < 4.5) return speedRamp(t);
    if (options.x < 5.5) return deviationRamp(t);
    if (options.x < 7.5) return fieldRamp(t, 1.0);
    if (options.x < 8.5) return hueRamp(t);
    return kindColour(min(t, 0.999) / water.w);
}

// A filmic curve (bright parts roll off instead of clipping), then the screen's gamma, taken as 2: near enough,
// and a root costs a tenth of a power.
vec3 encode(vec3 c) {
    c = c * (1.0 + c * 0.05) / (1.0 + c * 0.48);
    return sqrt(clamp(c, 0.0, 1.0));
}

// The inverse of encode.
vec3 decode(vec3 c) {
    vec3 y = c * c, b = 1.0 - 0.48 * y;
    return 2.0 * y / (b + sqrt(b * b + 0.2 * y));
}

// a grain finer than a step of brightness hides the steps (interleaved gradient noise, Jimenez 2014)
float grain(vec2 pixel) {
    return (fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715)))) - 0.5) / 255.0;
}

const vec3 sunNoon = vec3(1.42, 1.34, 1.20);
const vec3 skyNoon = vec3(0.54, 0.66, 0.82);
#define sunColour (sunNoon * fireLight.w)
#define skyColour (skyNoon * fireLight.w)
#define groundColour (vec3(0.26, 0.27, 0.30) * fireLight.w)

// On colours of a scale: as lit as a sphere's bright side.
const vec3 scaleLight = sunNoon * 0.75 + 0.5 * skyNoon;

// Light of fire at a point of a surface, as if all of it came from its middle; without a normal, in the air.
vec3 firelight(vec3 position, vec3 normal) {
    vec3 way = fire.xyz - position;
    float square = dot(way, way);
    float facing = normal == vec3(0.0) ? 0.5 : max(dot(way, normal) * inversesqrt(square + 1e-12) + 0.1, 0.0);
    return fireLight.rgb * (facing / (square + fire.w));
}

// A vector turned by a quaternion.
vec3 turn(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }

// World to the sun's maps: xy in them, z the depth that they hold.
vec3 toSunMap(vec3 position) { return (sun * vec4(position, 1.0)).xyz * 0.5 + 0.5; }

// Length on the sun's maps of 1 m across.
float sunMapScale() { return 0.5 * length(vec3(sun[0][0], sun[1][0], sun[2][0])); }

// Share of the sun that bodies keep from a point: how many of 3 x 3 texels around lie before it, with borders
// that glide. The point is taken a little above its surface, so that this does not shade itself.
float bodyShadow(sampler2D map, vec3 position, vec3 normal) {
    if (centre.w < 0.5) return 0.0;
    float texel = 1.0 / (options.w * sunMapScale());
    vec3 place = toSunMap(position + normal * (2.0 * texel));
    if (any(lessThan(place, vec3(0.0))) || any(greaterThan(place.xy, vec2(1.0)))) return 0.0;
    float depth = min(place.z, 1.0) - 1.0 * texel / toSun.w; // what lies behind all that the map shows is shaded too
    vec2 at = place.xy * options.w - 0.5, share = fract(at);
    ivec2 first = ivec2(floor(at)) - 1, last = ivec2(options.w) - 1;
    // most points see the whole sun or none of it: the corners and the middle tell
    int covered = 0;
    for (int i = 0; i < 8; ++i) {
        ivec2 step = (i < 4 ? 1 : 3) * ivec2(i & 1, i >> 1 & 1) + (i < 4 ? 1 : 0);
        covered += texelFetch(map, clamp(first + step, ivec2(0), last), 0).r < depth ? 1 : 0;
    }
    bool isClear = covered == 0 || covered == 8;
    float shade = 0.0;
    int taps = isClear ? 1 : 16; // a renderer on the CPU leaves out steps of a loop, but not what lies behind a return
    for (int i = 0; i < taps; ++i) {
        ivec2 step = ivec2(i & 3, i >> 2);
        vec2 weight = mix(vec2(1.0), share, equal(step, ivec2(3))) * mix(vec2(1.0), 1.0 - share, equal(step, ivec2(0)));
        float nearest = texelFetch(map, clamp(first + step, ivec2(0), last), 0).r;
        shade += nearest < depth ? weight.x * weight.y : 0.0;
    }
    return isClear ? float(covered) / 8.0 : shade / 9.0;
}

// Share of the sun's light that reaches a point through the water above it; the mean over corners and middle of a square around it.
float waterLight(sampler2D map, vec3 position, float reach) {
    vec3 place = toSunMap(position);
    float light = 0.0;
    for (int i = 0; i < 5; ++i) {
        vec2 corner = i < 4 ? vec2(i & 1, i >> 1) * 2.0 - 1.0 : vec2(0.0);
        float nearest = textureLod(map, place.xy + corner * (reach * sunMapScale()), 0.0).r;
        light += exp(-max(place.z - nearest, 0.0) * toSun.w / water.y);
    }
    return light / 5.0;
}

// Share of the sun's light that comes through smoke: to a point in its box, and to the floor below.
float smokeLight(sampler3D cells, vec3 position) {
    vec3 place = (position - smokeMin.xyz) / smokeSize.xyz;
    bool inside = all(greaterThanEqual(place, vec3(0.0))) && all(lessThanEqual(place, vec3(1.0)));
    return smokeMin.w > 0.5 && inside ? textureLod(cells, place, 0.0).a : 1.0;
}

// Where a way from the eye enters and leaves a box, in lengths of it.
vec2 boxSpan(vec3 low, vec3 high, vec3 way) {
    vec3 inverse = 1.0 / (way + vec3(lessThan(abs(way), vec3(1e-7))) * 2e-7);
    vec3 a = (low - eye.xyz) * inverse, b = (high - eye.xyz) * inverse;
    vec3 enter = min(a, b), leave = max(a, b);
    return vec2(max(max(enter.x, enter.y), enter.z), min(min(leave.x, leave.y), leave.z));
}

// Share of the light from a point that comes through smoke to the eye.
float smokeClear(sampler3D cells, vec3 position) {
    if (smokeMin.w < 0.5 || smokeDark.x <= 0.0) return 1.0;
    vec3 way = position - eye.xyz;
    vec2 span = boxSpan(smokeMin.xyz, smokeMin.xyz + smokeSize.xyz, way);
    float start = max(span.x, 0.0), end = min(span.y, 1.0);
    if (start >= end) return 1.0;
    float length = (end - start) * length(way), count = clamp(ceil(length / smokeSize.w), 1.0, 128.0), sum = 0.0;
    for (float n = 0.5; n < count; ++n) {
        vec3 at = eye.xyz + mix(start, end, n / count) * way;
        float root = textureLod(cells, (at - smokeMin.xyz) / smokeSize.xyz, 0.0).r;
        sum += root * root;
    }
    return exp(-smokeDark.x * sum * length / count);
}

float smokeFloorLight(sampler2D shade, vec3 position) {
    if (smokeMin.w < 0.5) return 1.0;
    float up = smokeMin.y + 0.5 * smokeSize.w - position.y; // to the middle of the lowest cells
    vec2 place = position.xz + toSun.xz / toSun.y * up;
    return textureLod(shade, (place - smokeShade.xy) * smokeShade.zw, 0.0).r;
}

// How far from the eye, along its line of sight, a value of the depth buffer is.
float eyeDepth(float depth) { return projection[3][2] / (2.0 * depth - 1.0 + projection[2][2]); }

// A direction in the world for a pixel, one unit of eye depth long.
vec3 getRay(vec2 pixel) { return transpose(mat3(view)) * vec3((pixel / screen.xy * 2.0 - 1.0) * screen.zw, -1.0); }

// Eye depths at which a pixel's ray enters and leaves a box.
vec2 boxDepths(vec3 low, vec3 high, vec2 pixel) { return boxSpan(low, high, getRay(pixel)); }

vec2 sideDepths(vec2 pixel) { return boxDepths(sideMin.xyz, sideMax.xyz, pixel); }
