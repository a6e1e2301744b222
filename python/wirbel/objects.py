# SPDX-License-Identifier: MIT
"""What worlds hold: fluids, emitters, drains, colliders, mechanisms, soft and rigid bodies, joints, forces, sources."""
from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar, Sequence

import numpy as np

from . import _api
from ._library import GoneError, InputError, lib, to_bytes, to_int, to_plain, to_vec3
from .params import ParamSection, find_table
from .views import Mesh, Particles, SoftMesh, take_mesh, view_array

if TYPE_CHECKING:
    from .world import World

Vector = Sequence[float]
_FLOATS = ctypes.POINTER(ctypes.c_float)
_NUMBERS = ctypes.POINTER(ctypes.c_uint32)


def _to_rows(name: str, values: Any) -> np.ndarray | None:
    """Vectors of particles, x, y, z each."""
    if values is None:
        return None
    rows = np.ascontiguousarray(values, np.float32)
    if rows.ndim != 2 or rows.shape[1] != 3:
        raise InputError(f"{name} are an array of shape {rows.shape}, allowed is (count, 3)")
    return rows


def _to_ids(values: Any) -> np.ndarray:
    """Ids of particles."""
    numbers = np.asarray(values)
    if numbers.ndim != 1 or (numbers.size and not np.issubdtype(numbers.dtype, np.integer)):
        raise InputError(
            f"ids are an array of shape {numbers.shape} and {numbers.dtype}, allowed are whole numbers in a row"
        )
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < 2**32:
        raise InputError(f"ids are {numbers.min()} to {numbers.max()}, allowed is 0 to {2**32 - 1}")
    return np.ascontiguousarray(numbers, np.uint32)


def _point_to(rows: np.ndarray | None) -> Any:
    return None if rows is None else rows.ctypes.data_as(_FLOATS)


def point_to_mesh(mesh: Mesh | None) -> Any:
    """A struct that refers to the arrays of a mesh, which it keeps alive; None for none."""
    if mesh is None:
        return None
    vertices = np.ascontiguousarray(mesh.vertices, np.float32)
    indices = np.ascontiguousarray(mesh.triangles, np.uint32)
    struct = _api.wbMesh(
        len(vertices),
        len(indices),
        vertices.ctypes.data_as(_FLOATS),
        indices.ctypes.data_as(_NUMBERS),
    )
    pointer: Any = ctypes.pointer(struct)
    pointer._arrays = vertices, indices
    return pointer


