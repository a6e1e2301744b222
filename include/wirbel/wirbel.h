// SPDX-License-Identifier: MIT
// Wirbel: real-time physics of water, smoke, soft and rigid bodies, in one world, in C.
//
//     wbWorldDef def = wbDefaultWorldDef();      def, default function, create
//     wbWorld *world;
//     wbStatus status = wbCreateWorld(&def, &world);
//
// What can fail for reasons outside the program returns a wbStatus; a broken rule of this interface is an
// assertion: so is a pointer that is NULL where nothing says that it may be.
#pragma once

#include "wirbel/rigid.h"
#include "wirbel/types.h"

WB_API_BEGIN

/// @name Devices
/// @{
/// Fills in up to `capacity` devices of all OpenCL platforms; *count is how many there are. wb_errorDevice with the
/// reason if OpenCL cannot be loaded or has no device; *count is 0 then.
wbStatus wbListDevices(wbDevice *devices, int capacity, int *count);
/// @}

/// @name World
/// @{
wbStatus wbCreateWorld(const wbWorldDef *def, wbWorld **world);
/// Frees everything made in it. NULL is allowed.
void wbDestroyWorld(wbWorld *world);

/// Advances all solvers by dt seconds at once; 0: by wbWorld_GetTimeStep, where world.dt is auto in sub-steps that each solver
/// chooses. After wb_errorUnstable the world can be read and destroyed, but not stepped on. After wb_errorMemory it is as before
/// the step, which can be tried again: with a higher world.memoryLimit it goes on as if nothing had happened.
wbStatus wbWorld_Step(wbWorld *world, float dt);

/// s, of wbWorld_Step(world, 0): world.dt, or where that is auto the longest part of a frame that is no longer than 1/60 s and
/// than 256 sub-steps; from within such a part only to its end.
float wbWorld_GetTimeStep(const wbWorld *world);
/// s: the longest step, or sub-step, that all solvers allow as the world is now; INFINITY if it holds nothing.
float wbWorld_GetStableStep(const wbWorld *world);
/// 1/s, of frames, from 0.001 to 1e6: with world.dt auto each of them ends with a step. 60 unless the def or the scene's output.fps
/// says otherwise.
wbStatus wbWorld_SetFrameRate(wbWorld *world, double rate);
double wbWorld_GetFrameRate(const wbWorld *world);
double wbWorld_GetTime(const wbWorld *world);
int64_t wbWorld_GetStepCount(const wbWorld *world);

/// Hash of all state that the next step reads or a view shows. Equal for any thread count on one instruction set.
uint64_t wbWorld_Hash(wbWorld *world);

wbStats wbWorld_GetStats(wbWorld *world);
wbProfile wbWorld_GetProfile(const wbWorld *world);
/// Support radii, masses of particles, stable steps, counts: of the world, then of each solver that is there. *count is how many there are,
/// also if only `capacity` of them have room.
wbStatus wbWorld_GetDerived(wbWorld *world, wbDerived *rows, int capacity, int *count);

/// Sets "section.name" ("sph.viscosity"), or "object.name" ("pipe.rate"), from text; takes effect with the next step.
wbStatus wbWorld_SetParam(wbWorld *world, const char *key, const char *value);
/// The value as text; if it does not fit, an error says the size that it takes.
wbStatus wbWorld_GetParam(const wbWorld *world, const char *key, char *value, int size);

/// Sets a parameter as wbWorld_SetParam does, or does a command: "water.addBlock", "water.addBall", "cloth.pin", "cloth.unpin",
/// "cloth.movePin", "crate.setPosition", "crate.setVelocity", "world.addRigidBody",
/// "world.addGrab", "mouse.of", whose texts docs/recordings.md has. All that a
/// user does to a world between steps can so be written down and done again.
wbStatus wbWorld_Apply(wbWorld *world, const char *key, const char *value);
/// Whether a key is a command's: each one counts, also several of one key between two steps; of a parameter the last value does.
bool wbIsCommandKey(const char *key);

