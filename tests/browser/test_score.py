"""The panels of lesson 03, moved from the keyboard and by clicks in JupyterLab."""

from playwright.sync_api import expect

from tests.browser.conftest import Open

NAME = "03-score.ipynb"


def test_stage_and_cell_change_the_map_and_the_arithmetic(notebook: Open) -> None:
    page = notebook(NAME)
    page.run_all()
    panel = page.page.locator(".kschedlab").filter(has_text="the pod's CPU request").first
    chart, sentence = panel.locator(".js-plotly-plot"), panel.get_by_role("status")
    panel.get_by_role("button", name="Reset").click()
    expect(sentence).to_contain_text("NodeResourcesLeastAllocated on node-a: (62 + 68) / 2 = 65.")
    expect(chart).to_contain_text("-30")
    page.press("stage", "ArrowRight")
    expect(chart).not_to_contain_text("-30")
    page.press("stage", "End")
    expect(chart).to_contain_text("★ node-c")
    page.press("the pod's CPU request", "ArrowLeft")
    expect(sentence).to_contain_text("one of 2 with the highest score (1000461)")
    expect(chart).to_contain_text("1000461")


def test_a_click_on_a_cell_writes_its_arithmetic(notebook: Open) -> None:
    page = notebook(NAME)
    page.run_all()
    panel = page.page.locator(".kschedlab").filter(has_text="the pod's CPU request").first
    panel.get_by_role("button", name="Reset").click()
    layer = panel.locator(".js-plotly-plot .nsewdrag").first
    layer.scroll_into_view_if_needed()
    box = layer.bounding_box()
    assert box
    layer.click(position={"x": box["width"] * 3.5 / 4, "y": box["height"] * 3.5 / 9})
    expect(panel.get_by_role("status")).to_contain_text("NodeResourcesLeastAllocated on node-d: (37 + 81) / 2 = 59.")
    expect(panel.get_by_role("row").filter(has_text="cpu")).to_contain_text("(4000m - 2500m) × 100 / 4000m = 37")


def test_a_weight_moves_the_winner(notebook: Open) -> None:
    page = notebook(NAME)
    page.run_all()
    panel = page.page.locator(".kschedlab").filter(has_text="node-c avoids the shop").last
    picture, sentence = panel.get_by_role("img"), panel.get_by_role("status")
    panel.get_by_role("button", name="Reset").click()
    expect(picture).to_contain_text("★ node-c")
    page.press("NodeAffinity", "ArrowRight")
    expect(picture).to_contain_text("★ node-d")
    expect(sentence).to_contain_text("node-d has the highest sum, 1000552")
    page.press("PodTopologySpread", "Home")
    expect(picture).to_contain_text("★ node-a")
    expect(panel.get_by_role("row").filter(has_text="▶")).to_contain_text("A")


def test_a_broken_draw_is_seen_to_be_unfair(notebook: Open) -> None:
    page = notebook(NAME)
    page.run_all()
    panel = page.page.locator(".kschedlab").filter(has_text="the k-th equal replaces").first
    picture, sentence = panel.get_by_role("img"), panel.get_by_role("status")
    panel.get_by_role("button", name="Reset").click()
    expect(sentence).to_contain_text("Each of the 4 best nodes is drawn with probability 1/4.")
    before = picture.text_content()
    page.press("seed", "ArrowRight")
    expect(picture).not_to_have_text(before or "")
    panel.locator("select").last.select_option("1/2")
    expect(sentence).to_contain_text("not fair: node-a 1/8, node-b 1/8, node-c 1/4, node-d 1/2.")
