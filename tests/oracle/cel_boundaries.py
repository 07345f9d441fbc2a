r"""Selectors at the boundaries of quantities, versions, literals, patterns, nesting, sizes and costs.

python -m tests.oracle.cel_boundaries PROGRAMS/cel_1_37 packages/cel/tests/data/boundaries.jsonl.gz
"""

import sys
from collections.abc import Iterator

from tests.oracle.cel import ask, compared, record

D = 'device.attributes["gpu.example.com"]'
C = 'device.capacity["gpu.example.com"]'
DEVICE = {
    "name": "d",
    "attributes": {
        "index": {"int": 3},
        "model": {"string": "a100"},
        "healthy": {"bool": True},
        "nic.example.com/index": {"int": 7},
        "driverVersion": {"version": "1.2.3-rc.1"},
    },
    "capacity": {"memory": {"value": "40Gi"}, "nic.example.com/memory": {"value": "1500m"}},
}
# Each attribute or capacity alone.
OTHERS = [
    {"allowMultipleAllocations": True}, {"attributes": {"v": {"version": "1.2"}}}, {"attributes": {"v": {}}},
    {"capacity": {"c": {"value": "9223372036854775807"}}},
]  # fmt: skip


def shown(value: str) -> str:
    """A selector whose message tells the value: what no map has as a key."""
    return f"{{'': 1}}[dyn({value})] == 1"


def text(size: int) -> str:
    return f"'{'a' * size}'"


def ints(size: int) -> str:
    return f"[{', '.join(map(str, range(size)))}]"


SUFFIXES = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"]
NUMBERS = ["1", "1.5", "-3", "0.1", "12345678901", "123456789012", "999999999999999999", "1234567890123456789"]
AMOUNTS = [
    "", "+", "-", ".", "+.", "Ki", "Ti", "Pi", "Ei", ".Pi", "+Ei", "n", ".n", "e-9", "e-10", ".e-10", "E", "e", "1e",
    "1E", "00", "0.0", "-0", "+0", "0.0Ki", "007", "-007.50", "1.", ".5", "-.5", "+.5", "1..", "1.2.3", "1 ", " 1",
    "1-", "1k1", "1Kii", "1i", "1K", "1ki", "1KI", "1ee3", "1e+3", "1e-3", "1E+3", "1E-3", "1e3k", "1ke3", "1e--3",
    "1e+", "0x1", "1_0", "1e9", "1e10", "1e17", "1e18", "1e19", "9e18", "1e63", "1e64", "-1e64", "1e-64", "1e-63",
    "1e-9", "1e-10", "1.1e-8", "1.1e-9", "0.1n", "-0.1n", "1.1n", "0.9n", "0.0000000001", "0.0000000015",
    "1.0000000001", "-1.0000000001", "0.0001u", "0.00011u", "0.000000001", "0.0000000009Ki", "0.5Ki", "0.0001Ki",
    "0.0000000000001Ki", "1.00000000001Ki", "-1.5Gi", "-0.1Ei", "8Ei", "7.9Ei", "7Ei", "-8Ei", "-9Ei", "16Ei",
    "9223372036854775807", "9223372036854775808", "-9223372036854775808", "9223372036854775808Ki",
    "-9223372036854775808Ki", "9223372036854775807Ki", "8191Pi", "8192Pi", "8193Pi", "0Ei", "00Pi", "12345678901Ki",
    "123456789012Ki", "12345678Mi", "123456789Mi", "12345Gi", "123456Gi", "12Ti", "123Ti", "1Pi", "012Ti",
    "123456789012345678", "1234567890123456789", "12345678901234567.8", "123456789012345678.9", "0123456789012345678",
    "100000000000000000k", "1000000000000000000k", "9.223372036854775807E", "9.3E", "10E", "922337203685477580k",
    "9223372036854775k", "9223372036854776k", "9223372036854775.807k", "9223372036854776M", "1.234567890",
    "1.2345678901", "0." + "0" * 17 + "1", "0." + "0" * 18 + "1", "1" * 40, "1" * 62 + "Ki", "1" * 64, "0" * 63 + "1",
    "0." + "1" * 62,
]  # fmt: skip
PAIRS = [
    ("1", "1"), ("0", "5"), ("5", "0"), ("0", "1e20"), ("1e-9", "1e18"), ("1e-9", "9e9"), ("1E", "8E"), ("8E", "2E"),
    ("9223372036854775807", "1"), ("9223372036854775807", "0"), ("-9223372036854775807", "-1"), ("9.2E", "1n"),
    ("-9223372036854775807", "-2"), ("1k", "1m"), ("1m", "1k"), ("500m", "500m"), ("1Ei", "7Ei"), ("7Ei", "1Ei"),
    ("123456789012345678", "1m"), ("12345678901234567", "1e-3"), ("1234567890123456", "1m"), ("1.5Gi", "1"),
    ("1Ki", "24"), ("0.1n", "0.1n"), ("-1", "1"), ("1e17", "9e18"), ("-9223372036854775808", "1"),
    ("1", "-9223372036854775808"), ("0.5Ki", "0"), ("0", "0.5Ki"), ("0.0", "1.5Ki"), ("0e3", "1k"), ("1k", "0e-3"),
    ("0m", "1"), ("1", "0m"),
]  # fmt: skip
INTS = ["0", "1", "-1", "9223372036854775807", "-9223372036854775808"]


