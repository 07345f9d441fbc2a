"""Random selectors of devices, and a comparison with the real ones (cel_1_37).

    python -m tests.oracle.cel PROGRAMS/cel_1_37 --count 20000 --seed 2
    python -m tests.oracle.cel PROGRAMS/cel_1_37 --expressions FILE --record packages/cel/tests/data/vectors.jsonl.gz
    python -m tests.oracle.cel PROGRAMS/cel_1_37 --calls 12 --record packages/cel/tests/data/functions.jsonl.gz
    python -m tests.oracle.cel PROGRAMS/cel_1_37 --mixed 4 --record packages/cel/tests/data/mixed.jsonl.gz
    python -m tests.oracle.cel PROGRAMS/cel_1_37 --slips 1500 --record packages/cel/tests/data/slips.jsonl.gz

Verdicts, costs and messages are compared; of syntax errors the first one, after which the real parser goes on. Not
compared is, with ``--calls`` and ``--slips``, why a text is no address or URL, which kube_cel.network may say
shorter. The cost of a loop over a map with several keys depends on Go's order of them.
"""

import argparse
import gzip
import json
import random
import re
import subprocess
import sys
from collections import Counter

import msgspec

from kschedlab.manifests.schema import decode_value
from kschedlab.objects.devices import Device
from kube_cel import CelError, UnsupportedError, compile
from tests.oracle.cel_calls import Caller, slips

