# SPDX-License-Identifier: MIT
"""The collapse of a column of water, a wide and 2a high, beside the experiment: J. C. Martin and W. J. Moyce 1952, "An
experimental study of the collapse of liquid columns on a rigid horizontal plane", Phil. Trans. R. Soc. A 244.

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
# the front, x / a at t sqrt(2g/a), and the height at the wall, y / 2a at t sqrt(g/a)
FRONT = [(0.41, 1.11), (0.84, 1.22), (1.19, 1.44), (1.43, 1.67), (1.63, 1.89), (1.83, 2.11), (1.98, 2.33), (2.20, 2.56),
         (2.32, 2.78), (2.51, 3.00), (2.65, 3.22), (2.83, 3.44), (2.98, 3.67)]  # fmt: skip
LEAD = 0.2  # of t sqrt(2g/a): the diaphragm that held the column back needed its time, and the experiment's clock ran
HEIGHT = [(0.56, 0.94), (0.93, 0.83), (1.28, 0.72), (1.66, 0.61), (2.00, 0.50), (2.45, 0.39), (3.06, 0.28)]


def make_world(across: int) -> tuple[wb.World, wb.Fluid]:
    """`across`: particles along the column's width."""
    world = wb.World(
        world={"dimensions": 2, "gravity": (0, -GRAVITY)},
        domain={"max": (12 * A, 3 * A), "top": "open"},
        sph={"spacing": A / across, "soundSpeed": 10 * (2 * GRAVITY * 2 * A) ** 0.5, "artificialViscosity": 0.05},
    )
    water = world.create_fluid()
    water.add_block((0, 0), (A, 2 * A))
    return world, water


def collapse(across: int, until: float) -> np.ndarray:
    """Rows of time (s), front (m) and height at the wall (m): that of the four columns next to it, without gaps."""
    world, water = make_world(across)
    spacing, rows = A / across, []
    for _ in world.frames(fps=400, until=until):
        x = water.particles.x
        rows.append((world.time, x.max() + spacing / 2, np.count_nonzero(x < 4 * spacing) / 4 * spacing))
    return np.array(rows)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("picture", nargs="?", default="out/dam-break.png")
    parser.add_argument("--quick", action="store_true", help="with fewer particles")
    given = parser.parse_args(arguments)
    time, front, height = collapse(12 if given.quick else 40, until=3.2 * (A / GRAVITY) ** 0.5).T

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")

    def compare(axis: plt.Axes, name: str, clock: np.ndarray, values: np.ndarray, measured: np.ndarray, style: str = "-") -> None:
        axis.plot(clock, values, style, color="C0", label=name)
        error = np.abs(np.interp(measured[:, 0], clock, values) / measured[:, 1] - 1)
        print(f"{axis.get_title()}, {name}: mean error {np.mean(error):.1%}")

    axes[0].set(title="front", xlabel="t √(2g/a)", ylabel="front / a", xlim=(0, 3.2), ylim=(1, 4))
    axes[1].set(title="height at the wall", xlabel="t √(g/a)", ylabel="height / 2a", xlim=(0, 3.2))
    clock = time * (2 * GRAVITY / A) ** 0.5
    compare(axes[0], "Wirbel", clock, front / A, np.array(FRONT))
    compare(axes[0], f"Wirbel, let go {LEAD} later", clock + LEAD, front / A, np.array(FRONT), "--")
    compare(axes[1], "Wirbel", time * (GRAVITY / A) ** 0.5, height / (2 * A), np.array(HEIGHT))
    for axis, measured in zip(axes, (FRONT, HEIGHT)):
        axis.plot(*np.array(measured).T, "o", color="C1", mfc="none", label="Martin and Moyce 1952")
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].legend(frameon=False)
    pathlib.Path(given.picture).parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(given.picture, dpi=120)
    print(given.picture)


if __name__ == "__main__":
    main()
