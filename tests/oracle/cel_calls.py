"""Calls of each function of CEL, in each of its forms, with arguments of its types."""

import json
import random
import re
from collections.abc import Mapping

from kube_cel.kinds import BOOL, DYN, Type, list_of, parse
from kube_cel.signatures import Overload, overloads

D = 'device.attributes["gpu.example.com"]'
C = 'device.capacity["gpu.example.com"]'
# What an argument of this type may be.
VALUES = {
    "bool": ["true", "false", D + ".healthy"],
    "bytes": ["b''", "b'abc'", r"b'\xff\x00'", "b'é'"],
    "double": ["0.0", "1.5", "-2.5", "1e19", "-1e19", "1e-7", "123456789.0", "double('NaN')", "double('-inf')"],
    "duration": ["duration('1h')", "duration('-90s')", "duration('1.5ms')", "duration('0')", "duration('2562047h')"],
    "int": ["0", "1", "2", "3", "-1", "64", "9223372036854775807", "-9223372036854775808", D + ".index"],
    "uint": ["0u", "1u", "2u", "18446744073709551615u"],
    "timestamp": [
        "timestamp('2026-03-02T23:45:10.250Z')",
        "timestamp('0001-01-01T00:00:00Z')",
        "timestamp('9999-12-31T23:59:59.999999999Z')",
        "timestamp('2024-02-29T12:00:00+05:30')",
    ],
    "string": ["''", "'a'", "'abc'", "'a,b,,c'", "'ÄÖÜ😀'", "' x\\t'", "'10'", "'true'", "'1.5'"]
    + [D + ".model", "device.driver"],
    "net.IP": ["ip('10.0.0.1')", "ip('127.0.0.1')", "ip('fe80::1')", "ip('::')", "ip('224.0.0.9')"]
    + ["ip('2001:db8::1')"],
    "net.CIDR": ["cidr('10.0.0.0/8')", "cidr('10.1.2.3/16')", "cidr('fe80::/10')", "cidr('::/0')"]
    + ["cidr('10.0.0.1/32')"],
    "kubernetes.Quantity": ["quantity('1Gi')", "quantity('500m')", "quantity('-3k')", "quantity('0')", C + ".memory"]
    + ["quantity('9223372036854775807')", "quantity('1e3')", "quantity('12345678901Ki')"],
    "kubernetes.Semver": ["semver('1.2.3')", "semver('1.2.3-rc.1')", "semver('v1.2', true)", D + ".driverVersion"],
    "kubernetes.URL": [
        "url('https://u:p@example.com:8443/a%20b/c?x=1&x=2&y=%2F#f')",
        "url('http://[::1]:80/')",
        "url('/path')",
        "url('mailto:x@y.z')",
    ],
    "kubernetes.NamedFormat": ["format.uuid()", "format.dns1123Label()", "format.date()"],
}
# What texts mean to these functions.
TEXTS = {
    "bool": ["'true'", "'f'", "'1'", "'TRUE'", "'tRUE'", "'yes'"],
    "double": ["'1.5'", "'1e400'", "'-Inf'", "'0x1p4'", "'1_0'", "' 1'"],
    "duration": ["'1h30m'", "'-1.5us'", "'1d'", "'.5s'", "'100000000h'", "'1'"],
    "int": ["'-42'", "'9223372036854775808'", "'0x10'", "'1.0'", "'+7'"],
    "uint": ["'42'", "'-1'", "'18446744073709551616'"],
    "timestamp": ["'2026-03-02T23:45:10Z'", "'2026-02-30T00:00:00Z'", "'2026-03-02 23:45:10Z'"]
    + ["'2026-03-02T24:00:00Z'"],
    "ip": ["'10.0.0.1'", "'::1'", "'::ffff:10.0.0.1'", "'fe80::1%eth0'", "'10.0.0.01'", "'1::2::3'", "'FE80::1'"],
    "cidr": ["'10.0.0.0/8'", "'10.0.0.0/33'", "'::/129'", "'10.0.0.0/08'", "'::ffff:10.0.0.0/100'", "'10.0.0.0'"],
    "quantity": ["'1Gi'", "'1.5.2'", "'12e6'", "'1E'", "'1Ei'", "'-0.5'", "'1 Gi'", "'.5Mi'"],
    "semver": ["'1.2.3-a.1+b'", "'1.02.3'", "'v1.2.3'", "'1.2'", "'1.2.3-01'", "'1.2.3.4'"],
    "url": ["'https://a.b/c?d=e'", "'a b'", "'https://a:x/'", "'/x'", "'https://[::1'", "'//a/b'"],
    "zone": ["'UTC'", "'+05:30'", "'-02:15'", "'05:30'", "'-00:30'", "''"],
    "pattern": ["'a+'", "'(a)(b)?'", "'[a-c]{2}'", "'('", "'^$'", "''"],
    "format": ["'%s|%d'", "'%.3f'", "'%x %X'", "'%o %b'", "'%e'", "'%%'", "'%'", "'%s'", "'%.1e'"],
    "validate": ["'abc'", "'A_b'", "'2026-03-02'", "'123e4567-e89b-12d3-a456-426614174000'", "'-a'", "'a' + 'b'"],
    "format.named": ["'uuid'", "'dns1123Label'", "'uri'", "'missing'"],
}
MEANT = {"isIP": "ip", "ip.isCanonical": "ip", "containsIP": "ip", "isCIDR": "cidr", "containsCIDR": "cidr"}
MEANT |= {"isQuantity": "quantity", "isSemver": "semver", "isURL": "url"}
MEANT |= dict.fromkeys(("matches", "find", "findAll"), "pattern")
OF_SECOND = ("matches", "find", "findAll", "validate", "containsIP", "containsCIDR")
OPERATORS = {"!_": "!{}", "-_": "-{}", "_?_:_": "({} ? {} : {})", "_[_]": "{}[{}]", "_[?_]": "{}[?{}]"}
OPERATORS["@in"] = "({} in {})"
MACROS = ["{list}.sortBy(x, {key})", "{list}.map(x, [x, x]).flatten()", "{list}.all(x, x == {value})"]
MACROS += ["{list}.exists(x, x == {value})", "{list}.exists_one(i, x, x == {value})", "{list}.filter(x, x != {value})"]
MACROS += ["{list}.transformList(i, x, i > 0, x)", "{list}.transformMap(i, x, x)", "cel.bind(x, {list}, x + x)"]
MACROS += ["{list}.transformMapEntry(i, x, {{i: x}})", "{list}.map(x, x != {value}, [x])"]
MACROS += ["{list}.first().optMap(x, [x])"]
MACROS += ["{list}.last().optFlatMap(x, optional.of(x))", "[?{list}.first(), ?optional.none()]"]
MACROS += ["{{?'a': {list}.last()}}"]
SHOWN = {"net.IP": "string({})", "net.CIDR": "string({})", "kubernetes.Quantity": "{}.asApproximateFloat()"}
SHOWN |= {"kubernetes.Semver": "[{0}.major(), {0}.minor(), {0}.patch()]", "kubernetes.URL": "{}.getHost()"}
SHOWN |= {"optional_type": "optional.unwrap([{}])", "kubernetes.NamedFormat": "{}.validate('a').hasValue()"}


