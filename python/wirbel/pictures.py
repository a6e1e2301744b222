# SPDX-License-Identifier: MIT
"""Pictures of worlds, drawn without a display by the library's own renderer, as the program draws them."""
from __future__ import annotations

import ctypes
import functools
import os
import pathlib
import struct
import zlib
from types import SimpleNamespace
from typing import Any, Mapping

import numpy as np

from . import _api
from ._library import InputError, bind, lib, open_library, to_bytes, to_int
from .params import ParamSection, find_table
from .world import Scene, World


@functools.cache
def _get_library() -> SimpleNamespace:
    """It needs OpenGL, so that it is loaded with the first renderer only."""
    name, beside = (path.replace("libwirbel.", "libwirbel-render.") for path in (_api.LIBRARY, _api.BESIDE))
    return bind(open_library(name, beside, "WIRBEL_RENDER_LIBRARY"), _api.RENDER_FUNCTIONS)


def _make_section(name: str, kind: Any) -> ParamSection:
    """With the defaults."""
    section = ParamSection(find_table(name), kind())
    lib.wbSetParamDefaults(section._table, section._address)
    return section


class Renderer:
    """Draws one world. `camera` and `output` are the scene's, or have their defaults.

        renderer.output.water = "spheres"

    A scene's camera moves, if it has keys, until one of its parameters is set here. Colours and camera stay
    steady from picture to picture: make one renderer for a film, in one thread.
    """

    def __init__(
        self,
        world: World,
        size: tuple[int, int] | None = None,
        title: str | None = None,
        camera: Mapping[str, Any] | None = None,
        output: Mapping[str, Any] | None = None,
    ) -> None:
        self.world = world
        self.camera = _make_section("camera", _api.wbCameraParams)
        self.output = _make_section("output", _api.wbOutputParams)
        self._followed = bytes(self.camera._memory)  # as the scene has set it
        if world.scene is not None:
            self._follow_scene(world.scene)
            settings = lib.wbScene_GetOutput(world.scene._pointer)
            ctypes.pointer(self.output._memory)[0] = settings.contents
        self.camera.update(dict(camera or {}))
        self.output.update(dict(output or {}))
        self.title = title if title is not None or world.scene is None else world.scene.title
        width, height = self.output.size if size is None else size
        self.size = to_int(width, "width"), to_int(height, "height")
        self._library = _get_library()
        self._pointer = ctypes.c_void_p()
        self._library.wbCreateRenderer(*self.size, self._pointer)

    def _follow_scene(self, scene: Scene) -> None:
        if bytes(self.camera._memory) == self._followed:
            pose = lib.wbScene_GetCameraAt(scene._pointer, self.world.time)
            ctypes.pointer(self.camera._memory)[0] = pose
            self._followed = bytes(pose)

    def __del__(self) -> None:
        if getattr(self, "_pointer", None):
            self._library.wbDestroyRenderer(self._pointer)

    @property
    def device(self) -> str:
        """What OpenGL says it runs on."""
        return self._library.wbRenderer_GetDeviceName(self._pointer).decode()

    def draw(self) -> np.ndarray:
        """The world as it is now: (height, width, 3), red, green, blue, 0 to 255."""
        if self.world.scene is not None:
            self._follow_scene(self.world.scene)
        title = None if self.title is None else to_bytes(self.title)
        width, height = self.size
        picture = np.empty((height, width, 3), np.uint8)
        self._library.wbRenderer_DrawWorld(
            self._pointer, self.world._pointer, self.camera._memory, self.output._memory, title
        )
        self._library.wbRenderer_ReadPixels(
            self._pointer, picture.ctypes.data_as(ctypes.POINTER(ctypes.c_uint8))
        )
        return picture


def write_png(path: str | os.PathLike[str], picture: np.ndarray) -> None:
    """Writes a picture as Renderer.draw gives it."""
    pixels = np.asarray(picture)
    if pixels.ndim != 3 or pixels.shape[2] != 3 or pixels.dtype != np.uint8 or 0 in pixels.shape:
        raise InputError(
            f"a picture of shape {pixels.shape} and {pixels.dtype}, allowed is (height, width, 3) of uint8"
        )
    height, width = pixels.shape[:2]
    rows = np.zeros((height, 1 + 3 * width), np.uint8)  # each row begins with its filter: none
    rows[:, 1:] = pixels.reshape(height, -1)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)) + chunk(b"IEND", b"")
    pathlib.Path(path).write_bytes(b"\x89PNG\r\n\x1a\n" + chunks)