D = 'device.attributes["gpu.example.com"]'
C = 'device.capacity["gpu.example.com"]'
# Parts in braces are replaced; $x is a new variable for the rest of the line.
GRAMMAR = {
    "name": ["index", "big", "zero", "model", "empty", "uni", "healthy", "off", "driverVersion", "fw", "missing"]
    + ["ids", "tags", "flags", "fws"],
    "literal": ["0", "1", "2", "3", "-1", "9223372036854775807", "-9223372036854775808", "0x1F"],
    "text": ['"a100"', '"t4"', '""', '"a"', '"gpu.example.com"', '"héllo"', '"1.2.3"', '"%s-%d"', '"10.0.0.0/8"']
    + ['"a,b,c"', '" x "', "'q\\'q'", 'r"\\d+"', '"😀"'],
    "pattern": ['"a"', '"^a[0-9]+$"', '"(a|b)*c"', '"[[:alpha:]]+"', '"(?i)A"', '"\\\\d{2,3}"', '".*"', '"a??b"', '"("']
    + ['"x{2,1}"', '"\\\\bA"', '"[^a-z]+"', '"(?P<n>a)"', "device.driver", '"a*"', '"\\\\pL+"', '"^$"', '"(a+)+$"'],
    "attribute": [D + ".{name}", 'device.attributes["missing.example.com"].{name}', D + '["{name}"]', D + ".{name}"]
    + [D + ".?{name}.orValue({literal})", "device.attributes[device.driver].{name}"],
    "any": [
        "{attribute}",
        "{int}",
        "{str}",
        "{bool}",
        "dyn({int})",
        "{var}",
        "null",
        "{double}",
        "{list}",
        "type({any})",
    ]
    + ['{{"a": {int}}}', "{attribute}"],
    "double": ["1.5", "0.0", "-2.5", "1e3", "1e-7", "{double} + {double}", "{double} / {double}", "double({any})"]
    + ["{quantity}.asApproximateFloat()"],
    "int": ["{literal}", D + ".index", D + ".big", "{var}", "({int} + {int})", "({int} - {int})", "({int} * {int})"]
    + ["({int} / {int})", "({int} % {int})", "-{int}", "size({str})", "{list}.size()", "int({any})", "{list}[{int}]"]
    + ["({bool} ? {int} : {int})", "{quantity}.compareTo({quantity})", "{version}.major()", "{quantity}.asInteger()"]
    + ["{list}.sum()", "{list}.max()", "{list}.min()", "{str}.indexOf({str})", "{str}.lastIndexOf({str}, 1)"]
    + ["{list}.indexOf({int})", D + ".?missing.orValue({int})", "cel.bind($x, {any}, {int})", "uint({int})"]
    + ["{list}.first().orValue({int})", "optional.of({int}).value()", 'duration("90s").getMinutes()'],
    "str": ["{text}", D + ".model", "device.driver", "({str} + {str})", "string({any})", "{str}.lowerAscii()"]
    + ["{str}.trim()", "{str}.substring({int})", "{str}.charAt({int})", "{str}.replace({str}, {str})", "{texts}.join()"]
    + ["({bool} ? {str} : {str})", '"%s".format([{any}])', '"%d-%s".format([{int}, {any}])', '"%.2f".format([{any}])']
    + ['{texts}.join("-")', "{str}.find({pattern})", "strings.quote({str})", "{texts}[{int}]"]
    + ["cel.bind($x, {any}, {str})", D + ".?model.optMap($x, $x + {str}).orValue({str})"],
    "texts": ["[{str}, {str}]", "[]", "{str}.split({str})", "{str}.split({str}, 2)", "{str}.findAll({pattern})"]
    + [D + ".tags"],
    "list": ["[{int}, {int}, {int}]", "[{int}]", "[]", "({list} + {list})", "{list}.map($x, {int})"]
    + ["{list}.filter($x, {bool})", "{list}.map($x, {bool}, {int})", "{list}.sortBy($x, {int})", "{list}.reverse()"]
    + ["{list}.transformList(i_, $x, {int})", "{list}.distinct()", "{list}.sort()", "{list}.slice({int}, {int})"]
    + ["lists.range(4)", "[{list}].flatten()", "[?" + D + ".?index, 1]", D + ".ids"],
    "quantity": ['quantity("1Gi")', 'quantity("500m")', 'quantity("9223372036854775807")', 'quantity("abc")']
    + [C + ".memory", C + ".cores", "{quantity}.add({quantity})", "{quantity}.sub({int})", "quantity({str})"],
    "version": [D + ".driverVersion", D + ".fw", 'semver("1.2.3")', 'semver("1.2.3-rc.1")', 'semver("v1.2", true)']
    + ["semver({str})", D + ".fws[{int}]"],
    "order": ["<", "<=", ">", ">="],
    "bool": ["true", "false", "device.allowMultipleAllocations", D + ".healthy", "has(" + D + ".{name})"]
    + ["{attribute} == {text}", "({bool} && {bool})", "({bool} || {bool})", "!{bool}", "({int} {order} {int})"]
    + ["({any} == {any})", "({any} != {any})", "({any} {order} {any})", "({str} {order} {str})", "({int} == {int})"]
    + ["({bool} ? {bool} : {bool})", "{str}.startsWith({str})", "{str}.contains({str})", "{str}.matches({pattern})"]
    + ["{int} in {list}", "{str} in {texts}", "{text} in " + D, "{text} in device.attributes", "{list}.all($x, {bool})"]
    + ["{list}.exists($x, {bool})", "{list}.exists_one($x, {bool})", "{list}.all(k_, $x, {bool})", "{list}.isSorted()"]
    + ["{texts}.exists($x, {bool})", "{quantity}.isLessThan({quantity})", "{version}.isGreaterThan({version})"]
    + ["{quantity}.isInteger()", "isQuantity({str})", "isSemver({str})", "isIP({str})", "isCIDR({str})", "isURL({str})"]
    + [D + ".?{name}.hasValue()", "cel.bind($x, {any}, {bool})", "sets.contains({list}, {list})", "bool({any})"]
    + ["cidr({str}).containsIP({str})", "{any}.includes({any})", "optional.ofNonZeroValue({any}).hasValue()"],
}
_LEAVES = {key: [row for row in rows if "{" not in row and "$" not in row] or rows[:1] for key, rows in GRAMMAR.items()}
_PART = re.compile(r"\{\{|\}\}|\{(\w+)\}|\$x")


