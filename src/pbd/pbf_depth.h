// SPDX-License-Identifier: MIT
// How deep the water of a position based fluid is: particles are counted in columns of cells along the axes of gravity. Neither
// single drops, however high they fly, nor waters above each other are deep.
#pragma once

#include "core/work.h"
#include "pbd/pbf_columns.h"
#include "pbd/pbf_model.h"
#include "space/particles.h"

/// m2/s2: depth times gravity, summed over the axes: for water in a tilted box more than what it has. Of several fluids, that
/// of one that is compressed as much, or sinks as far: a fluid is as stiff as it is heavy, so what counts is the weight above over
/// the own density.
wbStatus wbFindPbfHead(const wbParticles *particles, const wbMixture *mixture, const wbPbfModel *model,
                       const wbWork *work, double *head);

/// The same from the farthest particles along each axis: quick, and right for one block; of several fluids the most that it
/// can be, with the heaviest above the lightest.
double wbGetPbfReach(const wbParticles *particles, const wbPbfModel *model);

/// For a device, which counts by itself: slots of a table, how many tables there are, columns along an axis, the axes of a cell's numbers,
/// and the depth, m, of so many particles.
int wbCountDepthSlots(int count);
int wbCountDepthTables(const wbMixture *mixture);
void wbGetDepthAxes(int axis, int axes[3]);
PbfColumns wbPbfModel_GetColumns(const wbPbfModel *model, const wbMixture *mixture, int axis, int slots);
double wbPbfModel_GetDepth(const wbPbfModel *model, int most);
