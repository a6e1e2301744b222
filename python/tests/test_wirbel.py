# SPDX-License-Identifier: MIT
"""The Python module against the library and the program: run by scripts/check-python."""
import gc
import inspect
import logging
import os
import pathlib
import re
import subprocess
import threading
import sys
import weakref

import matplotlib.image as image
import numpy as np
import pytest

import wirbel as wb

SCENES = pathlib.Path(__file__).parents[2] / "scenes"
PROGRAM = os.environ["WIRBEL_PROGRAM"]


def make_pool(**more):
    """A box with a column of water, 400 particles."""
    world = wb.World(domain={"max": (1, 1, 1)}, sph={"spacing": 0.1}, **more)
    water = world.create_fluid()
    water.add_block((0, 0, 0), (0.5, 0.8, 1))
    return world, water


def run_program(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)


# parameters


def test_sections_have_the_library_s_defaults():
    definition = wb.WorldDef()
    for section in ("world", "domain", "sph", "pbf", "pbd", "smoke"):
        rows = wb.params(section)
        assert rows
        for name, row in rows.items():
            assert getattr(getattr(definition, section), name) == row.default, f"{section}.{name}"
    assert (
        definition.sph.spacing == 0.02
        and definition.sph.kernel == "wendland"
        and definition.world.dt == "auto"
    )
    assert wb.params("sph")["viscosity"].unit == "Pa s" and wb.params("sph")["kernel"].choices == (
        "muller",
        "wendland",
    )


@pytest.mark.parametrize(
    "name, value",
    [
        ("spacing", 0.25),
        ("kernel", "muller"),
        ("clampPressure", False),
        ("soundSpeed", "auto"),
        ("restDensity", np.float32(800)),
        ("smoothing", np.int64(3)),
    ],
)
def test_a_definition_takes_values_of_each_type(name, value):
    definition = wb.WorldDef()
    setattr(definition.sph, name, value)
    assert getattr(definition.sph, name) == value


def test_a_definition_refuses_what_the_library_refuses():
    definition = wb.WorldDef()
    with pytest.raises(wb.InputError, match=r"viscosity is -3, allowed is 0 to 1e\+06 Pa s"):
        definition.sph.viscosity = -3
    assert definition.sph.viscosity == 0.001
    with pytest.raises(AttributeError, match='did you mean "viscosity"'):
        definition.sph.viscosty = 1
    with pytest.raises(AttributeError, match="there is no section"):
        definition.magic
    with pytest.raises(wb.InputError, match='has no parameter "spaceing"'):
        wb.World(sph={"spaceing": 0.1})
    with pytest.raises(wb.InputError):
        wb.WorldDef(threads=2**40)


def test_a_quality_sets_parameters_and_names_its_solver():
    definition = wb.WorldDef()
    assert definition.set_quality("fast") == "pbf"
    assert definition.set_quality("balanced") == "sph" and definition.sph.method == "split"
    assert definition.set_quality("precise") == "sph" and definition.sph.method == "explicit"


def test_parameters_of_a_world_are_items():
    world, water = make_pool()
    world["sph.viscosity"] = 0.2
    world["world.gravity"] = np.array([0, -1.5, 0])
    world["sph.clampPressure"] = False
    assert world["sph.viscosity"] == 0.2 and world["world.gravity"] == (0, -1.5, 0)
    assert (
        world["sph.clampPressure"] is False
        and world["sph.kernel"] == "wendland"
        and world["domain.left"] == "freeSlip"
    )
    drain = world.create_drain("sink", min=(0.9, 0, 0), max=(1, 0.1, 1), rate=5)
    drain["rate"] = "auto"
    assert drain["rate"] == world["sink.rate"] == "auto" and drain["open"] is True
    with pytest.raises(wb.InputError, match="sph.spacing .*cannot change|fixed|made"):
        world["sph.spacing"] = 0.2
    for key in ("sph", "sph.", "nothing.here", "water.rate", "sink.nothing", "\0"):
        with pytest.raises(wb.InputError):
            world[key]


# errors


def test_errors_are_exceptions_with_the_library_s_words(tmp_path):
    scene = tmp_path / "bad.json"
    scene.write_text('{"sph": {\n  "viscosty": 1}}')
    with pytest.raises(wb.InputError) as caught:
        wb.load_scene(scene)
    assert run_program("check", scene).stderr.strip().endswith(str(caught.value))
    assert (
        f"{scene}:2:3" in str(caught.value)
        and caught.value.code == "input"
        and isinstance(caught.value, ValueError)
    )
    with pytest.raises(wb.FileError) as caught:
        wb.Scene(tmp_path / "none.json")
    assert (
        isinstance(caught.value, OSError) and caught.value.code == "file" and "none.json" in str(caught.value)
    )
    with pytest.raises(wb.Error):
        wb.World.from_bytes(b"nonsense")


