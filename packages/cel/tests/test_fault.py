"""What the API server refuses when an object is created (v1.37: validateCELExpression)."""

import pytest

from kschedlab.objects.devices import Device
from kube_cel import compile, expression, fault

D = 'device.attributes["gpu.example.com"]'
LOOPS = ".all(a, [1,2,3,4,5,6,7,8,9,10]" * 6
COSTLY = "[1,2,3,4,5,6,7,8,9,10]" + LOOPS + ".all(b, b > 0)" + ")" * 6


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ('device.driver == "a"', None),
        (f"{D}.healthy", None),
        ("device.driver", "must evaluate to bool or the unknown type, not string"),
        (COSTLY, "too complex, exceeds cost limit"),
        ("true || " * 2000 + "true", "may not be more than 10240 bytes"),
        ('int("a") == 1', "program instantiation failed: type conversion error from 'string' to 'int'"),
    ],
)
def test_fault(text: str, wrong: str | None):
    assert fault(text) == wrong


def test_a_selector_may_be_as_long_and_as_costly_as_the_limits(monkeypatch: pytest.MonkeyPatch):
    longest = "true".ljust(10240)
    assert fault(longest) is None and "10240 bytes" in (fault(longest + " ") or "")
    text = 'device.driver.startsWith("gpu")'
    monkeypatch.setattr(expression, "COST_LIMIT", compile(text).highest_cost)
    assert fault(f"{text} ") is None
    monkeypatch.setattr(expression, "COST_LIMIT", compile(text).highest_cost - 1)
    assert fault(f"{text}  ") == "too complex, exceeds cost limit"


def test_a_new_object_may_not_use_what_v1_36_does_not_know():
    for text, said in ((f"{D}.a.includes(1)", "undeclared reference"), (f"{D}.a.all(x, true)", "of type 'any'")):
        assert said in (fault(text) or "")
        assert compile(text) and fault(text, lists=True) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[1, )", "1:5: Syntax error: mismatched input ')' expecting ']'"),
        ("{1: 2, ]} == {}", "1:8: Syntax error: extraneous input ']' expecting '}'"),
    ],
)
def test_what_ends_neither_list_nor_map_after_a_comma(text: str, said: str):
    assert said in (fault(text) or "")


def test_a_field_of_a_message_has_a_name():
    said = "1:5: Syntax error: mismatched input '1' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}"
    assert said in (fault("a.B{1: 2} == 1") or "")


def test_a_name_in_backticks_that_does_not_end_is_an_error_with_its_place():
    assert "<input>:1:15: Syntax error: token recognition error at: '`abc'" in (fault("device.driver.`abc") or "")


def test_a_type_has_a_name_of_several_parts():
    """As the real code answers; with an estimated cost, which other comparisons of types have, too."""
    text = 'type(duration("1s")) == google.protobuf.Duration'
    assert compile(text).highest_cost == 1844674407370955267
    assert compile(text).steps("gpu.example.com", Device(name="d"))[-1].values == ("true",)
    for wrong, why in (
        (text.replace("Duration", "Sundial"), "undeclared reference to 'google'"),
        (f"[1].exists(google, {text})", "type 'int' does not support field selection"),
    ):
        assert why in (fault(wrong) or "")
