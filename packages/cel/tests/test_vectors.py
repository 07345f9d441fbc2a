"""Selectors give the verdicts, costs and messages of the real ones (tests/oracle/cel.py makes the vectors)."""

import gzip
import json
from itertools import pairwise
from pathlib import Path

import pytest

from kschedlab.objects.devices import Device
from kube_cel import CelError, compile
from tests.oracle.cel import answer, difference

DATA = Path(__file__).parent / "data"
# The real ones go through maps in random order, so these cost more or less each time.
OF_MAPS = (".all(", ".exists(", ".map(", ".filter(", ".exists_one(", ".transform")


def vectors(name: str = "vectors") -> list[tuple[dict, dict]]:
    """``vectors``: expressions as they may be written; ``functions``: calls of each form of each function;
    ``mixed``: calls with a value of another type, and patterns; ``slips``: what is cut off or has a slip of the pen;
    ``boundaries``: literals, patterns, nesting, sizes and costs (tests/oracle/cel_boundaries.py);
    ``limits``: values, functions and macros at their limits (tests/oracle/cel_limits.py)."""
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [tuple(json.loads(line)) for line in lines]


def test_there_are_some_of_each_outcome():
    outcomes = {"compile": 0, "error": 0, "matches": 0, "other": 0}
    for _, real in vectors():
        outcomes[next((key for key in ("compile", "error", "matches") if key in real), "other")] += 1
    assert all(count > 200 for count in outcomes.values()), outcomes


@pytest.mark.parametrize("part", range(8))
@pytest.mark.parametrize("name", ["vectors", "functions", "mixed", "slips", "boundaries", "limits"])
def test_vectors(name: str, part: int):
    for question, real in vectors(name)[part::8]:
        expression = question["expression"]
        costs = not ("device.attributes" in expression and any(macro in expression for macro in OF_MAPS))
        ours = answer(question)
        kind = difference(real, ours, costs, reasons=name == "vectors")
        assert not kind, f"{expression}\n{question['device']}\n{real}\n{ours}"


@pytest.mark.parametrize(
    "text",
    [
        "'%d%% of %s'.format([5, 'all']) == '5% of all'",  # cel-go v0.29.2: ext/formatting.go, parseFormatString
        "'%%%s%%'.format(['x']) == '%x%'",
        "timestamp('2026-01-01T00:30:00-05:30') == timestamp('2026-01-01T06:00:00Z')",  # time.RFC3339
        "timestamp('2026-01-01T06:00:00+05:30') == timestamp('2026-01-01T00:30:00Z')",
        "[1, 2].slice(1, 1) == [] && [1, 2].slice(2, 2) == []",  # cel-go v0.29.2: ext/lists.go, slice
        "[dyn(1), dyn([dyn(2), dyn([3])])].flatten() == [dyn(1), dyn(2), dyn([3])]",  # the same file, DisableTypeGuards
        "dyn([7]).flatten() == [7] && [dyn(1), dyn([dyn(2), dyn([3])])].flatten(2) == [1, 2, 3]",
        "[4, 5].transformList(i, v, i + v) == [4, 6]",  # cel-go v0.29.2: ext/comprehensions.go
        "[4, 5].transformList(i, v, i > 0, v) == [5]",
        "{'a': 1, 'b': 2}.transformMap(k, v, v + 1) == {'a': 2, 'b': 3}",
        "{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v + 1) == {'b': 3}",
        "{'a': 1, 'b': 2}.transformMapEntry(k, v, {v: k}) == {1: 'a', 2: 'b'}",
        "{'a': 1, 'b': 2}.transformMapEntry(k, v, v > 1, {v: k}) == {2: 'b'}",
        "isSemver('1.2', true) && !isSemver('1.2-rc', true) && !isSemver('1.2+b', true)",  # v1.37: semverlib.go
        "string(duration('1h1.5s')) == '3601.5s' && string(duration('-20ms')) == '-0.02s'",  # RFC 3339, protobuf's JSON
        "string(duration('100s')) == '100s' && string(duration('0s')) == '0s'",
        "string(timestamp('2026-01-01T00:00:10.250Z')) == '2026-01-01T00:00:10.25Z'",
        "string(timestamp('2026-01-01T00:00:10Z')) == '2026-01-01T00:00:10Z'",
        "string(timestamp('2026-01-01T00:00:10-05:30')) == '2026-01-01T00:00:10-05:30'",  # cel-go: timestamp.go
        "'abc'.split('', 2) == ['a', 'bc'] && 'abc'.split('', 3) == ['a', 'b', 'c']",  # Go: strings.SplitN
        "'abc'.split('', 9) == ['a', 'b', 'c'] && ''.split('', 1) == []",
        r"'a.b'.matches(r'^\Qa.b\E$') && !'axb'.matches(r'^\Qa.b\E$') && 'a.b'.matches(r'^a\Q.b')",
        "'aaaa'.matches('^(a{500}){0,2}$') == false && 'aa'.matches('^(a{1,500}){2}$')",  # Go: at most 1000 copies
        "!'a'.matches('^a{1000}$') && 'a'.matches('^a{1,1000}$')",
        "'aaa'.matches('^(a{1,600})+$') && 'a'.matches('^((a{1,600}){1})?$')",
        "quantity('12345678901Ki').isInteger()",
        "!quantity('123456789012Ki').isInteger()",  # v1.37: apimachinery pkg/api/resource/quantity.go, precision
    ],
)
def test_what_is_true_of_functions(text: str):
    assert compile(text).matches("gpu.example.com", Device(name="gpu-0"))


