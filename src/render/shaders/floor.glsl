// SPDX-License-Identifier: MIT
// Everything behind water and bodies: a gradient, and a tiled floor that fades into it. QUICK has no shadows, DRY those of bodies alone.
#ifdef VERTEX
out vec2 place; // -1 to 1

void main() {
    place = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0;
    gl_Position = vec4(place, 1.0, 1.0);
}
#endif

#ifdef FRAGMENT
uniform sampler2D shadow; // of the water
uniform sampler2D sunBodies;
uniform sampler2D smokeShadow;

in vec2 place;
out vec4 colour;

// Share of a pixel that is covered by lines at whole numbers; `width` in tiles, `pixel` is the pixel's size.
float lines(vec2 p, vec2 pixel, float width) {
    vec2 away = abs(fract(p - 0.5) - 0.5);
    vec2 covered = clamp((width * 0.5 - away) / pixel + 0.5, 0.0, 1.0) * min(width / pixel, 1.0);
    return max(covered.x, covered.y);
}

vec3 background() {
    float h = place.y * 0.5 + 0.5;
    vec3 c = mix(vec3(0.42, 0.47, 0.53), vec3(0.17, 0.23, 0.32), smoothstep(0.0, 1.0, h));
    if (options.z < 2.5) c *= vec3(0.20, 0.22, 0.26); // in the plane it shows between the discs
    return c * ((1.0 - 0.09 * dot(place, place)) * fireLight.w);
}

vec3 tiles(vec3 p, vec3 ray, float away) {
    vec2 tile = p.xz / ground.y;
    // size of a pixel on the floor, by hand: derivatives break where the ray leaves the floor
    float pixel = 2.0 * screen.w / screen.y * away / ground.y;
    vec2 size = vec2(pixel, pixel) * (0.6 + 0.4 / max(abs(normalize(ray).y), 0.05));
    vec2 cell = floor(tile);
    float checker = mod(cell.x + cell.y, 2.0) * 2.0 - 1.0;
    checker *= clamp(0.35 / max(size.x, size.y), 0.0, 1.0);
    vec3 albedo = vec3(0.47, 0.485, 0.50) * (1.0 + 0.035 * checker);
    albedo *= 1.0 - 0.16 * lines(tile, size, 0.018);

#ifdef QUICK
    return albedo * (sunColour * (toSun.y * 0.80) + skyColour * 0.62);
#elif defined(DRY)
    float lit = 1.0 - bodyShadow(sunBodies, p, vec3(0.0, 1.0, 0.0));
    return albedo * (sunColour * (toSun.y * 0.80 * lit) + skyColour * 0.62);
#else
    vec2 map = (sun * vec4(p, 1.0)).xy * 0.5 + 0.5;
    float shade = options.y * textureLod(shadow, map, 0.0).r;
    vec2 inside = step(vec2(0.0), map) * step(map, vec2(1.0));
    shade *= inside.x * inside.y;
    vec3 through = mix(vec3(1.0), vec3(0.10, 0.20, 0.32), shade); // some light comes through the water, bluish
    float lit = options.y > 0.5 ? 1.0 - bodyShadow(sunBodies, p, vec3(0.0, 1.0, 0.0)) : 1.0;
    lit *= smokeFloorLight(smokeShadow, p);
    vec3 day = sunColour * toSun.y * 0.80 * lit * through + skyColour * (0.62 - 0.22 * shade);
    return albedo * (day + firelight(p, vec3(0.0, 1.0, 0.0)));
#endif
}

void main() {
    vec3 c = background();
    gl_FragDepth = 1.0;
    vec3 ray = transpose(mat3(view)) * vec3(place * screen.zw, -1.0);
    float t = (ground.x - eye.y) / ray.y;
    if (ground.w > 0.5 && ray.y < -1e-4 && t > 0.0) {
        vec3 p = eye.xyz + t * ray;
        float fade = smoothstep(0.25, 1.0, length(p.xz - centre.xz) / ground.z);
        if (fade < 1.0) {
            c = mix(tiles(p, ray, t), c, fade);
            float z = -t; // the ray's view z is -1
            gl_FragDepth = clamp(0.5 - 0.5 * (projection[2][2] * z + projection[3][2]) / z, 0.0, 1.0);
        }
    }
    colour = vec4(encode(c) + grain(gl_FragCoord.xy), 1.0);
}
#endif