LEAVES = [
    "a",
    "A",
    "b",
    "z",
    "1",
    "_",
    "é",
    ".",
    "^",
    "$",
    "\\d",
    "\\D",
    "\\w",
    "\\W",
    "\\s",
    "\\S",
    "\\b",
    "\\B",
    "\\A",
    "\\z",
]
LEAVES += [
    "[a-z]",
    "[^a-z]",
    "[]a]",
    "[a-]",
    "[^\\d]",
    "[\\w-]",
    "[[:digit:]]",
    "[[:^upper:]b]",
    "[z-a]",
    "[",
    "\\pL",
    "\\PL",
]
LEAVES += [
    "\\p{Lu}",
    "\\p{^Lu}",
    "\\pX",
    "\\x41",
    "\\x{1F600}",
    "\\x4",
    "\\x{110000}",
    "\\x{10FFFF}",
    "\\x{g",
    "\\101",
    "\\n",
    "\\t",
    "\\Qa.\\E",
    "\\C",
    "\\8",
    "\\q",
    "\\.",
]
LEAVES += ["[\\x41-\\x43]", "[\\n\\t]", "[[:foo:]]", "[a\\]]", "", "K", "\\Z", "\\"]
PATTERNS = [
    "@@",
    "@@",
    "@|@",
    "(@)",
    "(?:@)",
    "(?P<n>@)",
    "(?<n>@)",
    "(?i)@",
    "(?s:@)",
    "(?m:@)",
    "(?U:@)",
    "(?i-s:@)",
    "@*",
    "@+",
    "@?",
]
PATTERNS += [
    "@*?",
    "@+?",
    "@??",
    "@{2}",
    "@{1,}",
    "@{0,2}",
    "@{2,1}",
    "@{1001}",
    "@**",
    "(?x:@)",
    "(?P<n@)",
    "(@",
    "@)",
    "{@",
    "@{,2}",
]
PATTERNS += ["(?=@)", "(?i@)", "^@$", "(?-i:@)", "(@)(?P<n>@)(?P<n>@)"]


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


