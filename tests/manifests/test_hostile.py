"""Hostile input, read in a separate process, which must end soon, normally and without a traceback."""

import subprocess
import sys

import pytest

LOAD = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
from importlib import metadata
if "alone" in sys.argv:
    metadata.entry_points = lambda **_: ()
from kschedlab.manifests.loading import ManifestError, load
try:
    load("-")
except ManifestError as error:
    print(error)
    sys.exit(2)
"""
DEEP = (65, 1000, 50_000, 3 << 20)
NODE = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus:\n  capacity:\n    cpu: "
BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 31)
)
MERGES = "a0: &a0 {x: 1}\n" + "".join(f"a{i}: &a{i} {{<<: [{', '.join([f'*a{i - 1}'] * 4)}]}}\n" for i in range(1, 31))
CASES = {
    **{f"open-{n}": "[" * n for n in DEEP},
    **{f"balanced-{n}": "[" * n + "]" * n for n in DEEP if n > 100},
    **{f"maps-{n}": '{"a":' * n for n in DEEP[1:]},
    **{f"block-{n}": "- " * n for n in DEEP[1:3]},
    "aliases": BOMB,
    "merges": MERGES,
    "cycle": "&a [*a]",
    "exponent": f"{NODE}1e2147483647",
    "small-exponent": f"{NODE}'1e-2147483648'",
    "wrapped-exponent": f"{NODE}1e4294967296",
    "digits": NODE + "1" * 100_000,
    "hexadecimal": f"{NODE}0x{'f' * 100_000}",
    "sexagesimal": NODE + "1:" * 50_000 + "1",
    "fraction": f"{NODE}0.{'1' * 100_000}",
    "json-digits": '{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "x": ' + "1" * 100_000 + "}",
    "long-name": "apiVersion: v1\nkind: Node\nmetadata:\n  name: " + "a-" * 500_000,
    "long-key": "apiVersion: v1\nkind: Node\nmetadata:\n  labels:\n    ? " + "a." * 500_000 + "\n    : b",
    "python": "!!python/object/apply:os.system [exit 7]",
    "nul": "a: \0",
    "not-utf-8": b"a: \xff\xfe",
    "half-utf-16": b"\xff\xfea",
    "empty": "",
    "spaces": " \n\t\n",
    "terminal": "apiVersion: v1\nkind: Node\nmetadata: {name: '\x85'}\n\u202e: 1",
    "escapes": 'apiVersion: v1\nkind: "N\\e[31mode"\nmetadata: {name: n, labels: {"\\e]0;x\\a": "\\u202e"}}\n---\n- 1',
}


CHECKED = ("exponent", "small-exponent", "digits", "fraction", "long-name", "long-key", "terminal", "escapes")
"""Those that are parsed, so that it matters which checks are installed."""


@pytest.mark.parametrize(("name", "mode"), [*((name, "") for name in CASES), *((name, "alone") for name in CHECKED)])
def test_is_refused(name, mode):
    content = CASES[name]
    done = subprocess.run(
        [sys.executable, "-c", LOAD, mode],
        input=content if isinstance(content, bytes) else content.encode(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (2, b"")
    message = done.stdout.decode()
    assert message.startswith("<stdin>")
    assert len(message) < 1000
    assert message.replace("\n", "").isprintable()