/// Typed beside the text keys "world.gravity" and "smoke.wind", with their ranges and errors, for programs that lead them: no
/// search by name, no copy of the state. Energies follow a new gravity with the next step, which reads where a device's particles are.
wbStatus wbWorld_SetGravity(wbWorld *world, wbVec3 gravity);
wbStatus wbWorld_SetWind(wbWorld *world, wbVec3 wind);

/// Moves the state to another backend between steps; the run goes on. `device` as in world.device. Also possible by
/// wbWorld_SetParam. After wb_errorDevice from a step the world stands at the last state that was copied from the
/// device (by a view, statistics, a hash or a checkpoint); it can be read and saved, and goes on after this call.
wbStatus wbWorld_SetBackend(wbWorld *world, wbBackend backend, int device);
/// The device that computes; NULL: the processor's cores.
const wbDevice *wbWorld_GetDevice(const wbWorld *world);

wbDomainDef wbWorld_GetDomain(const wbWorld *world);
const wbWorldParams *wbWorld_GetWorldParams(const wbWorld *world);
const wbSphParams *wbWorld_GetSphParams(const wbWorld *world);
const wbPbdParams *wbWorld_GetPbdParams(const wbWorld *world);
const wbPbfParams *wbWorld_GetPbfParams(const wbWorld *world);
/// Whether a solver, by its name, has something to do in the world: a fluid, a soft body, air.
bool wbWorld_HasSolver(const wbWorld *world, const char *name);
wbSimd wbWorld_GetSimd(const wbWorld *world);

/// Writes all that the next step reads, so that wbLoadWorld goes on bit for bit. Written beside and renamed: if
/// it fails, a file of that name stays as it was. An unstable world is not saved.
wbStatus wbWorld_Save(wbWorld *world, const char *path);
/// A world as it was saved, with threads and instruction set as wbDefaultWorldDef has them. A file that was
/// written by another build, CPU, instruction set or backend loads with a notice to the log: it goes on, not bit for
/// bit.
wbStatus wbLoadWorld(const char *path, wbWorld **world);
/// wbLoadWorld on this backend (device -1: chosen) instead of the one that the world was saved with, or an error.
wbStatus wbLoadWorldOn(const char *path, wbBackend backend, int device, wbWorld **world);

/// The same in memory, as of a file's bytes: `bytes` may be any. SaveToBytes allocates nothing where they have room, and costs a
/// copy of the state and its checksums.
wbStatus wbWorld_SaveToBytes(wbWorld *world, wbBytes *bytes);
wbStatus wbLoadWorldFromBytes(const void *bytes, size_t size, wbWorld **world);
/// Goes back to bytes that were saved, in place: threads, backend, device and memoryLimit stay, ids of objects that are in the
/// bytes hold, views and meshes do not; ids of later objects come again, for the next ones. Up to twice the time of a save; more,
/// and memory for both, where objects came or went since. After an error nothing has changed. An unstable world goes on.
wbStatus wbWorld_Restore(wbWorld *world, const void *bytes, size_t size);

/// s: up to when a scene's script was run in this world; negative if not at all. Saved with it.
double wbWorld_GetScriptTime(const wbWorld *world);
void wbWorld_SetScriptTime(wbWorld *world, double time);

/// Pointers of the host program, of the world and of each object; NULL at first, and neither saved nor hashed.
void wbWorld_SetUserData(wbWorld *world, void *data);
void *wbWorld_GetUserData(const wbWorld *world);

/// 1 to 256; may change between steps. With a host's scheduler it is the number of tasks.
wbStatus wbWorld_SetThreadCount(wbWorld *world, int count);
int wbWorld_GetThreadCount(const wbWorld *world);
/// @}

