# SPDX-License-Identifier: MIT
# read_exports.py DIR: reads what test_exports.sh let a run write, by the formats' own rules: surfaces are closed, look outwards
# and enclose the water's volume, PLY and VTK agree, soft bodies keep their triangles, poses move. VTK, if it is there,
# reads the same.
import csv
import math
import os
import re
import struct
import sys

folder = sys.argv[1]
formats = {"float": "f", "uint": "I", "int": "i", "uchar": "B"}


def read_ply(path):
    """The columns of vertices by name, and the faces."""
    with open(path, "rb") as file:
        data = file.read()
    end = data.index(b"end_header\n") + len(b"end_header\n")
    names, count, faces, element = [], 0, 0, ""
    for line in data[:end].decode("ascii").splitlines():
        words = line.split()
        if words[0] == "format":
            assert words[1] == "binary_little_endian", line
        if words[0] == "element":
            element = words[1]
            if element == "vertex":
                count = int(words[2])
            else:
                faces = int(words[2])
        if words[0] == "property" and element == "vertex":
            names.append((words[2], formats[words[1]]))
        if words[0] == "property" and element == "face":
            assert words[1:] == ["list", "uchar", "int", "vertex_indices"], line
    record = struct.Struct("<" + "".join(kind for _, kind in names))
    rows = list(record.iter_unpack(data[end : end + count * record.size]))
    at = end + count * record.size
    triangles = list(struct.Struct("<Biii").iter_unpack(data[at:]))
    assert len(triangles) == faces and all(t[0] == 3 for t in triangles), (path, len(triangles), faces)
    columns = {name: [row[n] for row in rows] for n, (name, _) in enumerate(names)}
    return columns, [t[1:] for t in triangles]


def read_vtp(path):
    """Arrays by their section and name."""
    with open(path, "rb") as file:
        data = file.read()
    start = data.index(b'<AppendedData encoding="raw">')
    start = data.index(b"_", start) + 1
    arrays = {}
    section = ""
    for tag, rest in re.findall(r"<(\w+)([^>]*)>", data[:start].decode("utf-8", "replace")):
        if tag != "DataArray":
            section = tag
            continue
        fields = dict(re.findall(r'(\w+)="([^"]*)"', rest))
        if fields["format"] != "appended":
            continue
        at = start + int(fields["offset"])
        (size,) = struct.unpack_from("<Q", data, at)
        kind = {"Float32": "f", "UInt32": "I", "Int32": "i"}[fields["type"]]
        arrays[section, fields["Name"]] = struct.unpack_from(f"<{size // 4}{kind}", data, at + 8)
    return arrays


def check_closed(triangles):
    edges = {}
    for triangle in triangles:
        assert len(set(triangle)) == 3, triangle
        for k in range(3):
            edge = (triangle[k], triangle[(k + 1) % 3])
            assert edge not in edges, f"edge {edge} runs the same way in two triangles"
            edges[edge] = True
    assert all((b, a) in edges for a, b in edges), "an edge has one triangle"


def measure(points, triangles):
    sum = 0.0
    for a, b, c in triangles:
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = points[a], points[b], points[c]
        sum += ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    return sum / 6


def check_surface(path, frame, spacing):
    particles, _ = read_ply(f"{path}/particles_{frame:06d}.ply")
    columns, triangles = read_ply(f"{path}/surface_{frame:06d}.ply")
    points = list(zip(columns["x"], columns["y"], columns["z"]))
    check_closed(triangles)
    assert set(columns["body"]) == set(particles["body"])
    for body in set(particles["body"]):
        own = [t for t in triangles if columns["body"][t[0]] == body]
        assert all(columns["body"][v] == body for t in own for v in t)
        share = measure(points, own) / (particles["body"].count(body) * spacing**3)
        assert abs(share - 1) < 0.02, (path, frame, body, share)
    arrays = read_vtp(f"{path}/surface_{frame:06d}.vtp")
    flat = [x for p in points for x in p]
    assert list(arrays["Points", "Points"]) == flat
    assert list(arrays["Polys", "connectivity"]) == [v for t in triangles for v in t]
    assert list(arrays["Polys", "offsets"]) == [3 * (n + 1) for n in range(len(triangles))]
    assert list(arrays["PointData", "body"]) == columns["body"]
    return triangles