class Writer:
    """Writes random expressions."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.variables: list[str] = []

    def write(self, kind: str, depth: int) -> str:
        if kind == "var":
            return self.rng.choice(self.variables or ["1"])
        if self.rng.random() < 0.05 and kind in ("int", "str", "bool", "any"):
            kind = self.rng.choice(["int", "str", "bool", "list", "any", "double"])
        row = self.rng.choice((GRAMMAR if depth > 0 else _LEAVES)[kind])
        count, name = len(self.variables), ""

        def replaced(match: re.Match) -> str:
            nonlocal name
            if match.group() in ("{{", "}}"):
                return match.group()[0]
            if match[1]:
                return self.write(match[1], depth - 1)
            name = name or self.rng.choice(["x", "y", "z", "device"])
            self.variables.append(name)
            return name

        text = _PART.sub(replaced, row)
        del self.variables[count:]
        return text


def device(rng: random.Random) -> dict:
    values = {
        "index": {"int": rng.randint(0, 8)},
        "big": {"int": rng.choice([2**63 - 1, -(2**63), 2**53 + 1])},
        "zero": {"int": 0},
        "model": {"string": rng.choice(["a100", "t4", "H100-80GB", "v1.2", "10.0.0.1", "3"])},
        "empty": {"string": ""},
        "uni": {"string": rng.choice(["héllo€", "😀x", "Kelvin"])},
        "healthy": {"bool": rng.random() < 0.5},
        "off": {"bool": False},
        "driverVersion": {"version": rng.choice(["1.2.3", "2.0.0-alpha.1+b5", "1.2.3-rc.1", "10.20.30+x"])},
        "fw": {"version": "0.0.1"},
        "ids": {"ints": rng.sample(range(9), rng.randint(1, 4))},
        "tags": {"strings": rng.sample(["a100", "t4", "a", "", "1.2.3", "😀"], rng.randint(1, 4))},
        "flags": {"bools": rng.sample([True, False], rng.randint(1, 2))},
        "fws": {"versions": rng.sample(["0.0.1", "1.2.3", "1.2.3-rc.1"], rng.randint(1, 3))},
    }
    amounts = {"memory": ["40Gi", "80Gi", "1500M", "1536Mi"], "cores": ["108", "0", "500m", "1e3"]}
    return {
        "name": "d",
        "attributes": {name: value for name, value in values.items() if rng.random() < 0.8},
        "capacity": {name: {"value": rng.choice(texts)} for name, texts in amounts.items() if rng.random() < 0.8},
        "allowMultipleAllocations": rng.random() < 0.5,
    }


def questions(seed: int, count: int) -> list[dict]:
    rng = random.Random(seed)
    made = []
    while len(made) < count:
        expression = Writer(rng).write("bool", rng.randint(1, 5))
        if len(expression) > 1500:
            continue
        if rng.random() < 0.05:  # a slip of the pen
            at = rng.randrange(len(expression))
            expression = expression[:at] + rng.choice(["", "(", ")", '"', ".", "?", "1", "!"]) + expression[at + 1 :]
        driver = rng.choice(["gpu.example.com", "gpu.example.com", "nic.example.com"])
        made.append({"expression": expression, "driver": driver, "device": device(rng)})
    return made


def ask(program: str, asked: list[dict]) -> list[dict]:
    """The real answers."""
    text = "".join(json.dumps(question) + "\n" for question in asked)
    done = subprocess.run([program], input=text, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.split("\n") if line]


def record(path: str, asked: list[dict], real: list[dict]) -> None:
    """Write the questions with the real answers to this file."""
    with gzip.GzipFile(path, "wb", mtime=0) as file:
        for question, truth in zip(asked, real, strict=True):
            file.write(msgspec.json.encode([question, truth]) + b"\n")


def answer(question: dict) -> dict:
    """Our answer in the same form."""
    try:
        expression = compile(question["expression"])
    except UnsupportedError as error:
        return {"unsupported": str(error)}
    except CelError as error:
        return {"compile": str(error)}
    result: dict = {"type": str(expression.kind), "maxCost": expression.highest_cost}
    try:
        matches, cost = expression.evaluate(
            question["driver"], msgspec.convert(question["device"], Device, dec_hook=decode_value)
        )
    except UnsupportedError as error:
        return {"unsupported": str(error)}
    except CelError as error:
        return result | {"error": str(error), "cost": error.cost}
    return result | ({"matches": True} if matches else {}) | {"cost": cost}


def _without_reason(error: str | None) -> str | None:
    """The message without Go's reason why a text is no address or URL."""
    return (
        re.sub(r"(parse error during conversion from string: )(?!IP|IPv4-mapped).*", r"\1", error) if error else error
    )


