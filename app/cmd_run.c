// SPDX-License-Identifier: MIT
// wirbel run: simulates a scene and writes what is asked for, frame by frame.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "app/check_fluids.h"
#include "app/check_paths.h"
#include "app/checkpoints.h"
#include "app/commands.h"
#include "app/interrupt.h"
#include "app/open_scene.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "app/replay.h"
#include "app/solvers.h"
#include "core/status.h"

static const wbFlag flags[] = {
    WB_NUMBER("--seconds", "S", seconds, 0, 1e9, "end after S simulated seconds; without it world.seconds"),
    WB_INT("--frames", "N", frames, 0, 1e9, "end after N frames (output.fps of them make a second)"),
    WB_MACHINE_FLAGS("threads; without it one per core"),
    WB_TEXT("--settings", "F.json", settings, "change the parameters of a list of settings, before --set"),
    WB_LIST("--set", "KEY=VALUE", set, "change a parameter: sph.viscosity=0.2 (repeatable)"),
    WB_LIST("--set-at", "TIME:KEY=VALUE", setAt,
            "change it at a simulated time: 2.5:sph.viscosity=1 (repeatable)"),
    WB_TEXT("--video", "F.mp4", video, "film the frames, as MP4"),
    WB_TEXT("--png", "DIR", png, "a picture per frame"),
    WB_INT("--png-every", "K", pngEvery, 1, 1e9, "of the frames whose number is a multiple of K alone"),
    WB_TEXT("--ply", "DIR", ply, "particles and triangles of soft bodies per frame as PLY"),
    WB_TEXT("--vtk", "DIR", vtk, "the same and smoke per frame for ParaView"),
    WB_TEXT("--surface", "DIR", surface, "the water's surface per frame as a mesh, as PLY and for ParaView"),
    WB_TEXT("--poses", "DIR", poses,
            "where colliders and rigid bodies are per frame, as poses.csv, and their meshes"),
    WB_TEXT("--vdb", "DIR", vdb, "smoke per frame as OpenVDB, for Blender and others"),
    WB_TEXT("--raw", "DIR", raw, "smoke per frame as plain numbers with a text header (MetaImage)"),
    WB_TEXT("--stats", "F.csv", stats, "a line of statistics per frame"),
    WB_INT("--every", "K", every, 1, 1e9, "write only each K-th frame"),
    WB_TEXT("--size", "WxH", size, "size of pictures, such as 1280x720"),
    WB_TEXT("--save", "F", save, "write a checkpoint at the end, also after Ctrl-C"),
    WB_NUMBER("--save-every", "S", saveEvery, 1e-9, 1e9, "write it also after each S simulated seconds"),
    WB_TEXT("--resume", "F", resume, "go on from a checkpoint of this scene"),
    WB_TEXT("--record", "F.json", record, "write a recording: scene, settings, changes, hashes"),
    WB_TEXT("--replay", "F.json", replay, "do a recording again and compare; SCENE may be left out"),
    WB_SWITCH("--quiet", quiet, "no progress"),
};

typedef struct Run {
    const wbOptions *options;
    wbScene *scene;
    wbWorld *world;
    wbOutputs outputs;
    wbCheckpoints checkpoints;
    wbProgress progress;
    wbReplay replay;
    int frame, lastFrame;
    double fps, endTime; ///< endTime in simulated seconds
    double stepMs;       ///< wall time within steps
    int64_t firstStep;   ///< steps that were done before
    double startTime;    ///< s, simulated before
} Run;

// the end is a number of frames or a time; the last frame is the last one that begins by then
static void setEnd(Run *run) {
    const wbOptions *options = run->options;
    double seconds = (double)wbWorld_GetWorldParams(run->world)->seconds;
    run->fps = (double)wbScene_GetOutput(run->scene)->fps;
    if (options->seconds >= 0) seconds = options->seconds;
    if (run->replay.isReplayed) seconds = run->replay.recording.endTime;
    run->endTime = options->frames >= 0 ? options->frames / run->fps : seconds;
    double lastFrame = floor(run->endTime * run->fps + 1e-6);
    run->lastFrame = lastFrame < 2e9 ? (int)lastFrame : 2000000000;
}

