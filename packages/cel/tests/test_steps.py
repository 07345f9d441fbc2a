"""An evaluation step by step."""

import pytest

from kschedlab.objects.devices import Device, DeviceAttribute
from kube_cel import CelError, compile
from packages.cel.tests.test_vectors import vectors
from tests.samples import sampled

GPU = Device(
    name="gpu-0", attributes={"model": DeviceAttribute(stringValue="a100"), "index": DeviceAttribute(intValue=3)}
)
D = 'device.attributes["gpu.example.com"]'


def shown(text: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(step.text, step.values) for step in compile(text).steps("gpu.example.com", GPU)]


def test_from_the_inside_out():
    assert shown("1 + 2 * 3 > 6") == [("2 * 3", ("6",)), ("1 + 2 * 3", ("7",)), ("1 + 2 * 3 > 6", ("true",))]


def test_what_is_not_reached_has_no_value():
    assert shown('has(device.driver) ? true : device.driver == "x"') == [
        ("has(device.driver)", ("true",)),
        ("device.driver", ()),
        ('device.driver == "x"', ()),
        ('has(device.driver) ? true : device.driver == "x"', ("true",)),
    ]


def test_each_round_of_a_loop():
    assert (f"x == {D}.index", ("false", "false", "true")) in shown(f"[1, 2, 3].exists(x, x == {D}.index)")


def test_an_error_is_a_value():
    steps = compile(f'{D}.missing == "x" || true').steps("gpu.example.com", GPU)
    assert [(step.values[-1], step.failed) for step in steps[2:4]] == [("no such key: missing", True)] * 2
    assert steps[-1].values == ("true",)


@pytest.mark.parametrize(
    "text",
    [
        "(1 + 2) * 3 == 9",
        "(5 - 2) * 3 == 9",
        "9 - (5 - 2) == 6",
        "2 * (3 + 4) == 14",
        "8 / (4 / 2) == 4",
        "-(2 * 3) == -6",
        "-(6 / 2) == -3",
        "-(7 % 4) == -3",
        "(true || false) && true",
        "!(true && false)",
        "(true ? 1 : 2) + 3 == 4",
        'device.?driver.orValue("x") == "gpu.example.com"',
        "(true ? true : false) ? 1 == 1 : 1 == 2",
        "true ? (true ? true : false) : false",
        "true ? true : false ? true : false",
        "(false ? true : true) || true",
        "false || true && true",
        "true && (true || false)",
        "2 - (2 - 1) == 1",
        "1 - 2 - 3 == -4",
        "7 % (5 % 3) == 1",
        "6 / 3 / 2 == 1",
        "true == (1 == 1)",
        "1 == 1 == true",
        "(true && false) == false",
        "(true ? 1 : 2) == 1",
        "(true ? [1] : [2])[0] == 1",
        "([1] + [2])[1] == 2",
        "!(1 in [2])",
        "1 + 2 in [3]",
        "-[1][0] == -1",
        "-(1 + 2) == -3",
        "[1 + 2].map(x, x * 2)[0] == 6",
        "[?optional.of(1)] == [1]",
    ],
)
def test_the_text_of_a_step_keeps_the_parentheses_that_it_needs(text: str):
    assert shown(text)[-1] == (text, ("true",))


def test_a_device_belongs_to_the_driver_that_is_named():
    expression = compile('device.driver == "a.example.com"')
    names = ("a.example.com", "b.example.com")
    assert [expression.steps(name, GPU)[-1].values for name in names] == [("true",), ("false",)]


def test_a_long_value_is_shortened():
    values = [shown(f"('{'x' * length}' + 'y') != ''")[0][1][-1] for length in (96, 97, 98)]
    assert [len(value) for value in values] == [99, 100, 100]
    assert values[1].endswith('xy"') and values[2].endswith("x…")


@pytest.mark.parametrize("part", sampled(range(16), 2))
def test_the_last_step_is_the_result_and_the_text_means_the_same(part: int):
    for question, real in vectors()[part::16]:
        try:
            expression = compile(question["expression"])
        except CelError:
            continue
        last = expression.steps("gpu.example.com", GPU)[-1]
        try:
            result = str(expression.matches("gpu.example.com", GPU)).lower()
        except CelError as error:
            assert last.failed or "could not be converted" in str(error) or "cost limit" in str(error), real
            continue
        assert last.values[-1] == result
        if "…" not in last.text and '"' not in last.text:
            assert compile(last.text).matches("gpu.example.com", GPU) == (result == "true")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", "0"),
        ("1n", "1n"),
        ("1000n", "1u"),
        ("1500m", "1500m"),
        ("999", "999"),
        ("1000", "1k"),
        ("1001", "1001"),
        ("1023", "1023"),
        ("1024", "1Ki"),
        ("-1024", "-1Ki"),
        ("1025", "1025"),
        ("2000", "2000"),
        ("1024.5", "1024500m"),
        ("1536Mi", "1536Mi"),
        ("7Ei", "7Ei"),
        ("1e21", "953674316406250Mi"),
        ("-3k", "-3000"),
    ],
)
def test_a_quantity_has_the_largest_suffix_that_needs_no_fraction(text: str, value: str):
    steps = compile(f"quantity('{text}').isInteger() || true").steps("gpu.example.com", GPU)
    assert steps[0].values == (f'quantity("{value}")',)


def test_quantities_are_read_up_to_an_exponent_and_a_length_of_64():
    """Go takes minutes for longer exponents."""
    for number, text in ((True, "1e64"), (False, "1e65"), (False, "1e-65"), (True, "1" * 64), (False, "1" * 65)):
        assert compile(f"isQuantity('{text}')").matches("gpu.example.com", GPU) == number, text