def check_soft(path, frame):
    columns, triangles = read_ply(f"{path}/ply/particles_{frame:06d}.ply")
    bodies = columns["body"]
    assert set(bodies) == {0, 1, 2}, set(bodies)  # water, cloth, jelly
    assert len(triangles) == 2 * 4 * 5 and all(bodies[v] == 1 for t in triangles for v in t)
    assert sorted({v for t in triangles for v in t}) == [v for v in range(len(bodies)) if bodies[v] == 1]
    speed = [columns[c][v] for c in ("vx", "vy", "vz") for v in range(len(bodies)) if bodies[v] == 1]
    assert any(v != 0 for v in speed), "the cloth does not move"
    for body in range(3):
        ids = [i for i, b in zip(columns["id"], bodies) if b == body]
        assert len(ids) == len(set(ids)), f"ids of body {body} repeat"
    arrays = read_vtp(f"{path}/vtk/particles_{frame:06d}.vtp")
    assert list(arrays["PointData", "body"]) == bodies
    assert list(arrays["PointData", "id"]) == columns["id"]
    assert list(arrays["PointData", "velocity"][1::3]) == columns["vy"]
    assert list(arrays["Polys", "connectivity"]) == [v for t in triangles for v in t]
    assert list(arrays["Verts", "connectivity"]) == [v for v in range(len(bodies)) if bodies[v] != 1]


def check_poses(path, frames):
    with open(f"{path}/poses.csv", encoding="ascii") as file:
        rows = list(csv.DictReader(file))
    assert [row["frame"] for row in rows if row["name"] == "paddle"] == [str(n) for n in frames]
    assert {row["name"] for row in rows} == {"paddle", "floor-1"}
    for row in rows:
        assert abs(math.hypot(*(float(row[q]) for q in ("qx", "qy", "qz", "qw"))) - 1) < 1e-5, row
    first, last = [row for row in rows if row["name"] == "paddle"][:: len(frames) - 1]
    assert float(last["x"]) > float(first["x"]) + 0.001, (first, last)
    for name, volume in (("paddle", 0.02 * 0.2 * 0.2), ("floor-1", 0.2 * 0.02 * 0.2)):
        columns, triangles = read_ply(f"{path}/{name}.ply")
        check_closed(triangles)
        own = measure(list(zip(columns["x"], columns["y"], columns["z"])), triangles)
        assert abs(own / volume - 1) < 1e-5, (name, own)


def check_vtk(vtk, path, count):
    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName(path)
    reader.Update()
    edges = vtk.vtkFeatureEdges()
    edges.SetInputData(reader.GetOutput())
    edges.FeatureEdgesOff()
    edges.ManifoldEdgesOff()
    edges.Update()
    assert reader.GetOutput().GetNumberOfPolys() == count
    assert edges.GetOutput().GetNumberOfCells() == 0, "VTK finds open or shared edges"


with open(f"{folder}/cases", encoding="ascii") as file:
    cases = [line.split() for line in file]
for name, spacing in cases:
    triangles = check_surface(f"{folder}/{name}", 4, float(spacing))
    print(f"{name}: {len(triangles)} triangles, closed")
check_soft(f"{folder}/soft", 4)
check_poses(f"{folder}/poses", [0, 2, 4])
try:
    import vtk
except ImportError:
    print("vtk: skipped, the package python3-vtk9 is not installed")
else:
    check_vtk(vtk, f"{folder}/{name}/surface_000004.vtp", len(triangles))
    print("vtk reads what was written")
sys.stdout.flush()
os._exit(0)  # without VTK's slow end
