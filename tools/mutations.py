"""Do the lessons notice a wrong engine? Changes one thing in a copy of the package and runs the lesson about it.

    python -m tools.mutations            all of them; exit status 1 if a lesson shows what it always showed
    python -m tools.mutations 05         those of one lesson

A score plus one, a rule of the ladder reversed, a victim less, ...: at least one cell must show something else.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbclient.exceptions import CellExecutionError

from kschedlab.generations import V1_13, V1_20
from tools.refresh import NOTEBOOKS, executed

ROOT = NOTEBOOKS.parent


@dataclass(frozen=True)
class Mutation:
    """What is wrong, the lesson about it, and the change: ``old`` stands once in the module and becomes ``new``."""

    name: str
    lesson: str
    module: str
    old: str
    new: str

    def applied(self, text: str) -> str:
        """The module's text with the change. ValueError if it is not there, or more than once."""
        if text.count(self.old) != 1:
            raise ValueError(f"{self.name}: {self.module} has {text.count(self.old)} times: {self.old}")
        return text.replace(self.old, self.new)


SCORED = "        scored = plugin.score(pod, cluster, nodes)\n"
PLUS_ONE = """        if scored is not None and plugin.name == "{}":
            scored = Scored(scored.raw + 1, scored.normalized + 1, scored.terms)
"""
RULES = (", number_of_violations", ", first_priority", ", sum_of_priorities", ", number_of_victims", "earliest_start")
EVICTED = "        return self.helps & (self.refused_by != PASSES)\n"
ONE_LESS = """        found = self.helps & (self.refused_by != PASSES)
        found[np.flatnonzero(found)[-1:]] = False
        return found
"""


def mutations() -> Iterator[Mutation]:
    """All of them."""
    for lesson, generation in (("03", V1_20), ("04", V1_13)):
        for plugin, _ in generation.scores:
            plus_one = SCORED + PLUS_ONE.format(plugin.name)
            yield Mutation(f"{plugin.name} + 1", lesson, "kschedlab/score/stage.py", SCORED, plus_one)
    yield Mutation(
        "hosts drawn unevenly", "03", "kschedlab/score/stage.py", "rng.random() * seen < 1", "rng.random() * 2 < 1"
    )
    for number, rule in enumerate(RULES, 1):
        old, new = (f"{rule}, largest=True)", f"{rule})") if number == 5 else (f"{rule}),", f"{rule}, largest=True),")
        yield Mutation(f"rule {number} reversed", "05", "kschedlab/preemption/ladder.py", old, new)
    yield Mutation("a victim less", "05", "kschedlab/preemption/victims.py", EVICTED, ONE_LESS)
    yield Mutation(
        "other causes", "06", "kschedlab/whatif/compare.py", "if switched != before:", "if switched == before:"
    )
    named_rules = "packages/lab/kschedlab_lab/named_rules.py"
    yield Mutation("rules stay", "06", named_rules, "NAMES.index(first) - 1]", "NAMES.index(first)]")
    yield Mutation("the last pod first", "02", "kschedlab/queue/order.py", "(pod1)) < rank(", "(pod1)) > rank(")
    yield Mutation(
        "the wrong child", "02", "kschedlab/queue/heap.py", "data.less(right, child)", "data.less(child, right)"
    )
    yield Mutation("a parent too far", "02", "kschedlab/queue/heap.py", "(place - 1) // 2", "place // 2")
    yield Mutation(
        "a node less is looked at",
        "01",
        "kschedlab/filter/stage.py",
        "return hits[:enough], (",
        "return hits[1:enough], (",
    )
    yield Mutation(
        "ports never conflict",
        "01",
        "kschedlab/filter/node_ports.py",
        "return self[1:] == other[1:] and (",
        "return False and (",
    )
    yield Mutation(
        "taints never refuse",
        "01",
        "kschedlab/filter/taint_toleration.py",
        "if not untolerated(cluster, tolerations).any():",
        "if True:",
    )
    yield Mutation(
        "never fewer than 5 %",
        "01",
        "kschedlab/filter/stage.py",
        "max(rules.min_percentage, ",
        "min(rules.min_percentage, ",
    )
    yield Mutation("a victim less", "01", "kschedlab/preemption/victims.py", EVICTED, ONE_LESS)
    yield Mutation(
        "functions pass everywhere", "09", "kschedlab/plugins/one_node.py", "if answer is not None:", "if False:"
    )
    yield Mutation(
        "a function's score + 1", "09", "kschedlab/plugins/one_node.py", "return _score(answer[0]), dict", PLUS
    )
    yield Mutation(
        "declarations pass", "09", "kschedlab/plugins/checking.py", "        if not depends:\n", "        if False:\n"
    )
    yield Mutation(
        "hints say yes",
        "09",
        "packages/simulation/kschedlab_simulation/scheduler/queues.py",
        "return bool(call(hint, ",
        "return True or ((",
    )
    yield Mutation(
        "taints of devices are tolerated",
        "10",
        "packages/devices/kschedlab_devices/search.py",
        "if device.taints and not",
        "if False and not",
    )
    yield Mutation(
        "roots need not match",
        "10",
        "packages/devices/kschedlab_devices/search.py",
        "bool(common) == self.distinct",
        "self.distinct and common",
    )
    yield Mutation("nothing refuses", "07", "kschedlab/filter/stage.py", "def passes(self) -> BoolArray:", NOBODY)


PLUS = "return _score(answer[0]) + 1, dict"
NOBODY = "def passes(self) -> BoolArray:\n        return np.ones_like(self.refused_by, np.bool_)\n"


def shown(text: str) -> list[dict[str, Any]]:
    """What each code cell shows."""
    cells = nbformat.reads(text, as_version=4).cells
    return [{"id": cell.id, "shows": cell.outputs} for cell in cells if cell.cell_type == "code"]


def noticed(mutation: Mutation, path: Path) -> list[str]:
    """The ids of the cells that show something else; "(an error)" if a cell fails."""
    with tempfile.TemporaryDirectory() as folder:
        base = Path(*Path(mutation.module).parts[:2]) if mutation.module.startswith("packages/") else Path()
        module = Path(folder, Path(mutation.module).relative_to(base))
        package = module.relative_to(folder).parts[0]
        shutil.copytree(ROOT / base / package, Path(folder, package), ignore=shutil.ignore_patterns("__pycache__"))
        module.write_text(mutation.applied(module.read_text(encoding="utf-8")), encoding="utf-8")
        os.environ["PYTHONPATH"] = folder  # the kernel inherits it
        try:
            before, after = (shown(text) for text in (path.read_text(encoding="utf-8"), executed(path)))
        except CellExecutionError:
            return ["(an error)"]
        finally:
            del os.environ["PYTHONPATH"]
    return [old["id"] for old, new in zip(before, after, strict=True) if old != new]


def main() -> int:
    """Run them and say which cells noticed."""
    wanted, tried, unnoticed = sys.argv[1:], 0, 0
    for mutation in mutations():
        if wanted and mutation.lesson not in wanted:
            continue
        (path,) = NOTEBOOKS.glob(f"{mutation.lesson}-*.ipynb")
        cells = noticed(mutation, path)
        tried, unnoticed = tried + 1, unnoticed + (not cells)
        print(f"{mutation.lesson} {mutation.name}: {', '.join(cells) or 'NOT NOTICED'}", flush=True)
    print(f"{tried} wrong engines, {unnoticed} not noticed")
    return int(unnoticed > 0)


if __name__ == "__main__":
    sys.exit(main())