def test_no_memory_and_then_enough():
    world, twin = (wb.World(domain={"max": (1, 1, 1)}, sph={"spacing": 0.05}) for _ in range(2))
    for each in (world, twin):
        each.create_fluid().add_block((0, 0, 0), (1, 1, 1))
    world["world.memoryLimit"] = 1e6
    with pytest.raises(MemoryError) as caught:
        world.step()
    assert isinstance(caught.value, wb.OutOfMemoryError) and "memoryLimit" in str(caught.value)
    world["world.memoryLimit"] = 8e9
    world.step()
    twin.step()
    assert world.hash() == twin.hash()


def test_an_unstable_world_can_be_read():
    world, water = make_pool()
    with pytest.raises(wb.UnstableError) as caught:
        for _ in range(50):
            world.step(0.5)
    assert isinstance(caught.value, ArithmeticError)
    assert len(water.particles.x) == len(water) == 400


def test_a_device_that_is_not_there():
    world, _ = make_pool()
    with pytest.raises(wb.DeviceError):
        world["world.device"] = 200
        world["world.backend"] = "opencl"


def test_mistakes_do_not_end_the_interpreter():
    world, water = make_pool()
    other, _ = make_pool()
    for call in (
        lambda: world.create_emitter("pipe", other.fluids[0]),
        lambda: world.create_mechanism(
            "gate", [other.create_collider("box", position=(0.9, 0.9, 0.9), size=(0.1, 0.1, 0.1))]
        ),
        lambda: world.create_fluid("more", solver="magic"),
        lambda: world.create_fluid("water"),
        lambda: world.create_collider("c", shape="mesh"),
        lambda: world.create_collider("c", shape="pipe", path=[(0, 0, 0)]),
        lambda: world.create_collider("c", radius=(1, 2)),
        lambda: water.add_particles([1, 2, 3]),
        lambda: water.add_particles([[np.nan, 0, 0]]),
        lambda: water.add_particles(np.ones((2, 3)), np.ones((3, 3))),
        lambda: water.add_random((0, 0, 0), (1, 1, 1), -1),
        lambda: water.add_block((0, 0, 0), (0.5,)),
        lambda: world.step(-1),
        lambda: world.step(float("nan")),
        lambda: setattr(world, "threads", 2**33 + 1),
        lambda: setattr(world, "threads", 0),
        lambda: world.save("no/such/folder/file"),
        lambda: world.find("nobody"),
        lambda: wb.params("nobody"),
        lambda: wb.Scene.from_text({"fluids": 3}),
        lambda: wb.WorldDef().ask("sph"),
        lambda: wb.WorldDef().set_quality("good"),
        lambda: wb.WorldDef().set_side("outside", velocity=(0, 0, 0)),
    ):
        with pytest.raises(wb.Error):
            call()
    for wrong in (
        lambda: world.step("soon"),
        lambda: world.step(None),
        lambda: water.add_ball(1, 2),
        lambda: world[3],
    ):
        with pytest.raises((TypeError, ValueError)):
            wrong()
    cloth = world.create_soft_body(
        "rag", shape="cloth", size=(0.2, 0.2, 1), counts=(4, 4, 1), position=(0.8, 0.8, 0.5)
    )
    for particle in (-1, 16, 0.5, 2**32):
        with pytest.raises(wb.InputError):
            cloth.pin(particle)
    cloth.move_pin(3, (0.8, 0.9, 0.5))  # pins it first
    world.step()
    assert cloth.particles.y[3] == np.float32(0.9)


def test_rigid_bodies_hold_soft_ones():
    world = wb.World(pbd={"subSteps": 20})
    crate = world.create_rigid_body("crate", size=(0.2, 0.2, 0.2), mass=2, position=(0, -0.6, 0))
    rope = world.create_soft_body(
        "rope", shape="rope", length=1, count=11, mass=0.5, rotation=(0, 0, -90), pins=[0]
    )
    with pytest.raises(wb.InputError):
        rope.attach(11, crate)
    rope.attach(10, crate, (0, 0.1, 0))
    for _ in range(30):
        world.step()
    assert abs(crate.motion.position[1] + 0.6) < 0.05
    rope.detach(10)
    for _ in range(30):
        world.step()
    assert crate.motion.position[1] < -1.5