// sums of float steps miss round times by a little: a thousandth of a step counts as reached
static bool isReached(const Run *run, double time) {
    return wbWorld_GetTime(run->world) >= time - 1e-3 * (double)wbWorld_GetTimeStep(run->world);
}

static bool isOver(const Run *run) {
    if (run->replay.isReplayed) return wbWorld_GetStepCount(run->world) >= run->replay.recording.endStep;
    return isReached(run, run->endTime);
}

static int countParticles(const wbWorld *world) {
    int count = 0;
    for (int i = 0; i < wbWorld_GetFluidCount(world); i++)
        count += wbFluid_GetParticleCount(world, wbWorld_GetFluid(world, i));
    for (int i = 0; i < wbWorld_GetSoftBodyCount(world); i++)
        count += wbSoftBody_GetParticleCount(world, wbWorld_GetSoftBody(world, i));
    return count;
}

// What pumps hold is not gone: it comes out again.
static int64_t countHeld(const wbWorld *world) {
    int64_t count = 0;
    for (int i = 0; i < wbWorld_GetEmitterCount(world); i++)
        count += wbEmitter_GetStats(world, wbWorld_GetEmitter(world, i)).waiting;
    for (int i = 0; i < wbWorld_GetDrainCount(world); i++)
        count += wbDrain_GetStats(world, wbWorld_GetDrain(world, i)).inPipe;
    return count;
}

static void append(char text[96], const char *form, int64_t count) {
    const size_t length = strlen(text);
    snprintf(text + length, 96 - length, form, length > 0 ? ", " : "", count);
}

// "5000 particles and 120 in pumps", "1000 rigid bodies", "1000000 cells", or several of them
static const char *describeSize(const wbWorld *world, char text[96]) {
    const int64_t cells = wbWorld_GetCellCount(world), held = countHeld(world);
    const int bodies = wbWorld_GetRigidBodyCount(world), particles = countParticles(world);
    text[0] = 0;
    if (wbWorld_GetFluidCount(world) > 0 || particles > 0 || cells + bodies == 0)
        append(text, "%s%" PRId64 " particles", particles);
    if (held > 0) append(text, "%.0s and %" PRId64 " in pumps", held);
    if (bodies > 0) append(text, "%s%" PRId64 " rigid bodies", bodies);
    if (cells > 0) append(text, "%s%" PRId64 " cells", cells);
    return text;
}

// " (24 sph)": what a step was cut into
static const char *describeSubSteps(const wbProfile *profile, char text[96]) {
    int length = 0;
    text[0] = 0;
    for (int s = 0; s < profile->solverCount && length < 64; s++)
        if (profile->solvers[s].subSteps > 1)
            length += snprintf(text + length, 96 - (size_t)length, "%s%d %.12s", length > 0 ? ", " : " (",
                               profile->solvers[s].subSteps, profile->solvers[s].name);
    if (length > 0) snprintf(text + length, 96 - (size_t)length, ")");
    return text;
}

static void showProgress(Run *run) {
    char size[96], subSteps[96];
    const wbProfile profile = wbWorld_GetProfile(run->world);
    wbProgressState state = {
        .frame = run->frame,
        .frameCount = run->lastFrame,
        .time = wbWorld_GetTime(run->world),
        .endTime = run->endTime,
        .startTime = run->startTime,
        .size = describeSize(run->world, size),
        .steps = (double)(wbWorld_GetStepCount(run->world) - run->firstStep),
        .stepMs = run->stepMs,
        .subSteps = describeSubSteps(&profile, subSteps),
    };
    wbProgress_Update(&run->progress, &state);
}