/// @name Fluid
/// @{
wbStatus wbCreateFluid(wbWorld *world, const wbFluidDef *def, wbFluidId *fluid);
/// Its particles go, its emitters go with it, and drains that feed these keep what they take. With its last fluid a solver
/// goes, too; its parameters stay.
wbStatus wbDestroyFluid(wbWorld *world, wbFluidId fluid);
bool wbFluid_IsValid(const wbWorld *world, wbFluidId fluid);
int wbWorld_GetFluidCount(const wbWorld *world);
wbFluidId wbWorld_GetFluid(const wbWorld *world, int index);
const char *wbFluid_GetName(const wbWorld *world, wbFluidId fluid);
void wbFluid_SetUserData(wbWorld *world, wbFluidId fluid, void *data);
void *wbFluid_GetUserData(const wbWorld *world, wbFluidId fluid);

/// pos3 and vel3 hold x, y, z per particle; vel3 may be NULL (at rest). Nothing is added if a value is not
/// finite, a place lies in a collider, beyond a closed side or farther out than 1e9 m, or a speed is above 1e6 m/s.
wbStatus wbFluid_AddParticles(wbWorld *world, wbFluidId fluid, int count, const float *pos3,
                              const float *vel3);
wbStatus wbFluid_AddBlock(wbWorld *world, wbFluidId fluid, const wbBlockDef *block);
/// How many particles a block has by itself, without colliders in it; 0 if it is thinner than half a spacing.
double wbBlockDef_CountParticles(const wbBlockDef *block, double spacing, int dimensions);
/// Fills it with particles on a lattice, which colliders cut; refused if it reaches beyond a closed side or holds none.
wbStatus wbFluid_AddBall(wbWorld *world, wbFluidId fluid, const wbBallDef *ball);
wbStatus wbFluid_AddMesh(wbWorld *world, wbFluidId fluid, const wbFillMeshDef *def);
/// None if there is no room for so many: about two thirds of what a block of that size holds find a place.
wbStatus wbFluid_AddRandom(wbWorld *world, wbFluidId fluid, const wbRandomDef *def);

/// By ids, each once, as views have them; counted as removed. Nothing changes if one is gone or of another fluid.
wbStatus wbFluid_RemoveParticles(wbWorld *world, wbFluidId fluid, int count, const uint32_t *ids);
/// All that are in a box; `removed`, how many, may be NULL.
wbStatus wbFluid_RemoveParticlesInBox(wbWorld *world, wbFluidId fluid, wbVec3 min, wbVec3 max, int *removed);
/// Puts particles elsewhere, or makes them move otherwise: x, y, z per id; NULL leaves places, or velocities, as they are.
/// Checked as by wbFluid_AddParticles.
wbStatus wbFluid_SetParticles(wbWorld *world, wbFluidId fluid, int count, const uint32_t *ids,
                              const float *pos3, const float *vel3);

int wbFluid_GetParticleCount(const wbWorld *world, wbFluidId fluid);
/// kg, the same for all particles of a fluid: its rest density times the volume of a site of the lattice. With pbf.adaptive
/// that of the smallest: emitters, drains and statistics count in it, wbView has the mass of each particle.
double wbFluid_GetParticleMass(const wbWorld *world, wbFluidId fluid);
/// kg, of all its particles.
double wbFluid_GetMass(const wbWorld *world, wbFluidId fluid);
wbFluidSolver wbFluid_GetSolver(const wbWorld *world, wbFluidId fluid);
/// m, distance of particles on the undisturbed lattice.
double wbFluid_GetSpacing(const wbWorld *world, wbFluidId fluid);
/// kg/m3: its own, or that of its solver.
double wbFluid_GetRestDensity(const wbWorld *world, wbFluidId fluid);
/// m, support radius of the kernels.
double wbFluid_GetSupportRadius(const wbWorld *world, wbFluidId fluid);

