"""The course as pages, opened as files in Chromium without a network: every stage and every exercise is moved.

KSCHEDLAB_SITE names the folder of a site that was built; without it, a part is built for the tests.
"""

import http.server
import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from kschedlab.messages import say
from kschedlab_lab.language import language as speak
from tests.browser.conftest import IN_THE_TEXT
from tests.browser.lab import LIMIT, behind_dots
from tests.site.built import PART, Site
from tools.site.edition import EDITIONS

WHOLE = "KSCHEDLAB_SITE" in os.environ
SIZES = [(360, "light"), (360, "dark"), (800, "light"), (800, "dark"), (1280, "light"), (1280, "dark")]
FEW = {
    ("en", "00-contents"): [SIZES[1]],
    ("en", "10-devices"): [],
    ("en", "11-experiments"): [],
    ("zh", "10-devices"): [],
}
"""The window in which everything on a page is moved, where not in all."""
ALIVE = "(slot) => slot.dataset.alive"
FIRST = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
AWAITED = """() => performance.getEntriesByType("resource")
    .filter((each) => each.renderBlockingStatus === "blocking").map((each) => each.name)"""
PICTURES = "[data-kind] :is(svg, img)"
QUIET = """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"""
TOO_WIDE = "() => document.documentElement.scrollWidth - innerWidth"
SMALL = """(slot) => [...slot.querySelectorAll("svg text")].filter((each) => each.getClientRects().length).map((each) =>
    parseFloat(getComputedStyle(each).fontSize) * each.getScreenCTM().a).filter((size) => size < 10).length"""


def everything() -> list[tuple[str, str, int, str]]:
    """Each page that is tested, with a window: language, notebook, width and theme."""
    names = {
        code: [path.stem for path in edition.paths()] if WHOLE else PART[code] for code, edition in EDITIONS.items()
    }
    sizes = {} if WHOLE else FEW
    return [(code, name, *size) for code in EDITIONS for name in names[code] for size in sizes.get((code, name), SIZES)]


@contextmanager
def opened(
    browser: Browser, file: Path | str, width: int = 1280, theme: str = "light", *, beside: bool = False
) -> Iterator[Page]:
    """A page without a network; nothing may go wrong in it, and it may ask nobody else for anything.

    ``beside``: its panels share the stage beside the text, if there is room; else each is in its place.
    """
    address = file if isinstance(file, str) else file.as_uri()
    context = browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme="dark" if theme == "dark" else "light",
        reduced_motion="reduce",
        offline=address.startswith("file:"),
    )
    if not beside:
        context.add_init_script(IN_THE_TEXT)
    page, wrong = context.new_page(), list[str]()
    page.set_default_timeout(LIMIT)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on(
        "request",
        lambda asked: (
            None if asked.url.startswith(("file:", "data:", "blob:", address[:20])) else wrong.append(asked.url)
        ),
    )
    page.goto(address)
    yield page
    context.close()
    assert wrong == []


def alive(page: Page, slot: Locator) -> Locator:
    """The slot, once it is live."""
    slot.evaluate("(each) => each.scrollIntoView()")
    expect(slot).to_have_attribute("data-alive", "true")
    page.evaluate(QUIET)
    return slot


def shown(page: Page, slot: Locator) -> Locator:
    """Where this slot's panel is: on the stage beside the text, or in the slot."""
    line = slot.locator(".ks-line")
    if not line.count():
        return slot
    line.click()
    expect(line).to_have_attribute("aria-pressed", "true")
    page.evaluate(QUIET)
    return page.locator(".ks-dock")


def answer(page: Page, slot: Locator) -> None:
    """Answer the open question, if there is one, and read the verdict."""
    if slot.locator(".ks-covered").count():
        slot.get_by_role("button", name=say("Show it anyway")).click()
    if not slot.locator(".ks-asking").count():
        return
    field, pick = slot.locator(".ks-choices input"), slot.locator(".ks-picture [data-pick]")
    if pick.count():
        pick.first.press("Enter")
    elif field.count():
        field.fill("3")
        field.press("Enter")
    else:
        slot.locator(".ks-choices button").first.click()
    expect(slot.locator(".ks-question [role=status]")).to_contain_text(re.compile("[✓✕] ."))


