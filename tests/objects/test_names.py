"""How long names may be, and what begins and ends them (apimachinery, pkg/util/validation/validation.go)."""

from collections.abc import Callable

import pytest

from kschedlab.objects.names import dns_label_fault, label_key_fault, label_value_fault, name_fault

RULES = [(name_fault, 253), (dns_label_fault, 63), (label_key_fault, 63), (label_value_fault, 63)]


@pytest.mark.parametrize(("fault", "most"), RULES)
def test_the_longest_name(fault: Callable[[str], str | None], most: int):
    assert fault("a" * most) is None
    assert str(most) in (fault("a" * (most + 1)) or "")


def test_the_prefix_of_a_label_has_a_length_of_its_own():
    assert label_key_fault("a" * 253 + "/" + "b" * 63) is None
    assert label_key_fault("a" * 254 + "/b") and label_key_fault("a/" + "b" * 64)


@pytest.mark.parametrize("fault", [fault for fault, _ in RULES])
def test_a_name_begins_and_ends_with_a_letter_or_digit(fault: Callable[[str], str | None]):
    assert fault("a-1") is None and fault("-a") and fault("a-")
