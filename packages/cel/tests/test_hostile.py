"""No selector takes long or much memory, and none ends in a traceback."""

import re
import sys
import time
import tracemalloc

import pytest

from kschedlab.objects.devices import Device, DeviceAttribute
from kube_cel import CelError, UnsupportedError, compile, device, expression, regex

NESTED = "[1,2,3,4,5,6,7,8,9,10].all(x, " * 8 + "true" + ")" * 8
HUGE = "cel.bind(a, lists.range(100000), cel.bind(b, [" + ", ".join(["a"] * 2000) + "], b == b))"
DOUBLED = "".join(f"cel.bind(v{i + 1}, v{i} + v{i}, " for i in range(40))

HOSTILE = {
    "brackets in a short text": "[" * 100 + "]" * 100 + " == []",
    "negations in a short text": "!(" * 60 + "true" + ")" * 60,
    "parentheses": "(" * 5000 + "true" + ")" * 5000,
    "brackets": "[" * 5000,
    "operators": "1" + " + 1" * 3000 + " > 0",
    "negations": "!" * 10000 + "true",
    "fields": "device" + ".a" * 4000,
    "ternaries": "true ? true : " * 600 + "true",
    "and": "true" + " && true" * 1200,
    "quotes": '"' * 10001,
    "text": '"' + "a" * 10000 + '" == "b"',
    "digits": "9" * 10000 + " > 0",
    "loops": NESTED,
    "optMap": "device.?driver" + ".optMap(a, a)" * 30 + ".hasValue()",
    "comparison of lists of lists": HUGE,
    "doubled lists": f"cel.bind(v0, [1], {DOUBLED}v40.size() > 0)" + ")" * 40,
    "doubled texts": f"cel.bind(v0, 'a', {DOUBLED}v40.size() > 0)" + ")" * 40,
    "replace": "'" + "a" * 4000 + "'.replace('a', '" + "b" * 4000 + "').size() > 0",
    "flatten": "cel.bind(a, lists.range(100000), [" + ", ".join(["a"] * 1000) + "].flatten().size() > 0)",
    "digits of a format": "'%.999999999f'.format([1.5]) == ''",
    "a pattern that backtracks": "'" + "a" * 3000 + "'.matches('(a*)*b')",
    "a pattern of patterns": "'a'.matches('" + "(" * 900 + "a" + ")*" * 900 + "')",
    "counts": "'a'.matches('((a{1,10}){1,10}){1,10}')",
    "counts of counts": "'a'.matches('((a{100}){100}){100}')",
    "a class of everything": "'" + "ab" * 2000 + "'.findAll('(a|b|[^c])*?c').size() == 0",
    "surrogates": "'\ud800' == 'a'",
    "a null byte": "'\0' == 'a'",
    "sorting": "lists.range(700).sortBy(x, -x).size() > 0",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile(name: str):
    tracemalloc.start()
    began = time.process_time()
    try:
        expression = compile(HOSTILE[name])
        assert expression.highest_cost >= 0
        expression.evaluate("gpu.example.com", Device(name="d"))
    except CelError as error:
        assert str(error)
    finally:
        seconds = time.process_time() - began
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert seconds < 60 and most < 500_000_000


def test_what_is_beyond_the_limits_here_says_so():
    for name in ("doubled texts", "replace", "flatten", "digits of a format", "optMap"):
        with pytest.raises(UnsupportedError):
            compile(HOSTILE[name]).evaluate("gpu.example.com", Device(name="d"))


def test_a_format_has_up_to_a_thousand_digits():
    assert compile("'%.1000f'.format([1.5]).size() == 1002").matches("gpu.example.com", Device(name="d"))
    with pytest.raises(UnsupportedError):
        compile("'%.1001f'.format([1.5]) == ''")


def test_the_cost_limit():
    with pytest.raises(CelError, match=r"^operation cancelled: actual cost limit exceeded$"):
        compile(NESTED).evaluate("gpu.example.com", Device(name="d"))


def test_steps_of_deep_expressions():
    before = sys.getrecursionlimit()
    for name in ("brackets in a short text", "negations in a short text", "and"):
        assert compile(HOSTILE[name]).steps("gpu.example.com", Device(name="d"))
    assert sys.getrecursionlimit() == before


def test_what_is_remembered_has_a_bound(monkeypatch):
    for module, name in ((device, "_KEPT_DEVICES"), (expression, "_KEPT_OUTCOMES"), (regex, "_CACHE_LIMIT")):
        monkeypatch.setattr(module, name, 3)
    selector = compile("device.attributes['a.b'].?n.orValue(0) > 2")
    devices = [Device(name="d", attributes={"n": DeviceAttribute(intValue=number)}) for number in range(9)]
    for _ in range(2):
        assert [selector.matches("a.b", each) for each in devices] == [number > 2 for number in range(9)]
    assert len(expression._outcomes) <= 3 and len(device._devices) <= 3
    pattern = regex.Regex("^(a|b)+c?$")
    for text in ("a", "abc", "abcd", "x", "bbbbc", ""):
        assert pattern.search(text) == bool(re.search("^(a|b)+c?$", text))
        assert len(pattern._closures) <= 4 and len(pattern._moves) <= 4


def test_patterns_that_go_knows_and_we_do_not_say_so():
    for pattern in (r"\p{Latin}", "(?:" * 1001 + "a" + ")" * 1001):
        with pytest.raises(UnsupportedError):
            compile(f"'a'.matches(r'{pattern}')").matches("gpu.example.com", Device(name="d"))
    assert compile(f"'a'.matches('{'(?:' * 999}a{')' * 999}')").matches("gpu.example.com", Device(name="d"))
