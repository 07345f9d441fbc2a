"""Candidates that an extender leaves without a victim: the generations differ."""

import pytest

from kschedlab.extenders import FreeNode
from kschedlab.filter.plugin import SchedulingError
from kschedlab.preemption.evidence import Offer
from kschedlab_configuration.extenders.preempting import chosen_without_victims


def offers(*candidates: tuple[int, int]) -> list[Offer]:
    """Each with this many victims and this many violated budgets."""
    return [Offer(node, list(range(victims)), broken) for node, (victims, broken) in enumerate(candidates)]


@pytest.mark.parametrize("free_node", FreeNode)
def test_where_all_need_victims_the_rules_decide(free_node: FreeNode) -> None:
    assert chosen_without_victims(offers((1, 0), (2, 1)), free_node) is None


def test_one_without_victims_is_taken() -> None:
    found = chosen_without_victims(offers((1, 0), (0, 1), (0, 0)), FreeNode.TAKEN)
    assert found is not None and found.tolist() == [1, 2]


def test_one_without_victims_is_compared_by_its_budgets_first() -> None:
    for candidates, chosen in ((((0, 0), (1, 1)), 0), (((1, 0), (0, 2)), 0), (((0, 3), (1, 2), (2, 4)), 1)):
        found = chosen_without_victims(offers(*candidates), FreeNode.PANIC)
        assert found is not None and found.tolist() == [chosen]


def test_on_equal_budgets_the_scheduler_looks_for_a_victim_that_is_not_there() -> None:
    with pytest.raises(SchedulingError, match="index out of range"):
        chosen_without_victims(offers((0, 1), (1, 1), (2, 3)), FreeNode.PANIC)
