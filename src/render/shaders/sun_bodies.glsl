// SPDX-License-Identifier: MIT
// How far the first body is, seen from the sun.
#ifdef VERTEX
layout(location = 0) in vec3 corner;
layout(location = 2) in vec3 position;
layout(location = 3) in vec4 rotation;

void main() { gl_Position = sun * vec4(position + turn(rotation, corner), 1.0); }
#endif

#ifdef FRAGMENT
out vec4 colour;

void main() { colour = vec4(1.0); }
#endif