def quantities() -> Iterator[str]:
    for each in [number + suffix for number in NUMBERS for suffix in SUFFIXES] + AMOUNTS:
        yield shown(f"quantity('{each}').asApproximateFloat()")
        yield shown(f"quantity('{each}').asInteger()")
        yield shown(f"string(isQuantity('{each}')) + string(sign(quantity('{each}')))")
    for smaller, larger in zip(SUFFIXES, SUFFIXES[1:], strict=False):
        yield shown(f"quantity('1{larger}').compareTo(quantity('1000{smaller}'))")
        yield shown(f"quantity('1{larger}').compareTo(quantity('1024{smaller}'))")
    for one, same in [
        ("0.1n", "1n"), ("1.1n", "2n"), ("-1.1n", "-2n"), ("0.0000000000001Ki", "1n"),
        ("1.00000000001Ki", "1024.000000011"),
        ("16Ei", "9223372036854775807"), ("-16Ei", "-9223372036854775807"), ("1e-64", "1n"), ("1.5Gi", "1536Mi"),
        ("9223372036854775808", "9223372036854775807"), ("1e64", "1e63"), ("0.0000000001", "1n"), ("1e-10", "1n"),
        ("999999999999999999.9", "1e18"), ("12345678901.1Ki", "12641975194726.4"), ("0", "-0"), ("1e3", "1k"),
    ]:  # fmt: skip
        yield f"quantity('{one}') == quantity('{same}')"
        for method in ("isLessThan", "isGreaterThan"):
            yield f"quantity('{one}').{method}(quantity('{same}'))"
    for one, other in PAIRS:
        for method in ("add", "sub"):
            result = f"quantity('{one}').{method}(quantity('{other}'))"
            yield shown(f"{result}.asInteger()")
            yield shown(f"{result}.asApproximateFloat()")
            yield f"{result} == quantity('{one}')"
    for one in ("0", "1500m", "9223372036854775807", "-2", "1e20", "-9223372036854775807"):
        for number in INTS:
            for method in ("add", "sub"):
                result = f"quantity('{one}').{method}({number})"
                yield shown(f"{result}.asInteger()")
                yield shown(f"{result}.asApproximateFloat()")
                yield f"{result}.add(1) == quantity('{one}')"
    yield "dyn(quantity('1')) == dyn(1) || quantity('1') != quantity('1')"
    yield "quantity('1').add(1) != quantity('2')"


VERSIONS = [
    "", "1", "1.2", "1.2.3", "v1.2.3", "v1", "vv1.2.3", "1.2.3.4", "01.2.3", "1.02.3", "1.2.03", "0.0.0", "00.0.0",
    "v01.002", "1.2.3-", "1.2.3+", "1.2.3-a", "1.2.3-a.", "1.2.3-a..b", "1.2.3-01", "1.2.3-0", "1.2.3-00", "1.2.3-0a",
    "1.2.3--", "1.2.3-a_b", "1.2.3+a", "1.2.3+a.", "1.2.3+01", "1.2.3+a_b", "1.2.3+a+b", "1.2.3-a+b", "1.2.3+a-b",
    "1.2.3-é", "1.2.3+é", "1.2.3-٣", "a.2.3", "1.b.3", "1.2.c", "1.2.", "..", "1..3", ".2.3", "-1.2.3", "+1.2.3",
    "1.2.3 ", " 1.2.3", "٣.2.3", "1.2-a", "1.2+b", "1-a", "18446744073709551615.0.0", "18446744073709551616.0.0",
    "0.18446744073709551616.0", "0.0.99999999999999999999", "0.0.100000000000000000000", "1.2.3-18446744073709551615",
    "1.2.3-18446744073709551616", "1.2.3-99999999999999999999", "1.2.3-100000000000000000000",
    "1.2.3-18446744073709551616a", "9223372036854775808.1.1", "0.9223372036854775807.0", "0a.2.3", "00a.2.3",
    "1.0-a.3", "1.00+a", "v", "v.1.2", "0.00", "000", "1.00.000", "1.2.03-rc.1", "1.2.0a", "1.2.00-a",
]  # fmt: skip
ORDER = [
    "1.2.3-0", "1.2.3-1", "1.2.3-2", "1.2.3-10", "1.2.3-a", "1.2.3-a.1", "1.2.3-a.b", "1.2.3-a.b.c", "1.2.3-b",
    "1.2.3", "1.2.3+b", "1.2.4-a", "1.3.0", "2.0.0",
]  # fmt: skip


def versions() -> Iterator[str]:
    for each in VERSIONS:
        for normalize in ("", ", true", ", false"):
            version = f"semver('{each}'{normalize})"
            yield shown(f"{version}.major()")
            yield f"isSemver('{each}'{normalize}) && {version}.minor() >= 0"
        yield shown(f"string(semver('{each}', true).minor()) + '.' + string(semver('{each}', true).patch())")
    for one, other in zip(ORDER, ORDER[1:], strict=False):
        yield shown(f"semver('{one}').compareTo(semver('{other}'))")
        yield shown(f"semver('{other}').compareTo(semver('{one}'))")
        for method in ("isLessThan", "isGreaterThan"):
            yield f"semver('{one}').{method}(semver('{other}'))"
            yield f"semver('{other}').{method}(semver('{one}'))"
        yield f"semver('{one}') == semver('{other}')"
    yield "semver('1.2.3-a') == semver('1.2.3-a') && semver('1.2.3+a') == semver('1.2.3+b')"
    yield "{'a': 1}[dyn(semver('1.2.3'))] == 1"