PRECISION = "could not parse formatting clause: error while parsing precision: "


def test_a_quotation_that_did_not_begin_has_no_end():
    """Go: regexp/syntax, parse. (RE2 in C++ ignores the end.)"""
    with pytest.raises(CelError, match="invalid matches argument"):
        compile(r"'x'.matches(r'x\E')")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dyn({}).flatten() == []", "no such overload: map(dyn, dyn).flatten()"),
        ("dyn(optional.of(1)).flatten(1) == []", "no such overload: optional_type(dyn).flatten(int)"),
        ("dyn('%').format([]) == ''", "index 0 out of range"),
        ("dyn('%').format([1]) == ''", "unexpected end of string"),
        ("{'': 1}[dyn('%e').format([-1.0 / 0.0])] == 1", "no such key:     -∞"),
        ("{'': 1}[dyn('%.2e').format([1.0 / 0.0])] == 1", "no such key:  ∞"),
        # cel-go v0.29.2: ext/formatting.go, parsePrecision
        ("dyn('%.3').format([1.0]) == ''", f"{PRECISION}could not find end of precision specifier"),
        (
            "dyn('%.f').format([1.0]) == ''",
            f'{PRECISION}error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
        ),
        # cel-go v0.29.2: interpreter/interpretable.go, attributes.go; cel/program.go
        ("[?dyn(1)] == [1]", "cannot initialize optional list element from non-optional value 1"),
        ("{'a': 1}[dyn(quantity('1').add(1))] == 1", "invalid qualifier type: *cel.Quantity"),
        ("{'a': 1}[dyn(quantity('1'))] == 1", "invalid qualifier type: cel.Quantity"),
        (
            "dyn(optional.none())",
            "CEL result of type optional_type could not be converted to bool: optional.none() dereference",
        ),
    ],
)
def test_the_words_of_errors_of_a_run(text: str, message: str):
    with pytest.raises(CelError) as raised:
        compile(text).matches("gpu.example.com", Device(name="gpu-0"))
    assert str(raised.value).startswith(message)


MONDAY = "timestamp('2026-03-02T23:45:10.250Z')"


