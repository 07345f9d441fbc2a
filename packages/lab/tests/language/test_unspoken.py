"""An error that a reader can meet is a message of the catalogue, unless it is in Kubernetes' own words.

The sources are searched, so that the next one is found, too: an f-string, or a literal sentence, in an exception or in
a fault of a file.
"""

import ast
from collections.abc import Iterator

from tools.catalogue import PACKAGE

PLACES = {"Fault": 1, "invalid": 2, "required": 1, "forbidden": 1}
"""Which argument of a fault is its message. A literal there is taken by the catalogue already."""
THEIRS = frozenset(
    {
        *("SchedulingError", "PluginError", "CacheError", "VolumeError", "SelectorError", "MigrationError"),
        *("ExtenderError", "BadStatusError", "ApiError", "ScaleError", "CannotAllocateError"),
        *("AllocationError", "CapacityError", "DemandError"),
        *("CelError", "CancelledError", "FormatError", "MacroError", "PlanError", "RegexError"),
    }
)
"""Exceptions in the words of kube-scheduler, the API server, the allocator and cel-go, as in a real cluster."""
ENGLISH = {
    "program": "the programs always begin in English",
    "live": "the same, and what they answer to kubectl",
    "simulation/perf": "workloads of scheduler_perf: no lesson reads one",
    "cel": "limits of ours among cel-go's words",
    "simulation/server": "the API server's words",
    "extras.py": "the language needs it itself",
    "__init__.py": "Python's own sentence",
    "generations/__init__.py": "the same",
    "objects/quantity.py": "the same",
    "cluster/object_store.py": "for who programs with the engine",
    "objects/meta.py": "caught where a time is read",
    "queue/heap.py": "Python's own sentence",
    "queue/with_events.py": "the queue's words: it is logged",
    "queue/hints/pod_topology_spread.py": "no input leads there",
    "lab/exercises/exercise.py": "no input leads there: a test draws all seeds",
    "lab/exercises/progress.py": "caught where the file is read",
    "lab/exercises/preemption.py": "no input leads there",
    "lab/panels/settings.py": "for who writes a panel",
    "views/graph.py": "for who draws",
    "views/html.py": "for who draws",
    "views/listing.py": "for who writes a lesson",
}
"""By folder or file, why its errors stay English."""


def unspoken(source: str) -> Iterator[tuple[int, str]]:
    """(line, text) of what is told in English in any language."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            name, place = node.func.id, PLACES.get(node.func.id, 0)
            error = name.endswith("Error") and name not in THEIRS
            for text in node.args[place : place + 1] if error or name in PLACES else ():
                if (
                    isinstance(text, ast.JoinedStr)
                    or error
                    and isinstance(text, ast.Constant)
                    and " " in str(text.value)
                ):
                    yield node.lineno, ast.unparse(text)


def test_every_error_can_be_said_in_another_language() -> None:
    found: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        file = path.relative_to(PACKAGE).as_posix()
        why = next((each for each in ENGLISH if file == each or file.startswith(f"{each}/")), None)
        found.setdefault(why or "", []).extend(
            f"{file}:{line}: {text}" for line, text in unspoken(path.read_text("utf-8"))
        )
    assert found.pop("") == []
    assert [each for each in ENGLISH if not found.get(each)] == [], "these need no exception"
