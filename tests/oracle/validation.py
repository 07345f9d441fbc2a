"""Compares the package's validation with that of v1.37's API server, on random objects.

    python -m tests.oracle.validation PROGRAM --count 20000 --seed 1 [--kind Pod] [--record FILE]

``sh tests/oracle/build.sh FOLDER validate_1_37`` builds PROGRAM. Prints every sort of disagreement with its first
example; the exit status is 1 if there is any. ``--record`` keeps an object of every sort of answer, with the places
that the package names, for the test that needs no Go.
"""

import argparse
import gzip
import json
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from kschedlab.manifests.checks import faults_of
from kschedlab.manifests.decoding import decode, strict_json
from kschedlab.objects.problems import path_text
from kschedlab_validation.workloads import template_faults
from tests.oracle.differences import LET_THROUGH, REFUSED_HERE
from tests.oracle.objects import random_object

Manifest = dict[str, Any]
BATCH = 2000
"""How many objects a run of the program answers."""
ACCEPTED = 10
"""How many of the first objects of a kind are recorded if they are accepted."""


class Finding(NamedTuple):
    """One thing wrong with an object. ``where``: its path; ``what``: the message."""

    where: str
    what: str

    @property
    def sort(self) -> str:
        """The finding without what differs from object to object."""
        return re.sub(r'"[^"]*"|\[[^\]]*\]|-?\d+', "_", f"{self.where}: {self.what}")[:160]


def ours(manifest: Manifest) -> list[Finding]:
    """What the package refuses in the object."""
    text = json.dumps(manifest, ensure_ascii=False).encode()
    document, faults = decode(strict_json(msgspec.Raw(text)), manifest["kind"])
    found = [*faults, *faults_of(document), *template_faults(document)]
    return [Finding(path_text(fault.path), fault.message) for fault in found]


def places(found: Iterable[Finding]) -> list[str]:
    """Where something is wrong, each place once."""
    return sorted({each.where for each in found})


def agrees(kind: str, here: Sequence[Finding], refused: bool) -> bool:
    """Whether the package's answer is the API server's, apart from what the package refuses on purpose.

    A value that is refused on purpose may have others refused beside it: a policy does not fit a capacity that is none.
    """
    if refused:
        return any(here)
    meant = {each.where.rpartition(".")[0] for each in here if _known(each, kind, REFUSED_HERE)} - {
        "",
        "spec",
        "status",
    }
    return all(_known(each, kind, REFUSED_HERE) or each.where.startswith(tuple(meant)) for each in here)


def theirs(manifest: Manifest, answer: Manifest) -> list[Finding]:
    """What the API server refuses in the object, without what the package lets through on purpose."""
    if "decode" in answer:
        return [Finding("", answer["decode"])]
    return [each for each in _errors(answer) if not _known(each, manifest["kind"], LET_THROUGH)]


def _errors(answer: Manifest) -> list[Finding]:
    found = answer.get("errors", ())
    return [Finding(error["field"], f"{error['type']} {error.get('detail', '')}") for error in found]


def _known(finding: Finding, kind: str, differences: Iterable[Any]) -> bool:
    return any(difference.covers(kind, finding.where, finding.what) for difference in differences)


def asked(program: str, manifests: Iterable[Manifest]) -> list[Manifest]:
    """The real answers."""
    lines = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in manifests)
    done = subprocess.run(
        [program], input=lines.encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def _key(kind: str, there: list[Finding], number: int) -> tuple[str, str]:
    """What is recorded once: the same answer in any kind or template, and the first few accepted objects of a kind."""
    if not there:
        return kind, str(min(number, ACCEPTED))
    return "", re.sub(r"^spec\.template\.|^.*volumeClaimTemplates?_?\.|initC|c(?=ontainers)", "", there[0].sort)[:80]


def main() -> int:
    """Compare, print, record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind")
    parser.add_argument("--record", type=Path)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    kinds: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    disagreements: Counter[tuple[str, str, str]] = Counter()
    examples: dict[tuple[str, str, str], tuple[Manifest, list[Finding], list[Finding]]] = {}
    recorded: dict[tuple[str, str], Manifest] = {}
    for start in range(0, options.count, BATCH):
        manifests = [random_object(rng, options.kind) for _ in range(min(BATCH, options.count - start))]
        for manifest, answer in zip(manifests, asked(options.program, manifests), strict=True):
            kind, here, there = manifest["kind"], ours(manifest), theirs(manifest, answer)
            if here and not there:
                there = _errors(answer)  # both refuse it, if for different reasons: the real one stops at the first
            kinds[kind] += 1
            refused[kind] += bool(there)
            line = {"refused": bool(there), "named": places(here), "object": manifest}
            recorded.setdefault(_key(kind, there, kinds[kind]), line)
            if not agrees(kind, here, bool(there)):
                side, first = ("there", there[0]) if there else ("here", here[0])
                key = (f"refused only {side}", kind, first.sort)
                disagreements[key] += 1
                examples.setdefault(key, (manifest, here, there))
    for key, count in disagreements.most_common():
        manifest, here, there = examples[key]
        print(f"{count:5} {' | '.join(key)}\n      {json.dumps(manifest)[:1500]}")
        print(f"      {[tuple(each) for each in here or there][:3]}")
    print(", ".join(f"{kind} {count} ({refused[kind]} refused)" for kind, count in kinds.most_common()))
    print(f"{sum(kinds.values()):,} objects, {sum(refused.values()):,} refused by the API server, ", end="")
    print(f"{sum(disagreements.values()):,} disagreements")
    if options.record:
        with gzip.GzipFile(options.record, "wb", mtime=0) as file:
            file.writelines(json.dumps(each).encode() + b"\n" for each in recorded.values())
        print(f"{len(recorded)} recorded")
    return 1 if disagreements else 0


if __name__ == "__main__":
    sys.exit(main())
