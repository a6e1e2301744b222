// SPDX-License-Identifier: MIT
// How deep the water of a position based fluid is: particles are counted in columns of cells along the axes of gravity. Neither
// single drops, however high they fly, nor waters above each other are deep.
#pragma once

#include "core/work.h"
#include "pbd/pbf_columns.h"
#include "pbd/pbf_model.h"
#include "space/particles.h"

/// m2/s2: depth times gravity, summed over the axes: for water in a tilted box more than what it has.
wbStatus wbFindPbfHead(const wbParticles *particles, const wbPbfModel *model, const wbWork *work,
                       double *head);

/// The same from the farthest particles along each axis: quick, and right for one block.
double wbGetPbfReach(const wbParticles *particles, const wbPbfModel *model);

/// For a device, which counts by itself: slots of each of the two tables, columns along an axis, the axes of a cell's numbers,
/// and the depth, m, of so many particles.
int wbCountDepthSlots(int count);
void wbGetDepthAxes(int axis, int axes[3]);
PbfColumns wbPbfModel_GetColumns(const wbPbfModel *model, int axis, int slots);
double wbPbfModel_GetDepth(const wbPbfModel *model, int most);
