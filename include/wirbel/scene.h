// SPDX-License-Identifier: MIT
// Scene files: strict JSON, described by docs/scene.schema.json.
#pragma once

#include "wirbel/wirbel.h"

WB_API_BEGIN

// clang-format off
#define WB_CAMERA_PARAMS(F, A, I, B, E, V, S)                                                                \
    V(position, 0, 0, 0, -1e9f, 1e9f, "m", 1,                                                                \
      "where the camera stands; the same as target: framed on the domain")                                   \
    V(target, 0, 0, 0, -1e9f, 1e9f, "m", 1, "what it looks at")                                              \
    F(fov, 40, 5, 120, "degrees", 1, "vertical angle of view")

typedef enum wbColour {
    wb_colourAuto,
    wb_colourDensity,
    wb_colourSpeed,
    wb_colourSize,
    wb_colourBoundary,
    wb_colourDeviation,
    wb_colourPressure,
    wb_colourNeighbours,
    wb_colourId,
    wb_colourFluid
} wbColour;
typedef enum wbWater { wb_waterSpheres, wb_waterSurface, wb_waterPoints } wbWater;
typedef enum wbSmokeLook { wb_lookSmoke, wb_lookSteam, wb_lookFlame } wbSmokeLook;
typedef enum wbSmokeMethod { wb_smokeMarch, wb_smokeObjectSlices, wb_smokeViewSlices } wbSmokeMethod;
typedef enum wbField {
    wb_fieldAuto,
    wb_fieldDensity,
    wb_fieldSpeed,
    wb_fieldVorticity,
    wb_fieldPressure,
    wb_fieldTemperature,
    wb_fieldFuel,
    wb_fieldDivergence,
    wb_fieldVelocityX,
    wb_fieldVelocityY,
    wb_fieldVelocityZ,
    wb_fieldSolids,
    wb_fieldSteam,
    wb_fieldCloud
} wbField;
typedef enum wbAxis { wb_axisX, wb_axisY, wb_axisZ } wbAxis;

#define WB_OUTPUT_PARAMS(F, A, I, B, E, V, S)                                                                \
    F(fps, 60, 1e-3f, 1e6f, "1/s", 1, "frames per simulated second")                                         \
    S(size, 1280, 720, 16, 8192, "pixels", 1, "size of pictures")                                            \
    E(water, wbWater, wb_waterSurface, "spheres|surface|points", 1,                                          \
      "how water looks in 3D: a sphere per particle, a smooth surface, or points, which are quick")                                   \
    E(colour, wbColour, wb_colourAuto, "auto|density|speed|size|boundary|deviation|pressure|neighbours|id|fluid", 1, \
      "what the water's colour shows; auto: spheres their speed, a surface nothing; boundary: 1 at the surface, else 0; "  \
      "deviation: of the density from that at rest; neighbours: particles within the own support radius")     \
    A(colourMin, NAN, -1e9f, 1e9f, "", 1, "value at the lower end of the colours; auto: from what is shown")   \
    A(colourMax, NAN, -1e9f, 1e9f, "", 1, "value at the upper end of the colours; auto: from what is shown")                   \
    F(radius, 0.5f, 0.01f, 5, "spacings", 1, "radius of the spheres; a surface lies around twice that")      \
    E(smoke, wbSmokeLook, wb_lookSmoke, "smoke|steam|flame", 1,                                              \
      "how smoke looks: dark in its own shadow; white and thin; or not at all, only its glow")               \
    E(smokeMethod, wbSmokeMethod, wb_smokeMarch, "march|objectSlices|viewSlices", 1,                         \
      "how smoke is drawn: along rays, or as slices along the box or across the view")                       \
    V(smokeColour, 0.8f, 0.8f, 0.8f, 0, 1, "", 1, "red, green and blue of smoke that has no colour of its own") \
    F(cloudOpacity, 0.5f, 0, 1e9f, "1/m", 1, "light that clouds of 1 g/m3 take per metre; by nature 0.1 to 1") \
    A(smokeOpacity, 0, 1e-9f, 1e9f, "1/m", 1,                                                                \
      "light that smoke of density 1 takes per metre; auto: 80 over the box's longest edge, steam 24")       \
    F(glow, 1, 0, 1e6f, "", 1, "brightness of fire")                                                         \
    E(field, wbField, wb_fieldAuto,                                                                          \
      "auto|density|speed|vorticity|pressure|temperature|fuel|divergence|velocityX|velocityY|velocityZ|solids|steam|cloud", 1, \
      "field of the air that a flat picture shows; auto: in 2D density, in 3D smoke as it looks; solids: cells in colliders") \
    E(slice, wbAxis, wb_axisZ, "x|y|z", 1, "in 3D: axis across which the field is cut")                      \
    A(sliceAt, NAN, -1e9f, 1e9f, "m", 1, "in 3D: where it is cut; auto: in the middle")                        \
    F(daylight, 1, 0, 1, "", 1, "brightness of sun and sky in 3D; 0: only fire gives light")                 \
    F(surfaceCell, 0.5f, 0.1f, 1, "spacings", 1,                                                             \
      "meshes of --surface: cells that they are found on; triangles are about so large")                     \
    F(surfaceRadius, 2.1f, 1, 4, "spacings", 1,                                                              \
      "meshes of --surface: how far a particle reaches; more is smoother, and joins what is near")           \
    I(surfaceSmoothing, 5, 0, 100, "", 1, "meshes of --surface: passes that smooth them; none in 2D")        \
    B(box, 1, 1, "draw the edges of the domain")                                                             \
    B(floor, 1, 1, "draw a floor with shadows below the domain")                                             \
    B(legend, 1, 1, "draw the scale of colours")
