// SPDX-License-Identifier: MIT
// Smoke and fire along the line of sight of each fourth pixel: light that the smoke scatters towards the eye, in the
// shadow that it throws on itself, and the glow of what is hot.
#ifdef VERTEX
void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0); }
#endif

#ifdef FRAGMENT
uniform sampler3D cells;       // root of the density, temperature, sun; see wbVolumeGrid
uniform sampler3D tints;       // colour of coloured smoke
uniform sampler3D steps;       // blocks to the next one with smoke
uniform sampler3D around;      // light of fire and share of the sky, half as fine; see wbVolumeAround
uniform sampler2D glow;        // light of what is hot, by temperature
uniform sampler2D scene;       // depths of what is not clear
uniform sampler2D waterDepths; // from the eye; and 0 where there is no water
uniform vec4 matter; // of full texels: extinction and glow, 1/m; method; 1: smoke has tints
uniform vec4 albedo; // w: how much more light is scattered onwards than back
uniform vec4 span;   // part of the ray (0 all, 1 behind water, 2 before it); axis of slices; 1 / block; glow of soot

out vec4 colour; // light, and share of what is behind that is hidden

// Light of what is hot, of the colour of its smoke: see wbTintGlow.
vec3 tintGlow(vec3 light, vec3 tint) {
    float most = max(max(tint.r, tint.g), tint.b), least = min(min(tint.r, tint.g), tint.b);
    vec3 pure = tint / max(most, 1e-6);
    float share = (1.0 - least / max(most, 1e-6)) * min(8.0 * most, 1.0);
    return mix(light, light.r * pure * pure, share);
}

void main() {
    colour = vec4(0.0);
    ivec2 pixel = min(2 * ivec2(gl_FragCoord.xy), ivec2(screen.xy) - 1);
    vec3 ray = getRay(vec2(pixel) + 0.5);
    // in cells, from here on; t is the depth from the eye
    vec3 origin = (eye.xyz - smokeMin.xyz) / smokeSize.w, direction = ray / smokeSize.w;
    vec3 count = smokeSize.xyz / smokeSize.w;
    vec3 inverse = 1.0 / (direction + vec3(lessThan(abs(direction), vec3(1e-7))) * 2e-7);
    vec3 a = -origin * inverse, b = (count - origin) * inverse;
    vec3 enter = min(a, b), leave = max(a, b);
    float start = max(max(max(enter.x, enter.y), enter.z), 0.0), end = min(min(leave.x, leave.y), leave.z);
    end = min(end, eyeDepth(texelFetch(scene, pixel, 0).r));
    if (span.x > 0.5) {
        vec2 water = texelFetch(waterDepths, pixel, 0).rg;
        if (span.x < 1.5 && water.y != 0.0) start = max(start, water.x);
        if (span.x > 1.5) end = water.y != 0.0 ? min(end, water.x) : 0.0;
    }
    if (start >= end) return;

    // pieces of a ray are a cell long; where they begin differs within each square of four rays, whose mean
    // volume_blend takes, so that they form no layers
    float metre = length(ray), piece = smokeSize.w / metre;
    ivec2 odd = ivec2(gl_FragCoord.xy) & 1;
    float first = start - (0.125 + 0.25 * float(odd.x ^ odd.y) + 0.5 * float(odd.y)) * piece;
    if (matter.z > 0.5) {
        // slices: of cells across an axis of the box, or as thick as a cell across the view
        float along = matter.z > 1.5 ? 1.0 / smokeSize.w : abs(direction[int(span.y)]);
        float from = matter.z > 1.5 ? 0.0 : -origin[int(span.y)] / direction[int(span.y)];
        piece = min(1.0 / max(along, 1e-6), end - start + 1.0);
        first = from + floor((start - from) / piece) * piece;
    }

    vec3 sight = ray / metre;
    float onwards = dot(sight, toSun.xyz);
    vec3 sun = sunColour * (1.1 + albedo.w * onwards * onwards * (onwards > 0.0 ? 1.0 : 0.4));
    float through = 1.0, number = 0.0;
    for (int i = 0; i < 4096; ++i) {
        float from = max(first + number * piece, start), to = min(first + (number + 1.0) * piece, end);
        if (from >= end) break;
        // a slice is where it is; a piece of a ray that is cut counts in its middle
        float t = matter.z > 0.5 ? first + (number + 0.5) * piece : 0.5 * (from + to);
        vec3 place = origin + t * direction, block = floor(place * span.z);
        float away = texelFetch(steps, clamp(ivec3(block), ivec3(0), textureSize(steps, 0) - 1), 0).r * 255.0;
        number += 1.0;
        if (away > 0.5) {
            vec3 edge = mix(block - away + 1.0, block + away, step(0.0, direction)) / span.z;
            vec3 ends = (edge - origin) * inverse;
            number = max(number, floor((min(min(ends.x, ends.y), ends.z) - first) / piece));
            continue;
        }
        vec4 cell = textureLod(cells, place / count, 0.0);
        float extinction = cell.r * cell.r * matter.x, way = (to - from) * metre;
        vec3 tint = matter.w > 0.5 ? textureLod(tints, place / count, 0.0).rgb : vec3(1.0);
        vec4 surround = textureLod(around, place / (2.0 * vec3(textureSize(around, 0))), 0.0);
        vec3 ambient = mix(groundColour, skyColour, 0.6) * (0.06 + 0.7 * surround.a);
        // a tint is as the screen shows it
        vec3 scattered = albedo.rgb * tint * tint * (sun * cell.b + ambient + surround.rgb);
        // hot gas glows, and soot as much as it takes of the light (Kirchhoff)
        vec3 shining = tintGlow(textureLod(glow, vec2(cell.g, 0.5), 0.0).rgb, tint);
        shining *= matter.y + span.w * extinction;
        float stays = exp(-extinction * way);
        // what shines within the piece is dimmed by its own smoke
        float mean = extinction * way > 1e-3 ? (1.0 - stays) / extinction : way;
        colour.rgb += through * (scattered * (1.0 - stays) + shining * mean);
        through *= stays;
        if (through < 0.004) {
            through = 0.0;
            break;
        }
    }
    colour.a = 1.0 - through;
}
#endif
