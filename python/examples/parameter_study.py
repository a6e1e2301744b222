# SPDX-License-Identifier: MIT
"""How far does a collapsing column get, the thicker the liquid? Fronts over time for several viscosities.

    PYTHONPATH=build/python python3 python/examples/parameter_study.py [PICTURE] [--quick]
"""
import argparse
import pathlib

import matplotlib

matplotlib.use("Agg")  # without a display
import matplotlib.pyplot as plt
import numpy as np

import wirbel as wb

SCENE = pathlib.Path(__file__).parents[2] / "scenes" / "dam-break-2d.json"


def run(viscosity: float, spacing: float, seconds: float) -> tuple[np.ndarray, np.ndarray]:
    """Times (s) and positions of the front (m)."""
    scene = wb.Scene(SCENE)
    scene["sph.viscosity"] = viscosity
    scene["sph.spacing"] = spacing
    world = scene.create_world()
    water = world.fluids[0]
    rows = [(world.time, water.particles.x.max()) for _ in world.frames(fps=100, until=seconds)]
    times, fronts = np.array(rows).T
    return times, fronts + spacing / 2


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("picture", nargs="?", default="out/parameter-study.png")
    parser.add_argument("--quick", action="store_true", help="coarse and short")
    given = parser.parse_args(arguments)
    viscosities, spacing, seconds = (
        ([1, 50], 0.05, 0.1) if given.quick else ([0.001, 5, 20, 50, 100], 0.02, 0.4)
    )
    unit = wb.params("sph")["viscosity"].unit

    figure, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
    for viscosity in viscosities:
        times, fronts = run(viscosity, spacing, seconds)
        axes.plot(times, fronts, label=f"{viscosity:g} {unit}")
        print(f"{viscosity:8g} {unit}: front at {fronts[-1]:.3f} m after {times[-1]:.2f} s")
    axes.set(xlabel="time, s", ylabel="front, m", title="A column of 0.4 m × 0.8 m collapses")
    axes.legend(title="viscosity", frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    pathlib.Path(given.picture).parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(given.picture, dpi=120)
    print(given.picture)


if __name__ == "__main__":
    main()
