"""Errors about names that nothing has."""

import pytest

from kschedlab.objects.problems import unknown


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