wbStatus wbFluid_GetView(wbWorld *world, wbFluidId fluid, wbView *view);
/// Copies x, y, z per particle in the order of ids. Either target may be NULL.
wbStatus wbFluid_CopyById(wbWorld *world, wbFluidId fluid, float *pos3, float *vel3);
/// Merges and splits that are on their way, of all adaptive fluids of the method "thesis": those of others are done at once. *count is how
/// many there are, also if only `capacity` of them have room.
wbStatus wbWorld_GetTransfers(wbWorld *world, wbTransfer *transfers, int capacity, int *count);
/// Spray, foam and bubbles: none while diffuse.on is off.
wbStatus wbWorld_GetDiffuseView(wbWorld *world, wbDiffuseView *view);
wbFluidStats wbFluid_GetStats(const wbWorld *world, wbFluidId fluid);
/// The fluid's surface now, closed, with the volume that its mass has at rest; in 2D a slab of one spacing around
/// z = 0. Without particles it is empty. To be freed by wbFreeMesh. Memory and time go with the particles.
wbStatus wbFluid_BuildSurface(wbWorld *world, wbFluidId fluid, const wbFluidSurfaceDef *def, wbMesh *mesh);
/// @}

/// @name Emitters and drains
/// @{
/// Works from the next step on. Its parameters are changed by wbWorld_SetParam: "pipe.open".
wbStatus wbCreateEmitter(wbWorld *world, const wbEmitterDef *def, wbEmitterId *emitter);
/// Drains that feed it keep what they take from then on, and what is in their pipes is gone.
void wbDestroyEmitter(wbWorld *world, wbEmitterId emitter);
bool wbEmitter_IsValid(const wbWorld *world, wbEmitterId emitter);
int wbWorld_GetEmitterCount(const wbWorld *world);
wbEmitterId wbWorld_GetEmitter(const wbWorld *world, int index);
const char *wbEmitter_GetName(const wbWorld *world, wbEmitterId emitter);
void wbEmitter_SetUserData(wbWorld *world, wbEmitterId emitter, void *data);
void *wbEmitter_GetUserData(const wbWorld *world, wbEmitterId emitter);
const wbEmitterParams *wbEmitter_GetParams(const wbWorld *world, wbEmitterId emitter);
/// 1/s, as "pipe.rate", without a search by name; 0: auto.
wbStatus wbEmitter_SetRate(wbWorld *world, wbEmitterId emitter, float rate);
wbEmitterStats wbEmitter_GetStats(const wbWorld *world, wbEmitterId emitter);
/// Its places that are in a collider, or too near to one or to a closed side, as they are: nothing comes out there.
int wbEmitter_CountBlocked(const wbWorld *world, wbEmitterId emitter);

/// Works from the next step on. Its parameters are changed by wbWorld_SetParam: "sink.rate".
wbStatus wbCreateDrain(wbWorld *world, const wbDrainDef *def, wbDrainId *drain);
/// What is in its pipe is gone. The emitter that it fed lets out what waits at its mouth, then nothing until another feeds it.
void wbDestroyDrain(wbWorld *world, wbDrainId drain);
bool wbDrain_IsValid(const wbWorld *world, wbDrainId drain);
int wbWorld_GetDrainCount(const wbWorld *world);
wbDrainId wbWorld_GetDrain(const wbWorld *world, int index);
const char *wbDrain_GetName(const wbWorld *world, wbDrainId drain);
void wbDrain_SetUserData(wbWorld *world, wbDrainId drain, void *data);
void *wbDrain_GetUserData(const wbWorld *world, wbDrainId drain);
const wbDrainParams *wbDrain_GetParams(const wbWorld *world, wbDrainId drain);
wbDrainStats wbDrain_GetStats(const wbWorld *world, wbDrainId drain);
/// @}

