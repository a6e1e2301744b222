// SPDX-License-Identifier: MIT
#include "space/surface.h"

#include <math.h>

wbMotion wbMoveEvenly(const wbPose *from, const wbPose *to, float share, float dt) {
    wbMotion motion;
    const wbPose back = wbPose_Invert(from), turn = wbPose_Multiply(to, &back);
    const float *q = turn.rotation;
    double sine = sqrt((double)q[0] * q[0] + (double)q[1] * q[1] + (double)q[2] * q[2]);
    // the short way round; about its axis, by an angle
    double angle = 2 * atan2(sine, fabs((double)q[3])), scale = sine > 0 ? angle / sine : 0;
    if (q[3] < 0) scale = -scale;
    double half = 0.5 * angle * share, part = sine > 0 ? sin(half) / sine : 0;
    wbPose partly = {.rotation = {0, 0, 0, (float)cos(half)}};
    for (int a = 0; a < 3; a++) {
        partly.rotation[a] = (float)((q[3] < 0 ? -part : part) * q[a]);
        motion.spin[a] = (float)(scale * q[a] / dt);
        motion.velocity[a] = (to->position[a] - from->position[a]) / dt;
    }
    motion.pose = wbPose_Multiply(&partly, from);
    for (int a = 0; a < 3; a++)
        motion.pose.position[a] = from->position[a] + share * (to->position[a] - from->position[a]);
    if (share == 0) motion.pose = *from;
    if (share == 1) motion.pose = *to;
    return motion;
}
