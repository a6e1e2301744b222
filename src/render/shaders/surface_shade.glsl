// SPDX-License-Identifier: MIT
// Light on the smooth surface: what is behind it, bent and tinted by the water, and the sky that it mirrors.
uniform sampler2D depths; // smoothed; share
uniform sampler2D thicknesses;
uniform sampler2D behind;
uniform sampler2D sunDepth;
uniform sampler2D sunBodies;
uniform sampler2D bodies; // eye depth; 1e30 where there is none

#ifdef VERTEX
void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0); }
#endif

#ifdef FRAGMENT
out vec4 colour; // alpha: 0 where an edge runs through

const float empty = 1e20; // depths beyond are no water

// A point in the eye's axes, for a pixel at a depth.
vec3 unproject(vec2 pixel, float z) {
    return vec3((pixel / screen.xy * 2.0 - 1.0) * screen.zw, -1.0) * z;
}

// How much farther away the water is at a neighbour; no number that counts if it is another surface: far away,
// none at all, or a side beside water that is free.
float difference(ivec2 neighbour, vec2 here, float range) {
    vec2 there = texelFetch(depths, clamp(neighbour, ivec2(0), textureSize(depths, 0) - 1), 0).rg;
    bool same = abs(there.x - here.x) < range && sign(there.y) == sign(here.y);
    return same ? there.x - here.x : empty;
}

// The change of depth from pixel to pixel, from the neighbours that belong to the same surface.
float slope(float before, float after) {
    if (before < empty && after < empty) return 0.5 * (after - before);
    return after < empty ? after : before < empty ? -before : 0.0;
}

vec3 findNormal(vec2 pixel, float z, vec4 steps) {
    vec3 here = unproject(pixel, z);
    vec3 along = unproject(pixel + vec2(1.0, 0.0), z + slope(steps.x, steps.y)) - here;
    vec3 upward = unproject(pixel + vec2(0.0, 1.0), z + slope(steps.z, steps.w)) - here;
    return normalize(cross(along, upward));
}

vec3 sky(vec3 direction) {
    vec3 high = mix(vec3(1.35, 1.45, 1.50), vec3(0.30, 0.50, 0.82), smoothstep(-0.05, 0.65, direction.y));
    vec3 c = mix(vec3(0.20, 0.24, 0.29), high, smoothstep(-0.12, 0.06, direction.y));
    float sunward = max(dot(direction, toSun.xyz), 0.0);
    return c * fireLight.w + sunColour * (0.9 * smoothstep(0.86, 1.0, sunward));
}

// Where a point in the eye's axes is on the screen, 0 to 1.
vec2 project(vec3 point) { return point.xy / (max(-point.z, 1e-6) * screen.zw) * 0.5 + 0.5; }

// Whether a body is seen there, and farther from the eye than `from` but not than `to`.
bool hasBody(vec2 place, float from, float to) {
    float depth = texelFetch(bodies, ivec2(clamp(place * screen.xy, vec2(0.0), screen.xy - 1.0)), 0).r;
    return depth > from && depth < to;
}

// How far a ray gets before it meets a body: steps on the screen, then halves of the last one. Bodies that stand
// before its start are not in its way.
float march(vec3 start, vec3 direction, float longest) {
    int steps = centre.w > 0.5 ? 8 : 0;
    float first = -start.z - surface.z, free = 0.0, blocked = longest;
    bool hit = false;
    for (int i = 1; i <= steps && !hit; ++i) {
        float way = longest * float(i) / float(steps);
        vec3 point = start + direction * way;
        hit = hasBody(project(point), first, -point.z);
        if (hit) blocked = way;
        else free = way;
    }
    for (int i = 0; i < (hit ? 4 : 0); ++i) {
        float way = 0.5 * (free + blocked);
        vec3 point = start + direction * way;
        if (hasBody(project(point), first, -point.z)) blocked = way;
        else free = way;
    }
    return blocked;
}

