# SPDX-License-Identifier: MIT
"""The shared library: found, loaded, and bound as the headers declare it; its errors as exceptions."""
from __future__ import annotations

import atexit
import ctypes
import logging
import math
import os
import types
from typing import Any, Mapping, Sequence

from . import _api


class Error(Exception):
    """What Wirbel refused or could not do, in the library's words. `code` says which kind, as wbCode does."""

    code = ""


class InputError(Error, ValueError):
    """A value, key or file that was given is wrong; nothing has changed."""

    code = "input"


class FileError(Error, OSError):
    """A file cannot be opened, read or written."""

    code = "file"


class OutOfMemoryError(Error, MemoryError):
    """Out of memory, or above world.memoryLimit; a step can be tried again."""

    code = "memory"


class UnstableError(Error, ArithmeticError):
    """The simulation left what floats can hold; the world can be read, but not stepped on."""

    code = "unstable"


class DeviceError(Error, RuntimeError):
    """A device (renderer, compute device) is missing or failed."""

    code = "device"


class GoneError(Error, ReferenceError):
    """An object that was destroyed, a world that was closed, or a view of a world that has changed since."""

    code = "gone"


_ERRORS: dict[int, type[Error]] = {
    _api.CONSTANTS["wb_errorInput"]: InputError,
    _api.CONSTANTS["wb_errorFile"]: FileError,
    _api.CONSTANTS["wb_errorMemory"]: OutOfMemoryError,
    _api.CONSTANTS["wb_errorUnstable"]: UnstableError,
    _api.CONSTANTS["wb_errorDevice"]: DeviceError,
}


def _raise_error(status: Any, function: Any, arguments: Any) -> None:
    if status.code != _api.CONSTANTS["wb_ok"]:
        raise _ERRORS[status.code](status.text.decode(errors="replace"))


def open_library(name: str, beside: str, variable: str) -> ctypes.CDLL:
    """The path in the environment's variable; else where it is built or installed; else where the loader looks."""
    here = os.path.dirname(os.path.abspath(__file__))
    given = os.environ.get(variable)
    if given:
        return ctypes.CDLL(given)
    for path in (os.path.join(here, "..", "..", name), os.path.join(here, beside)):
        if os.path.exists(path):
            return ctypes.CDLL(path)
    try:
        return ctypes.CDLL(name)
    except OSError as error:
        raise ImportError(
            f"{name} is neither beside {here} nor known to the loader: {variable} may name it"
        ) from error


def bind(library: ctypes.CDLL, functions: Mapping[str, Any]) -> types.SimpleNamespace:
    """The functions as the headers declare them; those that return a wbStatus raise."""
    bound = types.SimpleNamespace()
    for name, (result, arguments) in functions.items():
        function = getattr(library, name, None)
        if function is None:
            raise ImportError(
                f"{library._name} has no {name}: it is not the library that this module was made for"
            )
        function.restype, function.argtypes = result, arguments
        if result is _api.wbStatus:
            function.errcheck = _raise_error
        setattr(bound, name, function)
    return bound


lib = bind(open_library(_api.LIBRARY, _api.BESIDE, "WIRBEL_LIBRARY"), _api.FUNCTIONS)

_log = logging.getLogger("wirbel")
_LEVELS = {
    _api.CONSTANTS["wb_logInfo"]: logging.INFO,
    _api.CONSTANTS["wb_logWarning"]: logging.WARNING,
    _api.CONSTANTS["wb_logError"]: logging.ERROR,
}
# kept, because the library does not
_log_function = _api.wbLogFn(
    lambda level, text, context: _log.log(_LEVELS[level], "%s", text.decode(errors="replace"))
)
lib.wbSetLog(_log_function, None)
atexit.register(lib.wbSetLog, _api.wbLogFn(0), None)


def to_bytes(text: Any) -> bytes:
    """A text or path for the library, which ends it with a zero byte."""
    data = os.fsencode(text)
    if b"\0" in data:
        raise InputError(f"{text!r} has a zero byte in it: leave it out")
    return data


def to_int(value: Any, name: str, low: int = -(2**31), high: int = 2**31 - 1) -> int:
    """ctypes would cut off what does not fit."""
    if int(value) != value or not low <= value <= high:
        raise InputError(f"{name} is {value}, allowed are whole numbers from {low} to {high}")
    return int(value)


def to_vec3(values: Sequence[float]) -> Any:
    """Two numbers (z = 0) or three."""
    numbers = [float(value) for value in values]
    if len(numbers) not in (2, 3):
        raise InputError(f"{values!r} is not a vector: give two or three numbers")
    return _api.wbVec3(*numbers)


def to_plain(value: Any) -> Any:
    """What a struct of the library holds, as tuples, texts, numbers and namespaces."""
    if isinstance(value, _api.wbVec3):
        return (value.x, value.y, value.z)
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, ctypes.Structure):
        return types.SimpleNamespace(**{name: to_plain(getattr(value, name)) for name, _ in value._fields_})
    if isinstance(value, ctypes.Array):
        return tuple(to_plain(item) for item in value)
    return value


def to_text(value: Any) -> str:
    """A parameter's value as the library reads it: 0.2, True, "wendland", "auto", (0, -9.81, 0)."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        return "true" if value else "false"
    if hasattr(value, "__len__"):
        return ",".join(to_text(item) for item in value)
    if isinstance(value, int):
        return str(value)
    number = float(value)
    return (
        str(int(number))
        if math.isfinite(number) and number == int(number) and abs(number) < 1e15
        else repr(number)
    )