/// @name Colliders and mechanisms
/// @{
/// Refused with the number of particles that would be in it, or too near to it.
wbStatus wbCreateCollider(wbWorld *world, const wbColliderDef *def, wbColliderId *collider);
/// Refused while a mechanism moves it.
wbStatus wbDestroyCollider(wbWorld *world, wbColliderId collider);
bool wbCollider_IsValid(const wbWorld *world, wbColliderId collider);
int wbWorld_GetColliderCount(const wbWorld *world);
wbColliderId wbWorld_GetCollider(const wbWorld *world, int index);
const char *wbCollider_GetName(const wbWorld *world, wbColliderId collider);
void wbCollider_SetUserData(wbWorld *world, wbColliderId collider, void *data);
void *wbCollider_GetUserData(const wbWorld *world, wbColliderId collider);
const wbColliderParams *wbCollider_GetParams(const wbWorld *world, wbColliderId collider);
/// In its own frame; valid as long as the collider.
const wbMesh *wbCollider_GetMesh(const wbWorld *world, wbColliderId collider);
wbColliderStats wbCollider_GetStats(const wbWorld *world, wbColliderId collider);
/// What moves it; a null id: no mechanism does.
wbMechanismId wbCollider_GetMechanism(const wbWorld *world, wbColliderId collider);
/// It sweeps there, by the short way round, from the next step on; its surface no faster than "name.speed". Rotation:
/// degrees about x, then y, then z. The same as to set "name.position" and "name.rotation": every few steps, to lead it.
wbStatus wbCollider_MoveTo(wbWorld *world, wbColliderId collider, wbVec3 position, wbVec3 rotation);
/// It moves at this velocity (m/s) and spins about its origin (rad/s, about the world's axes), exactly, until told otherwise:
/// by this, wbCollider_SetPose, MoveTo, Place or another "name.position". "name.speed" is no limit; parts of a mechanism refuse.
wbStatus wbCollider_SetVelocity(wbWorld *world, wbColliderId collider, wbVec3 velocity, wbVec3 spin);
/// It is there when the next step is over, at the velocity that this takes, by the short way round; then it rests. Rotation: a unit
/// quaternion x, y, z, w. For each frame of a program that moves it by itself; limits as of wbCollider_SetVelocity.
wbStatus wbCollider_SetPose(wbWorld *world, wbColliderId collider, wbVec3 position, const float rotation[4]);
/// Puts it there, at rest, without sweeping. Refused as by wbCreateCollider, and for parts of a mechanism. Smoke in the
/// cells that it covers goes to the air beside it with the next step.
wbStatus wbCollider_Place(wbWorld *world, wbColliderId collider, wbVec3 position, wbVec3 rotation);

/// The same as to set "name.on". Refused as by wbCollider_Place where it would be switched on; its mechanism moves it all the time.
wbStatus wbCollider_SetOn(wbWorld *world, wbColliderId collider, bool isOn);

/// Gates, locks, wheels, shakers: driven by wbWorld_SetParam: "gate.open".
wbStatus wbCreateMechanism(wbWorld *world, const wbMechanismDef *def, wbMechanismId *mechanism);
/// Its colliders stand still where they are: their parameters say so.
void wbDestroyMechanism(wbWorld *world, wbMechanismId mechanism);
bool wbMechanism_IsValid(const wbWorld *world, wbMechanismId mechanism);
int wbWorld_GetMechanismCount(const wbWorld *world);
wbMechanismId wbWorld_GetMechanism(const wbWorld *world, int index);
const char *wbMechanism_GetName(const wbWorld *world, wbMechanismId mechanism);
void wbMechanism_SetUserData(wbWorld *world, wbMechanismId mechanism, void *data);
void *wbMechanism_GetUserData(const wbWorld *world, wbMechanismId mechanism);
const wbMechanismParams *wbMechanism_GetParams(const wbWorld *world, wbMechanismId mechanism);
/// As "gate.open", 0 to 1, and "wheel.speed", deg/s, without a search by name.
wbStatus wbMechanism_SetOpen(wbWorld *world, wbMechanismId mechanism, float open);
wbStatus wbMechanism_SetSpeed(wbWorld *world, wbMechanismId mechanism, float speed);
wbMechanismStats wbMechanism_GetStats(const wbWorld *world, wbMechanismId mechanism);
/// @}

