"""What a field means that a configuration leaves out."""

from collections.abc import Iterator

import msgspec

from kschedlab_configuration import fields
from kschedlab_configuration.policy import fields as policy_fields

SET = {
    "minCandidateNodesAbsolute": 100,
    "minCandidateNodesPercentage": 10,
    "hardPodAffinityWeight": 1,
    "bindTimeoutSeconds": 600,
    "parallelism": 16,
    "podInitialBackoffSeconds": 1,
    "podMaxBackoffSeconds": 10,
}
"""By field, what the scheduler puts there. v1.37: pkg/scheduler/apis/config/v1/defaults.go."""


def defaults() -> Iterator[tuple[str, str, object]]:
    """Each number and each switch that may be left out, and what it is then."""
    for module in (fields, policy_fields):
        for part in vars(module).values():
            if isinstance(part, type) and issubclass(part, msgspec.Struct) and part.__module__ == module.__name__:
                for field in msgspec.structs.fields(part):
                    if isinstance(field.default, int):
                        yield part.__name__, field.name, field.default


def test_a_number_or_switch_that_is_left_out_is_0_or_off_unless_the_scheduler_sets_it():
    for part, field, value in defaults():
        assert value == SET.get(field, 0), f"{part}.{field}"
