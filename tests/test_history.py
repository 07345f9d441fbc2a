"""When each rule changed: every difference of neighbouring generations has a date, and the page is up to date."""

from collections import Counter
from itertools import pairwise

import pytest

from kschedlab.generations import GENERATIONS, Generation
from kschedlab.generations.between import COUNTS, minor, neighbours
from kschedlab.objects.problems import UnknownNameError
from kschedlab.whatif.compare import changes
from tests.saying import says
from tools.history import PAGE, SINCE_LOOP, changed_rows, dated, history, page

STEPS = list(pairwise(GENERATIONS.values()))


def settings(earlier: Generation, later: Generation) -> list[str]:
    rows = changed_rows(later.name) if minor(earlier.name) >= SINCE_LOOP else []
    return [each.rule for each in changes(earlier, later)] + [name for name, _ in rows]


@pytest.mark.parametrize(("earlier", "later"), STEPS, ids=lambda generation: str(generation.name))
def test_every_change_has_a_date(earlier: Generation, later: Generation) -> None:
    assert [name for name in settings(earlier, later) if dated(name, earlier.name, later.name) is None] == []


def test_every_date_is_of_a_change() -> None:
    used = {dated(name, a.name, b.name) for a, b in STEPS for name in settings(a, b)}
    assert [entry for entry in history() if entry not in used] == []


def test_the_changes_of_each_version_are_counted() -> None:
    assert Counter(minor(entry.version) for entry in history()) == COUNTS


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == page(), "run: python -m tools.history"


def test_a_version_between_two_is_told_what_is_nearest() -> None:
    with pytest.raises(UnknownNameError) as error:
        Generation.named("v1.33")
    assert says(str(error.value), "v1.32", "v1.34", "docs/history.md")
    found = neighbours("v1.27")
    assert found is not None and (found.earlier, found.later, found.nearest) == ("v1.24", "v1.28", "v1.28")
    assert neighbours("v1.34") is None and neighbours("v1.99") is None and neighbours("latest") is None
