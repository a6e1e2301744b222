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
from .world import World


@functools.cache
def _get_library() -> SimpleNamespace:
    """It needs OpenGL, so that it is loaded with the first renderer only."""
    name, beside = (path.replace("libwirbel.", "libwirbel-render.") for path in (_api.LIBRARY, _api.BESIDE))
    return bind(open_library(name, beside, "WIRBEL_RENDER_LIBRARY"), _api.RENDER_FUNCTIONS)


def _copy_section(name: str, kind: Any, source: Any) -> ParamSection:
    """The parameters of a scene, or their defaults."""
    memory = kind()
    if source:
        ctypes.memmove(ctypes.addressof(memory), source, ctypes.sizeof(kind))
    else:
        lib.wbSetParamDefaults(find_table(name), ctypes.addressof(memory))
    return ParamSection(find_table(name), memory)


class Renderer:
    """Draws one world. `camera` and `output` are the scene's, or have their defaults.

        renderer.output.water = "spheres"

    Colours and camera stay steady from picture to picture: make one renderer for a film, in one thread.
    """

    def __init__(
        self,
        world: World,
        size: tuple[int, int] | None = None,
        title: str | None = None,
        camera: Mapping[str, Any] | None = None,
        output: Mapping[str, Any] | None = None,
    ) -> None:
        scene = world.scene._pointer if world.scene is not None else None
        self.world = world
        self.camera = _copy_section("camera", _api.wbCameraParams, scene and lib.wbScene_GetCamera(scene))
        self.output = _copy_section("output", _api.wbOutputParams, scene and lib.wbScene_GetOutput(scene))
        self.camera.update(dict(camera or {}))
        self.output.update(dict(output or {}))
        self.title = title if title is not None or world.scene is None else world.scene.title
        width, height = self.output.size if size is None else size
        self.size = to_int(width, "width"), to_int(height, "height")
        self._library = _get_library()
        self._pointer = ctypes.c_void_p()
        self._library.wbCreateRenderer(*self.size, self._pointer)

    def __del__(self) -> None:
        if getattr(self, "_pointer", None):
            self._library.wbDestroyRenderer(self._pointer)

    @property
    def device(self) -> str:
        """What OpenGL says it runs on."""
        return self._library.wbRenderer_GetDeviceName(self._pointer).decode()

    def draw(self) -> np.ndarray:
        """The world as it is now: (height, width, 3), red, green, blue, 0 to 255."""
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
