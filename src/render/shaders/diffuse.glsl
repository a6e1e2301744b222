// SPDX-License-Identifier: MIT
// Spray, foam and bubbles as soft white spots, drawn out along their way. PLAIN: over spheres, by the depth buffer alone; else over
// the smooth surface, whose depths say what of them is in the water.
uniform sampler2D depths;    // of the water, smoothed; share
uniform sampler2D scene;     // of floor and bodies
uniform sampler2D sunBodies;

#ifdef VERTEX
layout(location = 0) in vec4 spot;   // position, radius
layout(location = 1) in vec4 motion; // m that it goes while the shutter is open; kind (0: spray, 1: foam, 2: bubble) + opacity

out vec2 local;       // on the spot; its outline has radius 1
flat out vec3 light;  // as the screen shows it
flat out float opacity;
flat out float kind;
flat out float depth; // from the eye

void main() {
    kind = floor(motion.w);
    opacity = motion.w - kind;
    vec3 c = (view * vec4(spot.xyz, 1.0)).xyz, way = 0.5 * (mat3(view) * motion.xyz);
    depth = -c.z;
    float pixel = 2.0 * screen.w * max(depth, 1e-6) / screen.y;
    // smaller than a pixel it would come and go between the pixels' centres
    float radius = max(spot.w, 0.7 * pixel), shrink = spot.w / radius;
    float stretch = length(way.xy);
    vec2 along = stretch > 1e-9 ? way.xy / stretch : vec2(1.0, 0.0);
    float reach = radius + stretch;
    // what it covers stays the same
    opacity *= shrink * shrink * radius / reach;
    local = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    vec2 offset = along * (local.x * reach) + vec2(-along.y, along.x) * (local.y * radius);
    vec4 place = vec4(c + vec3(offset, 0.0), 1.0);
#ifdef PLAIN
    place.xyz *= 1.0 - 1.5 * surface.z / max(depth, 2.0 * surface.z); // before the sphere that it lies on
#endif
    gl_Position = projection * place;
    float lit = 1.0 - bodyShadow(sunBodies, spot.xyz, vec3(0.0));
    light = encode(0.92 * (sunColour * (0.62 * lit) + skyColour * 0.62));
}
#endif

#ifdef FRAGMENT
in vec2 local;
flat in vec3 light;
flat in float opacity;
flat in float kind;
flat in float depth;

out vec4 colour;

void main() {
    float across = dot(local, local);
    if (across >= 1.0) discard;
    // drops have an edge; foam and bubbles fade towards it
    float soft = 1.0 - across;
    float alpha = opacity * (kind < 0.5 ? min(2.0 * soft, 1.0) : soft * soft);
    vec3 c = light;
#ifndef PLAIN
    ivec2 p = ivec2(gl_FragCoord.xy);
    if (depth > eyeDepth(texelFetch(scene, p, 0).r) + 0.3 * surface.z) discard;
    vec2 found = texelFetch(depths, p, 0).rg;
    float inside = found.y == 0.0 ? -1.0 : (depth - found.x) / surface.z; // spacings behind the surface
    if (kind < 0.5) alpha *= 1.0 - smoothstep(-0.2, 0.8, inside);
    else if (kind < 1.5) alpha *= 1.0 - smoothstep(1.0, 2.5, inside);
    else {
        float way = max(inside, 0.0) * surface.z / surface.w;
        c *= exp(-vec3(1.0, 0.34, 0.16) * way);
        alpha *= exp(-1.6 * way);
    }
#endif
    if (alpha < 0.003) discard;
    colour = vec4(c, alpha);
}
#endif