static wbStatus step(Run *run) {
    WB_TRY(wbScene_RunScript(run->scene, run->world));
    WB_TRY(wbReplay_BeforeStep(&run->replay, run->world));
    setEnd(run); // the script may have moved it
    wbStatus status = wbWorld_Step(run->world, 0);
    if (wbWorld_GetStepCount(run->world) == 1) wbWarnOfCompression(run->world);
    run->stepMs += wbWorld_GetProfile(run->world).stepMs;
    return wbIsOk(status) ? wbReplay_AfterStep(&run->replay, run->world) : status;
}

// all frames that end with this step: several if a step is longer than a frame
static wbStatus writeFrames(Run *run) {
    while (run->frame < run->lastFrame && isReached(run, (run->frame + 1) / run->fps)) {
        run->frame++;
        WB_TRY(wbOutputs_WriteFrame(&run->outputs, run->world, run->frame));
    }
    return wb_okStatus;
}

// The last step counts when its particles have come back from a compute device.
static wbStatus bringBack(Run *run) {
    wbView view;
    for (int i = 0; i < wbWorld_GetFluidCount(run->world); i++)
        WB_TRY(wbFluid_GetView(run->world, wbWorld_GetFluid(run->world, i), &view));
    for (int i = 0; i < wbWorld_GetSoftBodyCount(run->world); i++)
        WB_TRY(wbSoftBody_GetView(run->world, wbWorld_GetSoftBody(run->world, i), &view));
    return wb_okStatus;
}

static wbStatus simulate(Run *run) {
    if (!run->options->resume) WB_TRY(wbOutputs_WriteFrame(&run->outputs, run->world, 0));
    while (!isOver(run) && !wb_interrupted) {
        WB_TRY(step(run));
        WB_TRY(writeFrames(run));
        WB_TRY(wbCheckpoints_Update(&run->checkpoints, run->world));
        showProgress(run);
    }
    WB_TRY(bringBack(run));
    WB_TRY(wbReplay_Finish(&run->replay, run->options, run->world));
    return wbCheckpoints_Finish(&run->checkpoints, run->world);
}

// the frames up to here were written before
static void skipFrames(Run *run) {
    double frame = fmin(floor(wbWorld_GetTime(run->world) * run->fps) + 1, run->lastFrame);
    for (run->frame = (int)frame; run->frame > 0 && !isReached(run, run->frame / run->fps);) run->frame--;
    run->firstStep = wbWorld_GetStepCount(run->world), run->startTime = wbWorld_GetTime(run->world);
    if (isReached(run, run->endTime))
        wbComplain("%s holds the state at %g s, this run ends at %g s: give a later --seconds or --frames",
                   run->options->resume, wbWorld_GetTime(run->world), run->endTime);
}

static wbStatus prepare(Run *run) {
    const wbOptions *options = run->options;
    if (options->resume)
        WB_TRY(wbResumeWorld(options, run->scene,
                             run->replay.isRecorded ? &run->replay.recording.script : NULL, &run->world));
    else
        WB_TRY(wbScene_CreateWorld(run->scene, &run->world));
    WB_TRY(wbReplay_Start(&run->replay, options, run->scene, run->world));
    setEnd(run);
    if (options->resume) skipFrames(run);
    WB_TRY(wbCheckpoints_Open(&run->checkpoints, options, run->world));
    return wbOutputs_Open(&run->outputs, run->options, run->scene, run->world);
}

// one line: what ran, how fast, what was made of it
static void printSummary(const Run *run) {
    char made[1024], size[96];
    int64_t steps = wbWorld_GetStepCount(run->world), done = steps - run->firstStep;
    wbOutputs_Describe(&run->outputs, made, sizeof made);
    double ms = done ? run->stepMs / (double)done : 0,
           simulated = wbWorld_GetTime(run->world) - run->startTime,
           realTime = run->stepMs > 0 ? 1000 * simulated / run->stepMs : 0;
    printf("%s: %d frames, %.6g s in %" PRId64
           " steps, %s, %.3f ms per step (%.4g steps/s, %.3g x real time), hash %016" PRIx64 "%s%s\n",
           wbScene_GetTitle(run->scene), run->frame, wbWorld_GetTime(run->world), steps,
           describeSize(run->world, size), ms, ms > 0 ? 1000 / ms : 0, realTime, wbWorld_Hash(run->world),
           made[0] ? "; made " : "", made);
}

