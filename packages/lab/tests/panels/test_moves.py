"""Whatever is given to the controls of a panel: it moves, or says which control is wrong and what would be right."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from kschedlab_lab.language import language
from kschedlab_lab.panels import pairs, select_host
from kschedlab_lab.panels.base import Panel
from packages.lab.tests.language.test_untranslated import PANELS

WRONG: tuple[Any, ...] = (
    None,
    "no such value",
    float("nan"),
    1.5,
    True,
    -(10**30),
    [1],
    {},
    b"x",
    np.array([1, 2]),
    object(),
)


@pytest.fixture(params=["en", "zh"], autouse=True)
def spoken(request: pytest.FixtureRequest) -> Iterator[str]:
    language(request.param)
    yield request.param
    language("en")


@pytest.mark.parametrize("name", PANELS)
def test_no_value_is_a_bare_error(name: str, spoken: str) -> None:
    panel, between = PANELS[name](), "：" if spoken == "zh" else ":"
    for control in panel.settings.controls():
        for value in WRONG:
            try:
                moved = panel.move(**{control: value})
            except ValueError as error:
                assert f"{control}{between}" in str(error) or f"“{value}”" in str(error) or f'"{value}"' in str(error)
            else:
                assert type(panel.settings).parse(str(moved.settings)) == moved.settings
    with pytest.raises(ValueError, match="nothing"):
        panel.move(nothing=1)


def test_what_is_no_question_and_no_answer_is_refused(spoken: str) -> None:
    panel: Panel[Any] = select_host.panel()
    wrong: Any = "Which one?"
    with pytest.raises(TypeError, match="Question"):
        panel.ask(wrong)
    numbers = {"a": [1, 2, 3, 4, 5], "b": [2, 1, 4, 3, 6]}
    typed = replace(pairs.do_the_same(numbers, 1), choices=(), most=4)
    asked: Panel[Any] = pairs.panel(numbers, hero=1).ask(typed)
    assert asked.answer(3).still() == asked.answer("3").still()
    for answer in (5, 1.5, True, "many"):
        with pytest.raises(ValueError, match=str(answer)):
            asked.answer(answer)  # type: ignore[arg-type]