class Object:
    """Something in a world, known by its id: it says so if it is gone."""

    _kind: ClassVar[str]  # as the library's functions call it: "Fluid"

    def __init__(self, world: World, id: Any) -> None:
        self.world = world
        self._id = id

    def _call(self, name: str, *arguments: Any) -> Any:
        if not self.is_valid:
            raise GoneError(f"this {self._kind} is not in its world any more")
        return getattr(lib, f"wb{self._kind}_{name}")(self.world._pointer, self._id, *arguments)

    def _change(self, name: str, *arguments: Any) -> None:
        self.world._changes += 1
        self._call(name, *arguments)

    @property
    def is_valid(self) -> bool:
        """Whether it is still in its world."""
        return self._is_in(self.world, self._id)

    @classmethod
    def _is_in(cls, world: World, id: Any) -> bool:
        return bool(getattr(lib, f"wb{cls._kind}_IsValid")(world._pointer, id))

    @property
    def name(self) -> str:
        return self._call("GetName").decode()

    @classmethod
    def _get_section(cls) -> str:
        """Of its table of parameters: "softBody"."""
        return cls._kind[0].lower() + cls._kind[1:]

    def __getitem__(self, key: str) -> Any:
        """A parameter: pipe["rate"], the same as world["pipe.rate"]."""
        return self.world[f"{self.name}.{key}"]

    def __setitem__(self, key: str, value: Any) -> None:
        self.world[f"{self.name}.{key}"] = value

    @property
    def user_data(self) -> Any:
        """Whatever the program wants to find again with this object, however it was found; None at first. Not saved."""
        return self.world._user_data.get(self._key(self._id_in(self.world)))

    @user_data.setter
    def user_data(self, value: Any) -> None:
        self.world._user_data[self._key(self._id_in(self.world))] = value

    @classmethod
    def _key(cls, id: Any) -> tuple[type[Object], int, int]:
        return cls, id.index1, id.generation

    def destroy(self) -> None:
        """Takes it out of its world, between steps; what else goes or stays: wbDestroyFluid and its like."""
        id = self._id_in(self.world)
        self.world._changes += 1
        getattr(lib, f"wbDestroy{self._kind}")(self.world._pointer, id)
        self.world._drop_user_data()

    def __repr__(self) -> str:
        try:
            return f'<wirbel.{type(self).__name__} "{self.name}">'
        except GoneError:
            return f"<wirbel.{type(self).__name__}, gone>"

    @classmethod
    def _list(cls, world: World) -> list[Any]:
        count = getattr(lib, f"wbWorld_Get{cls._kind}Count")(world._pointer)
        get = getattr(lib, f"wbWorld_Get{cls._kind}")
        return [cls(world, get(world._pointer, i)) for i in range(count)]

    @classmethod
    def _create(cls, world: World, definition: Any) -> Any:
        """One of this kind, by its def, which refers to what it must keep alive."""
        id = getattr(_api, f"wb{cls._kind}Id")()
        world._changes += 1
        getattr(lib, f"wbCreate{cls._kind}")(world._pointer, definition, id)
        return cls(world, id)

    def _id_in(self, world: World) -> Any:
        """Its id, for a call on that world."""
        if self.world is not world or not self.is_valid:
            raise GoneError(f"{self!r} is not in this world")
        return self._id

    @classmethod
    def _define(cls, name: str, params: dict[str, Any]) -> Any:
        """The def with its defaults, a name and parameters."""
        definition = getattr(lib, f"wbDefault{cls._kind}Def")()
        definition.name = to_bytes(name)
        table = find_table(cls._get_section())
        ParamSection(table, definition, type(definition).params.offset).update(params)
        return definition


class WithStats(Object):
    """Objects of which the library keeps account."""

    @property
    def stats(self) -> SimpleNamespace:
        """The fields of the library's struct of that name."""
        return to_plain(self._call("GetStats"))