// Nothing passes a collider by itself, but a piston that leaves water no room pushes it through the sides.
static void warnOfLeaks(const Run *run) {
    const wbStats stats = wbWorld_GetStats(run->world);
    const int rigid = wbWorld_GetRigidBodyCount(run->world), all = stats.particles + rigid;
    if (stats.leaked <= all / 100) return;
    wbComplain("warning: %" PRId64
               " of %d %s ended beyond a closed side or in a collider: does a collider that moves "
               "leave them no room?",
               stats.leaked < all ? stats.leaked : (int64_t)all, all,
               rigid == 0 ? "particles" : "particles and rigid bodies");
}

static int runPrepared(Run *run) {
    wbWarnOfTimeStep(run->world);
    if (wbWorld_GetStepCount(run->world) == 0) wbWarnOfStart(run->world);
    wbProgress_Start(&run->progress, run->options->quiet);
    wbStatus status = simulate(run);
    wbStatus closed = wbOutputs_Close(&run->outputs);
    wbProgress_End(&run->progress);
    if (!wbIsOk(status))
        wbComplain("%s", status.text);
    else if (!wbIsOk(closed))
        wbComplain("%s", closed.text);
    const wbCheckpoints *checkpoints = &run->checkpoints;
    if (!wbIsOk(status) && checkpoints->path)
        wbComplain("the checkpoint %s holds the state at %g s", checkpoints->path, checkpoints->lastTime);
    if (!wbIsOk(status) || !wbIsOk(closed)) return WB_EXIT_FAILED;
    warnOfLeaks(run);
    printSummary(run);
    return wb_interrupted ? WB_EXIT_STOPPED : WB_EXIT_DONE;
}

// What is filmed is MP4, whatever its name: a name that says otherwise would mislead other programs.
static bool checkVideo(const char *path) {
    size_t length = path ? strlen(path) : 0;
    if (!path || strncmp(path, "/dev/", 5) == 0) return true;
    if (length > 4 && strcasecmp(path + length - 4, ".mp4") == 0) return true;
    wbComplain("--video %s: films are written as MP4: let its name end in .mp4", path);
    return false;
}

static int runScene(const wbOptions *options) {
    if (options->seconds >= 0 && options->frames >= 0) {
        wbComplain("--seconds and --frames both say when to end: give one of them");
        return WB_EXIT_USAGE;
    }
    if (options->saveEvery > 0 && !options->save) {
        wbComplain("--save-every says when to write a checkpoint, --save F says where: give both");
        return WB_EXIT_USAGE;
    }
    char path[WB_SCENE_PATH];
    const char *operand = path;
    wbOptions found = *options;
    Run run = {.options = &found};
    int code = WB_EXIT_USAGE;
    if (wbReplay_Open(&run.replay, options, path)) {
        if (options->operandCount == 0) found.operands = &operand, found.operandCount = 1;
        run.scene = wbOpenScene(&found);
    }
    const bool isReady = run.scene && wbReplay_Prepare(&run.replay, options, run.scene);
    if (isReady) wbReplay_Resume(&run.replay, run.scene, &found);
    if (isReady && wbCheckPaths(&found, run.scene) && checkVideo(options->video)) {
        wbCatchInterrupts();
        wbStatus status = prepare(&run);
        if (!wbIsOk(status)) wbComplain("%s", status.text);
        code = wbIsOk(status) ? runPrepared(&run) : wbGetRefusalExit(status);
    }
    wbDestroyWorld(run.world);
    wbDestroyScene(run.scene);
    wbReplay_Free(&run.replay);
    return code;
}

const wbCommand wb_runCommand = {
    "run", "SCENE", "simulate a scene without a window", 0,
    1,     flags,   sizeof flags / sizeof flags[0],      runScene,
};