class Caller:
    """Writes calls of each function, each form of it with arguments of its types."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.made: dict[str, list[tuple[str, Overload]]] = {}
        for name, forms in overloads().items():
            for form in forms:
                if name in OPERATORS or "@" not in name and "?" not in name and "uthoriz" not in f"{form}":
                    self.made.setdefault(form.result.name, []).append((name, form))

    def mixed(self, each: int) -> list[str]:
        """Calls with one argument of any other type, which only shows when they run, and patterns of all sorts."""
        written = []
        for name, form in [row for rows in self.made.values() for row in rows for _ in range(each)]:
            if form.args:
                place = self.rng.randrange(len(form.args))
                other = parse(self.rng.choice([kind for kind in VALUES if kind != form.args[place].name]))
                written.append(self.shown(self.call(name, form, 0, {place: f"dyn({self.value(other, '', 0)})"}), DYN))
        for operator in ("+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "in"):
            written += [
                self.shown(
                    f"(dyn({self.rng.choice(VALUES[one])}) {operator} dyn({self.rng.choice(VALUES[other])}))", DYN
                )
                for one in VALUES
                for other in VALUES
            ]
        for _ in range(100 * each):
            pattern, text = (
                self.pattern(3),
                "".join(self.rng.choices("aAbBzZ019_- .\\n\té😀K", k=self.rng.randint(0, 6))),
            )
            written.append(f"{_quoted(text)}.matches({_quoted(pattern)})")
            written.append(f"{_quoted(text)}.findAll({_quoted(pattern)}).join('|') == {_quoted(text)}")
        return written

    def pattern(self, depth: int) -> str:
        """A pattern in RE2's syntax, or nearly."""
        row = self.rng.choice(PATTERNS if depth else LEAVES)
        return re.sub("@", lambda _: self.pattern(depth - 1), row)

    def kind(self) -> Type:
        return parse(self.rng.choice(["int", "string", "double", "duration", "bool"]))

    def all(self, each: int) -> list[str]:
        rows = [(name, form) for made in self.made.values() for name, form in made for _ in range(each)]
        written = [self.shown(self.call(name, form), form.result) for name, form in rows]
        for macro in MACROS * each:
            kind = self.kind()
            value, key = self.value(kind, "", 0), self.value(kind, "", 0)
            text = macro.format(list=self.value(list_of(kind), "", 1), value=value, key=key)
            written.append(self.shown(text, BOOL if ".all(" in macro or ".exists" in macro else DYN))
        return written

    def shown(self, text: str, kind: Type) -> str:
        """An expression whose verdict or error tells the value."""
        if kind.name == "bool":
            return text
        text = SHOWN.get(kind.name, "{}").format(text)
        return f"{{'': 1}}['%s'.format([{text}])] == 1"

    def call(self, name: str, form: Overload, depth: int = 1, given: Mapping[int, str] = {}) -> str:
        """``given``: arguments by place."""
        kinds = {each: self.kind() for each in "ABKTV"}
        args = [self.value(kind, self.meaning(name, form, place), depth, kinds) for place, kind in enumerate(form.args)]
        args = [given.get(place, text) for place, text in enumerate(args)]
        if name in OPERATORS:
            return OPERATORS[name].format(*args)
        if name.startswith("_"):
            return f"({args[0]} {name.strip('_')} {args[1]})"
        if form.member:
            return f"{args[0]}.{name}({', '.join(args[1:])})"
        return f"{name}({', '.join(args)})"

    def meaning(self, name: str, form: Overload, place: int) -> str:
        """What the text at this place means, if it is one that has a meaning."""
        if form.id.endswith("tz"):
            return "zone"
        return MEANT.get(name, name) if place == (name in OF_SECOND) else ""

    def value(self, kind: Type, meaning: str, depth: int, kinds: dict[str, Type] | None = None) -> str:
        kind = (kinds or {}).get(kind.name, kind)
        pick = self.rng.choice
        if kind.name == "string" and meaning in TEXTS and self.rng.random() < 0.8:
            return pick(TEXTS[meaning])
        if kind.name in ("list", "optional_type", "map"):
            inner = [self.value(each, "", 0, kinds) for each in kind.params * 4]
            if kind.name == "list":
                return f"[{', '.join(inner[: self.rng.randint(0, 4)])}]"
            if kind.name == "map":
                return f"{{{inner[0]}: {inner[1]}}}"
            return pick([f"optional.of({inner[0]})", f"optional.of({inner[0]})", "optional.none()"])
        if depth and self.rng.random() < 0.3 and kind.name in self.made:
            return self.call(*pick(self.made[kind.name]), depth - 1)
        return pick(VALUES.get(kind.name) or VALUES[pick(["int", "string", "double", "bool", "duration", "bytes"])])


