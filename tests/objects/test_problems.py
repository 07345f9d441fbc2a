"""Errors about names that nothing has."""

import pytest

from kschedlab.objects.problems import ManifestError, Problem, shortened, unknown


@pytest.mark.parametrize(
    ("name", "known", "want"),
    [
        ("x", [], 'no pod "x"; there are 0'),
        ("web", ["shop/api", "shop/web"], 'no pod "web"; there are 2: shop/web, shop/api'),
        ("shop/ewb", ["mail/in", "shop/web"], 'no pod "shop/ewb"; there are 2: shop/web, mail/in'),
        (
            "z",
            [f"p{i}" for i in range(1200)],
            'no pod "z"; there are 1,200: p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, ...',
        ),
        ("a\u202eb", ["c\x1b[1m"], 'no pod "a\\u202eb"; there are 1: c\\x1b[1m'),
    ],
)
def test_a_name_that_is_unknown_lists_those_that_are_known(name: str, known: list[str], want: str) -> None:
    error = unknown("pod", name, known)
    assert isinstance(error, KeyError) and str(error) == want


def test_a_name_is_found_among_five_thousand():
    names = [f"node-{number:05}" for number in range(4999)]
    for before, first in ((4999, "web"), (5000, "node-00000")):
        known = [*names[:before], *["node-x"] * (before - 4999), "web"]
        assert f": {first}, " in str(unknown("pod", "wbe", known))


@pytest.mark.parametrize(("alike", "lines"), [(20, 21), (21, 2)])
def test_more_than_twenty_problems_of_one_cause_are_one_line(alike: int, lines: int) -> None:
    many = [Problem(0, line, "f.yaml", f'"p{line}" has no name') for line in range(1, alike + 1)]
    text = str(ManifestError([*many, Problem(0, 99, "f.yaml", "is empty")]))
    assert len(text.splitlines()) == lines
    assert ("(and 20 more like it)" in text) == (alike > 20)


def test_long_texts_are_cut():
    assert (shortened("x" * 60), shortened("x" * 61)) == ("x" * 60, "x" * 60 + "...")
    for place, message in ((300, 2000), (301, 2001)):
        more = "..." if place > 300 else ""
        text = str(Problem(0, 7, "f" * place, "m" * message))
        assert text == f"{'f' * 300}{more}:7: {'m' * 2000}{more}"
    assert str(Problem(0, 0, "f", "m")) == "f: m"
