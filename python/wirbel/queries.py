# SPDX-License-Identifier: MIT
"""Looking into a world: rays, what overlaps a box or a ball, what is nearest."""
from __future__ import annotations

import ctypes
import dataclasses
import math
from typing import Any, Callable, Collection

from . import _api
from ._library import InputError, lib, to_vec3
from .objects import Collider, Fluid, Object, RigidBody, SoftBody, Vector

#: what a query can look at: its bit, and the field of a wbQueryObject that has its id
_KINDS: dict[type[Object], tuple[int, str]] = {
    Collider: (_api.CONSTANTS["wb_queryColliders"], "collider"),
    Fluid: (_api.CONSTANTS["wb_queryFluids"], "fluid"),
    SoftBody: (_api.CONSTANTS["wb_querySoftBodies"], "body"),
    RigidBody: (_api.CONSTANTS["wb_queryRigidBodies"], "rigidBody"),
}
Kinds = Collection[type[Object]]
ALL: Kinds = tuple(_KINDS)


@dataclasses.dataclass(frozen=True)
class Found:
    """What a query found: a collider, a rigid body, or a particle of a fluid or soft body."""

    thing: Object
    particle: int | None  #: its id; None: no particle


@dataclasses.dataclass(frozen=True)
class RayHit(Found):
    """Where a ray meets something."""

    fraction: float  #: of the way from the ray's origin to its end, 0 to 1
    point: tuple[float, float, float]  #: m
    normal: tuple[float, float, float]  #: of length 1, outwards
    triangle: int  #: of the collider's mesh; -1: no collider


@dataclasses.dataclass(frozen=True)
class Nearest(Found):
    """The nearest surface."""

    distance: float  #: m; negative inside
    point: tuple[float, float, float]  #: m, of the surface
    normal: tuple[float, float, float]  #: of length 1: in which the distance grows


@dataclasses.dataclass(frozen=True)
class Contact:
    """A point at which rigid bodies touch, by exact shapes."""

    first: RigidBody
    second: RigidBody | Collider | None  #: None: a side of the domain
    point: tuple[float, float, float]  #: m
    normal: tuple[float, float, float]  #: of length 1, from the first to the other
    separation: float  #: m, negative where they overlapped when the step began
    impulse: float  #: N s along the normal, over the last step


@dataclasses.dataclass(frozen=True)
class RigidEvent:
    """That two rigid bodies, or one and a collider or side, began or ended to touch, or hit each other."""

    kind: str  #: "begin", "end", "hit"
    first: RigidBody
    second: RigidBody | Collider | None  #: None: a side of the domain
    point: tuple[float, float, float]  #: m, of a hit
    normal: tuple[float, float, float]  #: of a hit
    speed: float  #: m/s, of a hit: of approach
    impulse: float  #: N s, of a hit: along the normal


@dataclasses.dataclass(frozen=True)
class WaterEvent:
    """That a fluid touched a rigid body after a tenth of a second without, or has not touched it for as long."""

    kind: str  #: "begin", "end"
    body: RigidBody
    impulse: tuple[float, float, float]  #: N s, that fluids gave to it in the step


_EVENTS = {_api.CONSTANTS[f"wb_rigid{kind.capitalize()}"]: kind for kind in ("begin", "end", "hit")}


_WATER_EVENTS = {_api.CONSTANTS[f"wb_water{kind.capitalize()}"]: kind for kind in ("begin", "end")}


def _make_filter(kinds: Kinds, radius: float) -> Any:
    query = lib.wbDefaultQueryFilter()
    if not kinds or not set(kinds) <= set(_KINDS):
        raise InputError(
            "a query looks at some of wirbel.Collider, wirbel.Fluid, wirbel.SoftBody and wirbel.RigidBody"
        )
    query.kinds = sum(_KINDS[kind][0] for kind in set(kinds))
    query.radius = radius
    return query


def _find(world: Any, found: Any) -> tuple[Object, int | None] | None:
    for kind, (bit, field) in _KINDS.items():
        if found.kind == bit:
            return (
                kind(world, getattr(found, field)),
                None if kind in (Collider, RigidBody) else found.particle,
            )
    return None


def _vector(vec3: Any) -> tuple[float, float, float]:
    return vec3.x, vec3.y, vec3.z


