# SPDX-License-Identifier: MIT
"""Worlds, what they are made from, and scene files."""
from __future__ import annotations

import ctypes
import json
import math
import os
from types import SimpleNamespace
from typing import Any, Iterator, Mapping, Sequence

import numpy as np

from . import _api
from ._library import GoneError, InputError, lib, to_bytes, to_int, to_plain, to_text, to_vec3
from .objects import (
    KINDS,
    Collider,
    Drain,
    Emitter,
    Fluid,
    Force,
    Grab,
    Joint,
    Mechanism,
    Object,
    Probe,
    RigidBody,
    SoftBody,
    Source,
    Vector,
    list_fluid_solvers,
    point_to_mesh,
)
from .params import ParamSection, find_kind, find_table, parse_value
from .queries import Queries
from .views import Mesh, RigidBodies, Smoke

_TEXT_SIZE = 1024
#: what a part of a compound has of a body's parameters
_PART_PARAMS = ("shape", "position", "rotation", "size", "radius", "height")
_SIDES = ("left", "right", "bottom", "top", "back", "front")


class WorldDef:
    """What a world is made from, with its defaults: sections of parameters as attributes.

        WorldDef(domain={"max": (2, 1, 1)}, sph={"spacing": 0.05}, threads=2)

    or definition.sph.spacing = 0.05. Sections are "world", "domain" and those of the solvers. A solver that
    waits to be asked for, as smoke does, is asked for by its section here (smoke={}), or by ask("smoke").
    """

    def __init__(self, threads: int = 0, **sections: Mapping[str, Any]) -> None:
        self._struct = lib.wbDefaultWorldDef()
        self._sections = {
            "world": ParamSection(find_table("world"), self._struct, _api.wbWorldDef.params.offset),
            "domain": ParamSection(find_table("domain"), self._struct, _api.wbWorldDef.domain.offset),
        }
        self._asked: dict[str, int] = {}
        count = ctypes.c_int()
        solvers = lib.wbGetSolvers(count)
        for solver in (solvers[i].contents for i in range(count.value)):
            name = solver.name.decode()
            self._sections[name] = ParamSection(find_table(name), self._struct, solver.params)
            if solver.isAsked:
                self._asked[name] = solver.isAsked
        self.threads = threads
        for name, values in sections.items():
            getattr(self, name).update(dict(values))
            if name in self._asked:
                self.ask(name)

    def ask(self, solver: str) -> None:
        """The world shall have this solver from the beginning: ask("smoke")."""
        if solver not in self._asked:
            raise InputError(f'"{solver}" is not asked for; allowed is {", ".join(self._asked)}')
        ctypes.c_bool.from_buffer(self._struct, self._asked[solver]).value = True

    def set_quality(self, quality: str) -> str:
        """Sets the parameters of "fast", "balanced" or "precise", and gives the solver for create_fluid. Set yours afterwards."""
        value = _api.CONSTANTS.get(f"wb_quality{quality.capitalize()}", 0)
        if value == 0:
            raise InputError(f'there is no quality "{quality}"; allowed is fast, balanced, precise')
        return list_fluid_solvers()[lib.wbWorldDef_SetQuality(self._struct, value)]

    def set_side(self, side: str, velocity: Vector | None = None, temperature: float | None = None) -> None:
        """m/s, K; the type of a side is a parameter: definition.domain.left = "noSlip"."""
        if side not in _SIDES:
            raise InputError(f'there is no side "{side}"; allowed is {", ".join(_SIDES)}')
        struct = self._struct.domain.sides[_api.CONSTANTS[f"wb_{side}"]]
        if velocity is not None:
            struct.velocity = to_vec3(velocity)
        if temperature is not None:
            struct.temperature = temperature

    @property
    def threads(self) -> int:
        """0: one per core."""
        return self._struct.threadCount

    @threads.setter
    def threads(self, count: int) -> None:
        self._struct.threadCount = to_int(count, "threads", 0, 256)

    def __getattr__(self, name: str) -> ParamSection:
        section = self.__dict__.get("_sections", {}).get(name)
        if section is None:
            raise AttributeError(
                f'there is no section "{name}"; there are {", ".join(self.__dict__.get("_sections", ()))}'
            )
        return section

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._sections]

    def __repr__(self) -> str:
        return f"WorldDef({', '.join(map(repr, self._sections.values()))}, threads={self.threads})"