/// @name Soft bodies
/// @{
/// Only in 3 dimensions. Closed sides and colliders hold it; soft bodies feel each other if pbd.radius is above 0.
wbStatus wbCreateSoftBody(wbWorld *world, const wbSoftBodyDef *def, wbSoftBodyId *body);
/// Particles, constraints and triangles of bodies behind it are counted from less.
wbStatus wbDestroySoftBody(wbWorld *world, wbSoftBodyId body);
bool wbSoftBody_IsValid(const wbWorld *world, wbSoftBodyId body);
int wbWorld_GetSoftBodyCount(const wbWorld *world);
wbSoftBodyId wbWorld_GetSoftBody(const wbWorld *world, int index);
const char *wbSoftBody_GetName(const wbWorld *world, wbSoftBodyId body);
void wbSoftBody_SetUserData(wbWorld *world, wbSoftBodyId body, void *data);
void *wbSoftBody_GetUserData(const wbWorld *world, wbSoftBodyId body);
const wbSoftBodyParams *wbSoftBody_GetParams(const wbWorld *world, wbSoftBodyId body);
int wbSoftBody_GetParticleCount(const wbWorld *world, wbSoftBodyId body);
/// m, that its particles keep from sides and colliders, and from other bodies unless it is 0.
float wbSoftBody_GetContactRadius(const wbWorld *world, wbSoftBodyId body);
wbStatus wbSoftBody_GetView(wbWorld *world, wbSoftBodyId body, wbView *view);
wbSoftBodyMesh wbSoftBody_GetMesh(const wbWorld *world, wbSoftBodyId body);

/// Holds a particle where it is, or lets it go. Particles are counted from 0 in the body.
wbStatus wbSoftBody_Pin(wbWorld *world, wbSoftBodyId body, int particle, bool isPinned);
/// Puts a pinned particle elsewhere, at once: to drag it, move it a little before each step.
wbStatus wbSoftBody_MovePin(wbWorld *world, wbSoftBodyId body, int particle, wbVec3 position);
/// Those that are pinned, in rising order. *count is how many there are, also if only `capacity` of them have room.
wbStatus wbSoftBody_GetPins(wbWorld *world, wbSoftBodyId body, int *particles, int capacity, int *count);

/// Ties a particle to a rigid body, both ways: to a point as seen from the body's origin, where the particle is put at once, if it is not farther away
/// than its body measures, or if that is NULL to the point where it is. A particle has one tie: a new one takes the place of the old. With either body the tie goes.
wbStatus wbSoftBody_Attach(wbWorld *world, wbSoftBodyId body, int particle, wbRigidBodyId to,
                           const wbVec3 *point);
/// Lets it go; nothing happens if it is free.
wbStatus wbSoftBody_Detach(wbWorld *world, wbSoftBodyId body, int particle);
/// As wbSoftBody_GetPins, in the order in which they were made.
wbStatus wbSoftBody_GetAttachments(wbWorld *world, wbSoftBodyId body, wbAttachment *attachments, int capacity,
                                   int *count);

/// Distances that all soft bodies keep, and a hash of who is tied to whom.
int wbWorld_GetConstraintCount(const wbWorld *world);
uint64_t wbWorld_HashConstraints(const wbWorld *world);
/// A colour per constraint: Gauss-Seidel works on those of one colour at once, as no two of a kind share a particle.
wbStatus wbWorld_GetColours(wbWorld *world, int *colours);
/// Takes others than those that would be chosen; they are saved with the world.
wbStatus wbWorld_SetColours(wbWorld *world, const int *colours);

/// Root of the mean squared error of all lengths that soft bodies keep, each relative to its rest length.
wbStatus wbWorld_GetLengthError(wbWorld *world, double *error);
/// @}

/// @name Smoke
/// @{
/// The air's fields now; no cells in a world without smoke.
wbStatus wbWorld_GetSmokeView(wbWorld *world, wbSmokeView *view);
wbSmokeStats wbWorld_GetSmokeStats(wbWorld *world);
/// Cells that a step computes: those of the air's grid, with smoke.follow the fine and the coarse ones; 0 without smoke.
int64_t wbWorld_GetCellCount(const wbWorld *world);
/// NULL in a world without smoke.
const wbSmokeParams *wbWorld_GetSmokeParams(const wbWorld *world);

