// SPDX-License-Identifier: MIT
// The objects of a scene file, each declared once as a table: the reader and the schema walk the same rows.
#pragma once

#include "wirbel/scene.h"

typedef struct wbForm {
    const wbParamTable *table;
    const char *const *others;   ///< keys that code of their own reads; ends with NULL; may be NULL
    const char *const *required; ///< ends with NULL; may be NULL
    bool depthAllowed;           ///< in 2D a vector may have three numbers as well
} wbForm;

/// Rows "group.name" of a table are an object "group" in files.
enum { WB_MAX_GROUPS = 4 };
typedef struct wbGroupName {
    char text[32];
} wbGroupName;
/// The group of a row; "" if it has none.
wbGroupName wbGetGroup(const wbParam *param);
bool wbIsInGroup(const wbParam *param, const char *group);

/// {"position", "velocity"}
typedef struct wbSceneParticle {
    wbVec3 position, velocity;
} wbSceneParticle;

/// {"particle", "body", "point"}: a particle of a soft body that a rigid body holds; code of its own reads the body.
typedef struct wbSceneAttachment {
    int particle; ///< from 0, or from the end, where -1 is the last
    wbVec3 point; ///< m, in the body's frame
    bool hasPoint;
    int body; ///< its number in the world
} wbSceneAttachment;

/// How copies of a rigid body are turned.
typedef enum wbCopyTurn { wb_turnNone, wb_turnRandom } wbCopyTurn;

/// {"counts", "spacing", …}: a lattice of bodies; its lowest layer has its middle where the body is put.
typedef struct wbSceneCopies {
    wbVec3 counts, spacing;
    float shift, jitter; ///< m
    int most, every, first;
    wbCopyTurn turn;
    int tints;
} wbSceneCopies;

/// What a fluid has beside its name and what fills it.
typedef struct wbSceneFluidKeys {
    wbFluidSolver solver;
    wbQuality quality;
    float restDensity; ///< kg/m3; 0: the solver's
} wbSceneFluidKeys;

/// {"at", "set", "value"}; the latter two are read by code of their own.
typedef struct wbSceneMoment {
    float at;
} wbSceneMoment;

/// {"at", "position", "target", "fov"}: where the camera is at a time.
typedef struct wbCameraKey {
    float at; ///< s
    wbVec3 position, target;
    float fov; ///< degrees
} wbCameraKey;

extern const wbForm wb_sideForm; ///< wbSideDef
/// The group of its solver's parameters that a fluid may have as a key.
#define WB_FLUID_GROUP "adaptive"
extern const wbForm wb_fluidForm;     ///< wbSceneFluidKeys
extern const wbForm wb_blockForm;     ///< wbBlockDef
extern const wbForm wb_ballForm;      ///< wbBallDef
extern const wbForm wb_fillMeshForm;  ///< wbFillMeshDef
extern const wbForm wb_randomForm;    ///< wbRandomDef
extern const wbForm wb_particleForm;  ///< wbSceneParticle
extern const wbForm wb_attachForm;    ///< wbSceneAttachment
extern const wbForm wb_partForm;      ///< wbRigidPartDef
extern const wbForm wb_copiesForm;    ///< wbSceneCopies
extern const wbForm wb_scriptForm;    ///< wbSceneMoment
extern const wbForm wb_cameraKeyForm; ///< wbCameraKey

/// A section of parameters: one of wbGetParamTables or wbGetSceneParamTables.
wbForm wbMakeSectionForm(const wbParamTable *table);

/// wbDomainDef
wbForm wbMakeDomainForm(void);

/// Objects with parameters: those of wbGetObjectTables.
wbForm wbMakeEmitterForm(void);   ///< wbEmitterParams
wbForm wbMakeDrainForm(void);     ///< wbDrainParams
wbForm wbMakeColliderForm(void);  ///< wbColliderParams
wbForm wbMakeMechanismForm(void); ///< wbMechanismParams
wbForm wbMakeSoftBodyForm(void);  ///< wbSoftBodyParams
wbForm wbMakeRigidBodyForm(void); ///< wbRigidBodyParams
wbForm wbMakeJointForm(void);     ///< wbJointParams
wbForm wbMakeForceForm(void);     ///< wbForceParams
wbForm wbMakeSourceForm(void);    ///< wbSourceParams
wbForm wbMakeProbeForm(void);     ///< wbProbeParams
wbForm wbMakeGrabForm(void);      ///< wbGrabParams

extern const char *const wb_sideNames[wb_sideCount];

/// Keys of the whole file. Gives how many.
enum { WB_MAX_SCENE_KEYS = 64 };
int wbListSceneKeys(const char *keys[WB_MAX_SCENE_KEYS]);
