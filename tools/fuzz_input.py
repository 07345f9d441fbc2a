"""Hostile files to the program: ``python -m tools.fuzz_input --seconds 600``.

Clusters, scenarios, timelines, configurations and workloads are changed at random, in their values and in their bytes,
and given to every command. Each run has a process of its own. A traceback, a run of more than ten seconds (of the
processor) or of more than 1 GB is a finding: its input is written to the folder of --keep. Exit status 1 if there was
one.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import re
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

from kschedlab.program.main import main as program
from tests.oracle.scenarios import scenario

DOCUMENTS = Path(__file__).parents[1] / "docs"
SECONDS, PATIENCE, GIGABYTE = 10, 120, 1 << 30
CLUSTER_COMMANDS = (
    ["explain", "FILE"],
    ["explain", "FILE", "--output", "json"],
    ["explain", "FILE", "--output", "html", "--generation", "v1.13"],
    ["compare", "FILE", "--pod", "default/p0"],
    ["simulate", "FILE"],
)
CONFIGURATION = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "percentageOfNodesToScore": 50,
    "profiles": [
        {
            "schedulerName": "default-scheduler",
            "plugins": {"score": {"disabled": [{"name": "*"}], "enabled": [{"name": "NodeResourcesFit", "weight": 3}]}},
            "pluginConfig": [{"name": "NodeResourcesFit", "args": {"scoringStrategy": {"type": "MostAllocated"}}}],
        }
    ],
}
ODD: tuple[Any, ...] = (
    *(None, True, "", [], {}, [[]], [None], 0, -1, 0.5, 1e308, 2**31 - 1, 2**31, 2**63, -(2**63) - 1, 10**40),
    *("0", "-1", "1e9", "9" * 400, "nan", "x" * 70_000, "\x1b[31mred", "a\nb", "\u202e", "٣", "%s%n", "*", "/", ".."),
    *("{{", "{{ " * 3000, "{{.Index}}", "<script>", "!!python/name:os.system", "Always", "always", "~", "="),
    *("2024-02-30T00:00:00Z", "9999-12-31T23:59:59Z", "1h1h", "1h" * 30_000),
)


def changed(value: Any, rng: random.Random) -> Any:
    """A copy with one value replaced, taken away, renamed or doubled somewhere inside."""
    if not isinstance(value, dict | list) or not value or rng.random() < 0.08:
        return rng.choice(ODD)
    if isinstance(value, list):
        place = rng.randrange(len(value))
        inside = [[], [value[place]] * 2, [changed(value[place], rng)]]
        return value[:place] + rng.choices(inside, [1, 1, 8])[0] + value[place + 1 :]
    key = rng.choice(list(value))
    rest = {name: each for name, each in value.items() if name != key}
    if rng.random() < 0.1:
        return rest
    if rng.random() < 0.1:
        return {**rest, rng.choice([key.swapcase(), f"{key} ", "", "\x00", str(rng.choice(ODD))[:300]]): value[key]}
    return {**value, key: changed(value[key], rng)}


def spoiled(data: bytes, rng: random.Random) -> bytes:
    """The bytes with a piece cut out, doubled, flipped or put in."""
    start, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    piece = rng.choice(
        [b"", data[start:end] * 2, bytes(rng.randrange(256) for _ in range(8)), b"\xff\xfe", b"\x00", b"&a *a"]
    )
    return data[:start] + piece + data[rng.choice([start, end]) :]


def inputs(seed: int) -> Iterator[tuple[list[str], bytes]]:
    """Arguments, in which FILE stands for the file, and its content, without end."""
    blocks = re.findall(r"^```yaml\n(.*?)^```", (DOCUMENTS / "scenarios.md").read_text(), re.DOTALL | re.MULTILINE)
    timelines = [list(yaml.safe_load_all(each)) for each in blocks]
    number = 0
    while True:
        rng = random.Random(f"{seed}/{number}")
        asked = scenario(f"{seed}/{number}")
        pending = [each for each in asked["objects"] if each["kind"] == "Pod" and "nodeName" not in each["spec"]]
        made: list[tuple[list[str], Any, Callable[[Any], str]]] = [
            (rng.choice(CLUSTER_COMMANDS), asked["objects"], yaml.safe_dump_all),
            (rng.choice(CLUSTER_COMMANDS), {"kind": "List", "items": asked["objects"]}, json.dumps),
            (["decide"], asked, json.dumps),
            (["bench", "FILE"], {"objects": asked["objects"], "pods": pending}, json.dumps),
            (["simulate", "FILE"], rng.choice(timelines), yaml.safe_dump_all),
            (["decide", "--config", "FILE"], CONFIGURATION, yaml.safe_dump),
        ]
        arguments, content, written = rng.choice(made)
        for _ in range(rng.randint(1, 3)):
            content = changed(content, rng)
        try:
            data = written(content).encode("utf-8", "surrogatepass")
        except (TypeError, ValueError, yaml.YAMLError):
            data = json.dumps(content).encode()
        yield arguments, spoiled(data, rng) if rng.random() < 0.3 else data
        number += 1


def outcome(arguments: list[str], data: bytes, folder: Path) -> str:
    """What is wrong with the program's run on this input, or ""."""
    path, said = folder / "input", folder / "said"
    path.write_bytes(data)
    child = os.fork()
    if child == 0:
        _run([str(path) if each == "FILE" else each for each in arguments], path, said)
    _, status, used = os.wait4(child, 0)
    words = said.read_text(errors="replace")
    if os.WIFSIGNALED(status):
        return f"ended by {signal.Signals(os.WTERMSIG(status)).name} after {used.ru_utime + used.ru_stime:.1f} s"
    if "Traceback" in words or os.WEXITSTATUS(status) not in (0, 1, 2):
        return f"exit status {os.WEXITSTATUS(status)}: {words.strip().splitlines()[-1:]}"
    if used.ru_maxrss * 1024 > GIGABYTE:
        return f"{used.ru_maxrss / 1024:.0f} MB"
    return ""


