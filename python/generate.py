# SPDX-License-Identifier: MIT
"""Writes wirbel/_api.py: the types, constants and functions of the public headers, for ctypes.

    generate.py --cc CC --include FOLDER --library NAME --beside PATH OUTPUT

CC preprocesses the headers, a small parser reads what they declare, and CC checks the result: the size of every
struct and the offset of every field, as ctypes lays them out, are asserted against the headers. NAME is the
library's name for the loader, PATH where it is installed, relative to the package.
"""
import argparse
import ctypes
import pathlib
import re
import subprocess
import sys

TYPES = {
    "void": "None",
    "_Bool": "c_bool",
    "char": "c_char",
    "int": "c_int",
    "float": "c_float",
    "double": "c_double",
    "size_t": "c_size_t",
    "ptrdiff_t": "c_ssize_t",
    "uint8_t": "c_uint8",
    "int32_t": "c_int32",
    "uint32_t": "c_uint32",
    "int64_t": "c_int64",
    "uint64_t": "c_uint64",
}
TOKEN = re.compile(r'[A-Za-z_]\w*|\d\w*|"(?:\\.|[^"])*"|[^\s\w]')


def preprocess(cc, include):
    """The text of the public headers alone, without what they include from the system."""
    source = "".join(f'#include "{header}"\n' for header in sorted(include.glob("wirbel/*.h")))
    command = [cc, "-E", "-x", "c", "-std=c17", f"-I{include}", "-"]
    text = subprocess.run(command, input=source, stdout=subprocess.PIPE, check=True, text=True).stdout
    lines, is_ours = [], False
    for line in text.splitlines():
        marker = re.match(r'# \d+ "(.*?)"', line)
        if marker:
            is_ours = str(include) in marker[1] or marker[1].startswith("wirbel/")
        elif is_ours and not line.startswith("#"):
            lines.append(line)
    return "\n".join(lines)


class Parser:
    """Reads declarations as the public headers write them, and says where it does not understand."""

    def __init__(self, text):
        self.tokens = TOKEN.findall(text)
        self.at = 0
        self.constants = {}  # name: value, also of enums
        self.known = dict(TYPES)  # C name: expression in Python
        self.opaque = set()  # structs that are known by pointers alone
        self.lines = []  # of the module
        self.structs = {}  # name: names of fields
        self.callbacks = set()  # types of functions
        self.functions = {}

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def take(self, expected=None):
        token = self.peek()
        if not token or (expected and token != expected):
            near = " ".join(self.tokens[max(0, self.at - 12) : self.at + 4])
            sys.exit(f"generate.py: expected {expected or 'more'}, found {token!r} in: {near}")
        self.at += 1
        return token

    def skips(self, token):
        if self.peek() != token:
            return False
        self.at += 1
        return True

    def parse(self):
        while self.peek():
            if self.skips(";"):
                continue
            if self.skips("typedef"):
                self.parse_typedef()
            elif self.peek() == "enum":
                self.parse_enum()
            elif self.peek() == "static":
                self.skip_body()
            elif self.skips("extern"):
                self.skip_to(";")  # a constant
            else:
                self.parse_function()

    def skip_to(self, token):
        while self.take() != token:
            pass

    def skip_body(self):
        self.skip_to("{")
        depth = 1
        while depth > 0:
            token = self.take()
            depth += (token == "{") - (token == "}")

    def parse_typedef(self):
        if self.peek() == "enum":
            self.parse_enum()
            self.known[self.take()] = "c_int"
        elif self.peek() == "struct" and self.peek(2) == "{":
            self.take()
            name = self.take()
            self.parse_struct(name)
            self.take(name)
        elif self.peek() == "struct":
            self.take()
            self.opaque.add(self.take())
            self.opaque.add(self.take())
        else:
            base = self.parse_base()
            result, name = self.parse_declarator(base)
            arguments = self.parse_parameters()
            self.lines.append(f"{name} = CFUNCTYPE({', '.join([result] + arguments)})")
            self.known[name] = name
            self.callbacks.add(name)
        self.take(";")

    def parse_enum(self):
        self.take("enum")
        if self.peek() != "{":
            self.take()
        self.take("{")
        value = 0
        while not self.skips("}"):
            name = self.take()
            if self.skips("="):
                value = self.parse_number({",", "}"})
            self.constants[name] = value
            value += 1
            self.skips(",")

    def parse_number(self, ends):
        """A constant expression of numbers and constants, up to one of the tokens."""
        words = []
        while self.peek() not in ends:
            token = self.take()
            words.append(str(self.constants.get(token, token)))
        return int(eval(" ".join(words), {"__builtins__": {}}))

    def parse_struct(self, name):
        """From "{" to "}"; structs without a name within it get one."""
        fields = []
        self.take("{")
        while not self.skips("}"):
            if self.peek() == "struct" and self.peek(1) == "{":
                self.take()
                base = f"{name}_{len(fields)}"
                self.parse_struct(base)
                self.known[base] = base
            else:
                base = self.parse_base()
            while True:
                kind, field = self.parse_declarator(base)
                fields.append((field, kind))
                if not self.skips(","):
                    break
            self.take(";")
        rows = ", ".join(f'("{field}", {kind})' for field, kind in fields)
        self.lines.append(f"class {name}(Structure):\n    _fields_ = [{rows}]")
        self.known[name] = name
        self.structs[name] = [field for field, _ in fields]

    def parse_base(self):
        """const, struct and the type's name."""
        while self.peek() in ("const", "struct"):
            self.take()
        name = self.take()
        while self.peek() == "const":
            self.take()
        if name not in self.known and name not in self.opaque:
            sys.exit(f"generate.py: unknown type {name}")
        return name

    def parse_declarator(self, base):
        """Pointers, the name if there is one, and array bounds: (type for ctypes, name)."""
        pointers = 0
        while self.peek() in ("*", "const"):
            pointers += self.take() == "*"
        kind = self.point_to(base, pointers)
        if self.skips("("):  # a pointer to a function
            self.take("*")
            name = self.take()
            self.take(")")
            return f"CFUNCTYPE({', '.join([kind] + self.parse_parameters())})", name
        name = self.take() if re.match(r"[A-Za-z_]", self.peek()) else ""
        sizes = []
        while self.skips("["):
            sizes.append(self.parse_number({"]"}))
            self.take("]")
        for size in reversed(sizes):
            kind = f"{kind} * {size}"
        return kind, name

    def point_to(self, base, pointers):
        kind = self.known.get(base)
        if pointers == 0:
            return kind
        if base == "char" and pointers == 1:
            return "c_char_p"
        if base == "void" or base in self.opaque:
            kind = "c_void_p"
            pointers -= 1
        elif base in self.callbacks:
            pointers -= 1  # ctypes has pointers to functions only
        return "POINTER(" * pointers + kind + ")" * pointers

    def parse_parameters(self):
        kinds = []
        self.take("(")
        while not self.skips(")"):
            kind, _ = self.parse_declarator(self.parse_base())
            if " * " in kind:  # an array is a pointer to its first
                kind = f"POINTER({kind.split(' * ')[0]})"
            if kind != "None":
                kinds.append(kind)
            self.skips(",")
        return kinds

    def parse_function(self):
        result, name = self.parse_declarator(self.parse_base())
        self.functions[name] = (result, self.parse_parameters())
        self.take(";")