def test_rigid_bodies_touch():
    world = wb.World(world={"dt": 0.01})
    hills = [[0.1 * (x + z) for x in range(5)] for z in range(3)]
    ground = world.create_rigid_body("ground", type="static", shape="heights", size=(8, 1, 4), heights=hills)
    assert world.cast_ray((0, 5, 0), (0, -10, 0)).point[1] == pytest.approx(0.3, abs=1e-5)
    dumbbell = world.create_rigid_body(
        "dumbbell",
        shape="compound",
        position=(20, 0.3, 0),
        parts=[
            {"shape": "sphere", "radius": 0.3, "position": (-0.5, 0, 0)},
            {"shape": "sphere", "radius": 0.3, "position": (0.5, 0, 0)},
            {"size": (1, 0.1, 0.1)},
        ],
    )
    box = world.create_collider("table", shape="box", size=(4, 1, 4), position=(20, -0.5, 0))
    ball = world.create_rigid_body("ball", shape="sphere", radius=0.2, mass=2, position=(20, 2, 0))
    kinds = []
    for _ in range(200):
        world.step()
        kinds += [(event.kind, event.first.name, event.second.name) for event in world.rigid_events]
    assert ("begin", "dumbbell", "table") in kinds and any(kind == "hit" for kind, _, _ in kinds)
    weight = sum(touch.impulse for touch in world.contacts if isinstance(touch.second, wb.Collider)) / 0.01
    assert weight == pytest.approx((dumbbell.mass.mass + ball.mass.mass) * 9.81, rel=0.02)
    assert ground.is_valid and box.is_valid
    with pytest.raises(wb.InputError, match="density"):
        world.create_rigid_body(shape="compound", parts=[{"density": 3}])
    with pytest.raises(wb.InputError, match="rows"):
        world.create_rigid_body(type="static", shape="heights", heights=[1, 2, 3])


def test_rigid_bodies_meet_water():
    world, _ = make_pool()
    crate = world.create_rigid_body("crate", size=(0.3, 0.3, 0.3), density=400, position=(0.8, 0.5, 0.5))
    events = []
    for _ in range(60):
        world.step()
        events += [(event.kind, event.body.name) for event in world.water_events]
    assert events == [("begin", "crate")]
    assert crate.water.isWet and crate.water.impulse[1] > 0


def test_objects_and_particles_come_and_go():
    world, water = make_pool()
    pipe = world.create_emitter("pipe", water, position=(0.8, 0.8, 0.5), direction=(0, -1, 0), radius=0.11)
    ball = world.create_collider("ball", shape="sphere", radius=0.1, position=(0.8, 0.3, 0.5))
    gate = world.create_mechanism("gate", [ball])
    with pytest.raises(wb.InputError, match="gate"):
        ball.destroy()
    gate.destroy()
    ball.destroy()
    for call in (
        lambda: ball.name,
        lambda: ball.stats,
        lambda: ball["radius"],
        ball.destroy,
        lambda: ball.place((0, 0, 0)),
    ):
        with pytest.raises(wb.GoneError):
            call()
    assert not ball.is_valid and repr(ball) == "<wirbel.Collider, gone>" and world.colliders == []

    water.remove_particles([3, 5, 399])
    assert len(water) == 397 and not set(water.particles.id) & {3, 5, 399}
    low = np.count_nonzero(water.particles.y <= 0.1)
    assert water.remove_particles_in_box((0, 0, 0), (1, 0.1, 1)) == low > 40 and len(water) == 397 - low
    first = int(water.particles.id[0])
    water.set_particles([first], positions=[(0.9, 0.9, 0.9)], velocities=[(0, -1, 0)])
    at = list(water.particles.id).index(first)
    assert water.particles.y[at] == np.float32(0.9) and water.particles.vy[at] == -1
    before = world.hash()
    for wrong in ([3], [first, first], [-1], [2**32], [0.5], [[1]]):
        with pytest.raises(wb.InputError):
            water.remove_particles(wrong)
    with pytest.raises(wb.InputError):
        water.set_particles([first], positions=np.zeros((2, 3)))
    water.remove_particles([])
    assert world.hash() == before
    world.step()
    water.destroy()
    assert world.fluids == [] and world.emitters == [] and not pipe.is_valid
    world.step()