def _take_bytes(data: Any) -> bytes:
    """Without a copy if they are bytes already; a memoryview knows what else has some: bytearrays, arrays, files in memory."""
    return data if isinstance(data, bytes) else memoryview(data).tobytes()


class _Handle:
    """Owns a world of the library: it goes when neither a World nor an array refers to it any more."""

    def __init__(self, pointer: int) -> None:
        self.pointer = pointer
        self.destroy = lib.wbDestroyWorld  # kept: names of modules may be gone when the interpreter ends

    def __del__(self) -> None:
        self.destroy(self.pointer)


class World(Queries):
    """A world. Call it from one thread at a time; worlds do not know of each other.

        World(domain={"max": (2, 1, 1)}, sph={"spacing": 0.05})

    or World(definition). Parameters are items: world["sph.viscosity"] = 0.2, world["gate.open"] = 1.
    """

    def __init__(self, definition: WorldDef | None = None, **sections: Any) -> None:
        if definition is None:
            definition = WorldDef(**sections)
        elif sections:
            raise InputError("give a definition or sections, not both")
        pointer = ctypes.c_void_p()
        lib.wbCreateWorld(definition._struct, pointer)
        self._adopt(pointer, None)

    def _adopt(self, pointer: ctypes.c_void_p, scene: Scene | None) -> None:
        self._handle: _Handle | None = _Handle(pointer.value or 0)
        self._changes = 0  # views of earlier states know by this that they are old
        self._user_data: dict[Any, Any] = {}  # by kind, index1 and generation of objects
        self.scene = scene  #: whose script runs along; None: of no scene

    @classmethod
    def _from_pointer(cls, pointer: ctypes.c_void_p, scene: Scene | None) -> World:
        world = cls.__new__(cls)
        world._adopt(pointer, scene)
        return world

    @classmethod
    def load(cls, path: str | os.PathLike[str], scene: Scene | None = None) -> World:
        """A world as it was saved; with its scene its script goes on."""
        pointer = ctypes.c_void_p()
        lib.wbLoadWorld(to_bytes(path), pointer)
        return cls._from_pointer(pointer, None)._with_scene(scene)

    @classmethod
    def from_bytes(cls, data: Any, scene: Scene | None = None) -> World:
        """A world from what `to_bytes` gave, as bytes or what has them."""
        data = _take_bytes(data)
        pointer = ctypes.c_void_p()
        lib.wbLoadWorldFromBytes(data, len(data), pointer)
        return cls._from_pointer(pointer, None)._with_scene(scene)

    def _with_scene(self, scene: Scene | None) -> World:
        if scene is not None:
            lib.wbScene_CheckWorld(scene._pointer, self._pointer)
        self.scene = scene
        return self

    @property
    def _pointer(self) -> int:
        if self._handle is None:
            raise GoneError("this world is closed")
        return self._handle.pointer

    def close(self) -> None:
        """Ends it now, not when nothing refers to it any more; its memory goes with the last array of it."""
        self._changes += 1
        self._handle = None

    def __enter__(self) -> World:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # time

    def step(self, dt: float = 0) -> None:
        """Advances by dt seconds; 0: by the world's own step. What the scene's script says for now is done first."""
        self._changes += 1
        if self.scene is not None:
            lib.wbScene_RunScript(self.scene._pointer, self._pointer)
        lib.wbWorld_Step(self._pointer, float(dt))

    def run(self, until: float) -> None:
        """Steps until that time (s) is reached; as in `wirbel run`, a thousandth of a step does not count."""
        while not self._has_reached(until):
            self.step()

    def frames(self, fps: float, until: float) -> Iterator[int]:
        """Runs until that time (s) and yields the number of each frame when it is there, the start's 0 first."""
        yield 0
        for frame in range(1, math.floor(until * fps + 1e-6) + 1):
            self.run(frame / fps)
            yield frame

    def _has_reached(self, time: float) -> bool:
        return self.time >= time - 1e-3 * self.next_step

    @property
    def time(self) -> float:
        """s"""
        return lib.wbWorld_GetTime(self._pointer)

    @property
    def step_count(self) -> int:
        return lib.wbWorld_GetStepCount(self._pointer)

    @property
    def next_step(self) -> float:
        """s, that step() takes next."""
        return lib.wbWorld_GetTimeStep(self._pointer)

    @property
    def stable_step(self) -> float:
        """s, the solvers' limit as the world is now."""
        return lib.wbWorld_GetStableStep(self._pointer)

    # parameters

    def __getitem__(self, key: str) -> Any:
        """A parameter: world["sph.viscosity"], world["pipe.rate"]."""
        text = ctypes.create_string_buffer(_TEXT_SIZE)
        lib.wbWorld_GetParam(self._pointer, to_bytes(key), text, _TEXT_SIZE)
        return parse_value(self._kind_of(key), text.value.decode())

    def __setitem__(self, key: str, value: Any) -> None:
        self._changes += 1
        lib.wbWorld_SetParam(self._pointer, to_bytes(key), to_bytes(to_text(value)))

    def set_gravity(self, gravity: Vector) -> None:
        """m/s2, as world["world.gravity"], without a search by name: for each step of a program that leads it."""
        self._changes += 1
        lib.wbWorld_SetGravity(self._pointer, to_vec3(gravity))

    def set_wind(self, wind: Vector) -> None:
        """m/s2, as world["smoke.wind"]."""
        self._changes += 1
        lib.wbWorld_SetWind(self._pointer, to_vec3(wind))

    def _kind_of(self, key: str) -> str:
        """The type of a parameter that is there."""
        owner, _, name = key.partition(".")
        table = lib.wbGetParams(to_bytes(owner)) or find_table(self.find(owner)._get_section())
        return find_kind(table, name) or "Enum"

    # numbers

    def hash(self) -> int:
        """Of all state that the next step reads; equal for any number of threads. The program prints {:016x}."""
        return lib.wbWorld_Hash(self._pointer)

    @property
    def stats(self) -> SimpleNamespace:
        """Sums over the world, fields as of wbStats: particles, mass, momentum, kinetic, potential, …"""
        return to_plain(lib.wbWorld_GetStats(self._pointer))

    @property
    def smoke_stats(self) -> SimpleNamespace:
        """Sums over the air, fields as of wbSmokeStats."""
        return to_plain(lib.wbWorld_GetSmokeStats(self._pointer))

    @property
    def profile(self) -> SimpleNamespace:
        """Of the last step, fields as of wbProfile; `phases` is a dict of milliseconds."""
        profile = lib.wbWorld_GetProfile(self._pointer)
        plain = to_plain(profile)
        plain.phases = {phase.name: phase.ms for phase in plain.phases[: profile.phaseCount]}
        return plain

    @property
    def threads(self) -> int:
        return lib.wbWorld_GetThreadCount(self._pointer)

    @threads.setter
    def threads(self, count: int) -> None:
        lib.wbWorld_SetThreadCount(self._pointer, to_int(count, "threads"))

    @property
    def device(self) -> SimpleNamespace | None:
        """The compute device that the world is on, fields as of wbDevice; None: the processor's cores."""
        device = lib.wbWorld_GetDevice(self._pointer)
        return to_plain(device.contents) if device else None

    @property
    def domain(self) -> SimpleNamespace:
        """The box and its sides now, fields as of wbDomainDef."""
        return to_plain(lib.wbWorld_GetDomain(self._pointer))

    def has_solver(self, name: str) -> bool:
        """Whether a solver has something to do here."""
        return lib.wbWorld_HasSolver(self._pointer, to_bytes(name))

    # files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a checkpoint, from which World.load goes on bit for bit."""
        lib.wbWorld_Save(self._pointer, to_bytes(path))

    def to_bytes(self) -> bytes:
        """The same in memory."""
        data = _api.wbBytes()
        try:
            lib.wbWorld_SaveToBytes(self._pointer, data)
            return ctypes.string_at(data.data, data.size)
        finally:
            lib.wbFreeBytes(data)

    def restore(self, data: Any) -> None:
        """Goes back to what `to_bytes` gave, in place: faster than from_bytes, and objects stay valid."""
        data = _take_bytes(data)
        self._changes += 1
        lib.wbWorld_Restore(self._pointer, data, len(data))
        self._drop_user_data()

    def _drop_user_data(self) -> None:
        """Of objects that are gone: their ids may come again after going back."""
        for kind, index1, generation in list(self._user_data):
            if not kind._is_in(self, getattr(_api, f"wb{kind._kind}Id")(index1, generation)):
                del self._user_data[kind, index1, generation]

    # objects

    @property
    def smoke(self) -> Smoke:
        """The air's fields now, without a copy; valid until the world changes or steps."""
        view = _api.wbSmokeView()
        lib.wbWorld_GetSmokeView(self._pointer, view)
        return Smoke(self, view)

    @property
    def fluids(self) -> list[Fluid]:
        return Fluid._list(self)

    @property
    def emitters(self) -> list[Emitter]:
        return Emitter._list(self)

    @property
    def drains(self) -> list[Drain]:
        return Drain._list(self)

    @property
    def colliders(self) -> list[Collider]:
        return Collider._list(self)

    @property
    def mechanisms(self) -> list[Mechanism]:
        return Mechanism._list(self)

    @property
    def soft_bodies(self) -> list[SoftBody]:
        return SoftBody._list(self)

    @property
    def rigid_bodies(self) -> list[RigidBody]:
        return RigidBody._list(self)

    @property
    def joints(self) -> list[Joint]:
        return Joint._list(self)

    @property
    def forces(self) -> list[Force]:
        return Force._list(self)

    @property
    def bodies(self) -> RigidBodies:
        """Poses and velocities of all rigid bodies as arrays; valid until the world changes or steps."""
        view = _api.wbRigidView()
        lib.wbWorld_GetRigidView(self._pointer, view)
        return RigidBodies(self, view)

    @property
    def sources(self) -> list[Source]:
        return Source._list(self)

    @property
    def grabs(self) -> list[Grab]:
        return Grab._list(self)

    @property
    def probes(self) -> list[Probe]:
        return Probe._list(self)

    def find(self, name: str) -> Object:
        """The object of that name."""
        for kind in KINDS:
            for thing in kind._list(self):
                if thing.name == name:
                    return thing
        raise InputError(f'nothing in this world is called "{name}"')

    def create_fluid(self, name: str = "water", solver: str = "sph", rest_density: float = 0) -> Fluid:
        """A fluid without particles; kg/m3, 0: the solver's."""
        solvers = list_fluid_solvers()
        if solver not in solvers:
            raise InputError(f'solver is "{solver}", allowed is {", ".join(solvers)}')
        definition = lib.wbDefaultFluidDef()
        definition.name, definition.solver, definition.restDensity = (
            to_bytes(name),
            solvers.index(solver),
            rest_density,
        )
        return Fluid._create(self, definition)

    def create_emitter(self, name: str, fluid: Fluid, **params: Any) -> Emitter:
        """Parameters: wirbel.params("emitter")."""
        definition = Emitter._define(name, params)
        definition.fluid = fluid._id_in(self)
        return Emitter._create(self, definition)

    def create_drain(self, name: str, emitter: Emitter | None = None, **params: Any) -> Drain:
        """With an emitter it is a pump. Parameters: wirbel.params("drain")."""
        definition = Drain._define(name, params)
        if emitter is not None:
            definition.emitter = emitter._id_in(self)
        return Drain._create(self, definition)

    def create_collider(
        self, name: str, mesh: Mesh | None = None, path: Sequence[Vector] = (), **params: Any
    ) -> Collider:
        """`mesh`: of that shape; `path`: of pipes, troughs, polygons. Parameters: wirbel.params("collider")."""
        definition = Collider._define(name, params)
        definition.mesh = point_to_mesh(mesh)
        definition.path, definition.pathCount = (_api.wbVec3 * len(path))(*map(to_vec3, path)), len(path)
        return Collider._create(self, definition)

    def create_mechanism(self, name: str, colliders: Sequence[Collider], **params: Any) -> Mechanism:
        """Parameters: wirbel.params("mechanism")."""
        definition = Mechanism._define(name, params)
        ids = [collider._id_in(self) for collider in colliders]
        definition.colliders, definition.colliderCount = (_api.wbColliderId * len(ids))(*ids), len(ids)
        return Mechanism._create(self, definition)

    def create_soft_body(
        self, name: str, mesh: Mesh | None = None, pins: Sequence[int] = (), **params: Any
    ) -> SoftBody:
        """`pins`: particles that stay where they are. Parameters: wirbel.params("softBody")."""
        definition = SoftBody._define(name, params)
        definition.mesh = point_to_mesh(mesh)
        definition.pins, definition.pinCount = (ctypes.c_int * len(pins))(
            *[to_int(pin, "pin") for pin in pins]
        ), len(pins)
        return SoftBody._create(self, definition)

    def create_rigid_body(
        self,
        name: str = "",
        mesh: Mesh | None = None,
        points: Sequence[Vector] = (),
        heights: Sequence[Sequence[float]] | None = None,
        parts: Sequence[Mapping[str, Any]] = (),
        **params: Any,
    ) -> RigidBody:
        """`mesh`: of that shape; `points`: of hulls and polygons; `heights`: of a field, rows along z of values along x, m; `parts`: of a
        compound, each with some of shape, position, rotation, size, radius, height, points. Parameters: wirbel.params("rigidBody").
        """
        definition = RigidBody._define(name, params)
        definition.mesh = point_to_mesh(mesh)
        definition.points, definition.pointCount = _make_points(points)
        if heights is not None:
            field = np.ascontiguousarray(heights, np.float32)
            if field.ndim != 2:
                raise InputError(f"heights are rows of numbers, not an array of {field.ndim} dimensions")
            definition.heights = field.ctypes.data_as(ctypes.POINTER(ctypes.c_float))
            definition.heightCounts[:] = field.shape[1], field.shape[0]
        definition.parts, definition.partCount = _make_parts(parts)
        return RigidBody._create(self, definition)

    def create_joint(
        self, kind: str, first: RigidBody, second: RigidBody | None = None, name: str = "", **params: Any
    ) -> Joint:
        """`second` None: the world. Parameters: wirbel.params("joint")."""
        definition = Joint._define(name, {"kind": kind, **params})
        definition.first = first._id_in(self)
        if second is not None:
            definition.second = second._id_in(self)
        return Joint._create(self, definition)

    def create_force(
        self, kind: str, bodies: Sequence[RigidBody] | None = None, name: str = "", **params: Any
    ) -> Force:
        """`bodies` None: all of them. Parameters: wirbel.params("force")."""
        definition = Force._define(name, {"kind": kind, **params})
        ids = [body._id_in(self) for body in bodies or ()]
        definition.bodies, definition.bodyCount = (_api.wbRigidBodyId * len(ids))(*ids), len(ids)
        definition.isOnAll = bodies is None
        return Force._create(self, definition)

    def create_source(self, name: str, mesh: Mesh | None = None, **params: Any) -> Source:
        """Parameters: wirbel.params("source")."""
        definition = Source._define(name, params)
        definition.mesh = point_to_mesh(mesh)
        return Source._create(self, definition)

    def create_grab(self, name: str, of: str = "", **params: Any) -> Grab:
        """What pulls an object to a place, by its name; without one it pushes fluids. Parameters: wirbel.params("grab")."""
        grab = Grab._create(self, Grab._define(name, params))
        grab.hold(of)
        return grab

    def create_probe(
        self, name: str, fluid: Fluid | None = None, collider: Collider | None = None, **params: Any
    ) -> Probe:
        """Of one fluid or of all; of a force on a collider. Parameters: wirbel.params("probe")."""
        definition = Probe._define(name, params)
        if fluid is not None:
            definition.fluid = fluid._id_in(self)
        if collider is not None:
            definition.collider = collider._id_in(self)
        return Probe._create(self, definition)


