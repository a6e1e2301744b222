// SPDX-License-Identifier: MIT
#include "app/view/overlays.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/view/geometry.h"
#include "core/status.h"

const wbOverlayRow wb_overlays[WB_OVERLAY_COUNT] = {
    [wb_overlayArrows] = {"arrows", "velocities", "arrows of every n-th particle, as long as it is fast", 0},
    [wb_overlayAirArrows] = {"air", "velocities of the air", "arrows on the slice, as long as it is fast",
                             wb_wantAirMotion},
    [wb_overlayCells] = {"cells", "cells of the search",
                         "where neighbours are looked for: from few particles (blue) to many (red)", 0},
    [wb_overlayDomain] = {"domain", "domain", "its edges and how long they are; open sides are faint", 0},
    [wb_overlayConstraints] = {"constraints", "constraints",
                               "of soft bodies: too short is blue, too long is red", wb_wantLinks},
    [wb_overlayContacts] = {"contacts", "contacts",
                            "of rigid bodies: their points, normals (white) and forces (orange)",
                            wb_wantContacts},
    [wb_overlayJoints] = {"joints", "joints",
                          "what they hold, and where, also of soft bodies; broken ones are red",
                          wb_wantJoints},
    [wb_overlayBounds] = {"bounds", "bounds", "boxes around colliders, rigid and soft bodies", 0},
    [wb_overlaySleeping] = {"sleeping", "sleeping bodies", "bodies at rest, which are not computed",
                            wb_wantSleepers},
    [wb_overlayWires] = {"wires", "colliders as wires", "edges of their shapes, also behind the water", 0},
    [wb_overlayEmitters] = {"emitters", "emitters", "their mouths or blocks; closed ones are grey",
                            wb_wantPlaces},
    [wb_overlayDrains] = {"drains", "drains", "their boxes; closed ones are grey", wb_wantPlaces},
    [wb_overlaySources] = {"sources", "sources of smoke", "their shapes; closed ones are grey",
                           wb_wantPlaces},
    [wb_overlayProbes] = {"probes", "probes", "where they measure, and what", wb_wantProbes},
    [wb_overlayMerges] = {"merges", "running merges",
                          "of adaptive fluids: partners that become one (violet), or two (green)",
                          wb_wantTransfers},
};

static const wbInk white = {{235, 240, 245, 230}, 1.2f}, faint = {{150, 165, 185, 110}, 1},
                   grey = {{140, 145, 150, 200}, 1.2f}, orange = {{255, 160, 60, 235}, 1.8f},
                   yellow = {{250, 225, 110, 220}, 1.2f}, green = {{110, 225, 120, 235}, 1.5f},
                   red = {{240, 70, 60, 235}, 1.5f}, blue = {{110, 165, 255, 235}, 1.5f},
                   violet = {{220, 110, 240, 235}, 1.8f};
enum { LABEL = 11 };

int wbFindOverlay(const char *name) {
    for (int i = 0; i < WB_OVERLAY_COUNT; i++)
        if (strcmp(wb_overlays[i].name, name) == 0) return i;
    return -1;
}

unsigned wbOverlays_GetWants(const wbOverlays *overlays) {
    unsigned wants = 0;
    for (int i = 0; i < WB_OVERLAY_COUNT; i++)
        if (overlays->isOn[i]) wants |= wb_overlays[i].wants;
    return wants;
}

static wbInk withWidth(wbInk ink, float width) {
    ink.width = width;
    return ink;
}

// Quick to rise, slow to fall.
static float hold(float *held, float highest) {
    *held = fmaxf(highest, 0.98f * *held);
    return *held;
}

static float findFastest(const wbStill *still) {
    float highest = 0;
    for (int v = 0; v < still->scene.viewCount; v++) {
        const wbView *view = &still->scene.views[v];
        for (int k = 0; k < view->count; k++) {
            const size_t i = (size_t)k * (size_t)view->stride;
            const float s = view->vx[i] * view->vx[i] + view->vy[i] * view->vy[i] + view->vz[i] * view->vz[i];
            if (s > highest && isfinite(s)) highest = s;
        }
    }
    return sqrtf(highest);
}