// clang-format on

typedef struct wbCameraParams {
    WB_PARAM_FIELDS(WB_CAMERA_PARAMS)
} wbCameraParams;
typedef struct wbOutputParams {
    WB_PARAM_FIELDS(WB_OUTPUT_PARAMS)
} wbOutputParams;

/// What a scene file says, before a world is made of it.
typedef struct wbScene wbScene;

/// Reads a scene and makes its world, in one call.
wbStatus wbLoadScene(const char *path, wbWorld **world);

/// Errors name file:line:column, the value, the range, and for keys the nearest known name.
wbStatus wbReadScene(const char *path, wbScene **scene);
/// Reads a scene from a text in memory; errors call it `name`.
wbStatus wbReadSceneText(const char *name, const char *text, size_t length, wbScene **scene);
void wbDestroyScene(wbScene *scene);

/// Sets "section.name" from text, as `--set` does; the section may be world, a solver, camera or output, or the name of
/// an object.
wbStatus wbScene_Set(wbScene *scene, const char *key, const char *value);
/// The value as text, as wbScene_Set reads it; if it does not fit, an error says the size that it takes.
wbStatus wbScene_Get(const wbScene *scene, const char *key, char *value, int size);
/// Adds "at time: set key to value" to the script, as `--set-at` does.
wbStatus wbScene_SetAt(wbScene *scene, double time, const char *key, const char *value);

wbStatus wbScene_CreateWorld(const wbScene *scene, wbWorld **world);

/// Applies the script's entries that became due since the last call (wbWorld_GetScriptTime), up to the world's
/// time.
wbStatus wbScene_RunScript(const wbScene *scene, wbWorld *world);

/// Whether a world that was loaded from a checkpoint can be one of this scene: the same dimensions, objects and
/// domain. The text says what differs.
wbStatus wbScene_CheckWorld(const wbScene *scene, const wbWorld *world);

/// The colours of a world's constraints as JSON, with a hash of the constraints that they belong to.
wbStatus wbWriteColouring(const char *path, wbWorld *world);
/// Gives a world the colours of a file; refused if they do not belong to its constraints.
wbStatus wbReadColouring(const char *path, wbWorld *world);

/// What wbScene_CreateWorld will use; threads, instruction set and the host's scheduler may be changed.
wbWorldDef *wbScene_GetWorldDef(wbScene *scene);
const wbCameraParams *wbScene_GetCamera(const wbScene *scene);
/// At a simulated time, s: on its way between the keys of the scene's camera; without keys always as wbScene_GetCamera.
wbCameraParams wbScene_GetCameraAt(const wbScene *scene, double time);
const wbOutputParams *wbScene_GetOutput(const wbScene *scene);
/// The scene's "title", or its file's name without folder and ending.
const char *wbScene_GetTitle(const wbScene *scene);
/// The scene's "description", or "".
const char *wbScene_GetDescription(const wbScene *scene);
/// The files that it was read from, so that a program can leave them alone or watch them: its own, if it is not a text in
/// memory, and its meshes.
int wbScene_GetFileCount(const wbScene *scene);
const char *wbScene_GetFile(const wbScene *scene, int index);
/// Particles that its world starts with; a double, as settings may ask for more than a world holds.
double wbScene_GetParticleCount(const wbScene *scene);

/// The tables of "camera" and "output", beside those of wbGetParamTables.
const wbParamTable *wbGetSceneParamTables(int *count);

WB_API_END
