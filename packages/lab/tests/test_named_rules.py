"""A rule is switched in any generation, alone or with others, and nothing else changes."""

import re

import pytest

from kschedlab.generations import GENERATIONS, V1_20
from kschedlab.generations.changes import NAMES
from kschedlab.whatif.compare import changes
from kschedlab_lab.named_rules import NAMED_RULES, NamedRule, switched


@pytest.mark.parametrize("rule", NAMED_RULES, ids=lambda rule: rule.name)
@pytest.mark.parametrize("version", NAMES)
def test_only_the_settings_of_the_rule_change(version: str, rule: NamedRule) -> None:
    found = changes(GENERATIONS[version], switched(version, frozenset({rule.name})))
    assert found and all(re.fullmatch(rule.settings, each.rule) for each in found), [each.rule for each in found]


@pytest.mark.parametrize("rule", NAMED_RULES, ids=lambda rule: rule.name)
def test_the_rule_came_with_that_version(rule: NamedRule) -> None:
    first = rule.first_of(NAMES)
    since = NAMES.index(first)
    for earlier, later in zip(NAMES, NAMES[1:], strict=False):
        differ = [each.rule for each in changes(GENERATIONS[earlier], GENERATIONS[later])]
        found = [name for name in differ if re.fullmatch(rule.settings, name)]
        assert bool(found) == (later == first), (earlier, later, found)
    assert [rule.is_on(version) for version in NAMES] == [i >= since for i in range(len(NAMES))]
    assert {rule.other(version) for version in NAMES} == {NAMES[since - 1], NAMES[since]}


@pytest.mark.parametrize("rule", NAMED_RULES, ids=lambda rule: rule.name)
def test_switching_back_gives_the_version_again(rule: NamedRule) -> None:
    version = rule.first_of(NAMES)
    there = switched(version, frozenset({rule.name}))
    back = rule.taken(there, GENERATIONS[version])
    assert {each.rule for each in changes(back, GENERATIONS[version])} <= {"order of filters"}


def test_several_rules_at_once() -> None:
    both = switched("v1.20", frozenset({"sorted_again", "counted_down"}))
    victims = both.preemption.victims
    assert (victims.sorted_again, victims.budgets.counted_down) == (True, False)
    assert both.name == "v1.20 + counted_down + sorted_again"
    assert switched("v1.20") is V1_20


def test_an_unknown_version() -> None:
    with pytest.raises(KeyError, match="v1.21"):
        switched("v1.21")
