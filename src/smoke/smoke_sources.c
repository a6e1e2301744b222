// SPDX-License-Identifier: MIT
#include "smoke/smoke_sources.h"

#include <math.h>

// The values along an axis that may be within the source, one more at either end.
static void setBounds(SmokeFeed *feed, int axis, int count, float reach) {
    double low = ((double)feed->centre[axis] - reach - feed->origin[axis]) / feed->h,
           high = ((double)feed->centre[axis] + reach - feed->origin[axis]) / feed->h;
    feed->first[axis] = (int)fmin(fmax(floor(low) - 1, 0), count);
    feed->end[axis] = (int)fmin(fmax(ceil(high) + 1, feed->first[axis]), count);
}

// For values of a kind: count of them, and the axis that they are faces of.
static SmokeFeed makeFeed(const wbSmokeGrid *grid, const wbSmokeSource *source, const int count[3],
                          int ownAxis) {
    SmokeFeed feed = {.isMesh = source->cells != NULL,
                      .cells = {grid->nx, grid->ny, grid->nz},
                      .axis = ownAxis,
                      .isBox = source->shape == wb_sourceBox,
                      .isSoft = source->soft,
                      .extent = {source->half.x, source->half.y, source->half.z},
                      .radius = source->radius,
                      .origin = {grid->origin.x, grid->origin.y, grid->origin.z},
                      .centre = {source->centre.x, source->centre.y, source->centre.z},
                      .h = grid->h,
                      .isFlat = grid->dimensions == 2};
    for (int axis = 0; axis < 3; axis++) {
        feed.shift[axis] = axis == ownAxis ? 0 : 0.5f;
        setBounds(&feed, axis, count[axis], feed.isBox ? feed.extent[axis] : feed.radius);
    }
    if (feed.isFlat) feed.first[2] = 0, feed.end[2] = 1;
    if (!feed.isMesh) return feed;
    for (int axis = 0; axis < 3; axis++) {
        bool any = source->low[axis] < source->high[axis];
        feed.first[axis] = any ? source->low[axis] : 0;
        feed.end[axis] = any ? source->high[axis] + (axis == ownAxis) : 0;
    }
    return feed;
}

static bool isWorking(const wbSmokeSource *source, double time) {
    return time >= source->start && time < source->end;
}

bool wbMakeSmokeFeed(const wbSmokeModel *model, const wbSmokeKind kinds[4], const wbSmokeSource *source,
                     int field, double time, float dt, SmokeFeed *feed) {
    const float d = source->density,
                targets[wb_smokeFieldCount] = {source->velocity.x,
                                               source->velocity.y,
                                               source->velocity.z,
                                               d,
                                               source->temperature - model->params.ambient,
                                               source->fuel,
                                               d * source->colour.x,
                                               d * source->colour.y,
                                               d * source->colour.z};
    const int steam = wbGetSteamField(&model->params);
    if (steam > 0 && field == steam + 1) return false; // what clouds there are stay
    const wbSmokeKind *kind = &kinds[field < 3 ? field : 3];
    if (!isWorking(source, time) || !(field < 3 ? source->blows : source->feeds)) return false;
    if (field == wb_smokeW && model->grid.dimensions == 2) return false;
    *feed = makeFeed(&model->grid, source, kind->count, kind->axis);
    feed->target = steam > 0 && field == steam ? source->steam : targets[field];
    feed->share = source->rate > 0 ? 1 - expf(-source->rate * dt) : 1;
    return true;
}

bool wbMakeSmokeExpansion(const wbSmokeGrid *grid, const wbSmokeSource *source, double time,
                          SmokeFeed *feed) {
    if (!isWorking(source, time) || source->expansion == 0) return false;
    *feed = makeFeed(grid, source, (int[3]){grid->nx, grid->ny, grid->nz}, 3);
    feed->target = source->expansion * grid->h;
    return true;
}

// Fields at centres, which a source reaches alike.
typedef struct Feeding {
    const wbSmokeGrid *grid;
    SmokeFeed feed;
    const uint8_t *mask; // of a mesh
    int count;
    float *fields[wb_smokeFieldCount], targets[wb_smokeFieldCount];
} Feeding;

static void feedPlanes(int begin, int end, int worker, void *context) {
    (void)worker;
    const Feeding *feeding = context;
    const SmokeFeed feed = feeding->feed; // a copy that nothing written can alias
    for (int j = feed.first[1] + begin; j < feed.first[1] + end; j++) {
        for (int k = feed.first[2]; k < feed.end[2]; k++) {
            int row = wbSmokeIndex(feeding->grid, 0, j, k);
            for (int i = feed.first[0]; i < feed.end[0]; i++) {
                float share = feed.share * smoke_strength(&feed, feeding->mask, i, j, k);
                for (int f = 0; f < feeding->count && share > 0; f++) {
                    float *value = feeding->fields[f] + row + i;
                    *value += share * (feeding->targets[f] - *value);
                }
            }
        }
    }
}

static void markBlocks(const Feeding *feeding, uint8_t *marks) {
    const SmokeFeed *feed = &feeding->feed;
    for (int j = feed->first[1]; j < feed->end[1]; j++)
        for (int k = feed->first[2]; k < feed->end[2]; k++)
            for (int x = feed->first[0] / WB_SMOKE_BLOCK_X; x * WB_SMOKE_BLOCK_X < feed->end[0]; x++)
                marks[wbSmokeBlockRow(feeding->grid, j, k) + x] = 1;
}

