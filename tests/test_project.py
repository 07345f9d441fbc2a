"""The files around the package are consistent: dependencies, their lock, Binder, Jupyter."""

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from kschedlab.messages import say
from kschedlab_lab.language import language
from kschedlab_lab.panels.contents import LESSONS
from kschedlab_lab.panels.terminal_desk import KUBECONFIG
from tests.notebooks.in_step import LANGUAGE
from tools import check_binder, get_kubectl

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
NEIGHBOURS = [tomllib.loads(path.read_text())["project"] for path in sorted(ROOT.glob("packages/*/pyproject.toml"))]
OURS = {each["name"] for each in (PROJECT, *NEIGHBOURS)}
LAB = [
    Requirement(each)
    for each in chain(PROJECT["dependencies"], EXTRAS["program"], *(each["dependencies"] for each in NEIGHBOURS))
]
LAB = [each for each in LAB if each.name not in OURS]
DIRECT = [*LAB, *map(Requirement, EXTRAS["dev"])]
IN_THE_IMAGE = {"ipython", "ipywidgets", "jupyter-core", "jupyterlab", "packaging", "traitlets"}


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
    assert check_binder.missing_steps("\n".join(["FROM base", *lines[:-1]])) == ["our settings"]
    assert check_binder.missing_steps("\n".join(["FROM base", lines[0], lines[2], lines[1], *lines[3:]])) != []


def test_terminals_find_a_lessons_cluster_first_and_then_ones_own(tmp_path: Path) -> None:
    own, program = tmp_path / "own", "import runpy; runpy.run_path({!r}); import os; print(os.environ['KUBECONFIG'])"
    command = [sys.executable, "-c", program.format(str(ROOT / ".jupyter/jupyter_server_config.py"))]
    environment = {
        **os.environ,
        "JUPYTER_RUNTIME_DIR": str(tmp_path),
        "HOME": str(tmp_path),
        "JUPYTERLAB_WORKSPACES_DIR": str(tmp_path),
    }
    lesson = str(tmp_path / KUBECONFIG)
    there = str(ROOT / "README.md")
    for given, files in (("", [lesson]), (str(own), [lesson]), (f"{lesson}:{there}", [lesson, there])):
        environment["KUBECONFIG"] = given
        found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
        assert found.strip().split(":") == files
    assert os.access(ROOT / "binder/start", os.X_OK)


def test_terminals_find_kschedlab_where_its_environment_is_not_active(tmp_path: Path) -> None:
    config = str(ROOT / ".jupyter/jupyter_server_config.py")
    program = (
        f"import runpy; runpy.run_path({config!r}); runpy.run_path({config!r}); import os; print(os.environ['PATH'])"
    )
    folders = {name: str(tmp_path) for name in ("JUPYTER_RUNTIME_DIR", "HOME", "JUPYTERLAB_WORKSPACES_DIR")}
    environment = {**os.environ, **folders, "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "-c", program]
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()
    assert found == f"{Path(sys.executable).parent}:/usr/bin:/bin"
    assert shutil.which("kschedlab", path=found)


def test_the_file_browser_is_closed_until_a_reader_opens_it(tmp_path: Path) -> None:
    program = f"import runpy; runpy.run_path({str(ROOT / '.jupyter/jupyter_server_config.py')!r})"
    environment = {**os.environ, "JUPYTERLAB_WORKSPACES_DIR": str(tmp_path), "JUPYTER_RUNTIME_DIR": str(tmp_path)}

    def started() -> Any:
        subprocess.run([sys.executable, "-c", program], env=environment, check=True)
        (space,) = tmp_path.glob("kschedlab*")
        return space, json.loads(space.read_text())

    space, kept = started()
    assert kept["data"]["layout-restorer:data"]["left"]["collapsed"] is True
    kept["data"]["layout-restorer:data"]["left"]["collapsed"] = False  # what JupyterLab writes when somebody opens it
    space.write_text(json.dumps(kept))
    assert started()[1] == kept


def test_binder_gets_a_kubectl_with_the_right_sum(tmp_path: Path) -> None:
    folder = tmp_path / f"{get_kubectl.VERSION}/bin/linux/{get_kubectl.MACHINES[platform.machine()]}"
    folder.mkdir(parents=True)
    (folder / "kubectl").write_text("#!/bin/sh\necho kubectl\n")
    (folder / "kubectl.sha256").write_text(hashlib.sha256((folder / "kubectl").read_bytes()).hexdigest())
    fetched = get_kubectl.fetch(tmp_path, tmp_path.as_uri())
    assert subprocess.run([fetched], capture_output=True, text=True, check=True).stdout == "kubectl\n"
    (folder / "kubectl").write_text("something else")
    with pytest.raises(ValueError, match="its sum is"):
        get_kubectl.fetch(tmp_path, tmp_path.as_uri())
    assert fetched.read_text() == "#!/bin/sh\necho kubectl\n", "what was there stays"


def test_jupyter_opens_the_contents_and_asks_nobody_for_news() -> None:
    server = json.loads((ROOT / ".jupyter/jupyter_server_config.json").read_text())
    opened = server["LabApp"]["default_url"].removeprefix("/lab/workspaces/kschedlab/tree/")
    assert (ROOT / opened).is_file()
    page = json.loads((ROOT / ".jupyter/labconfig/page_config.json").read_text())
    assert page["disabledExtensions"]["@jupyterlab/apputils-extension:announcements"] is True


README, CHINESE = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "README.zh.md"))


@pytest.fixture
def as_before() -> Iterator[None]:
    """What somebody reads in Chinese is said in Chinese; afterwards English is spoken again."""
    yield
    language("en")


def test_the_readme_names_every_lesson() -> None:
    rows = [f"| [{lesson.title}](notebooks/{lesson.file}) | {lesson.question} |" for lesson in LESSONS]
    assert [row for row in rows if row not in README] == []


def test_the_chinese_readme_names_every_lesson(as_before: None) -> None:
    language("zh")
    rows = [f"| [{say(each.title)}](notebooks/zh/{each.file}) | {say(each.question)} |" for each in LESSONS]
    assert [row for row in rows if row not in CHINESE] == []


def test_the_chinese_readme_shows_commands_of_the_readme_and_leads_to_its_files() -> None:
    def commands(text: str) -> set[str]:
        lines = re.findall(r"^ {4}((?:make|kschedlab|kubectl) [^#\n]*)", text, re.MULTILINE)
        return {LANGUAGE.sub("", line).strip() for line in lines}

    assert len(commands(CHINESE)) >= 7 and commands(CHINESE) <= commands(README)
    links = re.findall(r"\]\(([\w./-]+)(#[\w-]+)?\)", CHINESE)
    assert len(links) >= 20 and [link for link, _ in links if not (ROOT / link).exists()] == []
    headings = {re.sub(r"\W+", "-", each.lower()) for each in re.findall(r"^#+ (.+)$", README, re.MULTILINE)}
    assert {place[1:] for _, place in links if place} <= headings
    assert "](README.md)" in CHINESE and "](README.zh.md)" in README


@pytest.mark.parametrize("readme", [README, CHINESE], ids=["en", "zh"])
def test_the_python_of_the_readme_prints_what_it_shows(
    readme: str, as_before: None, capsys: pytest.CaptureFixture[str]
) -> None:
    ((program, shown),) = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", readme, re.DOTALL)
    exec(program, {})
    assert capsys.readouterr().out == shown


def test_the_readme_links_to_what_there_is() -> None:
    links = re.findall(r"\]\(([\w./-]+)\)", README)
    assert links and [link for link in links if not (ROOT / link).exists()] == []
