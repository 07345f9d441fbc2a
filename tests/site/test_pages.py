"""The pages: links lead somewhere, addresses stand in one place, nothing but our own files may run."""

import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import nbformat
import pytest

from kschedlab_lab.exercises import LESSONS
from tests.site.built import Site
from tools.site.edition import EDITIONS, ENGLISH, URLS
from tools.site.page import Page, link_to
from tools.site.sheets import build_sheets, links

ROOT = Path(__file__).parents[2]
TEXTS = [*ROOT.glob("README*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "notebooks").rglob("*.ipynb")]


def test_the_addresses_are_those_of_the_settings() -> None:
    """A Chinese text leads to the Chinese contents and pages."""
    binder: dict[str, list[str]] = {}
    course: dict[str, list[str]] = {}
    for path in TEXTS:
        text, name = path.read_text("utf-8"), path.relative_to(ROOT).as_posix()
        binder[name] = re.findall(r"https://mybinder\.org/v2[^\s)`\\\"]*", text.replace("/TAG?", "/HEAD?"))
        course[name] = re.findall(r"https://[\w.-]+\.github\.io[^\s)`>\\\"]*", text)
    for name in binder:
        is_chinese = re.search(r"[/.]zh[/.]", name)
        assert {*binder[name]} <= {EDITIONS["zh" if is_chinese else "en"].binder("00-contents")}
        assert {*course[name]} <= {URLS["Course"] + ("zh/" if is_chinese else "")}
    for name in ("README.md", "README.zh.md", "docs/teaching.md", "docs/zh/teaching.md"):
        assert binder[name] and course[name]


def test_a_lesson_on_binder_is_that_notebook() -> None:
    edition = EDITIONS["en"]
    assert edition.binder("05-preemption").endswith("/kschedlab/tree/notebooks/05-preemption.ipynb")
    assert edition.binder("00-contents") == URLS["Binder"]


def test_a_page_leads_to_its_translation_and_back() -> None:
    assert EDITIONS["en"].others("05-preemption") == {"zh": "zh/05-preemption.html"}
    assert EDITIONS["zh"].others("00-contents") == {"en": "../index.html"}
    page = Page(EDITIONS["zh"], "00-contents", nbformat.v4.new_notebook(), {}, {"00-contents": "00"})
    assert page.linked('<a href="../00-contents.ipynb">') == '<a href="../index.html">'
    assert EDITIONS["zh"].binder("05-preemption").endswith("/kschedlab/tree/notebooks/zh/05-preemption.ipynb")


@pytest.mark.parametrize(
    ("language", "needs", "click"), [("en", "You need about", "(Click"), ("zh", "大约需要", "（先点")]
)
def test_a_page_does_not_say_how_to_run_a_cell(language: str, needs: str, click: str) -> None:
    edition = EDITIONS[language]
    for path in edition.paths():
        notebook = nbformat.read(path, 4)
        notebook.cells = [cell for cell in notebook.cells if cell.cell_type == "markdown"]
        text = unescape(Page(edition, path.stem, notebook, {}, {path.stem: "title"}).html())
        assert "Shift+Enter" not in text and click not in text, path
        assert needs in text or path.stem in ("00-contents", "08-teacher"), path


@pytest.mark.parametrize("language", EDITIONS)
def test_a_page_says_only_what_works_without_a_kernel(language: str) -> None:
    """Every phrase that is replaced stands in a notebook or a message, and on no page."""
    edition = EDITIONS[language]
    notebooks = {path: nbformat.read(path, 4) for path in edition.paths()}
    said = [cell.source for each in notebooks.values() for cell in each.cells if cell.cell_type == "markdown"]
    catalogue = (ROOT / "packages/lab/kschedlab_lab/language/zh.po").read_text("utf-8")
    for words in edition.instead:
        assert words in catalogue or any(words in each for each in said), words
    for path, notebook in notebooks.items():
        for cell in notebook.cells:
            cell["outputs"] = []
        text = unescape(Page(edition, path.stem, notebook, {}, {path.stem: "title"}).html())
        for words in ("Shift+Enter", "Run All", "beside the notebooks", "笔记本旁边", "neighbours get", "旁边的同学"):
            assert words not in text, (path, words)


def test_a_message_in_a_recording_says_what_works_on_a_page() -> None:
    early = EDITIONS["en"].without_kernel('{"early": ["2 hints left. Press Hint, or call hint()."]}')
    assert early == '{"early": ["2 hints left. Press Hint first."]}'
    assert EDITIONS["zh"].without_kernel("还剩 2 条提示。按“提示”，或者调用 hint()。") == "还剩 2 条提示。先按“提示”。"


def test_a_link_named_after_a_notebook_has_the_title_of_its_page() -> None:
    titles = {"00-contents": "00", "05-preemption": "05 · Who must go?"}
    page = Page(EDITIONS["en"], "00-contents", nbformat.v4.new_notebook(), {}, titles)
    link = '<a href="05-preemption.{}">{}</a>'
    named = link.format("html", titles["05-preemption"])
    assert page.linked(link.format("ipynb", "05-preemption.ipynb")) == named
    assert page.linked('{"parts": ["05-preemption.ipynb"]}') == '{"parts": ["05 · Who must go?"]}'


def test_the_teachers_page_is_on_nobody_else_s_way() -> None:
    one_cell = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# A title")])
    titles = {"07-your-cluster": "07", "08-teacher": "08", "09-your-plugin": "09"}

    def neighbours(name: str) -> list[str]:
        text = Page(EDITIONS["en"], name, one_cell, {}, titles).html()
        return re.findall(r'<a class="(?:previous|next)" href="([^"]*)"', text.partition("<footer")[0])

    assert neighbours("07-your-cluster") == ["09-your-plugin.html"]
    assert neighbours("09-your-plugin") == ["07-your-cluster.html"]
    assert neighbours("08-teacher") == ["07-your-cluster.html", "09-your-plugin.html"]


@pytest.mark.nightly  # the whole site is; tests/browser/test_teacher.py makes one in JupyterLab
def test_sheets_are_ready_for_each_lesson(tmp_path: Path) -> None:
    build_sheets(tmp_path)
    listed = links(EDITIONS["en"].words)
    files = {f"sheets/{path.name}" for path in (tmp_path / "sheets").iterdir()}
    assert set(re.findall(r'href="([^"]*)"', listed)) == files and len(files) == 2 * len(LESSONS)
    assert (tmp_path / "sheets/preemption.html").read_text().count('class="sheet"') == 6
    assert sum(path.stat().st_size for path in (tmp_path / "sheets").iterdir()) < 2_000_000


def test_a_page_says_to_search_engines_what_it_is() -> None:
    edition, path = EDITIONS["zh"], ROOT / "notebooks/zh/00-contents.ipynb"
    text = Page(edition, "00-contents", nbformat.read(path, 4), {}, {"00-contents": "00"}).html()
    assert '<meta name="description" content="每个 Pod 都要有个节点' in text
    assert f'<link rel="canonical" href="{URLS["Course"]}zh/">' in text
    addresses = [(code, each.address("00-contents"), each.address("05-preemption")) for code, each in EDITIONS.items()]
    course = URLS["Course"]
    assert addresses == [
        ("en", course, f"{course}05-preemption.html"),
        ("zh", f"{course}zh/", f"{course}zh/05-preemption.html"),
    ]
    for code, address, _ in addresses:
        assert f'<link rel="alternate" hreflang="{code}" href="{address}">' in text


def test_links_of_a_notebook_lead_to_pages_and_to_the_repository() -> None:
    page = Page(EDITIONS["en"], "05-preemption", nbformat.v4.new_notebook(), {}, {"05-preemption": "05"})
    assert page.linked('<a href="00-contents.ipynb#x">') == '<a href="index.html#x">'
    assert (
        page.linked('{"table": "<a href=\\"01-overview.ipynb\\">"}') == '{"table": "<a href=\\"01-overview.html\\">"}'
    )
    assert page.linked('<a href="../docs/plugins.md">').startswith(
        f'<a href="{URLS["Source"]}/blob/HEAD/docs/plugins.md"'
    )
    for other in ('<a href="https://example.org/a.ipynb">', '<a href="#here">', "<p>b.ipynb</p>"):
        assert page.linked(other) == other


def test_the_words_are_escaped_and_each_edition_has_all() -> None:
    assert link_to("a < [b & c].", 'x"y') == 'a &lt; <a href="x&quot;y">b &amp; c</a>.'
    assert all(edition.words.keys() == ENGLISH.keys() for edition in EDITIONS.values())


def test_every_link_leads_somewhere(site: Site) -> None:
    lost = []
    for page in site.pages:
        for target, anchor in re.findall(r'(?:href|src)="(?![a-z]+:)([^"#]*)(#[^"]*)?"', page.read_text("utf-8")):
            file = (page.parent / target).resolve() if target else page
            known = file.exists() or (site.is_part and file in site.whole)
            ids = re.findall(r'id="([^"]*)"', file.read_text("utf-8")) if anchor and file.suffix == ".html" else []
            if not known or (anchor and unquote(anchor[1:]) not in map(unquote, ids)):
                lost.append((str(page), target + anchor))
    assert lost == []


def test_every_page_leads_to_its_translation(site: Site) -> None:
    for page in site.pages:
        other = ".." if page.parent.name == "zh" else "zh"
        assert f' href="{other}/{page.name}" lang="' in page.read_text("utf-8"), page


def test_every_recording_is_there_and_is_small(site: Site) -> None:
    found = {page: re.findall(r'data-record="([^"]*)"', page.read_text("utf-8")) for page in site.pages}
    used = [page.parent / f"data/{name}.js" for page, names in found.items() for name in names]
    assert used and len(used) == len(set(used)) and {*site.folder.rglob("data/*.js")} == set(used)
    for page, names in found.items():
        own = [page, *(page.parent / name for name in ("course.css", "course.js"))]
        own += [page.parent / f"data/{name}.js" for name in names]
        assert sum(path.stat().st_size for path in own) < 2_000_000, page
    assert sum(path.stat().st_size for path in site.folder.rglob("*") if path.is_file()) < 20_000_000


def test_a_page_runs_nothing_but_our_own_files_and_what_keeps_the_theme(site: Site) -> None:
    for page in site.pages:
        text = page.read_text("utf-8")
        assert re.findall(r"<script[^>]*>", text) == ["<script>", '<script src="course.js" defer>'], page.name
        assert re.findall(r"<[^>]* on[a-z]+=", text) == []
        (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
        assert re.match("default-src 'none'; script-src 'self' file: 'sha256-[^' ]*'; style-src", unescape(policy))
        assert "run this cell" not in text


def test_every_page_has_its_language_its_headings_and_the_way_to_binder(site: Site) -> None:
    for page in site.pages:
        edition = EDITIONS["zh" if page.parent.name == "zh" else "en"]
        _, to_binder = edition.words["run"].split("[")
        for part in (f'<html lang="{edition.language}">', 'class="toc"', f">{to_binder.split(']')[0]}</a>"):
            assert part in page.read_text("utf-8"), page