def test_what_is_set_before_each_step():
    world = wb.World(domain={"max": (2, 1, 1)}, sph={"spacing": 0.1}, smoke={"cellSize": 0.1})
    water = world.create_fluid()
    hose = world.create_emitter("hose", water, position=(0.5, 0.5, 0.5))
    crate = world.create_collider("crate", position=(1.5, 0.5, 0.5), size=(0.2, 0.2, 0.2))
    door = world.create_collider("door", position=(1, 0.5, 0.5), size=(0.1, 0.2, 0.2))
    gate = world.create_mechanism("gate", [door], travel=(0, 0.2, 0))
    world.set_gravity((0, -1, 0)), world.set_wind((1, 2)), hose.set_rate(50), gate.set_open(
        0.5
    ), gate.set_speed(3)
    assert world["world.gravity"] == (0, -1, 0) and world["smoke.wind"] == (1, 2, 0)
    assert hose["rate"] == 50 and gate["open"] == 0.5 and gate["speed"] == 3
    hose.set_rate("auto")
    assert hose["rate"] == "auto"
    crate.set_pose((1.4, 0.5, 0.5), (0, 1, 0, 0))
    world.step()
    assert crate.stats.position == pytest.approx((1.4, 0.5, 0.5), abs=1e-5)
    assert crate.stats.rotation == pytest.approx((0, 1, 0, 0), abs=1e-5)
    crate.set_velocity((0, 1.5, 0))
    world.step()
    assert crate.stats.position == pytest.approx((1.4, 0.5 + 1.5 * world.profile.dt, 0.5), abs=1e-5)
    crate.set_on(False)
    assert crate["on"] is False and world.cast_ray((1.4, 2, 0.5), (0, -5, 0)) is None
    for call, text in (
        (lambda: hose.set_rate(-1), "hose.rate is -1"),
        (lambda: gate.set_open(2), "gate.open is 2"),
        (lambda: world.set_gravity((float("nan"), 0, 0)), "world.gravity.x is nan"),
        (lambda: crate.set_pose((1, 0.5, 0.5), (0, 0, 1)), "unit quaternion"),
        (lambda: crate.set_pose((1, 0.5, 0.5), (0, 0, 0, 2)), "unit quaternion"),
        (lambda: door.set_velocity((1, 0, 0)), "drive that instead"),
    ):
        with pytest.raises(wb.InputError, match=text):
            call()


def test_user_data():
    world, water = make_pool()
    saved = world.to_bytes()
    crate = world.create_collider("crate", position=(0.8, 0.5, 0.5), size=(0.1, 0.1, 0.1))
    mine, water.user_data = object(), "water"
    assert crate.user_data is None
    crate.user_data = mine
    assert world.colliders[0].user_data is mine and world.fluids[0].user_data == "water"
    hit = world.cast_ray((0.8, 2, 0.5), (0, -5, 0))
    assert hit is not None and hit.thing.user_data is mine
    with pytest.raises(TypeError):
        world.restore(5)
    world.restore(bytearray(saved))  # the crate is gone; the next one may have its id
    with pytest.raises(wb.GoneError):
        crate.user_data
    assert water.user_data == "water"
    assert world.create_collider("other", position=(0.8, 0.5, 0.5), size=(0.1, 0.1, 0.1)).user_data is None
    water.destroy()
    with pytest.raises(wb.GoneError):
        water.user_data = 1
    assert not world._user_data


def test_the_mesh_of_a_collider_goes_with_it():
    world = wb.World(domain={"max": (1, 1, 1)}, sph={"spacing": 0.1})
    crate = world.create_collider("crate", position=(0.5, 0.5, 0.5), size=(0.1, 0.1, 0.1))
    mesh = crate.mesh
    assert len(mesh.vertices) == 8 and len(mesh.triangles) == 12
    crate.destroy()
    with pytest.raises(wb.GoneError):
        mesh.vertices


def test_notices_go_to_the_log(tmp_path, caplog):
    world, _ = make_pool(threads=1)
    world.save(tmp_path / "here")
    other = subprocess.run(
        [
            sys.executable,
            "-c",
            "import wirbel, sys; wirbel.World.load(sys.argv[1]).save(sys.argv[1])",
            tmp_path / "here",
        ],
        env={**os.environ, "WIRBEL_SIMD": "scalar"},
    )
    assert other.returncode == 0
    with caplog.at_level(logging.INFO, "wirbel"):
        wb.World.load(tmp_path / "here")
    assert any("scalar" in message for message in caplog.messages)


# views