@pytest.mark.parametrize(
    "text",
    [
        f"{MONDAY}.getFullYear() == 2026 && {MONDAY}.getMonth() == 2 && {MONDAY}.getDayOfYear() == 60",
        f"{MONDAY}.getDayOfMonth() == 1 && {MONDAY}.getDate() == 2 && {MONDAY}.getDayOfWeek() == 1",
        f"{MONDAY}.getHours() == 23 && {MONDAY}.getMinutes() == 45 && {MONDAY}.getSeconds() == 10",
        f"{MONDAY}.getMilliseconds() == 250",
        f"{MONDAY}.getHours('+05:30') == 5 && {MONDAY}.getMinutes('05:30') == 15 && {MONDAY}.getDate('05:30') == 3",
        f"{MONDAY}.getHours('-02:15') == 21 && {MONDAY}.getMinutes('-02:15') == 30",
        f"{MONDAY} - timestamp('2026-03-02T23:45:00Z') == duration('10250ms')",
        f"{MONDAY} - duration('10.25s') == timestamp('2026-03-02T23:45:00Z')",
        "duration('1h') - duration('90m') == duration('-30m') && duration('0') == duration('-0')",
        "timestamp(90) == timestamp('1970-01-01T00:01:30Z') && int(timestamp('1970-01-01T00:01:30.9Z')) == 90",
        "-(1.5) == -1.5 && 7.0 - 2.5 == 4.5",
        # Go: net/netip, Addr
        "!ip('255.255.255.255').isGlobalUnicast() && !ip('0.0.0.0').isGlobalUnicast()",
        "ip('8.8.8.8').isGlobalUnicast() && ip('2001:db8::1').isGlobalUnicast()",
        "!ip('127.0.0.1').isGlobalUnicast() && !ip('fe80::1').isGlobalUnicast() && !ip('224.0.0.9').isGlobalUnicast()",
        "ip('224.0.0.9').isLinkLocalMulticast() && !ip('224.0.1.9').isLinkLocalMulticast()",
        "ip('ff02::1').isLinkLocalMulticast() && ip('ff12::1').isLinkLocalMulticast()",
        "!ip('ff01::1').isLinkLocalMulticast() && !ip('fe02::1').isLinkLocalMulticast()",
        "!cidr('10.0.0.0/8').containsCIDR('fe80::/10') && cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')",
        "url('https://a/b?c=1') == url('https://a/b?c=1') && url('https://a/b') != url('https://a/c')",
        "url('https://a/?x=1&&y;z=2&w=%zz&v=3').getQuery() == {'x': ['1'], 'v': ['3']}",  # Go: net/url, parseQuery
        "!isURL('https://a/\\x01') && !isURL(':a') && !isURL('https://a/%zz') && !isURL('https://a b/')",
        # v1.37: pkg/cel/library/format.go
        "!format.uuid().validate('123e4567-e89b-12d3-a456-426614174000').hasValue()",
        "format.uuid().validate('123e4567-e89b-12d3-a456-42661417400').hasValue()",
        "!format.byte().validate('aGk=').hasValue() && format.byte().validate('aGk').hasValue()",
        "!format.date().validate('2026-03-02').hasValue() && format.date().validate('2026-02-30').hasValue()",
        "!format.datetime().validate('2026-03-02T10:00:00Z').hasValue()",
        "format.datetime().validate('2026-03-02').hasValue() && format.date().validate('20260302').hasValue()",
        "!format.uri().validate('https://a/b').hasValue() && format.uri().validate('a b').hasValue()",
        "format.named('uuid').value() == format.uuid() && format.uuid() != format.date()",
        # RE2's syntax
        r"'a\nb'.matches('(?m)a$') && !'a\nb'.matches('a$') && 'a\nb'.matches('(?m)^b')",
        r"'A'.matches(r'\x41') && 'A'.matches(r'\x{41}') && 'A'.matches(r'\101') && '+'.matches(r'^\+$')",
        r"'\t'.matches(r'^\t$') && 'b'.matches(r'^[\x61-\x63]$') && '5'.matches(r'^[\d]$') && 'a b'.matches(r'a\b')",
        r"!'ab'.matches(r'a\bb') && 'ab'.matches(r'a\Bb')",
        "quantity('5').sub(quantity('2')).compareTo(quantity('3')) == 0",
        "sign(quantity('-2')) == -1 && sign(quantity('0')) == 0 && sign(quantity('3k')) == 1",
        "quantity('3k').asApproximateFloat() == 3000.0 && quantity('250m').asApproximateFloat() == 0.25",
        "{'a': 1} != {'b': 1} && {'a': 1} != {'a': 1, 'b': 2}",
        # cel-go v0.29.2: interpreter/attributes.go, conditionalAttribute
        "(true ? device : device).driver == 'gpu.example.com' && (false ? {'a': 1} : {'a': 2}).a == 2",
        "-dyn(duration('1s')) == duration('-1s')",  # cel-go v0.29.2: common/types/duration.go, Negate
        "[,] == [] && {,} == {}",  # cel-go v0.29.2: parser/gen/CEL.g4
        "optional.of(1) != optional.none() && optional.of(1) == optional.of(1) && optional.of(1) != optional.of(2)",
    ],
)
def test_what_is_true_of_times_networks_and_patterns(text: str):
    assert compile(text).matches("gpu.example.com", Device(name="gpu-0"))