def moved(page: Page, slot: Locator) -> int:
    """Move each control by itself over its whole range, which is recorded; how many were moved."""
    count = 0
    for control in slot.locator(".ks-controls > .ks-control, .ks-exact > .ks-control, .ks-player > .ks-steps").all():
        behind_dots(slot)
        seen = [look(slot, control)]
        for move in moves(control):
            move()
            page.evaluate(QUIET)
            expect(slot.locator(".missing")).to_be_hidden()
            seen.append(look(slot, control))
        if len(seen) > 1:
            assert any(each != seen[0] for each in seen)
            behind_dots(slot).get_by_role("button", name=say("Start again")).click()
            page.evaluate(QUIET)
            count += 1
    return count


def moves(control: Locator) -> list[Callable[[], object]]:
    """What sets a control to its ends and to its middle, or to each of its choices."""
    bar, box, menu = (control.locator(each) for each in ("input[type=range]", "input[type=checkbox]", "select"))
    if bar.count():
        middle = int(bar.get_attribute("max") or 0) // 2
        return [partial(bar.press, "End"), partial(bar.press, "Home"), partial(bar.fill, str(middle))]
    if box.count():
        return [box.click]
    if menu.count():
        return [partial(menu.select_option, index=each) for each in range(menu.locator("option").count())]
    return [each.click for each in control.locator("input[type=radio]").all()]


def look(slot: Locator, control: Locator) -> object:
    """What a panel and one of its controls say."""
    return slot.locator(".ks-sentence, .ks-control").all_inner_texts(), state_of(control)


def clicked(page: Page, slot: Locator) -> None:
    """Press the first mark in the picture that sets something else."""
    mark = slot.locator(".ks-picture [data-set]").first
    if not mark.count():
        return
    mark.press("Enter")
    page.evaluate(QUIET)
    expect(slot.locator(".missing")).to_be_hidden()
    behind_dots(slot).get_by_role("button", name=say("Start again")).click()
    page.evaluate(QUIET)


def state_of(control: Locator) -> object:
    return control.evaluate(
        "(each) => [...each.querySelectorAll('input, select')].map((one) => [one.value, one.checked])"
    )


def told(page: Page, slot: Locator) -> None:
    """Play the story to its end."""
    play = slot.get_by_role("button", name=say("▶ Show how"))
    if not play.count() or not play.is_visible():
        return
    if play.is_disabled():
        assert play.get_attribute("title") in (EDITIONS["en"].words["untold"], EDITIONS["zh"].words["untold"])
        return
    play.click()
    moment = slot.get_by_label(say("Moment of the story"))
    moment.press("End")
    page.evaluate(QUIET)
    expect(slot.locator(".ks-sentence")).not_to_be_empty()
    slot.get_by_role("button", name=say("Close the story")).click()


def solved(slot: Locator) -> None:
    """Answer an exercise, take a hint and look at the solution."""
    check = slot.get_by_role("button", name=say("Check"))
    if not check.count():
        return
    choices, line = slot.locator(".ks-answers input"), slot.locator("input[type=text]")
    if choices.count():
        choices.first.click()
    elif line.count():
        line.fill("no such answer")
    check.click()
    expect(slot.locator(".ks-reply")).not_to_be_empty()
    hint = slot.get_by_role("button", name=say("Hint"))
    hint.click()
    expect(slot.locator(".ks-reply")).to_contain_text(say("Hint {number} of {all}", number=1, all="").strip())
    for _ in range(6):
        hint.click()
    slot.get_by_role("button", name=say("Solution")).click()
    expect(slot.locator(".ks-reply")).to_contain_text(say("Solution"))


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """``say`` has the words of this language."""
    speak(code)
    try:
        yield
    finally:
        speak("en")