void wbFeedSmoke(const wbSmokeModel *model, const wbSmokeKind kinds[4], const wbWork *work,
                 float *const fields[wb_smokeFieldCount], uint8_t *marks, const wbSmokeSource *sources,
                 int sourceCount, double time, float dt) {
    for (int s = 0; s < sourceCount; s++) {
        Feeding feeding = {.grid = &model->grid, .mask = sources[s].cells};
        SmokeFeed *feed = &feeding.feed;
        for (int f = wb_smokeDensity; f < wb_smokeFieldCount; f++) {
            if (!fields[f] || !wbMakeSmokeFeed(model, kinds, &sources[s], f, time, dt, feed)) continue;
            feeding.fields[feeding.count] = fields[f];
            feeding.targets[feeding.count++] = feed->target;
        }
        if (feeding.count == 0) continue;
        wbParallelFor(work->pool, feed->end[1] - feed->first[1], 1, feedPlanes, &feeding);
        markBlocks(&feeding, marks);
    }
}

int wbListVelocityFeedings(const wbSmokeModel *model, const wbSmokeKind kinds[4],
                           const wbSmokeSource *sources, int sourceCount, double time, float dt,
                           wbSmokeFeeding *feedings) {
    int count = 0;
    for (int s = 0; s < sourceCount; s++)
        for (int axis = 0; axis < 3; axis++)
            if (wbMakeSmokeFeed(model, kinds, &sources[s], axis, time, dt, &feedings[count].feed))
                feedings[count++].mask = sources[s].cells;
    return count;
}

static void feedRow(const SmokeFeed *feed, const uint8_t *mask, int j, int k, float *row) {
    for (int i = feed->first[0]; i < feed->end[0]; i++) {
        float share = feed->share * smoke_strength(feed, mask, i, j, k);
        if (share > 0) row[i] += share * (feed->target - row[i]);
    }
}

void wbFeedPatch(const wbSmokeGrid *grid, const wbSmokeFeeding *feedings, int count,
                 const wbSmokePatch *patch) {
    for (int n = 0; n < count; n++) {
        const SmokeFeed *feed = &feedings[n].feed;
        if (feed->axis != patch->axis || patch->j < feed->first[1] || patch->j >= feed->end[1]) continue;
        int first = patch->first > feed->first[2] ? patch->first : feed->first[2],
            end = patch->end < feed->end[2] ? patch->end : feed->end[2];
        for (int k = first; k < end; k++)
            feedRow(feed, feedings[n].mask, patch->j, k, patch->values + grid->row * (k - patch->first));
    }
}

// Expansion

static void addToDivergence(wbSmoke *smoke, int i, int j, int k, float more, double *sums) {
    const wbPressureLevel *level = &smoke->pressure.levels[0];
    float *b = &level->b[(i + j + k) & 1][(i >> 1) + level->row * (k + 1) + level->plane * (j + 1)];
    const float changed = *b + more;
    sums[j] += (double)changed * (double)changed - (double)*b * (double)*b;
    *b = changed;
}

static void expandCells(const SmokeFeed *feed, const uint8_t *mask, wbSmoke *smoke, double *sums) {
    const wbSmokeGrid *grid = &smoke->grid;
    for (int j = feed->first[1]; j < feed->end[1]; j++) {
        for (int k = feed->first[2]; k < feed->end[2]; k++) {
            for (int i = feed->first[0]; i < feed->end[0]; i++) {
                if (smoke->solid[wbSmokeCell(grid, i, j, k)]) continue;
                addToDivergence(smoke, i, j, k, feed->target * smoke_strength(feed, mask, i, j, k), sums);
            }
        }
    }
}

// What is made in cells, on its own.
static bool expandAlone(wbSmoke *smoke, double *sums) {
    const wbSmokeGrid *grid = &smoke->grid;
    bool any = false;
    for (int j = 0; j < grid->ny && smoke->expansion; j++)
        for (int k = 0; k < grid->nz; k++)
            for (int i = 0; i < grid->nx; i++) {
                const int cell = wbSmokeCell(grid, i, j, k);
                if (smoke->expansion[cell] == 0 || smoke->solid[cell]) continue;
                addToDivergence(smoke, i, j, k, grid->h * smoke->expansion[cell], sums);
                any = true;
            }
    return any;
}

bool wbExpandSmoke(wbSmoke *smoke, const wbSmokeSource *sources, int sourceCount, double time, double *sums) {
    bool any = expandAlone(smoke, sums);
    for (int s = 0; s < sourceCount; s++) {
        SmokeFeed feed;
        if (!wbMakeSmokeExpansion(&smoke->grid, &sources[s], time, &feed)) continue;
        expandCells(&feed, sources[s].cells, smoke, sums);
        any = true;
    }
    return any;
}

bool wbIsExpansionBlocked(const wbSmoke *smoke, const wbSmokeSource *sources, int sourceCount, double time) {
    const wbPressure *pressure = &smoke->pressure;
    const wbAirRun *runs = pressure->runs.data;
    for (int s = 0; s < sourceCount && pressure->pocketCount > 0; s++) {
        SmokeFeed feed;
        if (!wbMakeSmokeExpansion(&smoke->grid, &sources[s], time, &feed)) continue;
        for (int r = 0; r < pressure->runCount; r++) {
            int j = runs[r].row / smoke->grid.nz, k = runs[r].row % smoke->grid.nz;
            if (runs[r].part > 0 && j >= feed.first[1] && j < feed.end[1] && k >= feed.first[2] &&
                k < feed.end[2] && runs[r].first < feed.end[0] && runs[r].end > feed.first[0])
                return true;
        }
    }
    return false;
}