// Particles are chosen by their ids, so that arrows stay with them.
static void addArrows(wbOverlays *overlays, const wbStill *still) {
    int64_t total = 0;
    for (int v = 0; v < still->scene.viewCount; v++) total += still->scene.views[v].count;
    const uint32_t every = overlays->every > 0 ? (uint32_t)overlays->every : (uint32_t)(1 + total / 2000);
    const float fastest = hold(&overlays->heldSpeed, findFastest(still));
    const float longest = 2.5f * still->scene.spacing * cbrtf((float)every);
    if (!(fastest > 0)) return;
    for (int v = 0; v < still->scene.viewCount; v++) {
        const wbView *view = &still->scene.views[v];
        for (int k = 0; k < view->count; k++) {
            const size_t i = (size_t)k * (size_t)view->stride;
            if (view->id[i] % every != 0) continue;
            const wbVec3 at = wbMakeVec3(view->x[i], view->y[i], view->z[i]),
                         way = wbMakeVec3(view->vx[i], view->vy[i], view->vz[i]);
            const float share = wbLength(way) / fastest;
            if (!(share > 0.01f)) continue;
            wbMarkList_AddArrow(&overlays->list, at, wbAdd(at, wbScale(longest / fastest, way)),
                                wbInk_OfShare(share, 1.4f));
        }
    }
}

// m/s, in the middle of a cell.
static wbVec3 getAirMotion(const wbStill *still, const int cell[3]) {
    const float *const faces[3] = {still->air.u, still->air.v, still->air.w};
    const ptrdiff_t strides[3] = {1, still->air.strideY, still->air.strideZ};
    const ptrdiff_t at = cell[0] + cell[1] * strides[1] + cell[2] * strides[2];
    wbVec3 motion = {0, 0, 0};
    for (int a = 0; a < 3; a++)
        if (faces[a]) (&motion.x)[a] = 0.5f * (faces[a][at] + faces[a][at + strides[a]]);
    return motion;
}

static void addAirArrows(wbOverlays *overlays, const wbStill *still) {
    int axis;
    const float slice = wbFindSlice(&still->scene, &axis);
    if (slice < 0 || !still->air.u) return;
    const int across = axis == 0 ? 2 : 0, up = axis == 1 ? 2 : 1;
    const int *cells = still->air.cells;
    const int longer = cells[across] > cells[up] ? cells[across] : cells[up];
    const int every = overlays->every > 0 ? overlays->every : 1 + longer / 48;
    const float size = still->air.cellSize;
    float highest = 0;
    // twice: lengths are known when the fastest is
    for (int pass = 0; pass < 2; pass++) {
        for (int j = every / 2; j < cells[up]; j += every)
            for (int i = every / 2; i < cells[across]; i += every) {
                int cell[3];
                wbVec3 at = still->air.min;
                cell[axis] = (int)slice, cell[across] = i, cell[up] = j;
                const wbVec3 motion = getAirMotion(still, cell);
                const float speed = wbLength(motion);
                if (pass == 0 && speed > highest && isfinite(speed)) highest = speed;
                if (pass == 0 || !(speed > 0.01f * overlays->heldAir)) continue;
                for (int a = 0; a < 3; a++) (&at.x)[a] += size * ((float)cell[a] + 0.5f);
                (&at.x)[axis] = (&still->air.min.x)[axis] + size * (slice + 0.5f);
                if (still->scene.dimensions == 2) at.z = 0;
                const wbVec3 way = wbScale(1.6f * (float)every * size / overlays->heldAir, motion);
                wbMarkList_AddArrow(&overlays->list, at, wbAdd(at, way),
                                    wbInk_OfShare(speed / overlays->heldAir, 1.4f));
            }
        if (pass == 0) hold(&overlays->heldAir, highest);
    }
}

static bool isFilled(const wbCrowd *crowd, const int cell[3]) {
    for (int a = 0; a < 3; a++)
        if (cell[a] < 0 || cell[a] >= crowd->size[a]) return false;
    return wbCrowd_GetInCell(crowd, cell[0], cell[1], cell[2]) > 0;
}

static void addFace(wbMarkList *list, const wbCrowd *crowd, const int cell[3], int axis, int side,
                    wbInk ink) {
    const int a = (axis + 1) % 3, b = (axis + 2) % 3;
    wbVec3 corners[4];
    for (int c = 0; c < 4; c++) {
        int place[3] = {cell[0], cell[1], cell[2]};
        place[axis] += side, place[a] += c == 1 || c == 2, place[b] += c >= 2;
        for (int d = 0; d < 3; d++)
            (&corners[c].x)[d] = (&crowd->min.x)[d] + crowd->cell[d] * (float)place[d];
    }
    for (int c = 0; c < 4; c++) wbMarkList_AddLine(list, corners[c], corners[(c + 1) % 4], ink);
}