/// Works from the next step on, in a world with smoke. Its parameters are changed by wbWorld_SetParam: "fan.velocity".
wbStatus wbCreateSource(wbWorld *world, const wbSourceDef *def, wbSourceId *source);
void wbDestroySource(wbWorld *world, wbSourceId source);
bool wbSource_IsValid(const wbWorld *world, wbSourceId source);
int wbWorld_GetSourceCount(const wbWorld *world);
wbSourceId wbWorld_GetSource(const wbWorld *world, int index);
const char *wbSource_GetName(const wbWorld *world, wbSourceId source);
void wbSource_SetUserData(wbWorld *world, wbSourceId source, void *data);
void *wbSource_GetUserData(const wbWorld *world, wbSourceId source);
const wbSourceParams *wbSource_GetParams(const wbWorld *world, wbSourceId source);
/// @}

/// @name Probes
/// @{
/// Measures from now on, when it is asked: one that nobody reads costs nothing. docs/queries.md says how. Its parameters are
/// changed by wbWorld_SetParam: "gauge.position". If its fluid or collider is destroyed, it reads NAN.
wbStatus wbCreateProbe(wbWorld *world, const wbProbeDef *def, wbProbeId *probe);
void wbDestroyProbe(wbWorld *world, wbProbeId probe);
bool wbProbe_IsValid(const wbWorld *world, wbProbeId probe);
int wbWorld_GetProbeCount(const wbWorld *world);
wbProbeId wbWorld_GetProbe(const wbWorld *world, int index);
const char *wbProbe_GetName(const wbWorld *world, wbProbeId probe);
void wbProbe_SetUserData(wbWorld *world, wbProbeId probe, void *data);
void *wbProbe_GetUserData(const wbWorld *world, wbProbeId probe);
const wbProbeParams *wbProbe_GetParams(const wbWorld *world, wbProbeId probe);
/// As the world is now: pressure; velocity_x, _y, _z; density; temperature; level; flow, mass_flow; force_x to torque_z. Of
/// all probes the first to be read after a step sorts the particles, as queries do (wirbel/query.h).
wbStatus wbProbe_GetValues(wbWorld *world, wbProbeId probe, wbProbeValues *values);
/// @}

/// @name Grabs
/// @{
/// Pulls from the next step on, by forces: nothing jumps. Its parameters are changed by wbWorld_SetParam: "mouse.target". On a compute
/// device soft or rigid bodies are computed by the cores, from a copy, while a grab holds one of them. At most 64 in a world.
wbStatus wbCreateGrab(wbWorld *world, const wbGrabDef *def, wbGrabId *grab);
void wbDestroyGrab(wbWorld *world, wbGrabId grab);
bool wbGrab_IsValid(const wbWorld *world, wbGrabId grab);
int wbWorld_GetGrabCount(const wbWorld *world);
wbGrabId wbWorld_GetGrab(const wbWorld *world, int index);
const char *wbGrab_GetName(const wbWorld *world, wbGrabId grab);
void wbGrab_SetUserData(wbWorld *world, wbGrabId grab, void *data);
void *wbGrab_GetUserData(const wbWorld *world, wbGrabId grab);
const wbGrabParams *wbGrab_GetParams(const wbWorld *world, wbGrabId grab);
/// m, as "mouse.target", and "mouse.on", without a search by name.
wbStatus wbGrab_SetTarget(wbWorld *world, wbGrabId grab, wbVec3 target);
wbStatus wbGrab_SetOn(wbWorld *world, wbGrabId grab, bool isOn);
/// What it holds from now on: the name of an object, or its kind and number, as bodies may have no name: "cloth", "rigidBody#12"; "":
/// nothing, it pushes fluids. Also by wbWorld_Apply: "mouse.of". What is destroyed is held no more, and nothing else is.
wbStatus wbGrab_SetOf(wbWorld *world, wbGrabId grab, const char *of);
/// The same as text; "" also after what it held was destroyed.
wbStatus wbGrab_GetOf(const wbWorld *world, wbGrabId grab, char *of, int size);
/// m, where it holds it now, or where the ball is that pushes fluids. False: it is off, or what it held is gone.
wbStatus wbGrab_GetPoint(wbWorld *world, wbGrabId grab, bool *isThere, wbVec3 *point);
/// @}

WB_API_END