@pytest.mark.parametrize("language, name, width, theme", everything())
def test_everything_on_a_page_moves(
    browser: Browser, site: Site, language: str, name: str, width: int, theme: str
) -> None:
    with speaking(language), opened(browser, site.page(name, language), width, theme, beside=True) as page:
        docked = 0
        for slot in page.locator("[data-record]").all():
            alive(page, slot)
            if slot.get_attribute("data-kind") == "progress":
                continue
            if slot.get_attribute("data-kind") == "card":
                solved(slot)
                assert slot.evaluate(SMALL) == 0
                continue
            slot = shown(page, slot)
            docked += slot.get_attribute("class") == "ks-dock"
            answer(page, slot)
            behind_dots(slot)
            controls = slot.locator(".ks-control:visible").count()
            assert moved(page, slot) > 0 or not controls
            clicked(page, slot)
            told(page, slot)
            assert slot.evaluate(SMALL) == 0
        assert docked
        for width in {size[0] for size in SIZES}:
            page.set_viewport_size({"width": width, "height": 800})
            page.evaluate("() => scrollTo(0, 0)")  # the stage is away while one does the exercises at the end
            page.evaluate(QUIET)
            stage = ("ks-beside", "ks-above")[width < 900]
            expect(page.locator("main")).to_have_class(f"ks-course {stage}")
            assert page.evaluate(TOO_WIDE) <= 0, width
            assert [each for each in page.locator("[data-record]").all() if each.evaluate(SMALL)] == [], width


def farthest(slot: Locator) -> None:
    """Move every control as far as it goes: hardly anybody gets there, and it is not recorded."""
    behind_dots(slot)
    for control in slot.locator(":is(.ks-controls, .ks-exact) > .ks-control:visible").all():
        if control.locator("input:enabled, select:enabled").count():
            moves(control)[0 if control.locator("select").count() == 0 else -1]()


def test_where_a_state_is_not_recorded_the_nearest_is_shown_and_what_moved_is_said(
    browser: Browser, site: Site
) -> None:
    name, cell = ("02-queue", 21) if WHOLE else ("10-devices", 1)
    with opened(browser, site.page(name)) as page:
        slot = alive(page, page.locator(f"[data-record='{name}-{cell}-0']"))
        answer(page, slot)
        behind_dots(slot).locator(".ks-menu summary").click()
        field = slot.get_by_label("State")
        farthest(slot)
        first = field.input_value().partition(":")[0]
        expect(slot.locator(".missing a")).to_have_attribute("href", EDITIONS["en"].binder(name))
        expect(slot.locator(".missing")).to_contain_text(": ")
        expect(slot.locator(".ks-sentence")).not_to_have_text("")
        for wrong, said in (
            ("colour: red", '"colour" is not a setting; there are '),
            (f"{first}: x", f'{first}: "x" is not one of '),
        ):
            field.fill(wrong)
            field.press("Enter")
            expect(slot.get_by_role("alert")).to_contain_text(said)


def test_what_a_panel_further_down_has_recorded_is_known_above(browser: Browser, site: Site) -> None:
    with opened(browser, site.page("10-devices")) as page:
        slots = [alive(page, page.locator(f"[data-record='10-devices-{place}-0']")) for place in (1, 3)]
        for slot in slots:
            answer(page, slot)
            behind_dots(slot).locator(".ks-menu summary").click()
        below, sentence = slots[1].get_by_label("State").input_value(), slots[1].locator(".ks-sentence").inner_text()
        first = slots[0].get_by_label("State").input_value()
        assert sum(one != other for one, other in zip(first.split(","), below.split(","), strict=True)) > 1
        page.reload()
        slot = alive(page, page.locator("[data-kind=stage]").first)
        answer(page, slot)
        behind_dots(slot).locator(".ks-menu summary").click()
        slot.get_by_label("State").fill(below)
        slot.get_by_label("State").press("Enter")
        expect(slot.locator(".ks-sentence")).to_have_text(sentence)
        expect(slot.locator(".missing")).to_be_hidden()


def test_a_thumb_meets_every_control(browser: Browser, site: Site) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 800}, has_touch=True, is_mobile=True, offline=True)
    context.add_init_script(IN_THE_TEXT)
    page = context.new_page()
    page.goto(site.page("10-devices").as_uri())
    for slot in (page.locator("[data-kind=stage]").first, page.locator("[data-kind=card]").first):
        answer(page, alive(page, slot))
        if slot.get_attribute("data-kind") == "stage":
            behind_dots(slot)
        for control in slot.locator("button:visible, select:visible, input:visible, summary:visible").all():
            box = control.bounding_box()
            assert box is not None and min(box["width"], box["height"]) >= 24, control
            if control.evaluate("(each) => !['checkbox', 'radio'].includes(each.type)"):
                assert box["height"] >= 36, control
    assert page.evaluate(TOO_WIDE) <= 0
    context.close()