// In a plane a cell is its one face; in space those that nothing lies before.
void wbAddCells(wbMarkList *list, const wbCrowd *crowd) {
    const bool isFlat = crowd->size[2] == 1;
    for (int z = 0; z < crowd->size[2]; z++)
        for (int y = 0; y < crowd->size[1]; y++)
            for (int x = 0; x < crowd->size[0]; x++) {
                const int cell[3] = {x, y, z}, inside = wbCrowd_GetInCell(crowd, x, y, z);
                if (inside == 0) continue;
                const wbInk ink = wbInk_OfShare((float)inside / (float)crowd->mostInCell, 1);
                for (int face = isFlat ? 4 : 0; face < (isFlat ? 5 : 6); face++) {
                    int other[3] = {x, y, z};
                    other[face / 2] += face & 1 ? 1 : -1;
                    if (isFlat || !isFilled(crowd, other))
                        addFace(list, crowd, cell, face / 2, isFlat ? 0 : face & 1, ink);
                }
            }
}

// All fluids of the first one's solver: they are searched together.
static wbStatus addSearch(wbOverlays *overlays, const wbStill *still) {
    const wbRenderScene *scene = &still->scene;
    if (scene->viewCount == 0) return wb_okStatus;
    WB_TRY(wbCrowd_Sort(&overlays->crowd, scene->views, scene->fluids, scene->viewCount,
                        scene->fluids[0].solver));
    wbCrowd_CountNeighbours(&overlays->crowd, scene->views, scene->fluids, scene->viewCount,
                            scene->fluids[0].solver, scene->spacing, NULL);
    overlays->hasCrowd = true;
    if (overlays->crowd.mostInCell > 0) wbAddCells(&overlays->list, &overlays->crowd);
    return wb_okStatus;
}

static void addDomain(wbMarkList *list, const wbStill *still) {
    const wbDomainDef *d = &still->domain;
    const bool isFlat = still->scene.dimensions == 2;
    const float *min = &d->min.x, *max = &d->max.x;
    static const char *const names[3] = {"x", "y", "z"};
    for (int axis = 0; axis < (isFlat ? 2 : 3); axis++) {
        if (!(max[axis] > min[axis])) continue;
        for (int corner = 0; corner < (isFlat ? 4 : 8); corner++) {
            if (corner >> axis & 1) continue;
            wbVec3 from = {0, 0, 0}, to = {0, 0, 0};
            bool isClosed = false;
            for (int a = 0; a < (isFlat ? 2 : 3); a++) {
                (&from.x)[a] = corner >> a & 1 ? max[a] : min[a];
                (&to.x)[a] = a == axis ? max[a] : (&from.x)[a];
                isClosed = isClosed || (a != axis && d->sides[2 * a + (corner >> a & 1)].type != wb_sideOpen);
            }
            wbMarkList_AddLine(list, from, to, isClosed ? white : faint);
            if (corner == 0)
                wbMarkList_AddLabel(list, wbScale(0.5f, wbAdd(from, to)), LABEL, "%s %.3g m", names[axis],
                                    (double)(max[axis] - min[axis]));
        }
    }
}

static void addLinks(wbOverlays *overlays, const wbExtras *extras) {
    const wbShownLink *links = extras->links.data;
    for (int i = 0; i < extras->linkCount; i++)
        wbMarkList_AddLine(&overlays->list, links[i].from, links[i].to,
                           wbInk_OfSigned(links[i].error / overlays->errorShown, 1.2f));
}

static void addContacts(wbOverlays *overlays, const wbStill *still, float unit) {
    const wbBodyContact *contacts = still->extras.contacts.data;
    const float dt = still->dt > 0 ? still->dt : 1;
    float highest = 0;
    for (int i = 0; i < still->extras.contactCount; i++) highest = fmaxf(highest, contacts[i].impulse / dt);
    hold(&overlays->heldForce, highest);
    for (int i = 0; i < still->extras.contactCount; i++) {
        const wbBodyContact *c = &contacts[i];
        const float force = c->impulse / dt;
        wbMarkList_AddPoint(&overlays->list, c->point, withWidth(yellow, 4));
        wbMarkList_AddLine(&overlays->list, c->point, wbAdd(c->point, wbScale(0.015f * unit, c->normal)),
                           white);
        if (overlays->heldForce > 0 && force > 0.01f * overlays->heldForce)
            wbMarkList_AddArrow(
                &overlays->list, c->point,
                wbSub(c->point, wbScale(0.12f * unit * force / overlays->heldForce, c->normal)), orange);
    }
}

