// SPDX-License-Identifier: MIT
// What the depths of the water are drawn over: bodies, which end the water without bending it, and nothing else.
#ifdef VERTEX
void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0); }
#endif

#ifdef FRAGMENT
uniform sampler2D behind; // alpha: 0 where it is a body
uniform sampler2D scene;  // its depths

out vec2 depth; // eye depth; share of water: none

void main() {
    depth = vec2(bodyDepth(behind, scene, ivec2(gl_FragCoord.xy)), 0.0);
}
#endif
