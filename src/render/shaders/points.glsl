// SPDX-License-Identifier: MIT
// Particles as points that are shaded as balls: colour and light are found once per particle, each pixel only finds how
// much it faces the light. Their depth is that of their middle.
#ifdef VERTEX
layout(location = 0) in vec4 drop; // position, value
layout(location = 2) in float scale; // its size over the smallest's

flat out vec3 dim, lit;    // colours away from the sun and towards it, as the screen shows them
flat out vec3 sunAxis; // direction to the sun in the eye's axes

void main() {
    vec4 c = view * vec4(drop.xyz, 1.0);
    gl_Position = projection * c;
    gl_PointSize = max(water.x * scale / -c.z * projection[1][1] * screen.y, 1.5);
    vec3 albedo = ramp(clamp((drop.w - water.z) * water.w, 0.0, 1.0));
    if (options.x < 0.5) albedo = vec3(0.05, 0.28, 0.58);
    dim = encode(albedo * skyColour * 0.75);
    lit = encode(albedo * (sunColour + skyColour * 0.75));
    sunAxis = mat3(view) * toSun.xyz;
}
#endif

#ifdef FRAGMENT
flat in vec3 dim, lit;
flat in vec3 sunAxis;
out vec4 colour;

void main() {
    vec2 p = vec2(2.0, -2.0) * gl_PointCoord + vec2(-1.0, 1.0);
    float across = dot(p, p);
    if (across > 1.0) discard;
    float sunward = max(dot(vec3(p, sqrt(1.0 - across)), sunAxis), 0.0);
    colour = vec4(mix(dim, lit, sqrt(sunward)), 1.0); // a root, as light becomes brightness on the screen
}
#endif
