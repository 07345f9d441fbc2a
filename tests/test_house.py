"""The house as a whole: data flows one way, files form no circles, and importing is quick."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "kschedlab"
LEFT_TO_RIGHT = {
    "": """
        extras kept | language | objects | cel | manifests | cluster | testing | devices | filter | queue | score
        plugins | extenders | preemption | generations | configuration | decision | claiming | post_filter | scheduler
        groups | explanation | whatif | simulation | views | live | lab | program | __main__
    """,
    "language": "catalogue | speaker | memory",
    "filter": """
        plugin | dynamic_resources
        node taint_toleration node_affinity node_ports node_resources pod_topology_spread inter_pod_affinity volumes
        predicates | stage
    """,
    "queue": """
        interface order heap | queued_pod events nominated | backoff unschedulable pre_enqueue in_flight
        requeueing older hints queued_group | with_events | groups
    """,
    "score": """
        plugin
        node_resources node_affinity taint_toleration pod_topology_spread inter_pod_affinity image_locality
        volume_binding priorities | stage
    """,
    "configuration": """
        faults | fields | plugin_sets | plugin_catalogues | arguments
        versions partial_plugins out_of_tree_plugins extenders | profiles | loading | policy
    """,
    "simulation": """
        clock durations pods status | log | server events | informers | scheduler controllers
        timeline | perf | replay report changes | simulation
    """,
    "lab": "cell_errors | stage | panels | exercises",
    "live": "wire | why serve schedule",
    "program": """
        progress terminal | options | decide serve
        bench clock compare completion explain schedule sheet simulate why | main
    """,
}
"""A room's folders and files. Each imports only from those to its left: bars and ends of lines divide them.

A file that is not listed may import any other of its room, as long as files form no circle.
"""

SHOW_THEMSELVES = {
    "kschedlab.cluster.cluster": ("kschedlab.generations", "kschedlab.whatif.fits"),
    "kschedlab.decision": ("kschedlab.views.tables", "kschedlab.views.text", "kschedlab.views.vectors"),
    "kschedlab.explanation": ("kschedlab.views.explanation",),
    "kschedlab.whatif.answers": ("kschedlab.views.whatif",),
    "kschedlab.whatif.compare": ("kschedlab.views.comparison",),
    "kschedlab.whatif.fits": ("kschedlab.views.whatif",),
}
"""A result asks a view for its pictures when it is shown, and views read results; ``cluster.fits`` asks ``whatif``."""

MOST_LINES = 400
TABLES: tuple[str, ...] = ()
"""Modules that may be longer, because they are tables."""


def name_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


MODULES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def imports(path: Path) -> Iterator[str]:
    """The modules of the package that a module imports anywhere in its text, for its types too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            if node.module and node.module.partition(".")[0] == "kschedlab":
                full = (f"{node.module}.{alias.name}" for alias in node.names)
                yield from (name if name in MODULES else node.module for name in full)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in MODULES)


IMPORTS = {
    module: {to for to in imports(path) if to != module and to not in SHOW_THEMSELVES.get(module, ())}
    for module, path in MODULES.items()
}


def places(room: str) -> dict[str, int]:
    """The place of each of a room's folders and files."""
    lines = [part for line in LEFT_TO_RIGHT[room].splitlines() for part in line.split("|")]
    return {name: i for i, part in enumerate(lines) for name in part.split()}


@pytest.mark.parametrize("room", LEFT_TO_RIGHT)
def test_a_module_imports_only_from_its_left(room: str) -> None:
    prefix = f"kschedlab.{room}." if room else "kschedlab."
    place = places(room)
    inside = {module: module.removeprefix(prefix).partition(".")[0] for module in MODULES if module.startswith(prefix)}
    folders = {each.name for each in (PACKAGE / room).iterdir() if (each / "__init__.py").exists()}
    assert folders <= place.keys() <= set(inside.values())
    wrong = [
        f"{module} imports {to}"
        for module, own in inside.items()
        for to in IMPORTS[module] & inside.keys()
        if own in place and inside[to] in place and own != inside[to] and place[own] <= place[inside[to]]
    ]
    assert not wrong


def test_files_form_no_circles() -> None:
    try:
        TopologicalSorter(IMPORTS).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_a_result_shows_itself_only_when_it_is_asked_to() -> None:
    """Imports of views stand in methods."""
    for module, views in SHOW_THEMSELVES.items():
        tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
        on_top = {node.module for node in tree.body if isinstance(node, ast.ImportFrom)}
        assert not on_top & set(views)
        assert set(views) <= set(imports(MODULES[module]))


@pytest.mark.parametrize("module", MODULES)
def test_no_module_is_long(module: str) -> None:
    lines = len(MODULES[module].read_text(encoding="utf-8").splitlines())
    assert module in TABLES or lines <= MOST_LINES, f"{lines} lines: split it by meaning"


@pytest.mark.parametrize(
    ("program", "needs"),
    [("import kschedlab", set()), ("from kschedlab import schedule", {"msgspec", "numpy", "typing_extensions"})],
)
def test_importing_loads_only_what_it_needs(program: str, needs: set[str]) -> None:
    """Of other packages."""
    program = f"import sys; idle = set(sys.modules); {program}; print(*set(sys.modules) - idle)"
    loaded = subprocess.check_output([sys.executable, "-c", program], text=True).split()
    assert {name.partition(".")[0] for name in loaded} - sys.stdlib_module_names - {"kschedlab"} <= needs


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
IDLE += ("configuration", "yaml_text", "simulation", "views", "lab", "live", "whatif")
"""Parts of module names that a decision of v1.37 does not load."""


@pytest.mark.parametrize(
    ("program", "most_modules", "most_lines"),
    [("from kschedlab import schedule", 58, 7_210), (DECIDE, 105, 13_285)],
    ids=["import", "decision"],
)
def test_scheduling_loads_what_it_uses(program: str, most_modules: int, most_lines: int) -> None:
    """Modules of the package, and their lines. ``import``: of ``schedule``; ``decision``: for a pod with defaults."""
    output = subprocess.check_output([sys.executable, "-c", program + LOADED], text=True)
    lines = {name: int(number) for name, number in map(str.split, output.splitlines())}
    print(f"{len(lines)} modules, {sum(lines.values())} lines")
    assert not [name for name in lines if set(name.split(".")) & set(IDLE) or name.startswith("kschedlab.devices")]
    assert len(lines) <= most_modules and sum(lines.values()) <= most_lines
