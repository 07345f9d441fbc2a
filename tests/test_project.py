"""The files around the package are consistent: dependencies, their lock, Binder, Jupyter."""

import json
import re
import tomllib
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from kschedlab.lab.panels.contents import LESSONS
from kschedlab.simulation.simulation import Simulation
from kschedlab.simulation.timeline.scenario import loads_scenario
from kschedlab.testing import as_yaml, node, pod
from tools import check_binder

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
LAB = [
    Requirement(each)
    for each in chain(PROJECT["dependencies"], *map(EXTRAS.get, ("lab", "program", "simulation", "live")))
]
LAB = [each for each in LAB if each.name != PROJECT["name"]]
DIRECT = [*LAB, *map(Requirement, EXTRAS["dev"])]
IN_THE_IMAGE = {"jupyterlab", "ipywidgets"}


def pins(path: str) -> dict[str, str]:
    """From name to exact version; any other kind of line is an error."""
    lines = (line.split("#")[0].strip() for line in (ROOT / path).read_text().splitlines())
    found = (re.fullmatch(r"([\w.-]+)==([\w.]+)( ; .+)?", line) for line in lines if line)
    return {canonicalize_name(match[1]): match[2] for match in found if match or pytest.fail(path)}


@pytest.mark.parametrize("requirement", DIRECT, ids=lambda each: each.name)
def test_the_lock_has_what_the_project_asks_for(requirement: Requirement) -> None:
    version = pins("requirements.txt").get(canonicalize_name(requirement.name))
    assert version is not None and version in requirement.specifier, "run `make lock`"


def test_binder_pins_the_same_versions() -> None:
    needed = {canonicalize_name(each.name) for each in LAB}
    locked = pins("requirements.txt")
    assert pins("binder/requirements.txt") == {name: locked[name] for name in needed - IN_THE_IMAGE}


def test_binder_understands_its_folder() -> None:
    assert check_binder.missing_steps(check_binder.recipe()) == []


def test_a_step_that_binder_would_miss_is_named() -> None:
    lines = list(check_binder.STEPS.values())
    assert check_binder.missing_steps("\n".join(["FROM base", *lines])) == []
    assert check_binder.missing_steps("\n".join(["FROM base", *lines[:-1]])) == ["our package"]
    assert check_binder.missing_steps("\n".join(["FROM base", lines[0], lines[2], lines[1], lines[3]])) != []


def test_jupyter_opens_the_contents_and_asks_nobody_for_news() -> None:
    server = json.loads((ROOT / ".jupyter/jupyter_server_config.json").read_text())
    opened = server["LabApp"]["default_url"].removeprefix("/lab/tree/")
    assert (ROOT / opened).is_file()
    page = json.loads((ROOT / ".jupyter/labconfig/page_config.json").read_text())
    assert page["disabledExtensions"]["@jupyterlab/apputils-extension:announcements"] is True


def test_the_readme_names_every_lesson() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = [f"| [{lesson.title}](notebooks/{lesson.file}) | {lesson.question} |" for lesson in LESSONS]
    assert [row for row in rows if row not in readme] == []


def test_the_timeline_of_the_readme_runs() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (timeline,) = re.findall(r"```yaml\n(.*?)```", readme, re.DOTALL)
    cluster = as_yaml([node("n1"), node("n2"), node("n3"), pod("web", "n3", 1)])
    simulation = Simulation.of(loads_scenario(f"{cluster}---\n{timeline}"))
    simulation.run()
    assert simulation.report().failures == ()


def test_the_python_of_the_readme_prints_what_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    ((program, shown),) = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", readme, re.DOTALL)
    exec(program, {})
    assert capsys.readouterr().out == shown


def test_the_readme_links_to_what_there_is() -> None:
    links = re.findall(r"\]\(([\w./-]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert links and [link for link in links if not (ROOT / link).exists()] == []