def write(parser, library, beside):
    lines = ["# Made by python/generate.py from the public headers.", "from ctypes import *", ""]
    lines += [f'LIBRARY = "{library}"', f'BESIDE = "{beside}"', ""]
    lines += parser.lines + ["", "CONSTANTS = {"]
    lines += [f'    "{name}": {value},' for name, value in parser.constants.items()]
    lines += ["}"]
    for title, is_render in (
        ("FUNCTIONS", False),
        ("RENDER_FUNCTIONS", True),
    ):  # of wirbel/render.h: in a library of their own
        lines += [f"{title} = {{"]
        for name, (result, kinds) in parser.functions.items():
            if ("Renderer" in name) == is_render:
                lines += [f'    "{name}": ({result}, [{", ".join(kinds)}]),']
        lines += ["}"]
    return "\n".join(lines + [""])


def check(parser, text, cc, include):
    """Lets the compiler compare ctypes' layout with its own."""
    module = {}
    exec(text, module)
    lines = [f'#include "{header}"' for header in sorted(include.glob("wirbel/*.h"))]
    for name, fields in parser.structs.items():
        kind = module[name]
        if "_" in name:  # a struct within another, checked by the fields that follow it
            continue
        lines.append(f'_Static_assert(sizeof({name}) == {ctypes.sizeof(kind)}, "{name}");')
        for field in fields:
            at, size = getattr(kind, field).offset, getattr(kind, field).size
            fits = f"offsetof({name}, {field}) == {at} && sizeof((({name} *)0)->{field}) == {size}"
            lines.append(f'_Static_assert({fits}, "{name}.{field}");')
    for name, value in parser.constants.items():
        lines.append(f'_Static_assert({name} == {value}, "{name}");')
    command = [cc, "-fsyntax-only", "-x", "c", "-std=c17", f"-I{include}", "-"]
    if subprocess.run(command, input="\n".join(lines), text=True).returncode:
        sys.exit("generate.py: ctypes lays out structs otherwise than the compiler")


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    for name in ("--cc", "--include", "--library", "--beside", "output"):
        arguments.add_argument(name)
    given = arguments.parse_args()
    include = pathlib.Path(given.include).resolve()
    parser = Parser(preprocess(given.cc, include))
    parser.parse()
    text = write(parser, given.library, given.beside)
    check(parser, text, given.cc, include)
    pathlib.Path(given.output).write_text(text)


if __name__ == "__main__":
    main()