ESCAPES = [
    r"\a", r"\b", r"\f", r"\n", r"\r", r"\t", r"\v", r"\\", r"\'", r"\"", r"\?", r"\`", r"\e", r"\d", r"\0", r"\00",
    r"\08", r"\000", r"\001", r"\077", r"\100", r"\177", r"\200", r"\377", r"\400", r"\378", r"\387", r"\777",
    r"\101b", r"\1011", r"\x0", r"\x00", r"\x7f", r"\x7F", r"\x80", r"\xff", r"\xFF", r"\Xff", r"\xfg", r"\xg0",
    r"\x411", r"\u041", r"\u0041", r"\u00ff", r"\u0100", r"\uD7FF", r"\ud800", r"\udfff", r"\ue000", r"\uffff",
    r"\u00411", r"\u004g", r"\U0000041", r"\U00000041", r"\U0010FFFF", r"\U00110000", r"\U0000d800", r"\U0000dfff",
    r"\U0000e000", r"\U000000410", r"\UFFFFFFFF", r"\u",
]  # fmt: skip
LITERALS = [
    "0", "00", "1", "-1", "- 1", "--1", "-(-1)", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
    "-9223372036854775809", "0x7fffffffffffffff", "0x8000000000000000", "-0x8000000000000000", "-0x8000000000000001",
    "0X1F", "0xg", "0x", "0u", "18446744073709551615u", "18446744073709551616u", "0xffffffffffffffffu",
    "0x10000000000000000u", "1U", "-1u", "1.0", "1.", ".5", "-.5", "-1.5", "1e3", "1E3", "1e+3", "1e-3", "1e", "1e308",
    "1e309", "-1e309", "1e-400", "1.5e", "1.e3", "0x1p4", "1_0", "0b1", "1l", "true", "True", "null", "nil", "''",
    '""', "r''", "R''", "b''", "B''", "br''", "rb''", "bR'a'", "u'a'", "''''''", '""""""', "'''a'''", "'''a'b'''",
    "'''a''b'''", '"""a"b"""', "r'''a\\'''", r"r'\n'", r"R'\'", r"b'\xff'", r"br'\xff'", "'a", '"a', "'a\"", "'''a''",
    "'''a", "r'a", "b'a", "b'é'", "'é'", "`a`", "'a' 'b'", "1 2", "a b", "'\\", "'\\x", "\"\\u12", "b'\\377'.size()",
    "'\\377'.size()", "b'\\400'", "b'\\u0041'", "b'\\U00000041'", "b'\\x41' == b'A'", "'\\U0001F600'.size()",
]  # fmt: skip
TOKENS = [
    "true // x", "true //", "// x", "true /* x */", "true\r\n", "\ttrue", "\ftrue", "\vtrue", "true\u00a0", "true;",
    "true#", "true\\", "true & true", "true &= true", "true | true", "true = true", "true =! true", "true !== true",
    "true === true", "true <> true", "true ~ true", "true ^ true", "@true", "$a", "a$", "é == 1", "'a'@",
    "true && `a`", "device.`driver` == ''", "device.`dri ver`", "device.`a.b-c/d e_1`", "device.`a", "device.`a@`",
    "device.``", "device.`é`", "device.`a\n`", "device.?`driver`.hasValue()", "{`a`: 1}", "as", "break == 1", "const",
    "continue", "else", "for", "function", "if", "import", "let", "loop", "package", "namespace", "return", "var",
    "void", "while", "in", "false1", "true1", "nullx", "inx", "1in [1]", "1 in[1]", "1in[1]", "'a'in['a']",
    ".device.driver == ''", ". device", ".", "..a", "a..b", "device.", "device.1", "device.in", "device.as",
    "device.true", "device .true", "device. true", "device.?true", "device.?", "device.?.a", "device?.driver",
    "device.while()", "f(", "f()", "f(,)", "f(1,)", "f(1 2)", "[", "[1", "[1,", "[1,,]", "[,]", "[,1]", "[,,]",
    "[1 2]", "[?1]", "[?", "{", "{1", "{1:", "{1:1", "{1:1,", "{,}", "{,1:1}", "{1}", "{1:}", "{:1}", "{?1:1}",
    "{1:1 2:2}", "{1:1,,}", "(", "()", "(1", "(1,2)", ")", "]", "}", "1 +", "+ 1", "1 + + 1", "1 ** 2", "1 +* 2", "! ",
    "!!", "!", "- ", "-", "--", "-!true", "!-1", "!!true", "!!!true", "!!!!true", "--1 == 1", "---1 == -1",
    "-(-(1)) == 1", "- -1 == 1", "-device.x", "!device", "1 - -1 == 2", "1--1 == 2", "1-1 == 0", "1 -1 == 0",
    "true ? true", "true ? true :", "true ? : true", "true ?: true", "true ? true : true : true",
    "true ? true ? true : true : true", "true : true", "a{", "a{}", "a.b{}", "a.b{c: 1}", "a{c: 1,}", "a{,}", "a{c}",
    "a{?c: 1}", "a{`c`: 1}", "a{1: 1}", "a{c: 1 d: 2}", ".a{}", "a{c:}", "a.b.c{d: 1, e: 2}", "a{c: 1, }",
    "a{c: 1,, }", "1 < 2 < 3", "1 == 1 == true", "1 in [1] == true", "1 + 2 * 3 - 4 / 2 % 2 == 7", "2 * 3 + 1 == 7",
    "8 / 2 / 2 == 2", "8 - 4 - 2 == 2", "7 % 4 % 2 == 1", "2 - 1 + 1 == 2", "8 / 2 * 2 == 8", "true || false && false",
    "false && false || true", "true && !false", "1 < 2 && 2 <= 2 || 3 > 3", "'a' < 'b' == true", "-2 * 3 == -6",
    "-2.5 < -1", "[1][0] == 1", "[[1]][0][0] == 1", "[1][?0].value() == 1", "[1][", "[1][]", "[1][0", "[1][0,]",
    "[1][?", "[1][0]]", "device[driver]", "device['driver'] == ''", "device[?'driver'].hasValue()", "1.size()",
    "1.5.size()", "'a'.size() == 1", "'a'.size == 1", "'a'.size(", "'a'.size(1)", "[].size() == 0", "{}.size() == 0",
    "f", "f.g", "f.g()", "f.g.h()", "'a'.f()", "", " ", "\n", "(true)", "((true))", "(true", "true)", "true\n&& 1",
    "true &&\n  1 ==\n 'a'", "1 == 'é😀' && b", "'\t' + 1",
]  # fmt: skip


def tokens() -> Iterator[str]:
    for escape in ESCAPES:
        for opening, closing in (("'", "'"), ("b'", "'"), ('"""', '"""')):
            yield (
                shown(f"{opening}a{escape}b{closing}")
                if opening != "b'"
                else f"{opening}a{escape}b{closing}.size() == 3"
            )
        yield f"'{escape}"
        yield f"r'{escape}' == '{escape}'"
    for literal in LITERALS:
        yield shown(literal)
        yield f"[{literal}]"
        yield f"{literal} == {literal}"
    yield from TOKENS
    yield shown("b'a\\xffb' == b'a\\377b' ? string(size(b'\\377\\xffé')) : ''")
    yield "'a\rb' == 'a\\nb' || 'a' == 'b'"
    yield "'''a\rb''' == 'a\\nb'"
    yield "'''a\r\nb''' == 'a\\nb'"
    yield "'''a\n\rb'''.size() == 4"
    yield "r'''a\rb''' == 'a\\nb' && b'''\r''' == b'\\n'"


