// SPDX-License-Identifier: MIT
#include "space/kernels.h"

#include <math.h>

#define PI 3.14159265358979323846

double wbGetPoly6Factor(double h, int dimensions) {
    return dimensions == 2 ? 4 / (PI * h * h) : 315 / (64 * PI * h * h * h);
}

double wbGetSpikyFactor(double h, int dimensions) {
    return dimensions == 2 ? 30 / (PI * h * h * h) : 45 / (PI * h * h * h * h);
}

wbSite wbMakeSites(double reach, int dimensions) {
    int sites = (int)reach + 1, sitesZ = dimensions == 3 ? sites : 0;
    return (wbSite){.x = -sites - 1, .y = -sites, .z = -sitesZ, .reach = sites, .reachZ = sitesZ};
}

bool wbSite_Next(wbSite *site) {
    if (++site->x > site->reach) site->x = -site->reach, site->y++;
    if (site->y > site->reach) site->y = -site->reach, site->z++;
    site->r = sqrt((double)(site->x * site->x + site->y * site->y + site->z * site->z));
    return site->z <= site->reachZ;
}
