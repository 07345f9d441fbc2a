"""Which extenders try to bind a pod, one after another."""

import pytest

from kschedlab.build import pod
from kschedlab.extenders import Binder, ExtenderRules
from kschedlab_configuration.extenders.extender import Extender
from kschedlab_configuration.extenders.run import binders
from tests.verdicts import model


def extender(name: str, binds: bool = True, ignorable: bool = False, manages: str = "") -> Extender:
    made = Extender()
    made.name, made.binds, made.ignorable = name, binds, ignorable
    made.managed_resources = frozenset(filter(None, [manages]))
    return made


@pytest.mark.parametrize(
    ("binder", "extenders", "tried"),
    [
        (Binder.UNTIL_ONE_BINDS, [extender("a"), extender("b")], [("a", False)]),
        (Binder.UNTIL_ONE_BINDS, [extender("a", ignorable=True), extender("b")], [("a", True), ("b", False)]),
        (Binder.UNTIL_ONE_BINDS, [extender("a", binds=False), extender("b")], [("b", False)]),
        (Binder.UNTIL_ONE_BINDS, [extender("a", manages="example.com/gpu"), extender("b")], [("b", False)]),
        (Binder.FIRST_INTERESTED, [extender("a", ignorable=True), extender("b")], [("a", False)]),
        (Binder.FIRST_INTERESTED, [extender("a", manages="example.com/gpu"), extender("b")], [("b", False)]),
        (Binder.FIRST, [extender("a", manages="example.com/gpu"), extender("b")], []),
    ],
)
def test_the_next_is_tried_only_after_one_that_may_fail(
    binder: Binder, extenders: list[Extender], tried: list[tuple[str, bool]]
) -> None:
    rules = ExtenderRules(binder=binder, ignorable_last=False)
    assert [(each.name, falls_back) for each, falls_back in binders(model(pod("p")), extenders, rules)] == tried
