// SPDX-License-Identifier: MIT
// How far the first water is, seen from the sun.
#ifdef VERTEX
layout(location = 0) in vec4 drop;
layout(location = 1) in vec4 body;
layout(location = 2) in float scale;

void main() {
    gl_Position = sun * vec4(drop.xyz, 1.0);
    float unit = length(vec3(sun[0][0], sun[1][0], sun[2][0]));
    gl_PointSize = max(water.x * scale * unit * options.w, 1.0);
    // clear drops throw no shadow
    if (eye.w > 0.5 && body.w < 0.06) gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
}
#endif

#ifdef FRAGMENT
out vec4 colour;

void main() {
    vec2 p = gl_PointCoord * 2.0 - 1.0;
    if (dot(p, p) > 1.0) discard;
    colour = vec4(1.0);
}
#endif
