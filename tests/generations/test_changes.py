"""What the versions changed: every rule has a value, the latest is the default, and a table is loaded on first use."""

import pickle
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from itertools import pairwise
from typing import Any

import pytest

from kschedlab import generations
from kschedlab.extenders import ExtenderRules
from kschedlab.filter.stage import NamingRules, SamplingRules
from kschedlab.generations import COURSE, GENERATIONS, LATEST, V1_20, V1_37, Generation
from kschedlab.generations.changes import CHANGES, NAMES, rules_of
from kschedlab.generations.steps import STEPS, Step
from kschedlab.preemption.rules import PreemptionRules

RULES = rules_of(NAMES[-1])
APART = {"name", "version", "filters", "scores", "plugins", "extenders", "feature_gates"}


def values(record: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """All fields of the record and of records inside it, by path."""
    for field in fields(record):
        value = getattr(record, field.name)
        if is_dataclass(value) and f"{path}{field.name}" not in ("api", "queue"):
            yield from values(value, f"{path}{field.name}.")
        else:
            yield f"{path}{field.name}", value


@pytest.mark.parametrize("name", NAMES)
def test_a_generation_equals_its_column(name: str) -> None:
    found = dict(values(GENERATIONS[name]))
    assert {path: found[path] for path in RULES} == rules_of(name)


@pytest.mark.parametrize("kind", ["filters", "scores"])
def test_what_a_version_changes_in_a_plugin_was_otherwise_before(kind: str) -> None:
    for older, newer in pairwise(NAMES):
        plugins = {"filters": GENERATIONS[older].filters, "scores": [each for each, _ in GENERATIONS[older].scores]}
        before = {plugin.name: plugin for plugin in plugins[kind]}
        changes = getattr(STEPS.get(newer, Step()), kind)
        same = [(name, key) for name, new in changes.items() for key in new if getattr(before[name], key) == new[key]]
        assert same == [], newer


def test_a_version_names_its_differences_alone() -> None:
    for older, newer in pairwise(NAMES):
        before = rules_of(older)
        assert [path for path, value in CHANGES[newer].items() if before[path] == value] == []


def test_fields_without_a_row_are_equal_in_all_generations() -> None:
    rest = {path for path, _ in values(V1_37)} - RULES.keys() - APART
    assert rest == {
        "preemption.enabled",
        "preemption.min_candidates",
    }


def test_the_latest_column_is_the_default() -> None:
    assert V1_37.sampling == SamplingRules()
    assert V1_37.naming == NamingRules()
    assert V1_37.preemption == PreemptionRules()
    assert V1_37.extending == ExtenderRules()


@pytest.mark.parametrize("name", NAMES)
def test_a_generation_can_be_copied_compared_and_pickled(name: str) -> None:
    generation = Generation.named(name)
    assert generation is GENERATIONS[name] and generation.name == name
    assert replace(generation) == generation and pickle.loads(pickle.dumps(generation)) == generation
    assert replace(generation, percentage=10) != generation


def test_all_names() -> None:
    assert (*GENERATIONS,) == NAMES and set(COURSE) < set(NAMES) and NAMES[-1] == LATEST
    assert "v1.20" in GENERATIONS and "v1.21" not in GENERATIONS
    assert generations.V1_20 is V1_20 and {generation.name for generation in GENERATIONS.values()} == {*NAMES}
    with pytest.raises(KeyError, match="v1.21"):
        Generation.named("v1.21")
    with pytest.raises(AttributeError, match="V1_21"):
        generations.V1_21  # noqa: B018


def test_a_table_is_loaded_on_first_use() -> None:
    program = (
        "import sys; from kschedlab.generations import GENERATIONS; print('v1.13' in GENERATIONS);"
        "GENERATIONS['v1.20']; print(sorted(n.split('.')[-1] for n in sys.modules if 'generations.v1' in n))"
    )
    output = subprocess.check_output([sys.executable, "-c", program], text=True)
    assert output.splitlines() == ["True", "['v1_20']"]
