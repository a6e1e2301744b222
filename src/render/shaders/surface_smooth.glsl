// SPDX-License-Identifier: MIT
// Takes the bumps of spheres out of the depths, along one axis: the narrow-range filter (Truong and Yuksel,
// "A Narrow-Range Filter for Screen-Space Fluid Rendering", 2018). It averages what lies within a range of
// depths that follows the surface outwards. Farther things count as an edge that bends away; nearer things,
// and what lies opposite to them, do not count. Pixels that stay as they are, are not written.
#ifdef VERTEX
void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0); }
#endif

#ifdef FRAGMENT
uniform sampler2D source; // eye depth and share, from surface_depth or the last step
uniform vec4 axis;        // xy: along which; z: standard deviation in radii; w: longest step in pixels

out vec2 smoothed; // eye depth and share

const int maxTaps = 10;

void main() {
    ivec2 p = ivec2(gl_FragCoord.xy);
    smoothed = texelFetch(source, p, 0).rg;
    float z = smoothed.x, share = smoothed.y;
    float width = axis.z * surface.x * share * 0.5 * screen.y / (screen.w * z); // pixels
    if (width < 0.4 * axis.z / 0.5) discard; // also on sides, which are flat; the same in all passes

    // wide filters take steps of several pixels
    const float ends = 2.5; // standard deviations
    float stride = min(ceil(ends * width / float(maxTaps)), axis.w);
    width = min(width, float(maxTaps) * stride / ends);
    int taps = int(ceil(ends * width / stride));
    ivec2 step = ivec2(axis.xy * stride), last = textureSize(source, 0) - 1;
    float range = 4.0 * surface.x, edge = z + surface.x;
    float nearLimit = z - range, farLimit = z + range;
    // weights of a normal distribution, each from the last one
    float relative = stride / width, ratio = exp(-0.5 * relative * relative), decay = ratio * ratio;
    float weight = ratio, sum = z, total = 1.0;
    for (int i = 1; i <= taps; ++i) {
        vec2 a = texelFetch(source, clamp(p + i * step, ivec2(0), last), 0).rg;
        vec2 b = texelFetch(source, clamp(p - i * step, ivec2(0), last), 0).rg;
        bool sameA = a.x <= farLimit, sameB = b.x <= farLimit;
        // drops before the water do not pull it to them
        float counts = min(a.x, b.x) < nearLimit ? 0.0 : weight;
        counts *= min(sameA ? abs(a.y) : 1.0, sameB ? abs(b.y) : 1.0);
        sum += counts * ((sameA ? a.x : edge) + (sameB ? b.x : edge));
        total += 2.0 * counts;
        float low = min(sameA ? a.x : z, sameB ? b.x : z), high = max(sameA ? a.x : z, sameB ? b.x : z);
        nearLimit = counts > 0.0 ? min(nearLimit, low - range) : nearLimit;
        farLimit = counts > 0.0 ? max(farLimit, high + range) : farLimit;
        ratio *= decay;
        weight *= ratio;
    }
    smoothed.x = sum / total;
}
#endif