def _first_slip(errors: str) -> str:
    """The first syntax error with its place; empty if there is none."""
    return next((error for error in re.split("(?:\n|^.*?)ERROR: ", errors) if "Syntax error: " in error), "")


def difference(real: dict, ours: dict, costs: bool = True, *, reasons: bool = True) -> str:
    """What is different: ``verdict``, ``highest cost``, ``message`` or ``cost``; empty if nothing is.

    Without ``reasons``, why a text is no address or URL may be said in other words.
    """
    if "unsupported" in ours:
        return "unsupported"
    if "compile" in real or "compile" in ours:
        if ("compile" in real) != ("compile" in ours):
            return "verdict"
        same = real["compile"] == ours["compile"] or _first_slip(real["compile"]) == _first_slip(ours["compile"]) != ""
        return "" if same else "message"
    error = real.get("enhanced") or real.get("error")
    if (error is None) != ("error" not in ours) or real.get("matches") != ours.get("matches"):
        return "verdict"
    if real.get("maxCost", 0) != ours["maxCost"]:
        return "highest cost"
    messages = [error, ours.get("error")]
    if not reasons:
        messages = [_without_reason(each) for each in messages]
    if messages[0] != messages[1] or real["type"] != ours["type"]:
        return "message"
    unknown = error is not None and ("cost limit" in error or "internal error" in error)
    return "cost" if costs and not unknown and real.get("cost", 0) != (ours["cost"] or 0) else ""


def compared(asked: list[dict], real: list[dict], *, reasons: bool) -> int:
    """Print how many are answered the same, and the first of those that are not. 1 if there are any."""
    kinds = Counter()
    for question, truth in zip(asked, real, strict=True):
        ours = answer(question)
        kind = difference(truth, ours, reasons=reasons)
        kinds[kind or "same"] += 1
        if kind and kinds[kind] <= 5:
            print(kind, json.dumps(question, ensure_ascii=False), f"\n  real {truth}\n  ours {ours}")
    others = ", ".join(f"{number:,} with another {kind}" for kind, number in kinds.items() if kind != "same")
    print(f"{len(asked):,} expressions, {kinds['same']:,} answered the same; {others or 'no other'}")
    return int(kinds["same"] != len(asked))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--expressions", help="a file with an expression a line, asked for four devices each")
    parser.add_argument("--calls", type=int, default=0, help="instead: so many calls of each form of each function")
    parser.add_argument(
        "--mixed", type=int, default=0, help="instead: so many calls of each form with a wrong argument"
    )
    parser.add_argument("--slips", type=int, default=0, help="instead: so many expressions with a slip of the pen")
    parser.add_argument("--record", help="write the questions with the real answers to this file")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    if options.calls or options.slips or options.mixed:
        mixed = Caller(rng).mixed(options.mixed) if options.mixed else []
        texts = [*Caller(rng).all(options.calls), *mixed, *slips(rng, options.slips)]
        one = device(random.Random(options.seed))
        asked = [{"expression": e, "driver": "gpu.example.com", "device": one} for e in dict.fromkeys(texts)]
    else:
        asked = questions(options.seed, options.count)
    if options.expressions:
        rng = random.Random(options.seed)
        devices = [device(rng) for _ in range(4)]
        with open(options.expressions, encoding="utf-8") as lines:
            written = [line.rstrip("\n") for line in lines]
        asked += [{"expression": e, "driver": "gpu.example.com", "device": d} for e in written for d in devices]
    real = ask(options.program, asked)
    if options.record:
        record(options.record, asked, real)
    return compared(asked, real, reasons=not (options.calls or options.slips))


if __name__ == "__main__":
    sys.exit(main())
