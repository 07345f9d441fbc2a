"""The same clusters, scheduled by the real scheduler and by this one: every node, reason and score is equal."""

import json
import os
from collections.abc import Callable
from copy import copy
from pathlib import Path

import msgspec
import pytest

from kschedlab.generations import COURSE, GENERATIONS
from kschedlab.manifests.loading import Objects
from kschedlab.program import decide
from tests.conformance.compare import differences, read, themes

HERE = Path(__file__).parent
VECTORS = Path(os.environ.get("KSCHEDLAB_VECTORS") or HERE)
EXTRA = HERE / "extra"
ALWAYS = ("devices", "features", "interpod", "mixed", "nominated", "preemption_mixed", "spread", "volumes")
"""The themes that also the generations between those of the course are compared in each time."""


def marks(generation: str, theme: str) -> tuple[pytest.MarkDecorator, ...]:
    return () if generation in COURSE or theme.partition(".")[0] in ALWAYS else (pytest.mark.nightly,)


CASES = [
    pytest.param(
        folder,
        generation,
        theme,
        id=f"{folder.name}-{generation}-{theme.partition('.')[0]}",
        marks=marks(generation, theme),
    )
    for folder in (VECTORS, EXTRA)
    for theme in sorted({theme for generation in GENERATIONS for theme in themes(folder, generation)})
    for generation in GENERATIONS
    if theme in themes(folder, generation)
]


def test_there_are_vectors_of_every_generation() -> None:
    for generation in GENERATIONS:
        assert len(themes(VECTORS, generation)) >= 1, f"no vectors of {generation} in {VECTORS}"


class Decoded:
    """Reads the objects of a scenario once for all generations, which read the same: half of a decision's time."""

    def __init__(self, decode: Callable[[list[msgspec.Raw]], Objects]) -> None:
        self.theme: tuple[Path, str] | None = None
        self._decode = decode
        self._objects: dict[bytes, Objects] = {}

    def begin(self, theme: tuple[Path, str]) -> None:
        """Forget the objects of another theme."""
        if theme != self.theme:
            self.theme = theme
            self._objects.clear()

    def __call__(self, manifests: list[msgspec.Raw]) -> Objects:
        text = b",".join(map(bytes, manifests))
        if text not in self._objects:
            self._objects[text] = self._decode(manifests)
        objects = copy(self._objects[text])
        objects.pods = list(objects.pods)  # a queue's pods are added to them
        return objects


DECODED = Decoded(decide.decode_objects)


@pytest.mark.parametrize(("folder", "generation", "theme"), CASES)
def test_agrees_with_the_real_scheduler(
    folder: Path, generation: str, theme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    DECODED.begin((folder, theme))
    monkeypatch.setattr(decide, "decode_objects", DECODED)
    scenarios = list(read(folder / "scenarios" / theme))
    expected = [json.loads(line) for line in read(folder / generation / theme)]
    actual = [json.loads(line) for line in decide.decide_lines(scenarios, generation=generation)]
    assert [verdict["id"] for verdict in actual] == [verdict["id"] for verdict in expected]
    found = list(differences(expected, actual))
    assert not found, f"{len(found)} differences, the first: " + "\n".join(map(str, found[:3]))
