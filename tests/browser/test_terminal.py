"""The live clusters of lessons 01 and 05 beside a terminal of JupyterLab: what is typed there happens in the panel."""

import shlex
import shutil
import time
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Lab, Open
from tests.browser.lab import Notebook
from tools.refresh import METADATA

TABS = ".lm-DockPanel-tabBar [role=tab]"
PANEL = ".jp-CodeCell:has-text('import terminal') .widget-vbox.kschedlab"


def cluster_of(lab: Lab, lesson: str) -> str:
    """The name of a notebook that has only the cell of this lesson with the live cluster."""
    notebooks = lab.home / "notebooks"
    cells = nbformat.read(notebooks / f"{lesson}.ipynb", as_version=4).cells
    live = [cell for cell in cells if cell.cell_type == "code" and "import terminal" in cell.source]
    name = f"cluster-of-{lesson}.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=live, metadata=METADATA), notebooks / name)
    return name


def panel_of(page: Notebook) -> Locator:
    return page.page.locator(PANEL).first


def open_terminal(page: Notebook) -> int:
    """Press the panel's button; the terminal's number in the page."""
    number = page.page.locator(".jp-Terminal").count()
    panel_of(page).get_by_role("button", name="Open a terminal below").click()
    page.page.locator(".jp-Terminal").nth(number).locator("textarea").wait_for(state="attached")
    return number


def type_line(page: Notebook, number: int, line: str) -> None:
    """Type the line in this terminal."""
    terminal = page.page.locator(".jp-Terminal").nth(number)
    page.page.locator(TABS).filter(has_text="Terminal").nth(number).click()
    expect(terminal).to_be_visible()
    terminal.locator("textarea").focus()
    page.page.keyboard.type(line)
    page.page.keyboard.press("Enter")


def wait_for(path: Path, *words: str) -> str:
    """The text that a terminal has written, once a line of it has all of these words."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        text = path.read_text() if path.exists() else ""
        if any(all(word in line for word in words) for line in text.splitlines()):
            return text
        time.sleep(0.1)
    raise AssertionError(f"no line with {words}:\n{text}")


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed: make system installs it")
def test_a_nomination_is_watched_with_kubectl(lab: Lab, notebook: Open, tmp_path: Path) -> None:
    name = cluster_of(lab, "01-overview")
    page = notebook(name)
    page.run_all()
    panel = panel_of(page)
    expect(panel).to_contain_text("The cluster is running.")
    expect(panel).to_contain_text("kubectl finds this cluster in any terminal")
    expect(panel.locator(".ks-sentence")).to_contain_text("Type kubectl in a terminal")
    watched = tmp_path / "watched"
    first = open_terminal(page)
    expect(panel).to_be_visible()
    type_line(page, first, f"kubectl get pod -o wide -w | tee {shlex.quote(str(watched))}")
    wait_for(watched, "mail-a", "Running", "node-a")
    second = open_terminal(page)
    type_line(page, second, "kubectl scale deployment urgent --replicas=1")
    text = wait_for(watched, "urgent-", "Pending", "node-a")
    assert "NOMINATED NODE" in text.splitlines()[0]
    expect(panel).to_be_visible()
    expect(panel).to_contain_text("kubectl scales urgent from 0 to 1.")
    expect(panel.locator(".ks-picture")).to_contain_text("nominated to node-a")
    panel.get_by_role("button", name="Stop time").click()
    expect(panel).to_contain_text("Time is stopped.")
    panel.get_by_role("button", name="Let time run").click()
    type_line(page, second, "kubectl delete pod shop-b --now")
    wait_for(watched, "urgent-", "Running", "node-b")
    expect(panel).to_contain_text(" is Running on node-b.")


def test_the_cluster_ends_begins_again_and_belongs_to_one_notebook(notebook: Open, lab: Lab) -> None:
    page = notebook(cluster_of(lab, "05-preemption"))
    page.run_all()
    panel = panel_of(page)
    expect(panel).to_contain_text("The cluster is running.")
    [file] = (lab.home / "JUPYTER_DATA_DIR").rglob("kschedlab.kubeconfig")
    assert file.stat().st_mode & 0o077 == 0
    panel.get_by_role("button", name="End", exact=True).click()
    expect(panel).to_contain_text("The cluster has ended")
    assert not file.exists()
    expect(panel.get_by_role("button", name="Stop time")).to_be_disabled()
    expect(panel).not_to_contain_text("The cluster is running.")
    panel.get_by_role("button", name="Start again").click()
    expect(panel).to_contain_text("The cluster is running.")
    before = file.read_text()
    page.run_all()
    expect(panel).to_contain_text("The cluster is running.")
    assert file.read_text() != before, "the cell that is run again brings a new cluster"
    other = notebook(cluster_of(lab, "01-overview"))
    other.run_all()
    expect(panel_of(other)).to_contain_text("kubectl finds this cluster")
    page.page.bring_to_front()
    expect(panel).to_contain_text("Terminals ask the cluster of another notebook now.")
    lab.end_kernels()
    end = time.monotonic() + 30
    while file.exists() and time.monotonic() < end:
        time.sleep(0.1)
    assert not file.exists(), "it goes with the kernel"
