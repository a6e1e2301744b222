# SPDX-License-Identifier: MIT
"""Wirbel: real-time physics of water, smoke, fire, cloth and soft bodies.

    import wirbel as wb
    world = wb.load_scene("scenes/dam-break-2d.json")
    world.run(until=0.5)
    print(world.fluids[0].particles.x.max(), world.stats.kinetic)

Parameters, defaults, ranges and messages are the library's own. SI units, y up. docs/python.md has more.
"""
from __future__ import annotations

import ctypes
import os
from types import SimpleNamespace

from . import _api
from ._library import (
    DeviceError,
    Error,
    FileError,
    GoneError,
    InputError,
    OutOfMemoryError,
    UnstableError,
    lib,
    to_bytes,
    to_plain,
)
from .objects import (
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
)
from .params import Param, ParamSection, params
from .pictures import Renderer, write_png
from .queries import Contact, Found, Nearest, RayHit, RigidEvent, WaterEvent
from .views import Mesh, Particles, RigidBodies, Smoke, SoftMesh, take_mesh
from .world import Scene, World, WorldDef

__all__ = [
    "Collider",
    "Contact",
    "DeviceError",
    "Drain",
    "Emitter",
    "Error",
    "FileError",
    "Fluid",
    "Force",
    "Grab",
    "Found",
    "GoneError",
    "InputError",
    "Joint",
    "Mechanism",
    "Mesh",
    "Nearest",
    "Object",
    "OutOfMemoryError",
    "Param",
    "ParamSection",
    "Particles",
    "Probe",
    "RayHit",
    "Renderer",
    "Scene",
    "Smoke",
    "RigidBodies",
    "RigidBody",
    "RigidEvent",
    "SoftBody",
    "SoftMesh",
    "Source",
    "UnstableError",
    "WaterEvent",
    "World",
    "WorldDef",
    "devices",
    "load_scene",
    "params",
    "read_mesh",
    "write_png",
]

__version__: str = lib.wbGetVersion().decode()


def load_scene(path: str | os.PathLike[str], threads: int = 0) -> World:
    """Reads a scene and makes its world; its script runs along. Threads: 0: one per core."""
    return Scene(path).create_world(threads)


def read_mesh(path: str | os.PathLike[str]) -> Mesh:
    """Reads an OBJ, STL or PLY file."""
    mesh = _api.wbMesh()
    lib.wbReadMesh(to_bytes(path), mesh)
    return take_mesh(mesh)


def devices() -> list[SimpleNamespace]:
    """The compute devices of OpenCL, fields as of wbDevice; DeviceError says why there are none."""
    count = ctypes.c_int()
    lib.wbListDevices(None, 0, count)
    found = (_api.wbDevice * count.value)()
    lib.wbListDevices(found, count.value, count)
    return [to_plain(device) for device in found]
