# SPDX-License-Identifier: MIT
"""Frames to a film: a camera flies around a scene while it runs, and ffmpeg makes an MP4 of the pictures.

    PYTHONPATH=build/python python3 python/examples/film.py [FILM] [--scene SCENE] [--seconds S] …
"""
import argparse
import math
import pathlib
import subprocess

import wirbel as wb

SCENE = pathlib.Path(__file__).parents[2] / "scenes" / "falling-block.json"


def fly_around(renderer: wb.Renderer, share: float) -> None:
    """A third of a circle about the middle of the domain, `share` of it from 0 to 1."""
    box = renderer.world.domain
    middle = [(low + high) / 2 for low, high in zip(box.min, box.max)]
    away = 1.6 * math.dist(box.min, box.max)
    angle = math.radians(20 + 120 * share)
    renderer.camera.target = middle
    renderer.camera.position = (
        middle[0] + away * math.sin(angle),
        middle[1] + 0.4 * away,
        middle[2] + away * math.cos(angle),
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("film", nargs="?", default="out/film.mp4")
    parser.add_argument("--scene", default=SCENE)
    parser.add_argument("--seconds", type=float, default=1.5)
    parser.add_argument("--size", default="640x360")
    parser.add_argument("--fps", type=int, default=30)
    given = parser.parse_args(arguments)
    width, height = map(int, given.size.split("x"))
    pathlib.Path(given.film).parent.mkdir(parents=True, exist_ok=True)

    world = wb.load_scene(given.scene)
    renderer = wb.Renderer(world, (width, height))
    command = [
        "ffmpeg",
        "-loglevel",
        "error",
        "-y",
        "-f",
        "rawvideo",
        "-pix_fmt",
        "rgb24",
        "-s",
        given.size,
        "-r",
        str(given.fps),
        "-i",
        "-",
        "-pix_fmt",
        "yuv420p",
        given.film,
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as ffmpeg:
        for _ in world.frames(given.fps, until=given.seconds):
            fly_around(renderer, world.time / given.seconds)
            ffmpeg.stdin.write(renderer.draw().tobytes())
    if ffmpeg.returncode:
        raise SystemExit("ffmpeg failed")
    print(f"{given.film}: {world.time:.2f} s, {world.stats.particles} particles")


if __name__ == "__main__":
    main()
