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
        ("[, 1] == [1]", "1:4: Syntax error: extraneous input '1' expecting ']'"),
    ],
)
def test_what_ends_neither_list_nor_map_after_a_comma(text: str, said: str):
    assert said in (fault(text) or "")


def test_a_field_of_a_message_has_a_name():
    said = "1:5: Syntax error: mismatched input '1' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}"
    assert said in (fault("a.B{1: 2} == 1") or "")


def test_a_name_in_backticks_that_does_not_end_is_an_error_with_its_place():
    assert "<input>:1:15: Syntax error: token recognition error at: '`abc'" in (fault("device.driver.`abc") or "")


def test_what_is_in_backticks_ends_at_a_character_that_is_not_of_a_name():
    """cel-go v0.29.2: parser/gen/CEL.g4, ESC_IDENTIFIER."""
    for name, broken in (("`a b!c`", "`a b!"), ("``", "``"), ("`!`", "`!")):
        assert f"<input>:1:8: Syntax error: token recognition error at: '{broken}'\n" in (fault(f"device.{name}") or "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        # cel-go v0.29.2: parser/gen/CEL.g4, unary, escapeIdent; parser/unescape.go
        ("!-device.a", "1:3: Syntax error: no viable alternative at input '-device'"),
        ("device.true", "1:8: Syntax error: mismatched input 'true' expecting IDENTIFIER"),
        (r"b'\u0041' == b'A'", "1:1: unable to unescape string"),
        # checker/errors.go
        ("quantity('1').amount == 1", "1:14: unexpected failed resolution of 'kubernetes.Quantity'"),
        # cel/validator.go, homogeneousAggregateLiteralValidator
        ("{'a': 1, 1: 2} == {}", "1:10: expected type 'string' but found 'int'"),
        ("[int, string] == []", "1:7: expected type 'type(int)' but found 'type(string)'"),
    ],
)
def test_what_is_wrong_in_a_selector(text: str, said: str):
    assert f"<input>:{said}\n" in (fault(text) or "")


def test_an_expression_may_not_be_too_deep_though_none_of_its_parts_is():
    """cel-go v0.29.2: parser/parser.go, Visit: a depth of 250."""
    said = "ERROR: <input>:-1:0: max recursion depth exceeded"
    assert said not in (fault(f"(1{'+1' * 200}){'.a' * 40}") or "")
    assert said in (fault(f"(1{'+1' * 200}){'.a' * 60}") or "")


def test_of_many_errors_the_first_hundred_are_listed():
    """cel-go v0.29.2: common/errors.go."""
    lines = (fault(" && ".join(f"x{number}" for number in range(103))) or "").splitlines()
    assert sum("ERROR: " in line for line in lines) == 100
    assert lines[-1] == "3 more errors were truncated"


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
