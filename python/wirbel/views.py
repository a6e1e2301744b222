# SPDX-License-Identifier: MIT
"""Particles, fields and meshes as NumPy arrays over the library's own memory, without a copy."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from ._library import GoneError, lib

if TYPE_CHECKING:
    from .world import World


class _Memory:
    """Lends memory of the library to NumPy, read-only, and keeps its owner alive as long as an array does."""

    def __init__(
        self, owner: object, address: int, dtype: np.dtype, shape: Sequence[int], strides: Sequence[int]
    ) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "version": 3,
            "data": (address, True),
            "typestr": dtype.str,
            "shape": tuple(shape),
            "strides": tuple(strides),
        }


def view_array(owner: object, pointer: Any, shape: Sequence[int], steps: Sequence[int]) -> Any:
    """The array at a ctypes pointer, `steps` elements from one to the next along each axis; None: NULL."""
    dtype = np.dtype(pointer._type_)
    if 0 in shape:
        return np.zeros(shape, dtype)
    if not pointer:
        return None
    address = ctypes.cast(pointer, ctypes.c_void_p).value or 0
    return np.asarray(_Memory(owner, address, dtype, shape, [step * dtype.itemsize for step in steps]))


class _View:
    """Arrays by name. The world must not have changed since: ask it for a new view after each step.

    An array that was taken keeps its world, but a step or a change may use its memory for something else, or give
    it back: copy what shall stay.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._changes = world._changes

    def _check(self) -> None:
        if self._world._changes != self._changes:
            raise GoneError(
                "the world has changed since this view was made: ask for a new one after each step"
            )


class Particles(_View):
    """Particles of a fluid or soft body, in the order in which they lie in memory."""

    def __init__(self, world: World, view: Any) -> None:
        super().__init__(world)
        self._view = view

    def _get(self, name: str) -> Any:
        self._check()
        return view_array(
            self._world._handle, getattr(self._view, name), [self._view.count], [self._view.stride]
        )

    def __len__(self) -> int:
        return self._view.count

    @property
    def x(self) -> np.ndarray:
        """m"""
        return self._get("x")

    @property
    def y(self) -> np.ndarray:
        """m"""
        return self._get("y")

    @property
    def z(self) -> np.ndarray:
        """m"""
        return self._get("z")

    @property
    def vx(self) -> np.ndarray:
        """m/s"""
        return self._get("vx")

    @property
    def vy(self) -> np.ndarray:
        """m/s"""
        return self._get("vy")

    @property
    def vz(self) -> np.ndarray:
        """m/s"""
        return self._get("vz")

    @property
    def density(self) -> np.ndarray | None:
        """kg/m3, of the last evaluation; None of a soft body."""
        return self._get("density")

    @property
    def pressure(self) -> np.ndarray | None:
        """Pa; None of a soft body."""
        return self._get("pressure")

    @property
    def mass(self) -> np.ndarray | None:
        """kg; None where all are of one size: see Fluid.particle_mass."""
        return self._get("mass")

    @property
    def radius(self) -> np.ndarray | None:
        """m, half the side of the cube of water at rest that it stands for; None where all are of one size."""
        return self._get("radius")

    @property
    def distance(self) -> np.ndarray | None:
        """m, to the fluid's surface; None where all are of one size."""
        return self._get("distance")

    @property
    def id(self) -> np.ndarray:
        """Of a particle, for its whole life."""
        return self._get("id")

    @property
    def positions(self) -> np.ndarray:
        """m, (count, 3): a copy, as the three coordinates are arrays of their own."""
        return np.column_stack([self.x, self.y, self.z])

    @property
    def velocities(self) -> np.ndarray:
        """m/s, (count, 3): a copy."""
        return np.column_stack([self.vx, self.vy, self.vz])