static void addJoints(wbMarkList *list, const wbExtras *extras) {
    const wbShownJoint *joints = extras->joints.data;
    for (int i = 0; i < extras->jointCount; i++) {
        const wbShownJoint *j = &joints[i];
        const wbInk ink = j->isBroken ? red : yellow;
        wbMarkList_AddLine(list, j->first, j->from, withWidth(ink, 1));
        wbMarkList_AddLine(list, j->from, j->to, withWidth(ink, 2));
        wbMarkList_AddLine(list, j->to, j->second, withWidth(ink, 1));
        wbMarkList_AddPoint(list, j->from, withWidth(ink, 6));
        wbMarkList_AddPoint(list, j->to, withWidth(ink, 6));
    }
}

static wbVec3 place(const wbRenderBody *body, wbVec3 v) {
    const float *p = body->position;
    return wbAdd(wbMakeVec3(p[0], p[1], p[2]), wbTurn(body->rotation, v));
}

static void widen(wbVec3 *min, wbVec3 *max, wbVec3 p) {
    for (int a = 0; a < 3; a++) {
        (&min->x)[a] = fminf((&min->x)[a], (&p.x)[a]);
        (&max->x)[a] = fmaxf((&max->x)[a], (&p.x)[a]);
    }
}

static void addBounds(wbMarkList *list, const wbRenderScene *scene) {
    const wbVec3 lowest = {-INFINITY, -INFINITY, -INFINITY}, highest = {INFINITY, INFINITY, INFINITY};
    for (int b = 0; b < scene->bodyCount; b++) {
        const wbRenderBody *body = &scene->bodies[b];
        wbVec3 min = highest, max = lowest;
        for (int i = 0; i < body->mesh->vertexCount; i++) {
            const float *v = body->mesh->vertices + 3 * (size_t)i;
            widen(&min, &max, place(body, wbMakeVec3(v[0], v[1], v[2])));
        }
        if (min.x <= max.x) wbMarkList_AddBox(list, min, max, blue);
    }
    for (int s = 0; s < scene->softCount; s++) {
        const wbView *view = &scene->softs[s].view;
        wbVec3 min = highest, max = lowest;
        for (int k = 0; k < view->count; k++) {
            const size_t i = (size_t)k * (size_t)view->stride;
            widen(&min, &max, wbMakeVec3(view->x[i], view->y[i], view->z[i]));
        }
        if (view->count > 2 && min.x <= max.x) wbMarkList_AddBox(list, min, max, green);
    }
}

static void addSleepers(wbMarkList *list, const wbExtras *extras) {
    const wbVec3 *centres = extras->sleepers.data;
    for (int i = 0; i < extras->sleeperCount; i++) wbMarkList_AddPoint(list, centres[i], withWidth(blue, 9));
}

static bool isCollider(const wbRenderBody *body) { return body->key >> 62 == 0; }

static wbStatus addWires(wbOverlays *overlays, const wbStill *still) {
    for (int b = 0; b < still->scene.bodyCount; b++) {
        const wbRenderBody *body = &still->scene.bodies[b];
        const wbVec3 *ends;
        int count;
        if (!isCollider(body)) continue;
        WB_TRY(wbWires_Find(&overlays->wires, body->mesh, body->key, still->generation, &ends, &count));
        for (int e = 0; e < count; e++)
            wbMarkList_AddLine(&overlays->list, place(body, ends[2 * e]), place(body, ends[2 * e + 1]),
                               yellow);
    }
    return wb_okStatus;
}

static void addPlace(wbMarkList *list, const wbShownPlace *p, int dimensions, float unit) {
    static const wbInk *const inks[] = {
        [wb_placeEmitter] = &green, [wb_placeDrain] = &red, [wb_placeSource] = &orange};
    const wbInk ink = p->isOpen ? *inks[p->kind] : grey;
    const float speed = wbLength(p->direction);
    if (p->shape == wb_placeBox) {
        wbVec3 min = p->min, max = p->max;
        if (dimensions == 2) min.z = max.z = 0;
        wbMarkList_AddBox(list, min, max, ink);
    } else if (p->shape == wb_placeBall) {
        wbMarkList_AddBall(list, p->position, p->radius, ink);
    } else if (p->shape == wb_placeDisc && dimensions == 3) {
        wbMarkList_AddRing(list, p->position, p->direction, p->radius, ink);
    } else if (p->shape == wb_placeDisc && speed > 0) {
        const wbVec3 across = wbScale(p->radius / speed, wbMakeVec3(-p->direction.y, p->direction.x, 0));
        wbMarkList_AddLine(list, wbSub(p->position, across), wbAdd(p->position, across), ink);
    }
    wbMarkList_AddPoint(list, p->position, withWidth(ink, 4));
    if (speed > 0)
        wbMarkList_AddArrow(list, p->position, wbAdd(p->position, wbScale(0.1f * unit / speed, p->direction)),
                            ink);
    wbMarkList_AddLabel(list, wbAdd(p->position, wbMakeVec3(0, 0.02f * unit, 0)), LABEL, "%s", p->name);
}