WRITTEN = [
    r"""'a\n\t\"\'\\\x41\u00e9\U0001F600\101' == "" && r'\d' != R"\d" || b'\xff' == B"a" """,
    "'''a'b''' == \"\"\"a\"b\"\"\" || r'''\\''' != ''",
    "1 + 2 * 0x1F - -3 / 4 % 5 == 6 ? 1.5e3 < .5 : 1e-7 >= 2.0",
    "!true || !!false && -(1) != --1 && null == null // the end\n",
    "[1, 2, 3,][0] in [1] && {'a': 1, 'b': 2,}['a'] == 1 && {?'a': optional.of(1)}.?a.hasValue()",
    "[?optional.of(1)].exists(x, x > 0) && has({'a': 1}.a) && cel.bind(x, 1, x == 1) && [1].all(i, x, i < x)",
    "type(1) == int && (1 > 2) == false && [[1]][?0].orValue([]).size() == 1 && \"a\".startsWith('a')",
    "device.attributes['a.b'].`c-d` == 1 && device.driver.matches('^[a-z]+$') && .device.driver != ''",
]
SLIPS = ["", "", *" ()[]{},.:?!-=&|\"'\\0xue/\n`_é@+", "in", "&&", "1.", "0x", "b'", "\\u12", "\x00"]


def slips(rng: random.Random, count: int) -> list[str]:
    """Expressions with all that one can write, cut off or with a slip of the pen."""
    made = []
    for number in range(count):
        text = rng.choice(WRITTEN)
        at = rng.randrange(len(text))
        made.append(text[:at] if number % 3 == 0 else text[:at] + rng.choice(SLIPS) + text[at + rng.randint(0, 1) :])
    return made