def deep() -> Iterator[str]:
    """Around 250, the limit of the real parser, and around the depth of what is visited."""
    for n in (125, 249, 250):
        yield "(" * n + "true" + ")" * n
        yield "[" * n + "]" * n + " == []"
        yield "[0]" + "[0]" * n + " == 1"
        yield "{'a': " * n + "1" + "}" * n + " == {}"
        yield "device" + ".a" * n + " == 1"
        yield "device" + ".?a" * n + ".hasValue()"
        yield "device" + "[?'a']" * n + ".hasValue()"
        yield "''" + ".trim()" * n + " == ''"
        yield "string(" * n + "''" + ")" * n + " == ''"
        yield "!" * n + "true"
        yield "!(" * n + "true" + ")" * n
        yield "-(" * n + "1" + ")" * n + " == 1"
        yield "1" + " + 1" * n + " > 0"
        yield "1" + " * 1" * n + " > 0"
        yield "1" + " + 2 * 3" * n + " > 0"
        yield "1 + (" * n + "1" + ")" * n + " > 0"
        yield "true" + " == true" * n
        yield "true" + " && true" * n
        yield "true" + " || false" * n
        yield "true && (" * n + "true" + ")" * n
        yield "true ? true : " * n + "true"
        yield "true ? " * n + "true" + " : true" * n
        yield "a" + ".b" * n + "{}"
        yield "a{b: " * n + "1" + "}" * n
        yield "[1].all(x, " * n + "true" + ")" * n
        yield "[1]" + ".map(x, x)" * n + " == [1]"
        yield "cel.bind(a, 1, " * n + "a == 1" + ")" * n
        yield "[[1][0] == 1 ? 1 + 2 : " * n + "1" + "]" * n + " == []"


PATTERNS = [
    "", "a", "(", ")", "a)", "(a", "()", "(?", "(?:", "(?:a", "(?:)", "(?i)A", "(?i", "(?i:A)", "(?-i)a", "(?i-i)A",
    "(?i-)A", "(?-)a", "(?)", "(?x)a", "(?ix)a", "(?im-sU:a)", "(?i)(?-i)A", "(?i)(A|(?-i)B)", "((?i)A)B", "(?s).",
    "(?m)^a$", "(?U)a+", "(?=a)", "(?!a)", "(?<=a)", "(?<!a)", "(?P<n>a)", "(?<n>a)", "(?P<n", "(?<n", "(?P<>a)",
    "(?<>a)", "(?P<1>a)", "(?P<n-m>a)", "(?P=n)", "(?P>n)", "(?P<é>a)", "(?P<n>a)(?P<n>b)", "*", "+", "?", "a**",
    "a*+", "a+?", "a??", "a???", "a*?*", "|*", "(*)", "^*", "$+", r"\b+", "(?:)*", "(|a)*", "(|a)+", "(a|)*", "a|",
    "|a", "||", "a{", "a{}", "a{,}", "a{,1}", "a{1", "a{1,", "a{1,2", "a{x}", "a{1x}", "a{1}", "a{2}", "a{0}", "a{0,}",
    "a{0,0}", "a{1,}", "a{2,1}", "a{1,2}", "{", "{1}", "a{1}{2}", "a{1}*", "a*{1}", "a{1}?", "a{1}??", "a{1,2}?",
    "a{01}", "a{1000}", "a{1001}", "a{0,1000}", "a{0,1001}", "a{1000,}", "a{1001,}", "a{999999999}", "a{9999999999}",
    "a{1,9999999999}", "(a{500}){2}", "(a{501}){2}", "(a{2}){500}", "(a{2}){501}", "(a{1000}){1}", "((a{10}){10}){10}",
    "((a{10}){10}){11}", "(a{10}){10,100}", "(a{10}){10,101}", "(a{10,}){100}", "(a{10,}){101}", "(a{0,10}){0,101}",
    "(a{600}|b{400}){1}", "(a{600}b{600}){1}", "(a{2,})*", "(a*){1000}", "(a{500})*{2}", "(a{1000})?", "(a{501}){1,}",
    "(a{501}){2,}", "[", "[]", "[]]", "[^]", "[^]]", "[]a]", "[a", "[a-", "[a-]", "[-a]", "[a-c]", "[c-a]", "[a-a]",
    "[--a]", "[a-c-e]", "[+--]", "[^-a]", "[^a-c]", r"[\]]", r"[\-a]", r"[a\-c]", r"[\d-a]", r"[a-\d]", r"[\w]",
    r"[^\w]", r"[\D]", r"[\S\s]", r"[\b]", r"[\a]", r"[\x61-\x63]", r"[\x{61}]", r"[a\\]", "[a\\", "[\\", r"[\z]",
    r"[\q]", r"[\8]", r"[\Q]", r"[\pL]", r"[\PL]", r"[^\pL]", r"[\p{Lu}]", r"[[:alpha:]]", r"[[:^alpha:]]",
    "[[:foo:]]", "[[:alpha]]", "[[:alpha:]", "[[:", "[[:]", "[[:]]", "[:alpha:]", "[a[:digit:]b]", "[[:word:]]",
    "[[:^word:]]", "[[.a.]]", "[[=a=]]", "[[::]]", r"\d", r"\D", r"\s", r"\S", r"\w", r"\W", r"\b", r"\B", r"\A",
    r"\z", r"\Z", r"\a", r"\f", r"\n", r"\r", r"\t", r"\v", r"\e", r"\q", r"\y", r"\C", r"\X", r"\R", r"\h", r"\G",
    r"\K", r"\_", r"\-", r"\.", r"\/", r"\é", r"\ ", r"\<", "\\", r"a\\", r"\0", r"\00", r"\000", r"\0000", r"\1",
    r"\10", r"\101", r"\1010", r"\8", r"\18", r"\07", r"\08", r"\77", r"\377", r"\400", r"\777", r"\x", r"\x4",
    r"\x41", r"\x411", r"\xg", r"\x4g", r"\x{", r"\x{}", r"\x{4", r"\x{41}", r"\x{41", r"\x{4g}", r"\x{10FFFF}",
    r"\x{110000}", r"\x{000041}", r"\x{00000000041}", r"\x{1000000}", r"\x{D800}", r"\x{-1}", r"\x{0010FFFF}", r"\pL",
    r"\PL", r"\p", r"\p{", r"\p{}", r"\p{L", r"\p{L}", r"\p{^L}", r"\P{^L}", r"\p{Lu}", r"\p{Ll}", r"\p{Any}",
    r"\P{Any}", r"\pX", r"\p{l}", r"\p{lu}", r"\p{LC}", r"\p{Letter}", r"\p{upper-case_ Letter}", r"\p{punct}",
    r"\p{Cn}", r"\p{digit}", r"\p{N}", r"\p{Nd}", r"\p{P}", r"\p{Z}", r"\p{S}", r"\p{M}", r"\p{C}", r"\p{^Any}",
    r"\p1", r"(?i)\p{Lu}", r"(?i)\P{Lu}", r"(?i)[^a]", r"(?i)[^A-C]", r"\Q", r"\Q\E", r"\Qa", r"\Qa\E", r"\Q*\E*",
    r"\Qab\E+", r"\Q\\E", r"\E", r"a\Q|\Eb", r"\Qa\E\Qb\E", r"(?i)\Qa\E", r"\Q\Q\E", r"\Qa\Eb\E", r"\Q\E*", r"\Q(\E)",
    "a.c", "(?s)a.c", "^a", "a$", "^$", "a^b", "a$b", "(?m)a$", "(?m)^c", r"\Aa", r"a\z", r"(?m)\Aa", r"(?m)a\z",
    r"\ba", r"a\b", r"\Ba", r"a\B", r"\b\b", r"\B\B", "(?i)k", "(?i)\u212a", "(?i)K", "(?i)s", "(?i)\u017f",
    "(?i)\u00b5", "(?i)\u00df", "(?i)\u0130", "(?i)[k]", "(?i)[[:lower:]]", "(?i)é", "(?i)Σ", "(?i)ς", "(?i)\u00e5",
    "(?i)\u03c9", "(?i)Ǆ", "(?i)[a-z]", "(?i)[[:^lower:]]", r"(?i)\w", r"(?i)\W", r"(?i)[\W]", "(?i)1",
    "(" * 20 + "a" + ")" * 20, "(" * 999 + "a" + ")" * 999, "(" * 1000 + "a" + ")" * 1000,
    "(" * 1001 + "a" + ")" * 1001, "(?:" * 999 + "a" + ")" * 999, "(a|" * 499 + "a" + ")" * 499,
]  # fmt: skip
SUBJECTS = (
    r"'', 'a', 'aa', 'A', 'b', 'abc', 'a-b', ']', '0', '7', '8', ' ', '_', '.', '*', '{', 'a{1}', 'é', 'É', '\n',"
    r"'a\nc', '\\', 'K', '\u212a', '\u017f', 'ab_c', '^', '-', '\t', '\u0000', 'ÿ', '\U0010ffff', 'ß',"
    r"'\u00b5', '\u03bc', 'σ',"
    r"'ς', '\u0130', 'i', '\u00a0', '\u2028', '\u007f', '٣', '\u0007', '\u000b', '\u000c', '\r', 'aq', '/', ':', '@',"
    r"'`', '~', '[', 'Z', 'z', 'g', 'G', 'F', '9', '!', 'ǅ', '\u212b'"
)
SEARCHES = [
    ("'aaa'", "a*"), ("'aaa'", "a*?"), ("'baac'", "a*"), ("'aaa'", "a+?"), ("'aaa'", "a{2}"), ("'aaaa'", "a{1,3}?"),
    ("'aaaa'", "a{1,3}"), ("'abcabc'", "a|ab"), ("'abcabc'", "ab|a"), ("'abab'", "(a|ab)(c|bcd)?"),
    ("'a b_c 9'", r"\w+"), ("'a b_c 9'", r"\b"), ("'a b'", r"\B"), ("'a\\nb\\nc'", "(?m)^."),
    ("'a\\nb\\nc'", "(?m).$"), ("'a\\nb'", "$"), ("'a\\nb'", "(?m)$"), ("''", ""), ("'é😀'", ""), ("'é😀a'", "."),
    ("'aab'", "(?U)a+"), ("'aab'", "(?U)a+?"), ("'xaby'", "(?:a|b|)*"), ("'xaby'", "(|a)+"), ("'xaby'", "(|a)*"),
    ("'aXbX'", ".*?X"), ("'aXbX'", ".*X"), ("'foo.bar'", r"[^.]+"), ("'aaa'", "^a"), ("'aaa'", r"\Aa"),
    ("'aaa'", "a$"), ("'aaa'", r"a\z"), ("'abc'", "(b)"), ("'ab12'", r"[a-z]*\d"), ("'aaaaaa'", "(a{2}){2,}?"),
    ("'aaaaaa'", "(?:a{1,2}){2}"), ("'abb'", "(a|b)*?b"), ("'abb'", "(a*)*"), ("'abb'", "(a*)+"), ("'b'", "(a?)*?"),
    ("'aa'", "(a??){2}"),
]  # fmt: skip