@pytest.mark.parametrize(
    ("step", "suffixes"),
    [(1000, ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"]), (1024, ["", *map("{}i".format, "KMGTPE")])],
)
def test_each_suffix_of_a_quantity_is_a_step_above_the_one_before(step: int, suffixes: list[str]):
    for smaller, larger in pairwise(suffixes):
        same = compile(f"quantity('1{larger}').compareTo(quantity('{step}{smaller}')) == 0")
        assert same.matches("gpu.example.com", Device(name="gpu-0")), larger


@pytest.mark.parametrize(("left", "right"), [("1", "1"), ("2", "0"), ("0", "2")])
def test_a_sum_of_quantities_may_only_be_on_the_left_of_a_comparison(left: str, right: str):
    """v1.37: apiserver pkg/cel/quantity.go, Equal knows no pointer."""
    total = f"quantity('{left}').add(quantity('{right}'))"
    assert compile(f"{total} == quantity('2')").matches("gpu.example.com", Device(name="gpu-0"))
    with pytest.raises(CelError, match="overload"):
        compile(f"quantity('2') == {total}").matches("gpu.example.com", Device(name="gpu-0"))


def test_a_short_version_with_more_than_numbers_is_refused():
    for text in ("1.2-rc", "1.2+b"):
        with pytest.raises(CelError, match="short version"):
            compile(f"semver('{text}', true).major() == 1").matches("gpu.example.com", Device(name="gpu-0"))


def test_sets_cost_the_product_of_their_sizes():
    """cel-go v0.29.2: ext/sets.go, estimateSetsCost: twice as much for both directions."""
    costs = {
        (name, right): compile(f"sets.{name}([1, 2, 3], {right})").highest_cost
        for name in ("contains", "intersects", "equivalent")
        for right in ("[]", "[1]", "[1, 2]")
    }
    for name, factor in (("contains", 1), ("intersects", 1), ("equivalent", 2)):
        empty, one, two = (costs[name, right] for right in ("[]", "[1]", "[1, 2]"))
        assert (one - empty, two - one) == (3 * factor, 3 * factor), name


@pytest.mark.parametrize(
    ("text", "cost"),
    [
        # v1.37: apiserver pkg/cel/library/cost.go, EstimateCallCost; MaxFormatSize is 64
        ("format.uuid() == format.date()", 1 + 1 + 7),
        ("url('https://a') == url('https://a')", 1 + 1 + 1),
        (f"url('https://a') == url('https://{'a' * 32}')", 1 + 4 + 4),
        ("url('https://a') == optional.of(url('https://a')).value()", 1 + 1 + 1 + 1 + 1),
    ],
)
def test_what_a_comparison_of_formats_and_addresses_costs_at_most(text: str, cost: int):
    assert compile(text).highest_cost == cost


def letters(number: int) -> str:
    return f"'{'a' * number}'"


def size_in_tens(call: str) -> int:
    """What it costs at most to go through the text: a tenth of its size, rounded up."""
    return compile(f"{call}.lowerAscii() == ''").highest_cost - compile(f"{call} == ''").highest_cost


@pytest.mark.parametrize(
    ("size", "old", "new", "most"),
    [
        (10, 0, 10, 11 * 10 + 10),  # the new text between all letters
        (50, 3, 2, 50),  # nothing replaced
        (50, 2, 2, 50),
        (50, 2, 4, 25 * 4),  # all replaced
        (41, 10, 20, 5 * 20),
    ],
)
def test_how_long_a_text_is_at_most_after_replacements(size: int, old: int, new: int, most: int):
    """v1.37: apiserver pkg/cel/library/cost.go, EstimateCallCost, replace."""
    assert size_in_tens(f"{letters(size)}.replace({letters(old)}, {letters(new)})") == most // 10


def test_nothing_joined_is_empty():
    assert size_in_tens("[].join('xx')") == 0


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("'123456789'.replace('', 'xx')", 10 * 2 + 9),
        ("'123456789'.replace('123', 'xx')", 3 * 2),
        ("'123456789'.replace('12', 'xxx')", 9),
        ("['1', '2', '3', '4', '5'].join('xx')", 4 * 2),
        ("'123456789'.lowerAscii()", 9),
        ("('123' + '4567')", 7),
        ("string(b'12345678')", 2),
    ],
)
def test_how_long_a_text_is_at_least(text: str, least: int):
    """The shorter what is replaced, the longer the result: the same function, and join; cel-go checker/cost.go."""
    replaced = f"{letters(6 * least + 1)}.replace({text}, {letters(50)})"
    assert size_in_tens(replaced) == 7 * 50 // 10


@pytest.mark.parametrize(
    ("text", "cost"),
    [
        # v1.37: apiserver pkg/cel/library/cost.go, CallCost, traversalCost
        (f"{{'{'k' * 20}': '{'v' * 50}'}}.includes(1) || true", 2 + 5),
        ("dyn(1).validate('a') == dyn(1) || true", 1 + 1),
    ],
)
def test_what_calls_cost_that_are_rare(text: str, cost: int):
    assert compile(text).evaluate("gpu.example.com", Device(name="gpu-0")) == (True, cost)