def test_particles_are_not_copied():
    world, water = make_pool()
    world.step()
    first, second = water.particles, water.particles
    for name in ("x", "y", "z", "vx", "vy", "vz", "density", "pressure", "id"):
        a, b = getattr(first, name), getattr(second, name)
        assert a.ctypes.data == b.ctypes.data and np.shares_memory(a, b)
        assert a.base is not None and not a.flags.owndata and not a.flags.writeable
        assert a.shape == (400,) and a.dtype == (np.uint32 if name == "id" else np.float32)
    assert sorted(first.id) == list(range(400)) and first.positions.shape == first.velocities.shape == (
        400,
        3,
    )
    with pytest.raises(ValueError):
        first.x[0] = 1
    positions, velocities = water.copy_by_id()
    assert np.array_equal(positions[first.id], first.positions) and np.array_equal(
        velocities[first.id], first.velocities
    )


def test_sizes():
    definition = wb.WorldDef()
    definition.pbf.adaptive.method = "levels"
    definition.pbf.adaptive.slope, definition.pbf.adaptive.band = 0.5, 0
    assert definition.pbf.adaptive.slope == 0.5 and "slope" in dir(definition.pbf.adaptive)
    assert "interval=8" in repr(definition.pbf.adaptive)
    with pytest.raises(wb.InputError, match="allowed is 0 to 1"):
        definition.pbf.adaptive.slope = 2
    with pytest.raises(AttributeError, match="adaptive.slope"):
        definition.pbf.adaptive.slop = 2
    definition.domain.max = (1, 3, 1)
    with wb.World(definition) as world:
        water = world.create_fluid("water", "pbf")
        water.add_block((0, 0, 0), (1, 2, 1))
        for _ in range(12):
            world.step()
        particles = water.particles
        units = particles.mass / water.particle_mass
        assert len(particles.mass) == len(water) < 2000 and round(units.sum()) == 2000
        assert np.allclose(particles.radius, 0.05 * np.cbrt(units)) and particles.distance.min() > 0
        assert water.mass == pytest.approx(2000) and world.stats.merges - world.stats.splits == 2000 - len(
            water
        )
    assert make_pool()[1].particles.mass is None


def test_views_are_old_after_a_step():
    world, water = make_pool()
    particles, smoke = water.particles, world.smoke
    world.step()
    with pytest.raises(wb.GoneError, match="ask for a new one"):
        particles.x
    with pytest.raises(wb.GoneError):
        smoke.density
    assert len(water.particles.x) == 400


def test_arrays_keep_their_world_alive():
    world, water = make_pool()
    world.step()
    x, handle = water.particles.x, weakref.ref(world._handle)
    kept = x.copy()
    del world, water
    gc.collect()
    assert handle() is not None and np.array_equal(x, kept)
    part = x[::7]
    del x
    gc.collect()
    assert np.array_equal(part, kept[::7])
    del part
    gc.collect()
    assert handle() is None


def test_a_closed_world_says_so_and_leaves_arrays_alone():
    with make_pool()[0] as world:
        water = world.fluids[0]
        particles = water.particles
        x = particles.x
        kept = x.copy()
    for call in (world.step, world.hash, lambda: water.name, lambda: world.fluids, lambda: particles.y):
        with pytest.raises(wb.GoneError):
            call()
    world.close()
    gc.collect()
    assert np.array_equal(x, kept)


def test_smoke_is_seen_in_cells():
    scene = wb.Scene(SCENES / "plume.json")
    scene["smoke.cellSize"] = float(scene["smoke.cellSize"]) * 4
    world = scene.create_world(threads=2)
    for _ in range(5):
        world.step()
    smoke = world.smoke
    nx, ny, nz = smoke.cells
    density = smoke.density
    assert (
        density.shape == smoke.temperature.shape == smoke.pressure.shape == smoke.solid.shape == (nx, ny, nz)
    )
    assert (
        smoke.u.shape == (nx + 1, ny, nz)
        and smoke.v.shape == (nx, ny + 1, nz)
        and smoke.w.shape == (nx, ny, nz + 1)
    )
    assert (
        density.strides[0] == 4
        and not density.flags.owndata
        and np.shares_memory(density, world.smoke.density)
    )
    amount = density[smoke.solid == 0].sum(dtype=np.float64) * smoke.cell_size**3
    assert amount == pytest.approx(world.smoke_stats.amount, rel=1e-6) and amount > 0
    assert smoke.fuel is None and smoke.colour == (None, None, None)
    # the air is free of divergence in cells that are not solid, up to the solver's tolerance
    divergence = np.diff(smoke.u, axis=0) + np.diff(smoke.v, axis=1) + np.diff(smoke.w, axis=2)
    assert np.sqrt(np.mean(divergence[smoke.solid == 0] ** 2)) < 0.05 * np.abs(smoke.v).max()