class Smoke(_View):
    """Fields of the air, by the indices of cells: density[i, j, k]. None: the world does not have that field."""

    def __init__(self, world: World, view: Any) -> None:
        super().__init__(world)
        self._view = view

    def _get(self, pointer: Any, more: Sequence[int] = (0, 0, 0)) -> Any:
        self._check()
        shape = [cells + extra for cells, extra in zip(self._view.cells, more)]
        return view_array(self._world._handle, pointer, shape, [1, self._view.strideY, self._view.strideZ])

    @property
    def cells(self) -> tuple[int, int, int]:
        """Along x, y and z; 1 along z in 2D; (0, 0, 0) in a world without smoke."""
        nx, ny, nz = self._view.cells
        return nx, ny, nz

    @property
    def cell_size(self) -> float:
        """m"""
        return self._view.cellSize

    @property
    def min(self) -> tuple[float, float, float]:
        """m, the lower corner of cell (0, 0, 0)."""
        return (self._view.min.x, self._view.min.y, self._view.min.z)

    @property
    def density(self) -> np.ndarray:
        """1: thick smoke."""
        return self._get(self._view.density)

    @property
    def temperature(self) -> np.ndarray:
        """K above ambient."""
        return self._get(self._view.temperature)

    @property
    def fuel(self) -> np.ndarray | None:
        """With smoke.fire."""
        return self._get(self._view.fuel)

    @property
    def steam(self) -> np.ndarray | None:
        """g/m3 of vapour, with smoke.steam."""
        return self._get(self._view.steam)

    @property
    def cloud(self) -> np.ndarray | None:
        """g/m3 of droplets, with smoke.steam."""
        return self._get(self._view.cloud)

    @property
    def pressure(self) -> np.ndarray:
        """m2/s2, over the density of air."""
        return self._get(self._view.pressure)

    @property
    def u(self) -> np.ndarray:
        """m/s, across the lower faces along x: one more than there are cells."""
        return self._get(self._view.u, (1, 0, 0))

    @property
    def v(self) -> np.ndarray:
        """m/s, across the lower faces along y."""
        return self._get(self._view.v, (0, 1, 0))

    @property
    def w(self) -> np.ndarray | None:
        """m/s, across the lower faces along z."""
        return self._get(self._view.w, (0, 0, 1))

    @property
    def colour(self) -> tuple[np.ndarray | None, ...]:
        """Density of smoke in red, green and blue, with smoke.coloured."""
        return tuple(self._get(pointer) for pointer in self._view.colour)

    @property
    def solid(self) -> np.ndarray:
        """0: air."""
        self._check()
        steps = [1, self._view.solidStrideY, self._view.solidStrideZ]
        return view_array(self._world._handle, self._view.solid, list(self._view.cells), steps)


class Mesh:
    """Triangles over shared vertices: `vertices` (count, 3) in m, `triangles` (count, 3) of their numbers."""

    def __init__(self, vertices: Any, triangles: Any) -> None:
        self.vertices = np.asarray(vertices, np.float32).reshape(-1, 3)
        self.triangles = np.asarray(triangles).reshape(-1, 3)


def take_mesh(mesh: Any) -> Mesh:
    """A mesh that the library has made, as arrays of its own; the library's is freed."""
    try:
        vertices = view_array(None, mesh.vertices, [mesh.vertexCount, 3], [3, 1])
        triangles = view_array(None, mesh.indices, [mesh.triangleCount, 3], [3, 1])
        return Mesh(vertices.copy(), triangles.copy())
    finally:
        lib.wbFreeMesh(mesh)


class RigidBodies(_View):
    """All rigid bodies in the order of their numbers: places of their centres of mass and principal axes."""

    def __init__(self, world: World, view: Any) -> None:
        super().__init__(world)
        self._view = view

    def __len__(self) -> int:
        return self._view.count

    def _get(self, name: str) -> Any:
        self._check()
        return view_array(self._world._handle, getattr(self._view, name), [self._view.count], [1])

    def _stack(self, names: Sequence[str]) -> np.ndarray:
        return np.stack([self._get(name) for name in names], axis=1)

    @property
    def x(self) -> np.ndarray:
        """m"""
        return self._get("x")

    @property
    def y(self) -> np.ndarray:
        """m"""
        return self._get("y")

    @property
    def z(self) -> np.ndarray:
        """m"""
        return self._get("z")

    @property
    def positions(self) -> np.ndarray:
        """m, (count, 3): a copy."""
        return self._stack(["x", "y", "z"])

    @property
    def rotations(self) -> np.ndarray:
        """Unit quaternions x, y, z, w, (count, 4): a copy."""
        return self._stack(["qx", "qy", "qz", "qw"])

    @property
    def velocities(self) -> np.ndarray:
        """m/s, (count, 3): a copy."""
        return self._stack(["vx", "vy", "vz"])

    @property
    def spins(self) -> np.ndarray:
        """rad/s, (count, 3): a copy."""
        return self._stack(["wx", "wy", "wz"])


class SoftMesh(_View):
    """What holds a soft body together and how it can be drawn. Particles are counted over all soft bodies of
    the world: less `first_particle` they are places in the body's particles."""

    def __init__(self, world: World, mesh: Any) -> None:
        super().__init__(world)
        self._mesh = mesh

    def _get(self, name: str, shape: Sequence[int], steps: Sequence[int]) -> Any:
        self._check()
        return view_array(self._world._handle, getattr(self._mesh, name), shape, steps)

    @property
    def first_particle(self) -> int:
        return self._mesh.firstParticle

    @property
    def triangles(self) -> np.ndarray:
        """(count, 3); none but of cloth and meshSurface."""
        return self._get("triangles", [self._mesh.triangleCount, 3], [3, 1])

    @property
    def constraints(self) -> tuple[np.ndarray, np.ndarray]:
        """The first and the second particle of each length that is kept."""
        count = [self._mesh.constraintCount]
        return self._get("first", count, [1]), self._get("second", count, [1])
