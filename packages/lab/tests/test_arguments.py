"""What is told of an argument of a wrong type."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeVar

import pytest

from kschedlab.build import pod
from kschedlab_lab.arguments import fits, misfit
from kschedlab_lab.panels import first, score

T = TypeVar("T")


def told(call: Any, *given: Any, **named: Any) -> str | None:
    """What is told of the first function that this call, which fails, gets into."""
    with pytest.raises((TypeError, AttributeError, ValueError)) as failed:
        call(*given, **named)
    return misfit(failed.traceback[1].frame.raw)


@pytest.mark.parametrize(
    ("call", "given", "message"),
    [
        (score.decide, 5, "cause: expected Cause, got int"),
        (first.panel().restore, 3, "text: expected str, got int"),
        (score.panel, 3, "plugins: expected Sequence, got int"),
    ],
)
def test_the_argument_is_named(call: Any, given: object, message: str) -> None:
    assert told(call, given) == message


def test_a_type_is_called_what_a_reader_calls_it() -> None:
    assert told(pod, "a", labels=["x"]) == "labels: expected Mapping or None, got list"


@pytest.mark.parametrize(
    ("value", "hint", "right"),
    [
        (3, int, True),
        (3, float, True),
        ("3", float, False),
        (None, int | None, True),
        ("a", int | None, False),
        ("v1.20", Literal["v1.13", "v1.20"], True),
        ("v1.21", Literal["v1.13", "v1.20"], False),
        ([], Sequence[int], True),
        ({}, Sequence[int], False),
        ({}, Mapping[str, int], True),
        (object(), Any, True),
        (object(), T, True),
    ],
)
def test_whether_a_value_fits(value: object, hint: Any, right: bool) -> None:
    assert fits(value, hint) == right
