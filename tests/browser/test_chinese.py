"""A Chinese lesson in JupyterLab: panels, questions and exercises speak Chinese, and both sets share the progress."""

import json
from collections.abc import Iterator

import nbformat
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Lab, Open
from tests.browser.test_preemption import control
from tools.refresh import METADATA

NAME = "zh/05-preemption.ipynb"


@pytest.fixture
def unkept(lab: Lab) -> Iterator[None]:
    kept = lab.home / "notebooks" / ".kschedlab-progress.json"
    kept.unlink(missing_ok=True)  # another test's
    yield
    kept.unlink(missing_ok=True)


@pytest.mark.usefixtures("unkept")
def test_a_question_is_answered_a_slider_moved_and_an_exercise_kept_beside_the_english_notebooks(
    lab: Lab, notebook: Open
) -> None:
    page = notebook(NAME)
    page.run_all()
    panel = page.kept_stage("会选中哪个节点？")
    panel.locator(".ks-picture [data-pick=node-b]").first.click()
    expect(panel.locator(".ks-question")).to_contain_text("不对。在 node-a 上只有 1 个 Pod 必须离开")
    expect(panel.locator(".ks-sentence")).to_contain_text("urgent 去 node-a；shop-a 必须离开。")
    control(panel, "预算允许").press("Home")
    expect(panel.locator(".ks-sentence")).to_contain_text("urgent 去 node-c；mail-c 和 jobs-c 必须离开。")
    assert panel.get_attribute("lang") == "zh"
    ruled = page.stage("预算允许 0 次干扰。现在选哪个节点？")
    ruled.locator(".ks-picture [data-pick=node-c]").first.click()
    ruled.get_by_role("button", name="演示过程").click()
    expect(ruled.locator(".ks-story")).to_be_visible()
    card = page.page.locator(".ks-exercise").filter(has_text="选哪个节点？").first
    card.get_by_role("radio", name="node-b").check()
    card.get_by_role("button", name="检查").click()
    expect(card.locator(".ks-reply")).to_contain_text("被淘汰")
    kept = json.loads((lab.home / "notebooks" / ".kschedlab-progress.json").read_text(encoding="utf-8"))
    assert [each["title"] for each in kept["exercises"]] == ["选哪个节点？"]


@pytest.mark.usefixtures("unkept")
def test_a_choice_in_a_notebook_of_ones_own_is_found_in_the_next_lesson(lab: Lab, notebook: Open) -> None:
    cell = nbformat.v4.new_code_cell('from kschedlab_lab.language import language\n\nlanguage("zh")')
    nbformat.write(nbformat.v4.new_notebook(cells=[cell], metadata=METADATA), lab.home / "notebooks" / "mine.ipynb")
    notebook("mine.ipynb").run_all()
    page = notebook("00-contents.ipynb")
    page.run_all()
    said = page.output("面板、练习和提示用的是你选的中文。")
    expect(said).to_contain_text("Panels, exercises and messages are in 中文, as you chose.")
    expect(page.page.locator(".kschedlab").first).to_have_attribute("lang", "zh")
    said.get_by_role("link", name="This page in 中文").click()
    expect(page.page.get_by_role("heading", name="Kubernetes 调度器是怎么想的")).to_be_visible()
