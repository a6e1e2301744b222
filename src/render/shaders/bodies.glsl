// SPDX-License-Identifier: MIT
// Bodies in sun and sky. Clear ones show more of themselves where they are seen at a grazing angle, as glass does. They are
// drawn over smoke, and fade as much as the smoke before them hides. CLEAR is their program; opaque ones have one with all that
// lights them, one of pictures without water and smoke (DRY), and one without shadows (QUICK).
uniform sampler2D sunDepth;
uniform sampler2D sunBodies;
uniform sampler3D smokeCells;

#ifdef VERTEX
layout(location = 0) in vec3 corner;
layout(location = 1) in vec3 cornerNormal;
layout(location = 2) in vec3 position;
layout(location = 3) in vec4 rotation;
layout(location = 4) in vec4 tint; // as the screen shows it; opacity

out vec3 place;
out vec3 normal;
flat out vec4 albedo;

void main() {
    place = position + turn(rotation, corner);
    normal = turn(rotation, cornerNormal);
    albedo = vec4(tint.rgb * tint.rgb, tint.a);
    vec4 p = view * vec4(place, 1.0);
    gl_Position = projection * p;
#ifdef CLEAR
    // water that touches the glass from inside must not come through it: its spheres reach a spacing out
    float z = min(p.z + surface.z, -1e-6);
    gl_Position.z = -(projection[2][2] * z + projection[3][2]) / z * gl_Position.w;
#endif
}
#endif

#ifdef FRAGMENT
in vec3 place;
in vec3 normal;
flat in vec4 albedo;

out vec4 colour;

void main() {
    vec3 sight = normalize(place - eye.xyz);
    vec3 n = normalize(normal) * (gl_FrontFacing ? 1.0 : -1.0);
    float facing = max(dot(n, -sight), 0.0), sunward = max(dot(n, toSun.xyz), 0.0);
    float lit = 1.0;
    vec3 through = vec3(1.0);
#ifndef QUICK
    if (options.y > 0.5) {
        lit = 1.0 - bodyShadow(sunBodies, place, n);
#ifndef DRY
        lit *= smokeLight(smokeCells, place);
        through = mix(vec3(0.10, 0.20, 0.32), vec3(1.0), waterLight(sunDepth, place, 2.5 * surface.z));
#endif
    }
#endif
    vec3 ambient = mix(groundColour, skyColour, n.y * 0.5 + 0.5) * 0.75;
    vec3 light = albedo.rgb * (sunColour * (0.85 * sunward * lit) * through + ambient + firelight(place, n));
    float shine = pow(max(dot(normalize(toSun.xyz - sight), n), 0.0), 60.0) * lit;
    float mirror = 0.04 + 0.96 * pow(1.0 - facing, 5.0);
#ifdef CLEAR
    light = mix(light, skyColour, mirror) + sunColour * (1.5 * shine);
    float cover = clamp(albedo.a + 0.7 * mirror + shine, 0.0, 1.0) * smokeClear(smokeCells, place);
    colour = vec4(encode(light) * cover, cover);
#else
    light += skyColour * (0.25 * mirror) + sunColour * (0.12 * shine);
    colour = vec4(encode(light) + grain(gl_FragCoord.xy), 0.0);
#endif
}
#endif
