"""The palette, measured as people with each kind of colour vision see it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from tilesolve.draw.palette import COLOURS, TEXTURES, channels, heat, ink, luminance, paints
from tilesolve.draw.picture import Picture, Tile, square

# Machado, Oliveira and Fernandes 2009, severity 1.0, on linear RGB.
VISION = {
    "full": np.eye(3),
    "no red cones": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "no green cones": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "no blue cones": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
# OKLab, Ottosson 2020.
TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def seen(colours: tuple[str, ...], vision: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    values = np.array([channels(colour) for colour in colours]) / 255
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    lab: npt.NDArray[np.float64] = np.cbrt(np.clip(linear @ vision.T, 0, 1) @ TO_CONES.T) @ TO_LAB.T
    return lab


@pytest.mark.parametrize("vision", VISION)
def test_any_two_colours_can_be_told_apart(vision: str) -> None:
    # The widely used seven colours of Okabe and Ito reach 0.076 by the same measure.
    lab = seen(COLOURS, VISION[vision])
    distances = np.linalg.norm(lab[:, None] - lab[None], axis=2)
    assert distances[~np.eye(len(COLOURS), dtype=bool)].min() > 0.11


@pytest.mark.parametrize("colour", [*COLOURS, *(heat(step / 20) for step in range(21))])
def test_labels_stand_out(colour: str) -> None:
    light, written = luminance(colour), luminance(ink(colour))
    contrast = (max(light, written) + 0.05) / (min(light, written) + 0.05)
    assert contrast >= 4.5


def test_a_heat_map_only_gets_darker() -> None:
    lights = [luminance(heat(step / 100)) for step in range(101)]
    assert lights == sorted(lights, reverse=True)
    assert len(set(lights)) == 101


def test_seventy_two_groups_look_different() -> None:
    names = [f"P{number}" for number in range(1, 73)]
    tiles = [Tile(at=(0, n), outline=square((0, n)), group=name) for n, name in enumerate(names)]
    found = paints([Picture(tiles=tuple(reversed(tiles)))])
    assert len(set(found.values())) == len(COLOURS) * len(TEXTURES) == 72
    assert list(found) == names


def test_a_group_looks_the_same_on_all_pictures() -> None:
    pictures = [
        Picture(tiles=(Tile(at=(0, 0), outline=square((0, 0)), group=group),)) for group in "BAC"
    ]
    together = paints(pictures)
    assert len({together[group].colour for group in "ABC"}) == 3