def test_the_buttons_below_a_picture_share_a_line(browser: Browser, site: Site) -> None:
    with opened(browser, site.page("10-devices")) as page:
        slot = alive(page, page.locator("[data-kind=stage]").first)
        answer(page, slot)
        boxes = [each.bounding_box() for each in behind_dots(slot).locator(".ks-bar > button:visible").all()]
        middles = [box["y"] + box["height"] / 2 for box in boxes if box is not None]
        assert len(middles) == 4 and max(middles) - min(middles) <= 2


def test_what_a_question_above_covers_opens_with_its_answer(browser: Browser, site: Site) -> None:
    with opened(browser, site.page("11-experiments")) as page:
        names = [slot.get_attribute("data-record") for slot in page.locator("[data-kind=stage]").all()]
        slots = [alive(page, page.locator(f"[data-record='{name}']")) for name in names]
        place = next(i for i, each in enumerate(slots) if each.locator(".ks-covered:has(.ks-control)").count())
        covered = slots[place]
        for asking in slots[:place]:
            answer(page, alive(page, asking))
        expect(covered.locator(".ks-covered")).to_have_count(0)
        expect(covered.locator(".ks-question")).not_to_be_empty()


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a local file server."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


def test_pages_show_pictures_before_they_have_anything_but_their_text_and_style(browser: Browser, site: Site) -> None:
    """What makes them quick; benchmarks/pages.py measures how quick."""
    without_scripts = browser.new_context(java_script_enabled=False).new_page()
    with served(site.folder) as address:
        for file in site.pages:
            place = f"{address}/{file.relative_to(site.folder)}"
            with opened(browser, place) as page:
                page.wait_for_function(FIRST)
                assert [Path(each).name for each in page.evaluate(AWAITED)] == ["course.css"]
            without_scripts.goto(place)
            expect(without_scripts.locator(PICTURES).first).to_be_visible()
    without_scripts.context.close()


def test_pages_lead_to_each_other_and_keep_the_theme(browser: Browser, site: Site) -> None:
    with served(site.folder) as address, opened(browser, f"{address}/index.html") as page:
        colour = "() => getComputedStyle(document.body).backgroundColor"
        light = page.evaluate(colour)
        page.get_by_role("button", name="Light or dark").click()
        assert page.evaluate(colour) != light
        page.get_by_text("The same as links").click()
        page.get_by_role("link", name="10 devices").first.click()
        expect(page).to_have_title("10 · Devices: which GPU does the pod get, and why none? · Kubernetes scheduling")
        page.wait_for_load_state()
        assert page.evaluate(colour) != light
        page.get_by_role("link", name="Contents").first.click()
        expect(page.locator("h1")).to_be_visible()


@pytest.mark.parametrize("language", EDITIONS)
def test_the_progress_counts_what_is_tried_on_the_page(browser: Browser, site: Site, language: str) -> None:
    with speaking(language), opened(browser, site.page("10-devices", language)) as page:
        progress = alive(page, page.locator("[data-kind=progress]"))
        all_ = progress.locator("tr").count() - 1
        expect(progress.locator("p")).to_have_text(say("{solved} of {all} solved.", solved=0, all=all_))
        rows = progress.locator("tr").all()[1:]
        expect(rows[0]).to_contain_text(say("not tried"))
        expect(rows[-1]).to_contain_text(EDITIONS[language].words["python"])
        card = alive(page, page.locator("[data-kind=card]").first)
        for choice in card.locator(".ks-answers input").all():
            choice.click()
            card.get_by_role("button", name=say("Check")).click()
            if "✓" in card.locator(".ks-reply").inner_text():
                break
        expect(progress.locator("p")).to_have_text(say("{solved} of {all} solved.", solved=1, all=all_))
        expect(rows[0]).to_contain_text(say("right"))