static void addPlaces(wbMarkList *list, const wbStill *still, wbPlaceKind kind, float unit) {
    const wbShownPlace *places = still->extras.places.data;
    for (int i = 0; i < still->extras.placeCount; i++)
        if (places[i].kind == kind) addPlace(list, &places[i], still->scene.dimensions, unit);
}

static void addProbe(wbMarkList *list, const wbShownProbe *probe, const wbDomainDef *domain, float unit) {
    char text[WB_MARK_TEXT];
    int used = snprintf(text, sizeof text, "%.40s", probe->name);
    for (int v = 0; v < probe->values.count && v < 3 && used < (int)sizeof text - 20; v++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s %.3g %.8s", v == 0 ? ":" : ",",
                         probe->values.values[v].value, probe->values.values[v].unit);
    wbVec3 at = probe->position;
    const bool isColumn = probe->kind == wb_probeLevel, isRectangle = isColumn || probe->kind == wb_probeFlow;
    for (int c = 0; isRectangle && c < 4; c++) {
        wbVec3 from = probe->corners[c], to = probe->corners[(c + 1) % 4], top = from;
        if (isColumn && domain->max.y > domain->min.y) from.y = to.y = domain->min.y, top.y = domain->max.y;
        wbMarkList_AddLine(list, from, to, violet);
        if (isColumn) wbMarkList_AddLine(list, from, top, withWidth(violet, 1));
    }
    if (isColumn && domain->max.y > domain->min.y) at.y = domain->max.y;
    wbMarkList_AddPoint(list, at, withWidth(violet, 7));
    wbMarkList_AddLabel(list, wbAdd(at, wbMakeVec3(0, 0.015f * unit, 0)), LABEL, "%s", text);
}

static void addTransfers(wbMarkList *list, const wbExtras *extras) {
    const wbTransfer *transfers = extras->transfers.data;
    for (int i = 0; i < extras->transferCount; i++) {
        const wbTransfer *t = &transfers[i];
        wbMarkList_AddLine(list, t->from, t->to, withWidth(t->isMerge ? violet : green, 2));
        wbMarkList_AddPoint(list, t->to, withWidth(t->isMerge ? violet : green, 4));
    }
}

wbStatus wbOverlays_Make(wbOverlays *overlays, const wbStill *still, float unit) {
    wbMarkList *list = &overlays->list;
    const bool *isOn = overlays->isOn;
    wbMarkList_Clear(list);
    overlays->hasCrowd = false;
    if (isOn[wb_overlayCells]) WB_TRY(addSearch(overlays, still));
    if (isOn[wb_overlayBounds]) addBounds(list, &still->scene);
    if (isOn[wb_overlayWires]) WB_TRY(addWires(overlays, still));
    if (isOn[wb_overlayConstraints]) addLinks(overlays, &still->extras);
    if (isOn[wb_overlayDomain]) addDomain(list, still);
    if (isOn[wb_overlayArrows]) addArrows(overlays, still);
    if (isOn[wb_overlayAirArrows]) addAirArrows(overlays, still);
    if (isOn[wb_overlayJoints]) addJoints(list, &still->extras);
    if (isOn[wb_overlaySleeping]) addSleepers(list, &still->extras);
    if (isOn[wb_overlayContacts]) addContacts(overlays, still, unit);
    if (isOn[wb_overlayEmitters]) addPlaces(list, still, wb_placeEmitter, unit);
    if (isOn[wb_overlayDrains]) addPlaces(list, still, wb_placeDrain, unit);
    if (isOn[wb_overlaySources]) addPlaces(list, still, wb_placeSource, unit);
    if (isOn[wb_overlayMerges]) addTransfers(list, &still->extras);
    const wbShownProbe *probes = still->extras.probes.data;
    for (int i = 0; isOn[wb_overlayProbes] && i < still->extras.probeCount; i++)
        addProbe(list, &probes[i], &still->domain, unit);
    wbMarkList_Finish(list);
    return list->isShort ? wbMemoryError(NULL, "overlays of %d marks need", list->count) : wb_okStatus;
}

void wbOverlays_Free(wbOverlays *overlays) {
    wbMarkList_Free(&overlays->list);
    wbCrowd_Free(&overlays->crowd);
    wbWires_Free(&overlays->wires);
}
