// SPDX-License-Identifier: MIT
// Particles as spheres: a square per particle that faces the eye, on which each pixel finds its point of the
// sphere. All directions are given in the square's own axes (x right, y up, z to the eye), so that a pixel
// needs no matrix.
uniform sampler2D sunDepth;
uniform sampler2D sunBodies;

#ifdef VERTEX
layout(location = 0) in vec4 drop; // position, value
layout(location = 1) in vec4 body; // normal of the body of water, occlusion
layout(location = 2) in float scale; // its size over the smallest's

out vec2 local; // on the square; the sphere's outline has radius 1
flat out vec3 albedo;
flat out vec4 sunAxis; // direction to the sun; w: how much of its light comes through
flat out vec3 upAxis;
flat out vec4 bodyAxis; // normal of the body; w: how clear it is, 0 to 1
flat out vec4 depthRow; // view z = w + dot(xyz, point of the unit sphere)
flat out vec2 spot;     // radius in pixels, occlusion

const vec2 taps[8] = vec2[8](vec2(0.0, 0.35), vec2(0.55, 0.1), vec2(0.2, -0.7), vec2(-0.6, -0.25),
                             vec2(-0.8, 0.6), vec2(0.75, 0.75), vec2(0.95, -0.5), vec2(-0.3, 1.0));

// Water lets light through: what lies deeper below the surface, as the sun sees it, is darker.
float sunlight(vec3 position) {
    if (options.y < 0.5) return 1.0;
    vec3 place = (sun * vec4(position, 1.0)).xyz * 0.5 + 0.5;
    float reach = 1.8 * water.x * length(vec3(sun[0][0], sun[1][0], sun[2][0]));
    float light = 0.0;
    for (int i = 0; i < 8; ++i) {
        float nearest = textureLod(sunDepth, place.xy + reach * taps[i], 0.0).r;
        float depth = max(place.z - nearest, 0.0) * toSun.w;
        light += exp(-depth / water.y);
    }
    return light / 8.0 * (1.0 - bodyShadow(sunBodies, position, toSun.xyz));
}

void main() {
    vec3 c = (view * vec4(drop.xyz, 1.0)).xyz;
    float distance = length(c);
    vec3 back = -c / distance;
    vec3 right = normalize(cross(vec3(0.0, 1.0, 0.0), back) + vec3(1e-6, 0.0, 0.0));
    vec3 up = cross(back, right);

    // the outline of a sphere is a circle around its centre, a little wider than the sphere when it is near
    float size = water.x * scale;
    float nearness = min(size / distance, 0.95);
    float radius = size * inversesqrt(1.0 - nearness * nearness);
    float pixels = radius / distance * projection[1][1] * 0.5 * screen.y;
    local = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    local *= 1.0 + 0.75 / pixels;
    vec3 corner = c + radius * (local.x * right + local.y * up);
    gl_Position = projection * vec4(corner, 1.0);

    mat3 toLocal = transpose(mat3(right, up, back)) * mat3(view);
    albedo = ramp(clamp((drop.w - water.z) * water.w, 0.0, 1.0));
    sunAxis = vec4(toLocal * toSun.xyz, sunlight(drop.xyz));
    upAxis = toLocal[1];
    float clear = length(body.xyz);
    bodyAxis = vec4(toLocal * (body.xyz / max(clear, 1e-4)), min(clear, 1.0));
    depthRow = vec4(size * right.z, size * up.z, size * back.z, c.z);
    spot = vec2(pixels, max(body.w, 0.0));
}
#endif

#ifdef FRAGMENT
in vec2 local;
flat in vec3 albedo;
flat in vec4 sunAxis;
flat in vec3 upAxis;
flat in vec4 bodyAxis;
flat in vec4 depthRow;
flat in vec2 spot;

out vec4 colour;

void main() {
    float across = dot(local, local);
    float edge = (1.0 - sqrt(across)) * spot.x + 0.5; // pixels inside the outline
    if (edge <= 0.0) discard;
    vec3 bead = vec3(local, sqrt(max(1.0 - across, 0.0)));

    // the light falls on something between single spheres and the smooth body that they form
    vec3 normal = normalize(mix(bead, bodyAxis.xyz, 0.45 * bodyAxis.w));
    float sunward = dot(normal, sunAxis.xyz);
    float direct = max(sunward * 0.85 + 0.15, 0.0) * sunAxis.w;
    float open = 1.0 - 0.75 * smoothstep(0.35, 1.0, spot.y);
    float crevice = mix(1.0, 0.45 + 0.55 * bead.z, 0.9 * smoothstep(0.15, 0.5, spot.y));
    vec3 ambient = mix(groundColour, skyColour, dot(normal, upAxis) * 0.5 + 0.5) * (open * crevice);
    vec3 light = albedo * (sunColour * direct * mix(crevice, 1.0, 0.5) + ambient);

    // wet: the sky glances off grazing surfaces, the sun off the spheres
    vec3 outline = normalize(mix(bead, bodyAxis.xyz, 0.7 * bodyAxis.w));
    float graze = 1.0 - max(outline.z, 0.0);
    light += skyColour * (0.30 * graze * graze * graze * open);
    float shine = max(dot(normalize(sunAxis.xyz + vec3(0.0, 0.0, 1.0)), normal), 0.0);
    shine *= shine;
    shine *= shine;
    shine *= shine;
    shine *= shine;
    light += sunColour * (0.22 * shine * shine * sunAxis.w);

    float z = depthRow.w + dot(depthRow.xyz, bead);
    gl_FragDepth = 0.5 - 0.5 * (projection[2][2] * z + projection[3][2]) / z;
    colour = vec4(encode(light), min(edge, 1.0)); // alpha becomes the share of samples that are covered
}
#endif