def _find_other(world: Any, touch: Any) -> RigidBody | Collider | None:
    """The second of two that touch."""
    if touch.second.index1:
        return RigidBody(world, touch.second)
    return Collider(world, touch.collider) if touch.collider.index1 else None


class Queries:
    """The queries of a world. In all of them `radius` is that of particles in m; NAN: as large as they are."""

    @property
    def _pointer(self) -> int:
        raise NotImplementedError

    def cast_ray(
        self, origin: Vector, translation: Vector, kinds: Kinds = ALL, radius: float = math.nan
    ) -> RayHit | None:
        """What a ray from origin to origin + translation (m) meets first."""
        hit = _api.wbRayHit()
        query = _make_filter(kinds, radius)
        lib.wbWorld_CastRay(self._pointer, to_vec3(origin), to_vec3(translation), query, hit)
        found = _find(self, hit.object)
        return found and RayHit(*found, hit.fraction, _vector(hit.point), _vector(hit.normal), hit.triangle)

    def find_nearest(
        self,
        point: Vector,
        max_distance: float = math.inf,
        kinds: Kinds = ALL,
        radius: float = math.nan,
    ) -> Nearest | None:
        """The surface that is nearest to a point, no farther than max_distance (m)."""
        nearest = _api.wbNearest()
        query = _make_filter(kinds, radius)
        lib.wbWorld_FindNearest(self._pointer, to_vec3(point), max_distance, query, nearest)
        found = _find(self, nearest.object)
        return found and Nearest(*found, nearest.distance, _vector(nearest.point), _vector(nearest.normal))

    def overlap_box(
        self, min: Vector, max: Vector, kinds: Kinds = ALL, radius: float = math.nan
    ) -> list[Found]:
        """What shares a point with the box between two corners (m)."""
        query = _make_filter(kinds, radius)
        return self._list(lib.wbWorld_OverlapBox, to_vec3(min), to_vec3(max), query)

    def overlap_ball(
        self, centre: Vector, ball_radius: float, kinds: Kinds = ALL, radius: float = math.nan
    ) -> list[Found]:
        """The same with a ball; a radius of 0 is a point."""
        query = _make_filter(kinds, radius)
        return self._list(lib.wbWorld_OverlapSphere, to_vec3(centre), ball_radius, query)

    @property
    def contacts(self) -> list[Contact]:
        """Points at which rigid bodies touch, after the last step."""
        count = ctypes.c_int()
        lib.wbWorld_GetContacts(self._pointer, None, 0, count)
        points = (_api.wbBodyContact * count.value)()
        lib.wbWorld_GetContacts(self._pointer, points, count.value, count)
        return [
            Contact(
                RigidBody(self, one.first),
                _find_other(self, one),
                _vector(one.point),
                _vector(one.normal),
                one.separation,
                one.impulse,
            )
            for one in points
        ]

    @property
    def rigid_events(self) -> list[RigidEvent]:
        """What happened to rigid bodies in the last step."""
        events = ctypes.POINTER(_api.wbRigidEvent)()
        count = ctypes.c_int()
        lib.wbWorld_GetRigidEvents(self._pointer, events, count)
        return [
            RigidEvent(
                _EVENTS[one.kind],
                RigidBody(self, one.first),
                _find_other(self, one),
                _vector(one.point),
                _vector(one.normal),
                one.speed,
                one.impulse,
            )
            for one in (events[i] for i in range(count.value))
        ]

    @property
    def water_events(self) -> list[WaterEvent]:
        """Which rigid bodies came into fluids and out of them in the last step."""
        events = ctypes.POINTER(_api.wbWaterEvent)()
        count = ctypes.c_int()
        lib.wbWorld_GetWaterEvents(self._pointer, events, count)
        return [
            WaterEvent(_WATER_EVENTS[one.kind], RigidBody(self, one.body), _vector(one.impulse))
            for one in (events[i] for i in range(count.value))
        ]

    def _list(self, function: Callable[..., None], *arguments: Any) -> list[Found]:
        count = ctypes.c_int()
        function(self._pointer, *arguments, None, 0, count)
        objects = (_api.wbQueryObject * count.value)()
        function(self._pointer, *arguments, objects, count.value, count)
        return [Found(*found) for found in (_find(self, one) for one in objects) if found]
