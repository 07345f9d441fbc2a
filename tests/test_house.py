"""The house as a whole: data flows one way, and importing it is quick."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "kschedlab"
MODULES = sorted(PACKAGE.rglob("*.py"))
LEFT_TO_RIGHT = (
    "objects",
    "manifests",
    "cluster",
    "testing",
    "filter",
    "queue",
    "score",
    "preemption",
    "plugins",
    "generations",
    "configuration",
    "decision",
    "scheduler",
    "whatif",
    "simulation",
    "views",
    "lab",
    "program",
    "__main__",
)
SHOW_THEMSELVES = ("decision", "whatif")  # _repr_html_ and its siblings ask a view, when they are called
HEAVY = ("ipywidgets", "networkx", "plotly", "prometheus_client", "simpy", "yaml")


def room(module: str) -> str:
    return module.removeprefix("kschedlab.").partition(".")[0]


def imports(path: Path) -> Iterator[str]:
    """The rooms that a module of the package takes something from, wherever in its text it does."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            if node.module == "kschedlab":
                yield from (alias.name for alias in node.names)
            elif node.module and node.module.startswith("kschedlab."):
                yield room(node.module)
        elif isinstance(node, ast.Import):
            yield from (room(alias.name) for alias in node.names if alias.name.startswith("kschedlab."))


@pytest.mark.parametrize(
    "path",
    [path for path in MODULES if path.parent != PACKAGE or path.stem != "__init__"],
    ids=lambda path: str(path.relative_to(PACKAGE)),
)
def test_a_module_imports_only_from_its_left(path: Path) -> None:
    own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    place = LEFT_TO_RIGHT.index(own)
    right = {to for to in imports(path) if LEFT_TO_RIGHT.index(to) > place}
    wrong = right - {"views"} if own in SHOW_THEMSELVES else right
    assert not wrong, f"{own} imports {wrong}"


ROOMS = {
    "server": ("informers", "scheduler", "controllers", "timeline", "perf", "simulation"),
    "scheduler": ("controllers", "timeline", "perf", "simulation"),
    "controllers": ("scheduler", "timeline", "perf", "simulation"),
    "timeline": ("simulation",),
    "perf": ("simulation",),
}
"""The rooms of the simulation, and what they must not know: they meet at the API server."""


@pytest.mark.parametrize("own", ROOMS)
def test_the_rooms_of_the_simulation_meet_at_the_api_server(own: str) -> None:
    for path in (PACKAGE / "simulation" / own).glob("*.py"):
        known = re.findall(r"^ *from kschedlab\.simulation\.(\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert not set(known) & set(ROOMS[own]), f"{path.name} imports {set(known) & set(ROOMS[own])}"


def test_importing_the_package_loads_nothing_heavy() -> None:
    program = f"import sys, kschedlab; print([name for name in {HEAVY} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"


DECIDE = """
from kschedlab import Cluster, schedule
from kschedlab.manifests.loading import decode_objects

node = {"kind": "Node", "metadata": {"name": "a"}, "status": {"allocatable": {"cpu": "4", "pods": "9"}}}
other = node | {"metadata": {"name": "b"}}
pod = {"kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
cluster = Cluster(decode_objects([{"apiVersion": "v1"} | each for each in (node, other, pod)]))
assert schedule("default/p", cluster).node == "a"
"""
LOADED = """
import sys
for name, module in sys.modules.items():
    if name.partition(".")[0] == "kschedlab":
        print(name, len(open(module.__file__, encoding="utf-8").readlines()))
"""
IDLE = ("registry", "v1_13", "v1_16", "v1_20", "predicates", "priorities", "older", "hints", "with_events")
IDLE += ("configuration", "yaml_text", "simulation", "views", "lab", "whatif")
"""Parts of module names that a decision of v1.37 does not load."""


@pytest.mark.parametrize(
    ("program", "most_modules", "most_lines"),
    [("from kschedlab import schedule", 45, 5_800), (DECIDE, 86, 11_000)],
    ids=["import", "decision"],
)
def test_scheduling_loads_what_it_uses(program: str, most_modules: int, most_lines: int) -> None:
    """Modules of the package, and their lines. ``import``: of ``schedule``; ``decision``: for a pod with defaults."""
    output = subprocess.check_output([sys.executable, "-c", program + LOADED], text=True)
    lines = {name: int(number) for name, number in map(str.split, output.splitlines())}
    print(f"{len(lines)} modules, {sum(lines.values())} lines")
    assert not [name for name in lines if set(name.split(".")) & set(IDLE)]
    assert len(lines) <= most_modules and sum(lines.values()) <= most_lines


def test_importing_the_package_is_quick() -> None:
    """Under 150 ms; the fastest of five runs, because the machine may be busy."""
    program = "import time; start = time.perf_counter(); import kschedlab; print(time.perf_counter() - start)"
    runs = (subprocess.check_output([sys.executable, "-c", program], text=True) for _ in range(5))
    assert min(map(float, runs)) < 0.150
