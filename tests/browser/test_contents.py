"""The map of the course, walked in JupyterLab to a lesson that is there."""

from playwright.sync_api import expect

from tests.browser.conftest import Open


def test_the_map_leads_to_a_lesson(notebook: Open) -> None:
    page = notebook("00-contents.ipynb")
    page.run_all()
    panel = page.page.locator(".kschedlab").first
    sentence, picture = panel.get_by_role("status"), panel.get_by_role("img")
    expect(sentence).to_contain_text("01 overview asks:")
    lesson = panel.get_by_label("lesson", exact=True)
    lesson.focus()
    page.page.keyboard.press("End")
    expect(sentence).to_contain_text("09 your plugin asks:")
    lesson.select_option("05 preemption")
    expect(sentence).to_contain_text("05 preemption asks: Nothing fits")
    expect(picture).to_contain_text("▶\u00a005 preemption")
    panel.get_by_text("the graph in words").click()
    expect(panel.get_by_role("listitem").filter(has_text="05 preemption (here)")).to_contain_text("→ 06 generations")
    panel.get_by_role("link", name="05-preemption.ipynb").click()
    expect(page.page.get_by_role("heading", name="05 · Preemption")).to_be_visible()
