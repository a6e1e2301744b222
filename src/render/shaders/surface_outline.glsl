// SPDX-License-Identifier: MIT
// Takes single particles out of the lines where water ends: at sides, at bodies and before nothing. Each pixel goes
// over to the layer that most pixels around it belong to, which evens out whatever is smaller than a sphere and
// leaves straight lines and larger bends as they are. Pixels that stay as they are, are not written.
uniform sampler2D source; // eye depth and share, from surface_depth or the last step
uniform sampler2D bodies; // eye depth; 1e30 where there is none
uniform vec3 pattern;     // of the pixels that are asked: radius in radii of spheres, turn, count

#ifdef VERTEX
void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0); }
#endif

#ifdef FRAGMENT
out vec2 outlined; // eye depth and share

const vec2 ring[4] = vec2[4](vec2(1.0, 0.0), vec2(0.0, 1.0), vec2(0.7, 0.7), vec2(-0.7, 0.7));
const float empty = 1e20; // depths beyond are nothing

// How another pixel votes: NEARER or FARTHER for a layer there, SAME, or not at all. Water at a side is nearer than
// all free water, which is nearer than body or nothing, unless a body stands before it.
const int NEARER = -1, SAME = 0, FARTHER = 1, SILENT = 2;

int vote(vec2 here, vec2 there, float range) {
    bool water = here.y != 0.0, waterThere = there.y != 0.0;
    if (!water && !waterThere) return SAME;
    if (!water) return there.x < here.x + range ? NEARER : SILENT;
    if (!waterThere) return there.x < here.x - range ? SILENT : FARTHER;
    if ((here.y < 0.0) != (there.y < 0.0)) return there.y < 0.0 ? NEARER : FARTHER;
    return SAME;
}

// Whether a pixel looks into the space between the sides.
bool canBeWet(vec2 pixel) {
    vec2 sides = sideDepths(pixel);
    return sides.x < sides.y;
}

// Pixels of a layer: all votes, those of water, and of the water in the layer that is next: votes, depths.
struct Layer {
    float votes, water, next, depths;
};

void add(inout Layer layer, vec2 there, float range) {
    float wet = abs(there.y);
    layer.votes += there.y == 0.0 ? 1.0 : wet;
    layer.water += wet;
    bool isNext = abs(there.x * layer.next - layer.depths) <= 3.0 * range * layer.next; // also the first
    if (there.y == 0.0 || !isNext) return;
    layer.next += wet;
    layer.depths += wet * there.x;
}

void main() {
    ivec2 p = ivec2(gl_FragCoord.xy), last = textureSize(source, 0) - 1;
    vec2 here = texelFetch(source, p, 0).rg;
    // where there is nothing, spheres are as large as in the middle of the scene
    float z = here.x < empty ? here.x : max(dot(vec3(view[0][2], view[1][2], view[2][2]), eye.xyz - centre.xyz), 1e-6);
    if (here.y == 0.0 && !canBeWet(gl_FragCoord.xy)) discard;
    float share = here.y == 0.0 ? 1.0 : abs(here.y);
    float width = pattern.x * surface.x * share * 0.5 * screen.y / (screen.w * z); // pixels
    if (width < 1.5) discard;
    float range = 2.0 * surface.x;

    // a look around in eight directions, of which four may do: there is nothing to do where most is alike
    float other = 0.0;
    for (int i = 0; i < 8; ++i) {
        if (i == 4 && other == 0.0) discard;
        vec2 direction = ring[i >> 1] * ((i & 1) == 0 ? width : -width);
        vec2 there = texelFetch(source, clamp(p + ivec2(direction), ivec2(0), last), 0).rg;
        other += vote(here, there, range) == SAME ? 0.0 : there.y == 0.0 ? 1.0 : abs(there.y);
    }
    if (other < 2.5) discard;

    Layer near = Layer(0.0, 0.0, 0.0, 0.0), far = near;
    float same = 1.0, sides = 0.0;
    int taps = int(pattern.z);
    vec2 direction = vec2(cos(pattern.y), sin(pattern.y));
    for (int i = 0; i < taps; ++i) {
        // a spiral by the golden angle covers a disc evenly
        direction = mat2(-0.7373688, 0.6754903, -0.6754903, -0.7373688) * direction;
        vec2 offset = direction * (width * sqrt((float(i) + 0.5) / float(taps)));
        ivec2 q = clamp(p + ivec2(round(offset)), ivec2(0), last);
        vec2 there = texelFetch(source, q, 0).rg;
        int order = vote(here, there, range);
        // where sides let no water be, its lack means nothing
        if (there.y == 0.0 && !canBeWet(vec2(q) + 0.5)) order = SILENT;
        if (order == SAME) same += there.y == 0.0 ? 1.0 : abs(there.y);
        if (order == NEARER) add(near, there, range);
        if (order == NEARER && there.y < 0.0) sides -= there.y;
        if (order == FARTHER) add(far, there, range);
    }
    float majority = 0.5 * (near.votes + same + far.votes);
    if (near.votes > majority) {
        bool side = sides > 0.5 * near.votes;
        outlined = side ? vec2(sideDepths(gl_FragCoord.xy).x, -1.0) : vec2(near.depths / near.next, 1.0);
    } else if (far.votes > majority) {
        bool water = far.water > 0.5 * far.votes;
        outlined = water ? vec2(far.depths / far.next, 1.0) : vec2(texelFetch(bodies, p, 0).r, 0.0);
    } else {
        discard;
    }
}
#endif
