"""The draw among the best at every setting: exact probabilities, and counts that agree with them."""

from fractions import Fraction
from math import sqrt
from xml.etree import ElementTree

import pytest

from kschedlab.lab.panels.select_host import CHANCES, DRAWS, FAIR, LISTS, Settings, best, drawn, panel, show, walk

RULES = list(CHANCES)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("scores", LISTS, ids=str)
def test_every_setting(scores: tuple[int, ...], rule: str) -> None:
    steps = walk(scores, CHANCES[rule])
    for step in steps:
        assert sum(step.likely.values()) == 1
    likely = {name: steps[-1].likely[name] for name in best(scores)}
    assert sum(likely.values()) == 1
    for seed in Settings.controls()["seed"].values:
        settings = Settings(scores, rule, seed)
        counts = drawn(settings)
        assert sum(counts.values()) == DRAWS and set(counts) == set(likely)
        for name, chance in likely.items():
            spread = sqrt(DRAWS * chance * (1 - chance))
            assert abs(counts[name] - DRAWS * chance) <= 4.5 * spread
    view = show(settings)
    assert ElementTree.fromstring(str(view.picture)).get("aria-label") == view.sentence
    assert ("not fair" in view.sentence) == (len(set(likely.values())) > 1)
    assert all(f"{counts[name]:,}" in view.text for name in likely)


@pytest.mark.parametrize("scores", LISTS, ids=str)
def test_one_in_k_is_fair_after_every_element(scores: tuple[int, ...]) -> None:
    for seen, step in enumerate(walk(scores, CHANCES[FAIR]), start=1):
        equals = best(scores[:seen])
        assert {name: p for name, p in step.likely.items() if p} == {n: Fraction(1, len(equals)) for n in equals}


def test_the_broken_rules_prefer_an_end_of_the_list() -> None:
    def ends(rule: str) -> list[Fraction]:
        return list(walk((9, 9, 9, 9), CHANCES[rule])[-1].likely.values())

    assert ends("1/2") == [Fraction(1, 8), Fraction(1, 8), Fraction(1, 4), Fraction(1, 2)]
    assert ends("1/(k+1)") == [Fraction(2, 5), *[Fraction(1, 5)] * 3]
    assert ends("0 (first wins)") == [1, 0, 0, 0] and ends("1 (last wins)") == [0, 0, 0, 1]


def test_the_panel_moves_through_the_same_functions() -> None:
    moved = panel().move(rule="1/2", scores=LISTS[3])
    assert moved.view == show(Settings(LISTS[3], "1/2"))
    assert "node-a 1/4, node-c 1/4, node-e 1/2" in repr(moved)
