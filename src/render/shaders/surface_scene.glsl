// SPDX-License-Identifier: MIT
// How far bodies are, which end the water without bending it: what its depths are drawn over, and what rays in it meet.
#ifdef VERTEX
void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0); }
#endif

#ifdef FRAGMENT
uniform sampler2D behind; // alpha: 0 where it is a body
uniform sampler2D scene;  // its depths

out vec2 depth; // eye depth, 1e30 where there is none; share of water: none

void main() {
    ivec2 p = ivec2(gl_FragCoord.xy);
    depth = vec2(texelFetch(behind, p, 0).a < 0.5 ? eyeDepth(texelFetch(scene, p, 0).r) : 1e30, 0.0);
}
#endif
