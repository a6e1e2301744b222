// SPDX-License-Identifier: MIT
// What is free gives way to a fluid that iterates, on a device. Points of what gives way are listed in blocks of
// RESPONSE_BLOCK, each of one of them: twice the place of the point, and one more where particles see how fast it is;
// -1: none. Sums go over blocks, then over a row's blocks, in their order.

typedef struct Way {
    float along[3], turn[3];
} Way;

// What has moved its points since they were placed.
static Way find_way(const Response *row, const ResponseAnswer *answer) {
    Way way = {{0, 0, 0}, {0, 0, 0}};
    for (int a = 0; a < 3; a++) {
        const float by = row->way[a] * (answer->now[0] - row->start[0]);
        way.along[a] = row->isGuide == 0 ? answer->now[a] - row->start[a] : row->slides > 0 ? by : 0;
        way.turn[a] = row->isGuide == 0 ? answer->now[3 + a] - row->start[3 + a] : row->slides > 0 ? 0 : by;
    }
    return way;
}

static void find_middle(const Response *row, const Way *way, float middle[3]) {
    for (int a = 0; a < 3; a++) middle[a] = row->middle[a] + (row->isAtEnd > 0 ? way->along[a] : 0);
}

// Forces of blocks, and their moments about the middle where that is by now.
__kernel void response_sum(int blocks, __global const int *owners, __global const int *points,
                           __global const float *fx, __global const float *fy, __global const float *fz,
                           __global const float *positions, __global const Response *rows,
                           __global const ResponseAnswer *answers, __global float *sums) {
    const int block = get_global_id(0);
    if (block >= blocks) return;
    const Response row = rows[owners[block]];
    const ResponseAnswer answer = answers[owners[block]];
    const Way way = find_way(&row, &answer);
    float middle[3], sum[6] = {0, 0, 0, 0, 0, 0};
    find_middle(&row, &way, middle);
    for (int k = RESPONSE_BLOCK * block; k < RESPONSE_BLOCK * (block + 1) && points[k] >= 0; k++) {
        const int place = points[k] / 2;
        const float f[3] = {fx[place], fy[place], fz[place]};
        const float arm[3] = {positions[4 * place] - middle[0], positions[4 * place + 1] - middle[1],
                              positions[4 * place + 2] - middle[2]};
        float turn[3];
        response_cross(arm, f, turn);
        for (int a = 0; a < 3; a++) sum[a] += f[a], sum[3 + a] += turn[a];
    }
    for (int a = 0; a < 6; a++) sums[6 * block + a] = sum[a];
}

static float dot_way(const Response *row, const float *v) {
    return row->way[0] * v[0] + row->way[1] * v[1] + row->way[2] * v[2];
}

// `stop`, from a word on that is not below 0: what is not 0 there leaves all as it is.
__kernel void response_answer(int rowCount, __global const int *firstBlocks, __global const float *sums,
                              __global const Response *rows, __global const int *stop, int stopAt,
                              __global ResponseAnswer *answers) {
    const int i = get_global_id(0);
    if (i >= rowCount || (stopAt >= 0 && stop[stopAt] != 0)) return;
    const Response row = rows[i];
    ResponseAnswer answer = answers[i];
    float given[6] = {0, 0, 0, 0, 0, 0}, left[6], size = 0;
    for (int block = firstBlocks[i]; block < firstBlocks[i + 1]; block++)
        for (int k = 0; k < 6; k++) given[k] += sums[6 * block + k];
    if (row.isGuide > 0) {
        const float along = dot_way(&row, row.slides > 0 ? given : given + 3);
        left[0] = row.left[0] + row.seconds * along, size = fabs(left[0]);
    } else {
        for (int k = 0; k < 6; k++) left[k] = row.left[k] + row.seconds * given[k], size += fabs(left[k]);
    }
    if (size == 0 && answer.gaveWay == 0) return;
    if (row.isGuide > 0)
        answer.now[0] = response_of_guide(&row.guide, left[0], row.seconds, answer.now[0]);
    else
        response_of_body(&row.body, left, row.seconds, answer.now);
    answer.gaveWay = 1;
    answers[i] = answer;
}

// v turned by an angle about a vector as long as it.
static void turn_by(const float by[3], const float v[3], float to[3]) {
    const float angle = sqrt(by[0] * by[0] + by[1] * by[1] + by[2] * by[2]),
                share = angle > 0 ? sin(0.5f * angle) / angle : 0;
    const float rotation[4] = {share * by[0], share * by[1], share * by[2], cos(0.5f * angle)};
    response_rotate(rotation, 1, v, to);
}

// Points go along, from where they were placed: x, y, z, which cells are of, stay.
__kernel void response_follow(int count, __global const int *owners, __global const int *points,
                              __global const Response *rows, __global const ResponseAnswer *answers,
                              __global const float *x, __global const float *y, __global const float *z,
                              __global float *positions, __global float *velocities) {
    const int k = get_global_id(0);
    if (k >= count || points[k] < 0) return;
    const int place = points[k] / 2, owner = owners[k / RESPONSE_BLOCK];
    const Response row = rows[owner];
    const ResponseAnswer answer = answers[owner];
    if (answer.gaveWay == 0) return;
    const Way way = find_way(&row, &answer);
    const float from[3] = {x[place] - row.middle[0], y[place] - row.middle[1], z[place] - row.middle[2]};
    float middle[3], arm[3] = {from[0], from[1], from[2]}, spin[3], swing[3];
    find_middle(&row, &way, middle);
    if (row.isAtEnd > 0) turn_by(way.turn, from, arm);
    for (int a = 0; a < 3; a++) {
        positions[4 * place + a] = middle[a] + arm[a];
        spin[a] = row.spin[a] + way.turn[a] / row.seconds;
    }
    if (points[k] % 2 == 0) return;
    response_cross(spin, arm, swing);
    for (int a = 0; a < 3; a++)
        velocities[4 * place + a] = row.velocity[a] + way.along[a] / row.seconds + swing[a];
}
