// SPDX-License-Identifier: MIT
#include "smoke/smoke_sources.h"

#include <math.h>

typedef struct Feed {
    const wbSmokeGrid *grid;
    const wbSmokeKind *kind;
    const wbSmokeSource *source;
    float *field;
    float target, share;
    int first[3], end[3]; // values within the source's bounds
} Feed;

static bool isInMesh(const Feed *feed, int i, int j, int k) {
    const wbSmokeGrid *grid = feed->grid;
    return i < grid->nx && j < grid->ny && k < grid->nz && feed->source->cells[wbSmokeCell(grid, i, j, k)];
}

// A face is in a mesh if one of its cells is.
static float getMeshStrength(const Feed *feed, int i, int j, int k) {
    const int at[3] = {i, j, k};
    int axis = feed->kind->axis;
    if (isInMesh(feed, i, j, k)) return 1;
    return axis < 3 && at[axis] > 0 && isInMesh(feed, i - (axis == 0), j - (axis == 1), k - (axis == 2));
}

// Where value `n` of the kind stands along an axis, seen from the source.
static float getDistance(const Feed *feed, int axis, int n, float origin, float centre) {
    return origin + feed->grid->h * ((float)n + (feed->kind->axis == axis ? 0 : 0.5f)) - centre;
}

// How much a value is drawn, 0 to 1.
static float getStrength(const Feed *feed, int i, int j, int k) {
    const wbSmokeSource *source = feed->source;
    const wbVec3 origin = feed->grid->origin, centre = source->centre;
    if (source->cells) return getMeshStrength(feed, i, j, k);
    float x = getDistance(feed, 0, i, origin.x, centre.x), y = getDistance(feed, 1, j, origin.y, centre.y);
    float z = feed->grid->dimensions == 2 ? 0 : getDistance(feed, 2, k, origin.z, centre.z);
    if (source->shape == wb_sourceBox)
        return fabsf(x) <= source->half.x && fabsf(y) <= source->half.y && fabsf(z) <= source->half.z;
    float r2 = (x * x + y * y + z * z) / (source->radius * source->radius);
    if (r2 > 1) return 0;
    return source->soft ? expf(-2 * r2) : 1;
}

static void feedPlanes(int begin, int end, int worker, void *context) {
    (void)worker;
    const Feed *feed = context;
    for (int j = feed->first[1] + begin; j < feed->first[1] + end; j++) {
        for (int k = feed->first[2]; k < feed->end[2]; k++) {
            float *row = feed->field + wbSmokeIndex(feed->grid, 0, j, k);
            for (int i = feed->first[0]; i < feed->end[0]; i++)
                row[i] += feed->share * getStrength(feed, i, j, k) * (feed->target - row[i]);
        }
    }
}

// The values along an axis that may be within the source, one more at either end.
static void setBounds(Feed *feed, int axis, float origin, float centre, float reach) {
    double low = ((double)centre - reach - origin) / feed->grid->h,
           high = ((double)centre + reach - origin) / feed->grid->h;
    int count = feed->kind->count[axis];
    feed->first[axis] = (int)fmin(fmax(floor(low) - 1, 0), count);
    feed->end[axis] = (int)fmin(fmax(ceil(high) + 1, feed->first[axis]), count);
}

static void findBounds(Feed *feed) {
    const wbSmokeSource *source = feed->source;
    const wbVec3 origin = feed->grid->origin, centre = source->centre;
    bool box = source->shape == wb_sourceBox;
    for (int a = 0; a < 3 && source->cells; a++) {
        feed->first[a] = source->low[a] < source->high[a] ? source->low[a] : 0;
        feed->end[a] = source->low[a] < source->high[a] ? source->high[a] + (feed->kind->axis == a) : 0;
    }
    if (source->cells) return;
    setBounds(feed, 0, origin.x, centre.x, box ? source->half.x : source->radius);
    setBounds(feed, 1, origin.y, centre.y, box ? source->half.y : source->radius);
    setBounds(feed, 2, origin.z, centre.z, box ? source->half.z : source->radius);
    if (feed->grid->dimensions == 2) feed->first[2] = 0, feed->end[2] = 1;
}

static void feedField(Feed *feed, const wbWork *work) {
    findBounds(feed);
    wbParallelFor(work->pool, feed->end[1] - feed->first[1], 1, feedPlanes, feed);
}

static bool isWorking(const wbSmokeSource *source, double time) {
    return time >= source->start && time < source->end;
}

static void markBlocks(const Feed *feed, uint8_t *marks) {
    for (int j = feed->first[1]; j < feed->end[1]; j++)
        for (int k = feed->first[2]; k < feed->end[2]; k++)
            for (int x = feed->first[0] / WB_SMOKE_BLOCK_X; x * WB_SMOKE_BLOCK_X < feed->end[0]; x++)
                marks[wbSmokeBlockRow(feed->grid, j, k) + x] = 1;
}

void wbFeedSmoke(const wbSmokeModel *model, const wbSmokeKind kinds[4], const wbWork *work,
                 float *const fields[wb_smokeFieldCount], uint8_t *marks, const wbSmokeSource *sources,
                 int sourceCount, double time, float dt) {
    for (int s = 0; s < sourceCount; s++) {
        const wbSmokeSource *source = &sources[s];
        if (!isWorking(source, time)) continue;
        const float targets[wb_smokeFieldCount] = {source->velocity.x,  source->velocity.y,
                                                   source->velocity.z,  source->density,
                                                   source->temperature, source->fuel};
        float share = source->rate > 0 ? 1 - expf(-source->rate * dt) : 1;
        for (int f = 0; f < wb_smokeFieldCount; f++) {
            if (!(f < 3 ? source->blows : source->feeds) || (f == wb_smokeW && model->grid.dimensions == 2))
                continue;
            if (!fields[f]) continue;
            Feed feed = {.grid = &model->grid,
                         .kind = &kinds[f < 3 ? f : 3],
                         .source = source,
                         .field = fields[f],
                         .target = targets[f],
                         .share = share};
            feedField(&feed, work);
            if (f >= 3) markBlocks(&feed, marks);
        }
    }
}

// Expansion

static void expandCells(const Feed *feed, wbSmoke *smoke, double *sums) {
    const wbPressureLevel *level = &smoke->pressure.levels[0];
    for (int j = feed->first[1]; j < feed->end[1]; j++) {
        for (int k = feed->first[2]; k < feed->end[2]; k++) {
            for (int i = feed->first[0]; i < feed->end[0]; i++) {
                if (smoke->solid[wbSmokeCell(feed->grid, i, j, k)]) continue;
                float *b =
                    &level->b[(i + j + k) & 1][(i >> 1) + level->row * (k + 1) + level->plane * (j + 1)];
                float changed = *b + feed->target * getStrength(feed, i, j, k);
                sums[j] += (double)changed * changed - (double)*b * *b;
                *b = changed;
            }
        }
    }
}

bool wbExpandSmoke(wbSmoke *smoke, const wbSmokeSource *sources, int sourceCount, double time, double *sums) {
    const wbSmokeGrid *grid = &smoke->grid;
    const wbSmokeKind centres = {.axis = 3, .count = {grid->nx, grid->ny, grid->nz}};
    bool any = false;
    for (int s = 0; s < sourceCount; s++) {
        if (!isWorking(&sources[s], time) || sources[s].expansion == 0) continue;
        Feed feed = {
            .grid = grid, .kind = &centres, .source = &sources[s], .target = sources[s].expansion * grid->h};
        findBounds(&feed);
        expandCells(&feed, smoke, sums);
        any = true;
    }
    return any;
}
