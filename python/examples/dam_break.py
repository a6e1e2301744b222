# SPDX-License-Identifier: MIT
"""The collapse of a column of water, a wide and 2a high, beside the experiment: J. C. Martin and W. J. Moyce 1952,
"An experimental study of the collapse of liquid columns on a rigid horizontal plane", Phil. Trans. R. Soc. A 244.

    PYTHONPATH=build/python python3 python/examples/dam_break.py [PICTURE] [--quick]
"""
import argparse
import pathlib

import matplotlib

matplotlib.use("Agg")  # without a display
import matplotlib.pyplot as plt
import numpy as np

import wirbel as wb

A, GRAVITY = 0.05715, 9.81  # m, m/s2
# the front, x / a at t sqrt(2g/a)
FRONT_TIME = [0.41, 0.84, 1.19, 1.43, 1.63, 1.83, 1.98, 2.20, 2.32, 2.51, 2.65, 2.83, 2.98]
FRONT = [1.11, 1.22, 1.44, 1.67, 1.89, 2.11, 2.33, 2.56, 2.78, 3.00, 3.22, 3.44, 3.67]
LEAD = 0.2  # of that time: what held the column needed it to open, while the experiment's clock ran
# the height at the wall, y / 2a at t sqrt(g/a)
HEIGHT_TIME = [0.56, 0.93, 1.28, 1.66, 2.00, 2.45, 3.06]
HEIGHT = [0.94, 0.83, 0.72, 0.61, 0.50, 0.39, 0.28]


def make_world(across: int) -> tuple[wb.World, wb.Fluid]:
    """`across`: particles along the column's width."""
    world = wb.World(
        world={"dimensions": 2, "gravity": (0, -GRAVITY)},
        domain={"max": (12 * A, 3 * A), "top": "open"},
        sph={
            "spacing": A / across,
            "soundSpeed": 10 * (2 * GRAVITY * 2 * A) ** 0.5,
            "artificialViscosity": 0.05,
        },
    )
    water = world.create_fluid()
    water.add_block((0, 0), (A, 2 * A))
    return world, water


def collapse(across: int, until: float) -> np.ndarray:
    """Rows of time (s), front (m) and height (m) of the four columns at the wall, if there were no gaps."""
    world, water = make_world(across)
    spacing, rows = A / across, []
    for _ in world.frames(fps=400, until=until):
        x = water.particles.x
        rows.append((world.time, x.max() + spacing / 2, np.count_nonzero(x < 4 * spacing) / 4 * spacing))
    return np.array(rows)


def compare(clock: np.ndarray, values: np.ndarray, times: list[float], measured: list[float]) -> float:
    """The mean error, relative to the experiment."""
    return float(np.mean(np.abs(np.interp(times, clock, values) / measured - 1)))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("picture", nargs="?", default="out/dam-break.png")
    parser.add_argument("--quick", action="store_true", help="with fewer particles")
    given = parser.parse_args(arguments)
    time, front, height = collapse(12 if given.quick else 40, until=3.2 * (A / GRAVITY) ** 0.5).T

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")

    axes[0].set(title="front", xlabel="t √(2g/a)", ylabel="front / a", xlim=(0, 3.2), ylim=(1, 4))
    axes[1].set(title="height at the wall", xlabel="t √(g/a)", ylabel="height / 2a", xlim=(0, 3.2))
    clock = time * (2 * GRAVITY / A) ** 0.5
    for shift, style, name in ((0, "-", "Wirbel"), (LEAD, "--", f"Wirbel, let go {LEAD} later")):
        axes[0].plot(clock + shift, front / A, style, color="C0", label=name)
        print(f"front, {name}: {compare(clock + shift, front / A, FRONT_TIME, FRONT):.1%}")
    clock = time * (GRAVITY / A) ** 0.5
    axes[1].plot(clock, height / (2 * A), color="C0")
    print(f"height at the wall: {compare(clock, height / (2 * A), HEIGHT_TIME, HEIGHT):.1%}")
    for axis, times, values in ((axes[0], FRONT_TIME, FRONT), (axes[1], HEIGHT_TIME, HEIGHT)):
        axis.plot(times, values, "o", color="C1", mfc="none", label="Martin and Moyce 1952")
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].legend(frameon=False)
    pathlib.Path(given.picture).parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(given.picture, dpi=120)
    print(given.picture)


if __name__ == "__main__":
    main()