void main() {
    ivec2 p = ivec2(gl_FragCoord.xy);
    vec2 found = texelFetch(depths, p, 0).rg;
    float z = found.x, share = abs(found.y);
    if (share == 0.0) discard; // what is behind is there already
    float range = max(surface.x, 8.0 * screen.w / screen.y * z);
    vec4 steps = vec4(difference(p - ivec2(1, 0), found, range), difference(p + ivec2(1, 0), found, range),
                      difference(p - ivec2(0, 1), found, range), difference(p + ivec2(0, 1), found, range));
    float edge = max(max(steps.x, steps.y), max(steps.z, steps.w)) < empty ? 0.0 : 1.0;
    mat3 toWorld = transpose(mat3(view));
    vec3 point = unproject(gl_FragCoord.xy, z), sight = normalize(point);
    vec3 normal = findNormal(gl_FragCoord.xy, z, steps);
    float facing = max(dot(normal, -sight), 0.02);

    // at its outline a body of water is thicker than the straight way through it: it mirrors itself inside;
    // a lone drop is as thick as its sphere
    vec2 column = textureLod(thicknesses, gl_FragCoord.xy / screen.xy, 0.0).rg;
    float thickness = column.x * surface.z + 0.4 * surface.w;
    thickness = mix(2.0 * surface.y * facing, thickness, share);

    // what is behind: seen where the bent ray leaves the water, or meets floor or body
    vec3 ray = toWorld * sight, outward = toWorld * normal, place = eye.xyz + toWorld * point;
    vec3 bent = refract(ray, outward, 0.75);
    float way = thickness;
    if (ground.w > 0.5 && bent.y < 0.0) way = min(way, max(place.y - ground.x, 0.0) / -bent.y);
    float free = march(point, mat3(view) * bent, way);
    if (free < way) thickness = way = free;
    vec3 far = place + bent * way;
    if (share < 1.0) {
        // a drop bends the ray once more where it leaves
        vec3 leaving = normalize(outward + 2.0 * dot(-outward, bent) * bent);
        far += refract(bent, -leaving, 1.333) * ((1.0 - share) * 20.0 * surface.z);
    }
    far = mat3(view) * (far - eye.xyz);
    vec2 seen = clamp(project(far), 0.0, 1.0);
    // what stands before the water is not seen through it
    if (hasBody(seen, 0.0, z - surface.z)) seen = gl_FragCoord.xy / screen.xy;
    vec4 background = textureLod(behind, seen, 0.0);
    vec3 through = decode(background.rgb);
    if (background.a < 0.5) edge = 1.0;

    vec3 absorbed = exp(-vec3(1.0, 0.34, 0.16) * (thickness / surface.w));
    float lit = 1.0 - bodyShadow(sunBodies, place, outward);
    float light = lit * waterLight(sunDepth, place + bent * min(0.5 * thickness, 2.0 * surface.z), 2.5 * surface.z);
    light *= 0.55 + 0.45 * max(dot(outward, toSun.xyz), 0.0);
    float murk = 1.0 - exp(-0.8 * thickness / surface.w);
    // what is scattered inside has the colour of the mean value along the line of sight
    vec3 tint = mix(vec3(0.010, 0.17, 0.33), ramp(column.y / max(column.x, 1e-4)), options.x < 0.5 ? 0.0 : 0.5);
    vec3 glow = tint * (sunColour * 1.1 * light + skyColour * (0.30 + 0.15 * outward.y));
    vec3 inside = mix(through * absorbed, glow, murk);
    // broken water holds air
    inside = mix(inside, skyColour * 0.5 + sunColour * (0.5 * light), 0.18 * (1.0 - share));

    vec3 mirrored = reflect(ray, outward);
    float fresnel = 0.02 + 0.98 * pow(1.0 - facing, 5.0);
    vec3 c = mix(inside, sky(mirrored), fresnel);
    float shine = max(dot(normalize(toSun.xyz - ray), outward), 0.0);
    c += sunColour * (2.0 * lit * pow(shine, 500.0));
    colour = vec4(encode(c) + grain(gl_FragCoord.xy), 1.0 - edge);
}
#endif