def test_what_was_tried_is_kept_by_the_browser(browser: Browser, site: Site) -> None:
    with served(site.folder) as address, opened(browser, f"{address}/{site.page('10-devices').name}") as page:
        card = alive(page, page.locator("[data-kind=card]").first)
        card.locator(".ks-answers input").first.click()
        card.get_by_role("button", name="Check").click()
        expect(card.locator(".ks-reply")).not_to_be_empty()
        tried = alive(page, page.locator("[data-kind=progress]")).locator("tr").all()[1].inner_text()
        page.reload()
        row = alive(page, page.locator("[data-kind=progress]")).locator("tr").all()[1]
        expect(row).to_contain_text("1")
        assert "not tried" not in tried and row.inner_text() == tried


def test_what_only_python_judges_says_so_before_somebody_types(browser: Browser, site: Site) -> None:
    with opened(browser, site.page("10-devices")) as page:
        fields = page.locator("[data-kind=card]").all()
        said = ["Python judges" in alive(page, each).locator(".ks-asked").inner_text() for each in fields]
        typed = [each.locator("textarea").count() > 0 for each in fields]
        assert any(typed) and said == typed
        written = page.locator("[data-kind=card]").nth(typed.index(True))
        written.get_by_role("button", name="Hint").click()
        expect(written.locator(".ks-asked")).to_contain_text("Python judges")


def test_a_table_fades_where_it_goes_on(browser: Browser, site: Site) -> None:
    whole = """() => [...document.querySelectorAll("main :is(pre, table)")].filter((each) =>
        each.scrollWidth <= each.clientWidth && getComputedStyle(each).maskImage !== "none").length === 0"""
    with opened(browser, site.page("10-devices"), 360) as page:
        page.wait_for_function(whole)
        wide = page.locator("main pre:not(details *)").first  # long lines of code do not wrap
        wide.evaluate("(each) => (each.textContent = 'x'.repeat(300))")
        expect(wide).not_to_have_css("mask-image", "none")
        wide.evaluate("(each) => each.scrollTo(9999, 0)")
        expect(wide).to_have_css("mask-image", "none")


def test_an_enlarged_panel_fills_the_window(browser: Browser, site: Site) -> None:
    with opened(browser, site.page("10-devices")) as page:
        slot = alive(page, page.locator("[data-kind=stage]").last)
        answer(page, slot)
        behind_dots(slot).get_by_role("button", name="Classroom").click()
        assert page.locator(".ks-large").bounding_box() == {"x": 0, "y": 0, **dict(page.viewport_size or {})}


def test_a_page_leads_to_the_same_page_in_the_other_language(browser: Browser, site: Site) -> None:
    with opened(browser, site.page("10-devices")) as page:
        page.get_by_role("link", name="中文").click()
        expect(page.locator("html")).to_have_attribute("lang", "zh")
        expect(page.locator("h1")).to_contain_text("10 · 设备")
        page.get_by_role("link", name="English").click()
        expect(page.locator("h1")).to_contain_text("10 · Devices")


def test_on_a_phone_the_stage_stays_above_the_text_and_a_finger_drags_in_it(browser: Browser, site: Site) -> None:
    context = browser.new_context(
        viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True, offline=True, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(site.page("00-contents").as_uri())
    dock, sentence = page.locator(".ks-dock"), page.locator(".ks-dock .ks-sentence")
    expect(dock.locator(".ks-picture svg")).to_be_visible()
    page.evaluate("scrollTo(0, 700)")
    page.wait_for_function("() => document.querySelector('.ks-dock').getBoundingClientRect().top === 0")
    assert dock.evaluate("(each) => each.offsetHeight / innerHeight") < 0.56
    page.locator("[data-kind=stage] .ks-line").first.evaluate("(line) => line.click()")
    handle = dock.locator("[data-drag]").first
    box = handle.bounding_box()
    before, scrolled = sentence.inner_text(), page.evaluate("scrollY")
    assert box is not None
    touch = context.new_cdp_session(page)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    for kind, moved_by in [("touchStart", 0), *(("touchMove", -10 * n) for n in range(1, 13)), ("touchEnd", 0)]:
        points = [] if kind == "touchEnd" else [{"x": x, "y": y + moved_by}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    expect(sentence).not_to_have_text(before)
    assert page.evaluate("scrollY") == scrolled
    grip = dock.locator(".ks-grip")
    grip.tap()
    assert dock.evaluate("(each) => each.offsetHeight / innerHeight") > 0.99
    grip.tap()
    assert dock.evaluate("(each) => each.offsetHeight / innerHeight") < 0.56
    context.close()
