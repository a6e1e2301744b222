# SPDX-License-Identifier: MIT
"""Parameters by the library's own tables: names, defaults, ranges, units and what they mean."""
from __future__ import annotations

import ctypes
import dataclasses
from typing import Any, Iterator

from . import _api
from ._library import InputError, lib, to_bytes, to_text

_KINDS = {
    _api.CONSTANTS[f"wb_param{kind}"]: kind
    for kind in ("Float", "Auto", "Int", "Bool", "Enum", "Vec3", "Size")
}
_TEXT_SIZE = 256


@dataclasses.dataclass(frozen=True)
class Param:
    """A row of a table."""

    name: str
    type: str  #: "Float", "Auto" (a number or "auto"), "Int", "Bool", "Enum", "Vec3", "Size"
    default: Any
    min: float
    max: float
    unit: str  #: "" where it has none
    choices: tuple[str, ...]  #: of an "Enum"
    live: bool  #: may change while the world runs
    sentence: str


def parse_value(kind: str, text: str) -> Any:
    """The value that the library writes as this text."""
    if kind == "Bool":
        return text == "true"
    if kind == "Int":
        return int(text)
    if kind == "Vec3":
        return tuple(float(part) for part in text.split(","))
    if kind == "Size":
        return tuple(int(part) for part in text.split("x"))
    if kind == "Enum" or text == "auto":
        return text
    return float(text)


def find_table(section: str) -> Any:
    """The library's table of a section or of a kind of objects; None if there is none."""
    name = to_bytes(section)
    for table in (lib.wbGetParams(name), lib.wbGetObjectParams(name)):
        if table:
            return table.contents
    count = ctypes.c_int()
    tables = lib.wbGetSceneParamTables(count)
    return next((tables[i] for i in range(count.value) if tables[i].section == name), None)


def find_kind(table: Any, name: str) -> str | None:
    """The type of a parameter, None if the table has none of that name."""
    row = lib.wbFindParam(table, to_bytes(name))
    return _KINDS[row.contents.type] if row else None


def params(section: str) -> dict[str, Param]:
    """The parameters of "world", "sph", …, of objects: "emitter", "collider", …, of "camera" or "output"."""
    table = find_table(section)
    if table is None:
        raise InputError(f'there are no parameters of "{section}"')
    defaults = ParamSection(table, ctypes.create_string_buffer(table.structSize))
    lib.wbSetParamDefaults(table, defaults._memory)
    rows = {}
    for i in range(table.count):
        row = table.params[i]
        name = row.name.decode()
        choices = tuple(row.choices.decode().split("|")) if row.choices else ()
        rows[name] = Param(
            name,
            _KINDS[row.type],
            getattr(defaults, name),
            row.min,
            row.max,
            row.unit.decode(),
            choices,
            row.live,
            row.sentence.decode(),
        )
    return rows


class ParamGroup:
    """Parameters of a section that belong together: section.adaptive.slope is its "adaptive.slope"."""

    def __init__(self, section: ParamSection, group: str) -> None:
        object.__setattr__(self, "_section", section)
        object.__setattr__(self, "_group", group)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._section, f"{self._group}.{name}")

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._section, f"{self._group}.{name}", value)

    def __iter__(self) -> Iterator[str]:
        start = self._group + "."
        return iter([name.removeprefix(start) for name in self._section if name.startswith(start)])

    def __dir__(self) -> list[str]:
        return list(self)

    def __repr__(self) -> str:
        return f"{self._group}({', '.join(f'{name}={getattr(self, name)!r}' for name in self)})"


class ParamSection:
    """The parameters of one section as attributes. Setting one checks it against its range."""

    def __init__(self, table: Any, memory: Any, offset: int = 0) -> None:
        if offset + table.structSize > ctypes.sizeof(memory):
            raise ImportError(f"{_api.LIBRARY} is not the one that this module was made for: build both anew")
        # of the struct that holds them; kept alive
        object.__setattr__(self, "_memory", memory)
        object.__setattr__(self, "_table", table)
        object.__setattr__(self, "_address", ctypes.addressof(memory) + offset)

    def _find(self, name: str) -> Any:
        row = lib.wbFindParam(self._table, to_bytes(name))
        if row:
            return row
        section = self._table.section.decode()
        near = lib.wbNearestParam(self._table, to_bytes(name))
        hint = f'did you mean "{near.decode()}"?' if near else f'wirbel.params("{section}") lists them'
        raise AttributeError(f'"{section}" has no parameter "{name}": {hint}')

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if any(row.startswith(name + ".") for row in self):
            return ParamGroup(self, name)
        row = self._find(name)
        text = ctypes.create_string_buffer(_TEXT_SIZE)
        lib.wbParam_GetText(row, self._address, text, _TEXT_SIZE)
        return parse_value(_KINDS[row.contents.type], text.value.decode())

    def __setattr__(self, name: str, value: Any) -> None:
        text = (
            "x".join(str(part) for part in value)
            if find_kind(self._table, name) == "Size"
            else to_text(value)
        )
        lib.wbParam_SetText(self._find(name), self._address, to_bytes(text))

    def update(self, values: dict[str, Any]) -> None:
        """Sets several: update({"spacing": 0.05})."""
        for name, value in values.items():
            try:
                setattr(self, name, value)
            except AttributeError as error:
                raise InputError(str(error)) from None

    def __iter__(self) -> Iterator[str]:
        return iter([self._table.params[i].name.decode() for i in range(self._table.count)])

    def __dir__(self) -> list[str]:
        return ["update", *self]

    def __repr__(self) -> str:
        rows = ", ".join(f"{name}={getattr(self, name)!r}" for name in self)
        return f"{self._table.section.decode()}({rows})"