def _make_points(points: Sequence[Vector]) -> tuple[Any, int]:
    return (_api.wbVec3 * len(points))(*map(to_vec3, points)), len(points)


def _make_parts(parts: Sequence[Mapping[str, Any]]) -> tuple[Any, int]:
    """Convex parts of a compound. What they have in common with a body is read as of one."""
    array = (_api.wbRigidPartDef * len(parts))()
    for i, values in enumerate(parts):
        unknown = set(values) - set(_PART_PARAMS) - {"points"}
        if unknown:
            raise InputError(f'part {i} has no "{min(unknown)}": only {", ".join(_PART_PARAMS)}, points')
        body = RigidBody._define("", {name: value for name, value in values.items() if name != "points"})
        array[i] = lib.wbDefaultRigidPartDef()
        for name in _PART_PARAMS:
            setattr(array[i], name, getattr(body.params, name))
        array[i].points, array[i].pointCount = _make_points(values.get("points", ()))
    return array, len(parts)


class Scene:
    """A scene file, before a world is made of it: Scene("dam-break-2d.json")["sph.viscosity"] = 0.2."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        pointer = ctypes.c_void_p()
        lib.wbReadScene(to_bytes(path), pointer)
        self._adopt(pointer)

    def _adopt(self, pointer: ctypes.c_void_p) -> None:
        self._pointer = pointer.value
        self._destroy = lib.wbDestroyScene

    def __del__(self) -> None:
        if "_pointer" in self.__dict__:
            self._destroy(self._pointer)

    @classmethod
    def from_text(cls, scene: str | Mapping[str, Any], name: str = "scene") -> Scene:
        """From JSON, or from what becomes JSON; messages call it `name`."""
        text = (scene if isinstance(scene, str) else json.dumps(scene)).encode()
        pointer = ctypes.c_void_p()
        lib.wbReadSceneText(to_bytes(name), text, len(text), pointer)
        self = cls.__new__(cls)
        self._adopt(pointer)
        return self

    def __getitem__(self, key: str) -> str:
        """A parameter as text."""
        text = ctypes.create_string_buffer(_TEXT_SIZE)
        lib.wbScene_Get(self._pointer, to_bytes(key), text, _TEXT_SIZE)
        return text.value.decode()

    def __setitem__(self, key: str, value: Any) -> None:
        """As `wirbel run --set` does."""
        lib.wbScene_Set(self._pointer, to_bytes(key), to_bytes(to_text(value)))

    def set_at(self, time: float, key: str, value: Any) -> None:
        """Adds a line to the script, as `wirbel run --set-at` does."""
        lib.wbScene_SetAt(self._pointer, time, to_bytes(key), to_bytes(to_text(value)))

    @property
    def title(self) -> str:
        return lib.wbScene_GetTitle(self._pointer).decode()

    @property
    def description(self) -> str:
        return lib.wbScene_GetDescription(self._pointer).decode()

    @property
    def seconds(self) -> float:
        """s, simulated, that it shall run for."""
        return float(self["world.seconds"])

    @property
    def fps(self) -> float:
        """Frames per simulated second."""
        return float(self["output.fps"])

    @property
    def files(self) -> list[str]:
        """That it was read from: its own and its meshes."""
        count = lib.wbScene_GetFileCount(self._pointer)
        return [os.fsdecode(lib.wbScene_GetFile(self._pointer, i)) for i in range(count)]

    def create_world(self, threads: int = 0) -> World:
        """Its world at the start. Threads: 0: one per core."""
        lib.wbScene_GetWorldDef(self._pointer).contents.threadCount = to_int(threads, "threads", 0, 256)
        pointer = ctypes.c_void_p()
        lib.wbScene_CreateWorld(self._pointer, pointer)
        return World._from_pointer(pointer, self)