def quoted(pattern: str) -> str:
    return "'" + pattern.replace("\\", "\\\\").replace("'", "\\'") + "'"


def patterns() -> Iterator[str]:
    """Which characters and texts a pattern accepts; the first match and all of them."""
    for pattern in PATTERNS:
        yield shown(f"[{SUBJECTS}].map(s, s.matches({quoted(pattern)}) ? '1' : '0').join()")
        if len(pattern) < 12:
            yield shown(f"[{SUBJECTS}].map(s, s.matches({quoted(f'^(?:{pattern})$')}) ? '1' : '0').join()")
    for subject, pattern in SEARCHES:
        yield shown(f"{subject}.find({quoted(pattern)})")
        yield shown(f"{subject}.findAll({quoted(pattern)}).join('|')")
        for limit in (0, 1, 2, -1):
            yield shown(f"{subject}.findAll({quoted(pattern)}, {limit}).join('|')")


SIZED = [
    "{t}.startsWith({t})", "{t}.endsWith({t})", "{t}.contains({t})", "{t}.matches({t})", "'a'.matches({t})",
    "{t}.matches('a')", "{t} == {t}", "{t} != {t}", "{t} == 'aa'", "{t} < {t}", "{t} < 'b'", "'b' >= {t}",
    "{t} > 'aaa'", "{t} <= ''", "({t} + 'b') == ''", "({t} + {t}).size() > 0", "b{t} + b{t} == b''", "b{t} < b'b'",
    "string(b{t}) == ''", "bytes({t}) == b''", "{t}.lowerAscii() == ''", "{t}.upperAscii() == ''", "{t}.trim() == ''",
    "{t}.substring(0) == ''", "{t}.substring(0, 0) == ''", "{t}.replace('a', 'b') == ''", "{t}.replace('', 'b') == ''",
    "{t}.replace('aa', 'bbb', 1) == ''", "{t}.split('a') == []", "{t}.split('') == []", "{t}.split('a', 1) == []",
    "{t}.find('a') == ''", "{t}.find({t}) == ''", "{t}.findAll('a') == []", "{t}.findAll('a', 1) == []",
    "strings.quote({t}) == ''", "{t}.format([]) == ''", "'%s'.format([{t}]) == ''", "{t}.charAt(0) == ''",
    "{t}.indexOf('a') == 0", "{t}.lastIndexOf({t}) == 0", "isIP({t})", "isCIDR({t})", "isURL({t})", "isQuantity({t})",
    "isSemver({t})", "isSemver({t}, true)", "ip.isCanonical({t})", "ip({t}).family() == 4",
    "cidr({t}).prefixLength() == 1", "url({t}).getHost() == ''", "quantity({t}).sign() == 1",
    "semver({t}).major() == 1", "{t} in [{t}]", "{t} in {{{t}: 1}}", "{{{t}: 1}} == {{}}", "[{t}] == []",
    "[{t}, {t}].join({t}) == ''", "[{t}].join() == ''", "[{t}, 'b'].max() == ''", "[{t}].isSorted()",
    "[{t}].includes({t})", "{t}.includes({t})", "[{t}].indexOf({t}) == 0", "[{t}].sort() == []",
    "[{t}, 'a'].distinct() == []", "format.dns1123Label().validate({t}).hasValue()",
    "cidr('10.0.0.0/8').containsIP({t})", "format.uuid().validate({t}).hasValue()",
    "format.date().validate({t}).hasValue()", "format.dns1123Subdomain().validate({t}).hasValue()",
    "cidr('10.0.0.0/8').containsCIDR({t})", "format.dns1035Label().validate({t}).hasValue()",
    "format.qualifiedName().validate({t}).hasValue()", "format.labelValue().validate({t}).hasValue()",
    "format.uri().validate({t}).hasValue()", "format.dns1123LabelPrefix().validate({t}).hasValue()",
    "format.dns1123SubdomainPrefix().validate({t}).hasValue()", "format.byte().validate({t}).hasValue()",
    "{t}.reverse() == ''", "format.named({t}).hasValue()", "dyn({t}) == {t}", "dyn({t}) < dyn({t})",
    "dyn({t}).matches(dyn({t}))", "dyn({t}) + dyn('b') == ''", "int({t}) == 1", "double({t}) == 1.0", "bool({t})",
    "duration({t}) == duration('1s')", "timestamp({t}) == timestamp('2026-01-01T00:00:00Z')", "size({t}) == 1",
    "b{t}.size() == 1", "(true ? {t} : 'b') == {t}", "optional.of({t}).value() == {t}", "device.driver == {t}",
    "device.driver.matches({t})", "device.driver.contains({t})", "device.driver + {t} == ''", "device.driver < {t}",
    "{t} in device.attributes", "device.driver.replace({t}, 'b') == ''", "device.driver.replace('a', {t}) == ''",
    "{t}.replace(device.driver, 'b') == ''", "{t}.replace('a', device.driver).lowerAscii() == ''",
    "device.driver.split({t}) == []", "{t}.split(device.driver)[0] == ''", "{t}.replace({t}, 'bb').trim() == ''",
    "'aaaaaaaaaaaa'.replace({t}, 'bb').trim() == ''", "'aaaaaaaaaaaa'.replace('a', {t}).trim() == ''",
    "strings.quote({t}).trim() == ''", "bytes({t}) + b'' == b''", "string(bytes({t})).trim() == ''",
    "cel.bind(t, {t}, t + t).trim() == ''", "({t} + 'b').trim() == ''", "url({t}) == url({t})", "ip({t}) == ip({t})",
    "['a', {t}][0].trim() == ''", "{{'a': {t}}}.a.trim() == ''", "{{'a': {t}}}['a'].trim() == ''",
    "(true ? {t} : 'bbb').trim() == ''", "['a'].map(x, {t})[0].trim() == ''",
    "['a', {t}].filter(x, x != '').size() == 1", "['a', {t}].all(x, x.trim() != '')",
    "{{'a': {t}}}.all(k, k.trim() != {t})", "{{{t}: 'a'}}.all(k, v, (k + v).trim() != {t})",
    "[{t}].all(i, v, v.trim() != '' && i == 0)", "dyn({t}).trim() == ''", "optional.of({t}).value().trim() == ''",
    "[{t}].first().value().trim() == ''", "[{t}, {t}].sum() == 1", "{t}.find('a').trim() == ''",
    "{t}.findAll('a').join() == ''", "{t}.substring(1).trim() == ''", "{t}.split(',').join() == ''",
    "type({t}) == string", "{t}.lowerAscii().trim().upperAscii() == ''", "[b{t}].isSorted()",
    "[b{t}, b'a'].sort() == []", "[b{t}, b{t}].distinct() == []", "[b{t}].max() == b''", "{t}.split('a', 0) == []",
    "{t}.split('a', -1).size() == 1", "[{t}].indexOf('b') == -1", "[{t}, 'b'].lastIndexOf('b') == 1",
    "[{t}].sortBy(x, x) == []", "dyn([{t}]).includes('a')", "dyn([{t}]).max() == 'a'", "{{{t}: [{t}]}}.includes('a')",
    "{t}.size() in [1, 2]", "ip('10.0.0.1').family() == {t}.size()", "optional.none().orValue({t}).trim() == ''",
    "optional.of({t}).orValue('aaa').trim() == ''", "optional.of({t}).or(optional.of('aaa')).value().trim() == ''",
]  # fmt: skip
LISTS = [
    "{l}.size() == 1", "{l} == {l}", "{l} == []", "{l} != [1]", "1 in {l}", "-1 in {l}", "{l} + {l} == []",
    "({l} + [1]).size() == 1", "({l} + {l}).sum() == 1", "{l}.sum() == 1", "{l}.max() == 1", "{l}.min() == 1",
    "{l}.isSorted()", "{l}.sort() == []", "{l}.sortBy(x, -x) == []", "{l}.distinct() == []", "{l}.reverse() == []",
    "{l}.indexOf(1) == 1", "{l}.lastIndexOf(1) == 1", "{l}.includes(1)", "{l}.first().hasValue()",
    "{l}.slice(0, 0) == []", "{l}.slice(0, 1) == []", "{l}.slice(1, size({l})) == []", "{l}.slice(1, 2).size() == 1",
    "{l}.flatten() == []", "[{l}].flatten() == []", "[{l}, {l}].flatten(1) == []", "[[{l}]].flatten(2) == []",
    "[{l}].flatten(0) == []", "[{l}].flatten(-1) == []", "[{l}].flatten(size({l})) == []", "dyn({l}).flatten() == []",
    "dyn({l}).sort() == []", "dyn({l}).distinct() == []", "dyn({l}).sum() == 1", "dyn({l}).includes(1)",
    "sets.contains({l}, [1])", "sets.contains([1], {l})", "sets.intersects({l}, {l})", "sets.equivalent({l}, {l})",
    "sets.equivalent({l}, [1, 1])", "{l}.all(x, x >= 0)", "{l}.exists(x, x == 1)", "{l}.exists_one(x, x == 1)",
    "{l}.map(x, x + 1) == []", "{l}.map(x, x > 0, x + 1) == []", "{l}.filter(x, x > 0) == []", "{l}.all(i, v, i == v)",
    "{l}.exists(i, v, i > v)", "{l}.transformList(i, v, v) == []", "{l}.transformMap(i, v, v) == {{}}",
    "{l}.transformMapEntry(i, v, {{i: v}}) == {{}}", "{l}.existsOne(i, v, v == 0)", "{l}.map(x, {l}).size() == 1",
    "{l}.map(x, {l}.sum()) == []", "{l}.map(x, 'abc')[0].trim() == ''", "{l}.filter(x, x > 0).sum() == 1",
    "{l}.map(x, [x, x]).flatten() == []", "lists.range({l}.size()) == []",
    "{l}.map(x, 'aaaaaaaaaaaa').join('bb').trim() == ''", "{l}.map(x, 'a').join().trim() == ''",
    "(true ? {l} : [1]).sum() == 1", "[{l}] == [{l}]", "optional.of({l}).value().sum() == 1",
    "{{'a': {l}}}.a.sum() == 1", "{{'a': {l}}} == {{'a': {l}}}", "{{'a': {l}}}.includes(1)",
    "cel.bind(l, {l}, l.sum() == 1 && l.all(x, x > 0))", "{l}[0] == 1", "{l}[?0].hasValue()",
    "[?optional.of({l})] == []", "{l}.map(x, double(x)).sum() == 1.0", "{l}.map(x, [x]).includes(1)",
    "{l}.map(x, {{x: x}}) == []", "{l}.map(x, b'abcdefghijk').isSorted()",
    "{l}.map(x, 'abcdefghijk').distinct() == []", "{l}.map(x, 'abcdefghijk').sort() == []",
    "{l}.sortBy(x, 'abcdefghijk') == []", "{l}.map(x, string(x)).sortBy(x, int(x)) == []",
    "{l}.map(x, string(x)).isSorted()", "{l}.map(x, duration('1s')).sum() == duration('1s')",
    "{l}.distinct().distinct().size() == 1", "{l}.sort().reverse().sum() == 1",
]  # fmt: skip
DEVICE_SIZES = [
    f"{D}.size() == 1", "device.attributes.size() == 1", "device.capacity.size() == 1", f"{C}.size() == 1",
    "device.size() == 1", "device.driver.size() == 1", "device.attributes == {}", f"{D} == {{}}",
    "device.capacity == {}", f"{C} == {{}}", "device.driver == device.driver", "device == device",
    f"{D}.model == {D}.model", f"{D}.model.trim() == ''", f"{D}.model == 'a100'", f"{D}.model.matches('a')",
    f"'a' in {D}", f"{D}['model'].trim() == ''", f"{D}.?model.orValue('').trim() == ''", f"{D}.model.a.trim() == ''",
    f"{D}.model[0].trim() == ''", f"{D}.model.size() == 4", f"{C}.memory.size() == 1", f"{C}.memory == {C}.memory",
    f"{C}.memory.a == 1", "device.attributes.all(k, k.trim() != '')", "device.attributes.all(k, v, v.size() > 0)",
    f"{D}.all(k, k.trim() != '')", f"{D}.all(k, v, v != 1)", f"{D}.all(k, v, false && v.trim() != '')",
    "device.capacity.all(k, k.trim() != '')", "device.capacity.all(k, v, v.size() > 0)", f"{C}.all(k, k.trim() != '')",
    f"{C}.all(k, v, v.isInteger())", f"{C}.all(k, v, v.trim() == '')",
    "device.attributes.all(k, device.attributes[k].all(n, n.trim() != ''))",
    "device.attributes.all(k, v, v.all(n, a, n.trim() != '' && a != 1))",
    "device.attributes.map(k, k).join().trim() == ''", f"{D}.map(k, k).join(',') == ''",
    f"{D}.map(k, {D}[k]).size() == 1", f"{D}.map(k, k).sort().size() == 1",
    f"{D}.filter(k, k.startsWith('m')).size() == 1", f"{D}.map(k, k).max() == ''",
    "device.attributes.map(k, k.trim()).distinct().size() == 1", "device.capacity.transformList(k, v, k).size() == 1",
    f"{D}.transformMap(k, v, k).size() == 1", "device.driver.all(x, true)", "device.allowMultipleAllocations",
    "device.allowMultipleAllocations == true", "!device.allowMultipleAllocations",
    "dyn(device.allowMultipleAllocations).trim() == ''", "device.a == 1", f"dyn({D}.model).trim() == ''",
    f"dyn({D}).size() == 1", f"(true ? {D}.model : 'a').trim() == ''", f"cel.bind(m, {D}.model, m.trim() == m)",
    f"[{D}.model].all(m, m.trim() == m)", f"[{D}.model][0].trim() == ''", f"{{'m': {D}.model}}.m.trim() == ''",
    f"optional.of({D}.model).value().trim() == ''", f"{D}.?model.hasValue()", f"{D}[?'model'].value().trim() == ''",
    "device.?attributes['gpu.example.com'].model == 'a100'", f"{D}.tags.includes('a')",
    f"{D}.tags.all(t, t.trim() != '')", f"{D}.tags.map(t, t).join() == ''", f"{D}.tags[0].trim() == ''",
    f"{D}.tags.sum() == 1", f"{D}.tags.isSorted()", f"{D}.tags.sort() == []", f"sets.contains({D}.tags, {D}.tags)",
    f"{D}.tags.max() == 'a'", f"{D}.tags.indexOf('a') == 0", f"{D}.model.includes('a100')", f"{D}.model.includes('b')",
    f"{D}.all(k, {D}[k].includes('a'))", f"{D}.index.includes(3)", "device.attributes['nic.example.com'].index == 7",
    "device.capacity['nic.example.com'].memory.isInteger()", "device.attributes['x'].y == 1",
    "'x' in device.attributes", "'nic.example.com' in device.capacity", shown("device.driver"), shown(f"{D}.model"),
    shown(f"{C}.memory.asInteger()"), shown("string(device.allowMultipleAllocations)"),
    shown(f"{D}.driverVersion.major()"), "has(device.attributes.a)", f"has({D}.model)",
    "device.attributes.matches('a')", "device.driver.split('.').all(p, p.trim() != '')",
    "device.driver.split('.', 2)[0].trim() == ''", "device.driver.lowerAscii().split('.').join('-').trim() == ''",
    f"{D}.model.replace('a', 'bbb').trim() == ''", f"{D}.model.replace('', 'b').trim() == ''",
    "device.driver.replace('aaa', 'b').trim() == ''",
    "device.driver.replace(device.driver, device.driver).trim() == ''",
    f"{D}.model.replace({D}.model, 'bbb').trim() == ''", "strings.quote(device.driver).trim() == ''",
    "bytes(device.driver).size() == 1", "string(bytes(device.driver)).trim() == ''",
    "bytes(device.driver) == bytes(device.driver)", "device.driver.find('a').trim() == ''",
    "device.driver.findAll('a').join().trim() == ''", "[device.driver, 'a'].join(device.driver).trim() == ''",
    "[1, 2, 3].map(x, device.driver).join(',').trim() == ''", "lists.range(3).map(x, x).sum() == 3",
    "lists.range(device.driver.size()).sum() == 3", "[1, 2].slice(0, device.driver.size()) == []",
    "[1, 2].slice(device.driver.size(), 1) == []", "[3, 4].slice(2, 1) == []", "lists.range(-1) == []",
    "lists.range(0) == []", "dyn([1]).slice(0, 1).sum() == 1", "[[1]].flatten(9223372036854775807) == [1]",
    "'a'.split('', 9223372036854775807) == []", "optional.of(1).value() in [1]",
    "'aaaaaaaaaaaaaaaaaaaaaaaaa'.format([device.driver]) == ''", "ip('10.0.0.1') == ip('10.0.0.1')",
    "cidr('10.0.0.0/8') == cidr('fe80::/8')", "cidr('10.0.0.0/8').ip() == ip('10.0.0.0')",
    "cidr('fe80::/8').containsIP(ip('fe80::1'))", "cidr('10.0.0.0/8').containsIP(ip('10.0.0.1'))",
    "cidr('fe80::/8').containsIP('fe80::1')", "cidr('fe80::/8').containsCIDR(cidr('fe80::/9'))",
    "cidr('10.0.0.0/8').containsCIDR(cidr('10.0.0.0/9'))", "cidr('fe80::/8').containsCIDR('fe80::/9')",
    "cidr('10.0.0.0/8').masked() == cidr('10.0.0.0/8')", "ip.isCanonical('10.0.0.1')", "ip('::1').isLoopback()",
    "url('https://a').getHost() != 'a'", "quantity('1') != quantity('1')", "semver('1.2.3') != semver('1.2.3')",
    "ip('10.0.0.1') != ip('10.0.0.2')", "format.uuid() != format.uuid()", "url('https://a') != url('https://a')",
    "dyn(url('https://a')) == url('https://a')", "[quantity('1')].includes(quantity('1'))",
    "[quantity('1')] == [quantity('1')]", "[ip('::1')].indexOf(ip('::1')) == 0", "{'a': quantity('1')}.includes(1)",
    "[1.5, 2.5].includes(1)", "[[1, 2], [3]].includes([3])", "[b'abcdefghijklmnopqrst'].includes(b'a')",
    "[b'abcdefghijklmnopqrst', b''].max() == b''", "dyn(1).max() == 1", "dyn('a').sum() == 1",
    "dyn('abc').includes('b')", "dyn({'a': 1}).isSorted()", "dyn(b'abcdefghijklmnopqrstu').includes(1)",
    "dyn(1.5).includes(1.5)", "dyn(true).distinct() == []", "dyn('a').distinct() == []", "dyn(b'a').sort() == []",
    "dyn(1u).sort() == []", "dyn(duration('1s')).distinct() == []", "dyn(timestamp(0)).distinct() == []",
    "dyn(null).distinct() == []", "dyn({}).distinct() == []", "dyn(1.5).distinct() == []",
    "[[1]].flatten(dyn('a')) == []", "[[1]].flatten(dyn(1u)) == []", "[1].sortBy(x, dyn(x)) == []",
    "[[1]].flatten(dyn(2)) == []",
]  # fmt: skip
BEYOND_UINT64 = [
    "[1,2,3,4,5,6,7,8,9,10]" + ".all(x, device.attributes" * n + ".all(y, true)" + ")" * n for n in (1, 5, 11, 12, 13)
] + ["cel.bind(a, dyn(device.driver + device.driver), " * n + "a == a" + ")" * n for n in (1, 3)]


def costs() -> Iterator[str]:
    for form in SIZED:
        for size in (0, 1, 4, 5, 10, 11, 21):
            yield form.format(t=text(size))
    for form in LISTS:
        for size in (0, 1, 2, 10):
            yield form.format(l=ints(size))
    yield from DEVICE_SIZES
    yield from BEYOND_UINT64


def questions() -> Iterator[dict]:
    for source in (quantities, versions, tokens, deep, patterns, costs):
        for expression in dict.fromkeys(source()):
            yield {"expression": expression, "driver": "gpu.example.com", "device": DEVICE}
    for other in OTHERS:
        for expression in (
            "device.driver == 'gpu.example.com'",
            "device.allowMultipleAllocations",
            shown(f"{C}.c.asInteger()"),
        ):
            yield {"expression": expression, "driver": "gpu.example.com", "device": {"name": "d", **other}}


def main(program: str, path: str) -> int:
    asked = list(questions())
    real = ask(program, asked)
    record(path, asked, real)
    return compared(asked, real, reasons=False)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