def test_meshes():
    world = wb.World(domain={"max": (2, 2, 2)})
    ball = world.create_collider("ball", shape="sphere", radius=0.3, position=(1, 0.5, 1))
    mesh = ball.mesh
    assert np.allclose(np.linalg.norm(mesh.vertices, axis=1), 0.3, atol=1e-3) and mesh.triangles.max() < len(
        mesh.vertices
    )
    assert not mesh.vertices.flags.owndata and np.shares_memory(mesh.vertices, ball.mesh.vertices)
    assert ball.stats.position == (1, 0.5, 1)
    copy = world.create_collider("copy", shape="mesh", mesh=mesh, position=(1, 1.5, 1))
    assert len(copy.mesh.triangles) == len(mesh.triangles)
    cloth = world.create_soft_body(
        "rag", shape="cloth", counts=(5, 4, 1), size=(0.5, 0.4, 1), position=(0.3, 1, 0.3), pins=[0, -1]
    )
    seen = cloth.mesh
    first, second = seen.constraints
    assert seen.triangles.shape == (2 * 4 * 3, 3) and len(first) == len(second) > 20
    assert seen.triangles.max() - seen.first_particle < len(cloth) == len(cloth.particles.x) == 20
    assert cloth.particles.density is None
    read = wb.read_mesh(SCENES / "car.obj")
    assert read.triangles.max() < len(read.vertices) and read.vertices.flags.writeable


def test_the_surface_of_water_has_its_volume():
    world, water = make_pool()
    mesh = water.build_surface(cell_size=0.5)
    corners = mesh.vertices[mesh.triangles].astype(np.float64)
    volume = np.sum(np.cross(corners[:, 0], corners[:, 1]) * corners[:, 2]) / 6
    assert volume == pytest.approx(0.4, rel=0.02) and mesh.triangles.max() < len(mesh.vertices)
    with pytest.raises(wb.InputError):
        water.build_surface(cell_size=50)


def test_queries():
    world, water = make_pool()
    ball = world.create_collider("ball", shape="sphere", radius=0.1, position=(0.8, 0.5, 0.5))
    hit = world.cast_ray((0.8, 1, 0.5), (0, -1, 0), kinds=[wb.Collider])
    assert hit.thing.name == "ball" and hit.particle is None
    assert hit.point == pytest.approx((0.8, 0.6, 0.5), abs=1e-3) and hit.normal[1] == pytest.approx(
        1, abs=1e-2
    )
    assert world.cast_ray((0.8, 1, 0.5), (0, 1, 0)) is None
    near = world.find_nearest((0.45, 0.75, 0.45))
    assert near.thing.name == "water" and near.distance < 0 and near.particle in water.particles.id
    assert world.find_nearest((0.95, 0.95, 0.95), max_distance=0.1) is None
    inside = world.overlap_box((0, 0, 0), (0.1, 0.1, 0.1), radius=0)
    positions = water.particles.positions
    assert {found.particle for found in inside} == set(water.particles.id[(positions <= 0.1).all(axis=1)])
    assert [found.thing.name for found in world.overlap_ball(ball.stats.position, 0)] == ["ball"]
    for wrong in ({"kinds": []}, {"kinds": [wb.Emitter]}, {"radius": -1}):
        with pytest.raises(wb.InputError):
            world.cast_ray((0, 0, 0), (1, 0, 0), **wrong)
    with pytest.raises(wb.InputError):
        world.cast_ray((0, 0, 0), (0, 0, 0))


# running


def test_hashes_are_those_of_the_program():
    line = run_program("run", SCENES / "dam-break-2d.json", "--frames", 2, "--quiet", "--threads", 1).stdout
    for threads in (1, 2):
        world = wb.load_scene(SCENES / "dam-break-2d.json", threads=threads)
        world.run(2 / world.scene.fps)
        assert re.search("hash ([0-9a-f]{16})", line)[1] == f"{world.hash():016x}"
        assert world.threads == threads and f" in {world.step_count} steps" in line


def test_the_script_of_a_scene_runs_along():
    scene = wb.Scene.from_text(
        {
            "domain": {"min": [0, 0, 0], "max": [1, 1, 1]},
            "sph": {"spacing": 0.1},
            "world": {"dt": 0.001, "seconds": 1},
            "fluids": [{"name": "water", "blocks": [{"min": [0, 0, 0], "max": [0.5, 0.5, 1]}]}],
            "script": [{"at": 0.002, "set": "sph.viscosity", "value": 3}],
        }
    )
    scene.set_at(0.004, "sph.viscosity", 4)
    scene["sph.viscosity"] = 2
    world = scene.create_world()
    seen = []
    for _ in range(6):
        world.step()
        seen.append(world["sph.viscosity"])
    assert seen == [2, 2, 3, 3, 4, 4] and scene.title == "scene" and scene.seconds == 1


