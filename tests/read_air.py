# SPDX-License-Identifier: MIT
# read_air.py DIR: compares DIR/vdb and DIR/vtk with the plain numbers of DIR/raw, frame 3, as OpenVDB and VTK read them.
# Ends with 77 if neither of the two is installed.
import array
import os
import sys

folder = sys.argv[1]


def read_raw(name):
    numbers = array.array("B" if name == "solid" else "f")
    with open(f"{folder}/raw/{name}_000003.raw", "rb") as file:
        numbers.frombytes(file.read())
    return numbers


def read_header(name):
    with open(f"{folder}/raw/{name}_000003.mhd", encoding="ascii") as file:
        pairs = [line.strip().split(" = ") for line in file]
    return {key: value.split() for key, value in pairs}


def near(a, b):
    return all(abs(x - y) < 1e-6 * (1 + abs(y)) for x, y in zip(a, b))


head = read_header("density")
count = [int(n) for n in head["DimSize"]]
first = [float(x) for x in head["Offset"]]
spacing = [float(x) for x in head["ElementSpacing"]]


def check_vdb(vdb):
    grids, metadata = vdb.readAll(f"{folder}/vdb/air_000003.vdb")
    assert metadata["creator"].startswith("wirbel "), metadata
    grids.sort(key=lambda grid: (grid.name == "velocity", grid.name))
    names = [grid.name for grid in grids]
    assert names == ["density", "fuel", "temperature", "velocity"], names
    smoky = set()
    for grid in grids:
        size = 3 if grid.name == "velocity" else 1
        numbers = read_raw(grid.name)
        accessor = grid.getConstAccessor()
        active = 0
        for n in range(count[0] * count[1] * count[2]):
            cell = (n % count[0], n // count[0] % count[1], n // count[0] // count[1])
            value, isActive = accessor.probeValue(cell)
            there = list(numbers[size * n : size * n + size])
            assert isActive == (n in smoky if size == 3 else abs(there[0]) > 1e-6), (grid.name, cell, there)
            if isActive:
                active += 1
                smoky.add(n)
                assert (list(value) if size == 3 else [value]) == there, (grid.name, cell, value, there)
        assert active == grid.activeVoxelCount() and active > 0, (grid.name, active)
        assert near(grid.transform.indexToWorld((0, 0, 0)), first), grid.transform
        assert near(grid.transform.voxelSize(), spacing), grid.transform
        low, high = grid.evalActiveVoxelBoundingBox()
        assert tuple(low) == tuple(grid.metadata["file_bbox_min"]), (low, grid.metadata)
        assert tuple(high) == tuple(grid.metadata["file_bbox_max"]), (high, grid.metadata)
        assert grid.valueTypeName == ("vec3s" if size == 3 else "float"), grid.valueTypeName
        cells = count[0] * count[1] * count[2]
        assert active < cells / 2, f"{grid.name}: {active} of {cells} cells: this scene tests nothing"


def check_vtk(vtk):
    reader = vtk.vtkXMLImageDataReader()
    reader.SetFileName(f"{folder}/vtk/air_000003.vti")
    reader.Update()
    data = reader.GetOutput()
    assert list(data.GetDimensions()) == [n + 1 for n in count], data.GetDimensions()
    assert near(data.GetSpacing(), spacing), data.GetSpacing()
    arrays = data.GetCellData()
    for i in range(arrays.GetNumberOfArrays()):
        numbers = read_raw(arrays.GetArray(i).GetName())
        values = arrays.GetArray(i)
        size = values.GetNumberOfComponents()
        assert len(numbers) == size * values.GetNumberOfTuples(), values.GetName()
        for n in range(values.GetNumberOfTuples()):
            assert list(values.GetTuple(n)) == list(numbers[size * n : size * n + size]), values.GetName()
    assert arrays.GetNumberOfArrays() == 6, arrays.GetNumberOfArrays()


def find(name):
    try:
        return __import__(name)
    except ImportError:
        return None


tested = 0
for package, module, check in (("python3-openvdb", "pyopenvdb", check_vdb), ("python3-vtk9", "vtk", check_vtk)):
    found = find(module)
    if found is None:
        print(f"{module}: skipped, the package {package} is not installed")
        continue
    check(found)
    print(f"{module} reads what was written")
    tested += 1
sys.stdout.flush()
os._exit(0 if tested else 77)  # without VTK's slow end