def _run(arguments: list[str], source: Path, said: Path) -> None:
    """In the child: the program, with its streams in files."""
    signal.alarm(PATIENCE)
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (8 * GIGABYTE, 8 * GIGABYTE))
    write = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    for stream, path, flags in ((0, source, os.O_RDONLY), (1, Path(os.devnull), os.O_WRONLY), (2, said, write)):
        os.dup2(os.open(path, flags, 0o600), stream)
    try:
        status = program(arguments)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 2
    except BaseException:
        sys.excepthook(*sys.exc_info())
        status = 70
    sys.stderr.flush()
    os._exit(status)


def _warm_up(folder: Path) -> None:
    """Have the modules loaded that the children would each load anew."""
    cluster = folder / "cluster.yaml"
    cluster.write_text(yaml.safe_dump_all(scenario("warm-up")["objects"]))
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for command in ("explain", "simulate"):
            program([command, str(cluster)])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--keep", type=Path, default=Path("fuzz-findings"), help="where inputs with a finding are written"
    )
    options = parser.parse_args()
    begun, runs, findings = time.monotonic(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        _warm_up(Path(folder))
        for arguments, data in inputs(options.seed):
            if time.monotonic() - begun > options.seconds or runs == options.count:
                break
            wrong = outcome(arguments, data, Path(folder))
            if wrong:
                options.keep.mkdir(exist_ok=True)
                path = options.keep / f"{options.seed}-{runs}"
                path.write_bytes(data)
                print(f"kschedlab {' '.join(arguments)} < {path}: {wrong}", flush=True)
            runs, findings = runs + 1, findings + bool(wrong)
    print(f"{runs:,} inputs, {findings} findings")
    return bool(findings)


if __name__ == "__main__":
    sys.exit(main())