def test_saved_worlds_go_on_bit_for_bit(tmp_path):
    world, _ = make_pool(threads=2)
    for _ in range(3):
        world.step()
    world.save(tmp_path / "state")
    loaded = [wb.World.load(tmp_path / "state"), wb.World.from_bytes(world.to_bytes())]
    for copy in [world, *loaded]:
        copy.step()
    assert {copy.hash() for copy in loaded} == {world.hash()}
    data, after = world.to_bytes(), world.hash()
    water = world.fluids[0]
    water.add_ball((0.8, 0.8, 0.5), 0.1)
    world.step()
    world.restore(data)
    assert world.hash() == after and len(water) == 400
    with pytest.raises(wb.Error):
        world.restore(data[:100])
    assert world.hash() == after
    with pytest.raises(wb.InputError, match="differ|other|fluid|domain|dimensions"):
        wb.World.load(tmp_path / "state", scene=wb.Scene(SCENES / "dam-break-2d.json"))


def test_worlds_in_two_threads_do_not_know_of_each_other():
    hashes = {}

    def run(number):
        world, _ = make_pool(threads=1)
        for _ in range(20):
            world.step()
        hashes[number] = world.hash()

    workers = [threading.Thread(target=run, args=[i]) for i in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    run(2)
    assert len(set(hashes.values())) == 1 and len(hashes) == 3


def test_what_the_world_says_of_itself():
    world, water = make_pool(threads=1)
    assert list(world.frames(fps=100, until=0.02)) == [0, 1, 2] and world.time == pytest.approx(
        0.02, abs=world.next_step
    )
    stats, profile = world.stats, world.profile
    assert stats.particles == 400 and stats.mass == pytest.approx(400) == 400 * water.particle_mass
    assert len(stats.momentum) == 3 and stats.kinetic > 0 and profile.stepMs > 0
    assert sum(profile.phases.values()) <= profile.stepMs * 1.01 and "sph_forces" in profile.phases
    assert water.solver == "sph" and water.spacing == pytest.approx(0.1) and water.stats.spawned == 400
    assert world.has_solver("sph") and not world.has_solver("smoke") and world.device is None
    assert world.domain.max == (1, 1, 1) and world.find("water").name == "water"
    assert world.smoke.cells == (0, 0, 0) and world.smoke.density.shape == (0, 0, 0)


def test_a_pump_and_a_gate():
    world, water = make_pool()
    pipe = world.create_emitter("pipe", water, position=(0.8, 0.8, 0.5), direction=(0, -1, 0), radius=0.11)
    sink = world.create_drain("sink", emitter=pipe, min=(0, 0, 0), max=(0.3, 0.3, 1))
    gate = world.create_collider("leaf", position=(0.7, 1.5, 0.5), size=(0.1, 0.2, 0.5))
    slide = world.create_mechanism("gate", [gate], travel=(0, 0.5, 0))
    slide["open"] = 1  # within a second
    world.run(0.5)
    assert (
        sink.stats.drained > 0
        and pipe.stats.emitted > 0
        and 0 < slide.stats.open[0] < 1
        and pipe.blocked == 0
    )
    assert gate.stats.position[1] > 1.5 and [thing.name for thing in world.emitters + world.drains] == [
        "pipe",
        "sink",
    ]


def test_probes():
    world, water = make_pool()
    level = world.create_probe(
        "gauge", fluid=water, kind="level", position=(0.25, 0, 0.5), size=(0.3, 0.1, 0.3)
    )
    deep = world.create_probe("deep", kind="pressure", position=(0.25, 0.1, 0.5))
    force = world.create_probe(
        "push",
        kind="force",
        collider=world.create_collider("post", position=(0.9, 0.5, 0.5), size=(0.1, 1, 0.1)),
    )
    world.run(0.05)
    assert level.values["level"] == pytest.approx(0.8, abs=0.1) and 1000 < deep.values["pressure"] < 20000
    assert len(force.values) == 6 and force.values["force_x"] == 0
    assert [probe.name for probe in world.probes] == ["gauge", "deep", "push"] and level["kind"] == "level"
    deep.destroy()
    with pytest.raises(wb.GoneError):
        deep.values
    with pytest.raises(wb.InputError):
        world.create_probe("nothing", kind="force")


def test_everything_public_is_typed_and_explained():
    for name in wb.__all__:
        thing = getattr(wb, name)
        assert thing.__doc__, name
        for member in vars(thing).values() if inspect.isclass(thing) else [thing]:
            function = getattr(member, "fget", None) or getattr(member, "__func__", member)
            is_ours = inspect.isfunction(function) and "wirbel" in function.__code__.co_filename
            assert not is_ours or "return" in function.__annotations__, f"{name}.{function.__name__}"
    assert (pathlib.Path(wb.__file__).parent / "py.typed").exists()


def test_pictures_are_those_of_the_program(tmp_path):
    scene = SCENES / "dam-break-2d.json"
    assert (
        run_program("run", scene, "--frames", 1, "--quiet", "--size", "160x90", "--png", tmp_path).returncode
        == 0
    )
    world = wb.load_scene(scene)
    renderer = wb.Renderer(world, size=(160, 90))
    start = renderer.draw()  # as the program does: the colours remember
    world.run(1 / world.scene.fps)
    wb.write_png(tmp_path / "mine.png", renderer.draw())
    mine, theirs = image.imread(tmp_path / "mine.png"), image.imread(tmp_path / "frame_000001.png")
    assert np.array_equal(mine, theirs) and mine.std() > 0.05
    assert np.array_equal(image.imread(tmp_path / "frame_000000.png") * 255, start)


def test_the_camera_of_a_scene_moves_until_it_is_set():
    keys = [{"at": at, "position": [at, 1, 4], "target": [0, 0, 0]} for at in (0, 1)]
    scene = wb.Scene.from_text({"domain": {"min": [0, 0, 0], "max": [1, 1, 1]}, "camera": {"keys": keys}})
    world = scene.create_world()
    renderer = wb.Renderer(world, (64, 36))
    assert renderer.camera.position == (0, 1, 4)
    world.step(0.5)
    renderer.draw()
    moved = renderer.camera.position
    renderer.camera.fov = 30
    world.step(0.5)
    renderer.draw()
    assert 0 < moved[0] < 1 and renderer.camera.position == moved


def test_pictures_of_a_world_that_was_built(tmp_path):
    world, water = make_pool()
    renderer = wb.Renderer(
        world,
        (160, 90),
        camera={"position": (0.5, 0.5, 3), "target": (0.5, 0.5, 0)},
        output={"water": "spheres"},
    )
    picture = renderer.draw()
    assert (
        picture.shape == (90, 160, 3) and picture.dtype == np.uint8 and picture.std() > 5 and renderer.device
    )
    renderer.camera.position = 0.5, 0.5, 30
    assert not np.array_equal(renderer.draw(), picture)
    for wrong in (
        lambda: wb.Renderer(world, (0, 10)),
        lambda: wb.Renderer(world, output={"watter": 1}),
        lambda: wb.write_png(tmp_path / "p.png", picture[0]),
    ):
        with pytest.raises(wb.InputError):
            wrong()
    world.close()
    with pytest.raises(wb.GoneError):
        renderer.draw()


@pytest.mark.parametrize(
    "example, arguments, made",
    [
        ("parameter_study.py", ["--quick"], "study.png"),
        ("dam_break.py", ["--quick"], "dam.png"),
        (
            "film.py",
            ["--seconds", "0.1", "--fps", "20", "--size", "160x90", "--scene", SCENES / "dam-break-2d.json"],
            "film.mp4",
        ),
    ],
)
def test_examples(tmp_path, example, arguments, made):
    program = SCENES.parent / "python" / "examples" / example
    subprocess.run([sys.executable, program, tmp_path / made, *arguments], check=True)
    if made.endswith(".png"):
        assert image.imread(tmp_path / made).std() > 0.05
    else:
        count = [
            "ffprobe",
            "-v",
            "error",
            "-count_packets",
            "-show_entries",
            "stream=nb_read_packets",
            "-of",
            "csv=p=0",
        ]
        assert subprocess.run([*count, tmp_path / made], capture_output=True, text=True).stdout.strip() == "3"


def test_the_page_s_programs_run(monkeypatch, capsys):
    monkeypatch.chdir(SCENES.parent)
    blocks = re.findall(
        "^```python\n(.*?)^```", pathlib.Path("docs/python.md").read_text(), re.MULTILINE | re.DOTALL
    )
    assert len(blocks) >= 4
    names = {}
    for block in blocks:
        exec(block, names)
    assert "3200 particles, front at 1.2 m" in capsys.readouterr().out