class Fluid(WithStats):
    """A named set of particles, moved by one solver."""

    _kind = "Fluid"

    def __len__(self) -> int:
        return self._call("GetParticleCount")

    @property
    def solver(self) -> str:
        """Its name: "sph", "pbf"."""
        return list_fluid_solvers()[self._call("GetSolver")]

    @property
    def particle_mass(self) -> float:
        """kg; with pbf.adaptive that of the smallest: particles.mass has that of each."""
        return self._call("GetParticleMass")

    @property
    def mass(self) -> float:
        """kg, of all its particles."""
        return self._call("GetMass")

    @property
    def spacing(self) -> float:
        """m, distance of particles on the undisturbed lattice."""
        return self._call("GetSpacing")

    @property
    def rest_density(self) -> float:
        """kg/m3"""
        return self._call("GetRestDensity")

    @property
    def support_radius(self) -> float:
        """m, of the kernels."""
        return self._call("GetSupportRadius")

    @property
    def particles(self) -> Particles:
        """Its particles now, without a copy; valid until the world changes or steps."""
        view = _api.wbView()
        self._call("GetView", view)
        return Particles(self.world, view)

    def copy_by_id(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities, (count, 3) each, in the order of ids: copies, which stay."""
        positions, velocities = (np.empty((len(self), 3), np.float32) for _ in range(2))
        self._call("CopyById", positions.ctypes.data_as(_FLOATS), velocities.ctypes.data_as(_FLOATS))
        return positions, velocities

    def build_surface(
        self, cell_size: float | None = None, radius: float | None = None, smoothing: int | None = None
    ) -> Mesh:
        """Its surface now, closed; None: the default of wbFluidSurfaceDef."""
        definition = lib.wbDefaultFluidSurfaceDef()
        if cell_size is not None:
            definition.cellSize = cell_size
        if radius is not None:
            definition.radius = radius
        if smoothing is not None:
            definition.smoothing = to_int(smoothing, "smoothing")
        mesh = _api.wbMesh()
        self._call("BuildSurface", definition, mesh)
        return take_mesh(mesh)

    def add_particles(self, positions: Any, velocities: Any = None) -> None:
        """(count, 3) each; without velocities at rest. All or none."""
        places, speeds = _to_rows("positions", positions), _to_rows("velocities", velocities)
        if places is None or (speeds is not None and len(speeds) != len(places)):
            raise InputError("positions and velocities are of particles: give as many of each")
        self._change("AddParticles", len(places), _point_to(places), _point_to(speeds))

    def remove_particles(self, ids: Any) -> None:
        """By ids, each once, as `particles` has them. All or none."""
        numbers = _to_ids(ids)
        self._change("RemoveParticles", len(numbers), numbers.ctypes.data_as(_NUMBERS))

    def remove_particles_in_box(self, min: Vector, max: Vector) -> int:
        """All that are between two corners (m); says how many."""
        removed = ctypes.c_int()
        self._change("RemoveParticlesInBox", to_vec3(min), to_vec3(max), removed)
        return removed.value

    def set_particles(self, ids: Any, positions: Any = None, velocities: Any = None) -> None:
        """Puts particles elsewhere (m), or makes them move otherwise (m/s): (count, 3) each, or None."""
        numbers = _to_ids(ids)
        places, speeds = _to_rows("positions", positions), _to_rows("velocities", velocities)
        if any(rows is not None and len(rows) != len(numbers) for rows in (places, speeds)):
            raise InputError("positions and velocities are of particles: give as many as ids")
        pointers = _point_to(places), _point_to(speeds)
        self._change("SetParticles", len(numbers), numbers.ctypes.data_as(_NUMBERS), *pointers)

    def add_block(self, min: Vector, max: Vector, velocity: Vector = (0, 0, 0), jitter: float = 0) -> None:
        """Particles on a lattice between two corners (m); `jitter` in spacings."""
        self._change("AddBlock", _api.wbBlockDef(to_vec3(min), to_vec3(max), to_vec3(velocity), jitter))

    def add_ball(self, position: Vector, radius: float, velocity: Vector = (0, 0, 0)) -> None:
        """Particles in a ball (2D: a disc), m."""
        self._change("AddBall", _api.wbBallDef(to_vec3(position), radius, to_vec3(velocity)))

    def add_mesh(
        self,
        mesh: Mesh,
        position: Vector = (0, 0, 0),
        rotation: Vector = (0, 0, 0),
        scale: float = 1,
        velocity: Vector = (0, 0, 0),
    ) -> None:
        """Fills a closed mesh; degrees about x, then y, then z."""
        pointer = point_to_mesh(mesh)
        definition = _api.wbFillMeshDef(
            pointer, to_vec3(position), to_vec3(rotation), scale, to_vec3(velocity)
        )
        self._change("AddMesh", definition)

    def add_random(self, min: Vector, max: Vector, count: int, velocity: Vector = (0, 0, 0)) -> None:
        """Particles at random places of a box, by world.seed."""
        self._change(
            "AddRandom",
            _api.wbRandomDef(to_vec3(min), to_vec3(max), to_int(count, "count"), to_vec3(velocity)),
        )


class Emitter(WithStats):
    """A place where particles come from."""

    _kind = "Emitter"

    def set_rate(self, rate: float | str) -> None:
        """1/s, as emitter["rate"], without a search by name; 0 or "auto"."""
        self._change("SetRate", 0 if rate == "auto" else float(rate))

    @property
    def blocked(self) -> int:
        """Its places that are in a collider, or too near to one or to a closed side."""
        return self._call("CountBlocked")


class Drain(WithStats):
    """A place where particles go."""

    _kind = "Drain"


class Collider(WithStats):
    """A shape that nothing goes through."""

    _kind = "Collider"

    @property
    def mesh(self) -> Mesh:
        """In its own frame, without a copy, valid as long as the collider.

        Where it is now: stats.position, and stats.rotation, a quaternion x, y, z, w.
        """
        return _ColliderMesh(self)

    def move_to(self, position: Vector, rotation: Vector = (0, 0, 0)) -> None:
        """It sweeps there from the next step on."""
        self._change("MoveTo", to_vec3(position), to_vec3(rotation))

    def place(self, position: Vector, rotation: Vector = (0, 0, 0)) -> None:
        """Puts it there at once, at rest."""
        self._change("Place", to_vec3(position), to_vec3(rotation))

    def set_pose(self, position: Vector, rotation: Sequence[float] = (0, 0, 0, 1)) -> None:
        """It is there (m; a unit quaternion x, y, z, w) when the next step is over, then it rests: for each frame."""
        if len(rotation) != 4:
            raise InputError(f"rotation is {rotation!r}, allowed is a unit quaternion x, y, z, w")
        self._change("SetPose", to_vec3(position), (ctypes.c_float * 4)(*rotation))

    def set_velocity(self, velocity: Vector, spin: Vector = (0, 0, 0)) -> None:
        """It goes on like this, m/s and rad/s about the world's axes, until it is told otherwise."""
        self._change("SetVelocity", to_vec3(velocity), to_vec3(spin))

    def set_on(self, is_on: bool) -> None:
        """Switches it off and on, as collider["on"]; refused where particles are in it."""
        self._change("SetOn", is_on)


class _ColliderMesh(Mesh):
    """Looks for the collider each time: it may be gone."""

    def __init__(self, collider: Collider) -> None:
        self._collider = collider

    def _get(self, name: str, count: str) -> Any:
        mesh = self._collider._call("GetMesh").contents
        owner = self._collider.world._handle
        return view_array(owner, getattr(mesh, name), [getattr(mesh, count), 3], [3, 1])

    @property
    def vertices(self) -> np.ndarray:  # type: ignore[override]
        return self._get("vertices", "vertexCount")

    @property
    def triangles(self) -> np.ndarray:  # type: ignore[override]
        return self._get("indices", "triangleCount")


class Mechanism(WithStats):
    """What moves colliders."""

    _kind = "Mechanism"

    def set_open(self, open: float) -> None:
        """0 to 1, of a gate, as gate["open"], without a search by name."""
        self._change("SetOpen", open)

    def set_speed(self, speed: float) -> None:
        """deg/s, of a wheel, as wheel["speed"]."""
        self._change("SetSpeed", speed)


class SoftBody(Object):
    """Particles that constraints hold together: cloth, rope, volume."""

    _kind = "SoftBody"

    def __len__(self) -> int:
        return self._call("GetParticleCount")

    @property
    def particles(self) -> Particles:
        """Its particles now, without a copy; valid until the world changes or steps."""
        view = _api.wbView()
        self._call("GetView", view)
        return Particles(self.world, view)

    @property
    def mesh(self) -> SoftMesh:
        """Its triangles and constraints; valid until the world changes."""
        return SoftMesh(self.world, self._call("GetMesh"))

    @property
    def contact_radius(self) -> float:
        """m, that its particles keep from sides and colliders."""
        return self._call("GetContactRadius")

    def _number(self, particle: int) -> int:
        return to_int(particle, "particle", 0, len(self) - 1)

    def pin(self, particle: int, is_pinned: bool = True) -> None:
        """Holds a particle where it is, or lets it go."""
        self._change("Pin", self._number(particle), is_pinned)

    def move_pin(self, particle: int, position: Vector) -> None:
        """Pins a particle and puts it elsewhere, at once: to drag it, move it a little before each step."""
        self.pin(particle)
        self._change("MovePin", particle, to_vec3(position))

    def attach(self, particle: int, body: RigidBody, point: Vector | None = None) -> None:
        """Ties a particle to a rigid body: to a point of its frame, where it is put at once, or to where it is."""
        held = body._id_in(self.world)
        self._change("Attach", self._number(particle), held, None if point is None else to_vec3(point))

    def detach(self, particle: int) -> None:
        """Lets it go."""
        self._change("Detach", self._number(particle))


class Source(Object):
    """A place where smoke, heat, fuel or wind come from."""

    _kind = "Source"


class Probe(Object):
    """What measures."""

    _kind = "Probe"

    @property
    def values(self) -> dict[str, float]:
        """As the world is now, by name: {"velocity_x": …}; NAN where there is nothing to measure. docs/queries.md."""
        values = _api.wbProbeValues()
        self._call("GetValues", values)
        return {row.name.decode(): row.value for row in values.values[: values.count]}


class RigidBody(Object):
    """A solid that moves as a whole. Its name may be ""."""

    _kind = "RigidBody"

    @property
    def motion(self) -> SimpleNamespace:
        """Where its origin is and how it turns and moves: the fields of wbRigidMotion."""
        motion = _api.wbRigidMotion()
        self._call("GetMotion", motion)
        return to_plain(motion)

    @property
    def mass(self) -> SimpleNamespace:
        """The fields of wbRigidMass."""
        return to_plain(self._call("GetMass"))

    @property
    def mesh(self) -> Mesh:
        """Its surface in its own frame: the same for bodies of the same shape."""
        mesh = self._call("GetMesh").contents
        vertices = view_array(None, mesh.vertices, [mesh.vertexCount, 3], [3, 1])
        triangles = view_array(None, mesh.indices, [mesh.triangleCount, 3], [3, 1])
        return Mesh(vertices.copy(), triangles.copy())

    @property
    def water(self) -> SimpleNamespace:
        """What fluids did to it in the last step: the fields of wbWaterReading."""
        return to_plain(self._call("GetWater"))

    @property
    def is_awake(self) -> bool:
        answer = ctypes.c_bool()
        self._call("IsAwake", answer)
        return answer.value

    def set_pose(self, position: Vector, rotation: Vector = (0, 0, 0, 1)) -> None:
        """Puts it there at once; rotation: a unit quaternion x, y, z, w."""
        self._change("SetPose", to_vec3(position), (ctypes.c_float * 4)(*rotation))

    def set_velocity(self, velocity: Vector) -> None:
        """m/s, of its centre of mass."""
        self._change("SetVelocity", to_vec3(velocity))

    def set_spin(self, spin: Vector) -> None:
        """rad/s, about the world's axes."""
        self._change("SetSpin", to_vec3(spin))

    def apply_force(self, force: Vector, point: Vector | None = None) -> None:
        """N, over the next step, at a point of the world or at its centre of mass."""
        if point is None:
            self._change("ApplyForce", to_vec3(force))
        else:
            self._change("ApplyForceAt", to_vec3(force), to_vec3(point))

    def apply_torque(self, torque: Vector) -> None:
        """N m, over the next step."""
        self._change("ApplyTorque", to_vec3(torque))

    def apply_impulse(self, impulse: Vector, point: Vector | None = None) -> None:
        """N s, at once, at a point of the world or at its centre of mass."""
        if point is None:
            self._change("ApplyImpulse", to_vec3(impulse))
        else:
            self._change("ApplyImpulseAt", to_vec3(impulse), to_vec3(point))

    def wake(self) -> None:
        """With what touches it."""
        self._change("Wake")

    def sleep(self) -> None:
        """Until something touches or wakes it."""
        self._change("Sleep")


class Joint(Object):
    """What ties two rigid bodies, or one to the world."""

    _kind = "Joint"

    @property
    def reading(self) -> SimpleNamespace:
        """As it is after the last step: the fields of wbJointReading."""
        reading = _api.wbJointReading()
        self._call("GetReading", reading)
        return to_plain(reading)


class Force(Object):
    """What acts on rigid bodies."""

    _kind = "Force"


class Grab(Object):
    """What pulls something to a place, or pushes fluids."""

    _kind = "Grab"

    def hold(self, of: str) -> None:
        """An object from now on, by its name or by kind and number, as "rigidBody#12"; "": nothing, it pushes fluids."""
        self._change("SetOf", of.encode())


#: All kinds.
KINDS: tuple[type[Object], ...] = (
    Fluid,
    Emitter,
    Drain,
    Collider,
    Mechanism,
    SoftBody,
    Source,
    Probe,
    RigidBody,
    Joint,
    Force,
    Grab,
)


def list_fluid_solvers() -> list[str]:
    """Their names, as wbFluidSolver counts them."""
    count = ctypes.c_int()
    solvers = lib.wbGetSolvers(count)
    return [solvers[i].contents.name.decode() for i in range(count.value) if solvers[i].contents.isFluid]
