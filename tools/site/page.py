"""A notebook as a page: its text and its saved outputs, with places for what is recorded."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections import deque
from dataclasses import dataclass
from hashlib import sha256
from html import escape, unescape
from pathlib import Path
from string import Template
from typing import Any, cast

from nbconvert.filters import Highlight2HTML, markdown2html

from kschedlab.messages import say, sentences
from kschedlab_lab.language import LANGUAGES, spoken
from kschedlab_lab.stage.live import REVIVE
from tools.site.edition import CONTENTS, EDITIONS, TEACHER, Edition, page_of
from tools.site.run import Notebook, Recordable, Shown, ShownExercise, ShownPanel, ShownProgress, ShownSheets
from tools.site.sheets import links

TEMPLATE = Template((Path(__file__).parent / "page.html").read_text(encoding="utf-8"))
KEPT_THEME = """try {
  const theme = JSON.parse(localStorage.getItem("kschedlab-theme"));
  if (theme) document.documentElement.dataset.theme = theme;
} catch { /* there is no storage */ }"""
"""In a page's head, so that nothing shows in the other theme first; stage/kept.js keeps it."""
HASH = b64encode(sha256(KEPT_THEME.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; script-src 'self' file: 'sha256-{HASH}'; style-src 'self' file: 'unsafe-inline'; "
    "img-src 'self' file: data:; base-uri 'none'; form-action 'none'"
)
"""Scripts: the site's, those beside a page that is opened as a file, and the theme's. Views style with attributes."""
HIGHLIGHT: Any = cast(Any, Highlight2HTML)()
LINK = re.compile(r'( href=\\?")(?![a-z]+:|#)([^"#\\]*)')
"""An address inside the site, in markup or in markup that stands in JSON."""
FILE = re.compile(r'(?<=[>"])([\w-]+)\.ipynb(?=[<"])')
"""The name of a notebook as the words of a link, in markup or as a text of its own in JSON."""
HEADING = re.compile(r'<h2 id="([^"]*)">(.*?)<a class="anchor-link"')
TO_RUN = re.compile(
    r"(?:(?<=\. )|(?<=\.\*\* )|(?<=。\*\*)|(?<=。))[(（]?[^.。*\n]*?Shift\+Enter[^.。*\n]*[.。][)）]? ?"
)
"""A sentence on how to run a cell."""
STILL = 'class="ks-still"'
KINDS = {ShownPanel: "stage", ShownExercise: "card", ShownProgress: "progress"}


@dataclass(frozen=True)
class Recorded:
    """Something that is recorded: the ``name`` of its recording, what it is, and where a cell shows it."""

    name: str
    shown: Shown


def link_to(text: str, url: str) -> str:
    """The text as markup; its part in brackets is the link."""
    before, words, after = re.split(r"[\[\]]", escape(text))
    return f'{before}<a href="{escape(url)}">{words}</a>{after}'


class Page:
    """The page of one notebook. ``recorded``: by the place of a cell, what it shows; ``titles``: of all, in order."""

    def __init__(
        self,
        edition: Edition,
        name: str,
        notebook: Notebook,
        recorded: dict[int, list[Recorded]],
        titles: dict[str, str],
    ) -> None:
        self.edition, self.name, self.notebook, self.recorded, self.titles = edition, name, notebook, recorded, titles
        self.words, self.binder = edition.words, edition.binder(name)

    def html(self) -> str:
        cells = self.linked("\n".join(self._cell(place, cell) for place, cell in enumerate(self.notebook.cells)))
        words: dict[str, object] = {**self.words, "binder": self.binder, "spoken": spoken()}
        words |= {name: link_to(self.words[name], self.binder) for name in ("unknown", "judged")}
        return TEMPLATE.substitute(
            language=self.edition.language,
            policy=escape(POLICY),
            kept_theme=KEPT_THEME,
            title=escape(f"{self.titles[self.name]} · {self.words['course']}"),
            description=escape(description_of(self.edition.without_kernel(self.notebook.cells[0].source))),
            addresses=self._addresses(),
            words=escape(json.dumps(words, ensure_ascii=False)),
            theme=escape(self.words["theme"]),
            skip=escape(self.words["skip"]),
            note=f'<p class="note">{link_to(sentences([self.words["recorded"], self.words["run"]]), self.binder)}</p>',
            toc=self._toc(cells),
            cells=cells,
            top=f'<a href="index.html">{escape(self.words["course"])}</a>{self._languages()}{self._neighbours()}',
            bottom=self._neighbours(names=True),
        )

    def linked(self, markup: str) -> str:
        """A notebook's markup, or JSON with it; its links lead to pages instead of notebooks, and to the repository.

        A link that is named after a notebook's file has the page's title instead.
        """
        led = LINK.sub(lambda link: link[1] + self._target(link[2]), markup)
        return FILE.sub(lambda file: escape(self.titles.get(file[1], file[0])), led)

    def _target(self, path: str) -> str:
        if path.endswith(".ipynb"):
            folder, _, name = path.removesuffix(".ipynb").rpartition("/")
            return f"{folder}/{page_of(name)}" if folder else page_of(name)
        return self.edition.source(path) if path.startswith("../") else path

    def _addresses(self) -> str:
        """For search engines: this page's address, and those of the same page in each language."""
        own = self.edition.address(self.name)
        link = '<link rel="alternate" hreflang="{}" href="{}">'
        same = "".join(link.format(code, each.address(self.name)) for code, each in EDITIONS.items())
        return f'<link rel="canonical" href="{own}">{same}'

    def _toc(self, cells: str) -> str:
        """Links to the headings."""
        links = "".join(f'<li><a href="#{anchor}">{words}</a></li>' for anchor, words in HEADING.findall(cells))
        return f'<details class="toc"><summary>{escape(self.words["page"])}</summary><ul>{links}</ul></details>'

    def _languages(self) -> str:
        """Links to this page in other languages."""
        others = self.edition.others(self.name).items()
        return "".join(f'<a href="{to}" lang="{each}" hreflang="{each}">{LANGUAGES[each]}</a>' for each, to in others)

    def _neighbours(self, names: bool = False) -> str:
        """Links to the page before, the contents and the page after. The teachers' page is on nobody else's way."""
        order = [each for each in self.titles if each != TEACHER or each == self.name]
        place = order.index(self.name)
        found = [("previous", order[place - 1] if place else None), ("contents", CONTENTS)]
        found.append(("next", order[place + 1] if place + 1 < len(order) else None))
        arrows = {"previous": "← {}", "contents": "{}", "next": "{} →"}
        return "".join(
            f'<a class="{way}" href="{page_of(to)}">'
            f"{arrows[way].format(escape(self.titles[to] if names and way != 'contents' else self.words[way]))}</a>"
            for way, to in found
            if to is not None and (way != "contents" or self.name != CONTENTS)
        )

    def _cell(self, place: int, cell: Any) -> str:
        if cell.cell_type == "markdown":
            return f'<div class="jp-RenderedHTMLCommon">{_markdown(self.edition.without_kernel(cell.source))}</div>'
        hidden = cell.metadata.get("jupyter", {}).get("source_hidden")
        code = "" if hidden else f'<div class="code">{HIGHLIGHT(cell.source, language="python")}</div>'
        slots = deque(self.recorded.get(place, []))
        shown = "".join(self._output(output, slots) for output in cell.outputs)
        if left := [each.name for each in slots]:
            raise ValueError(f"{self.name}, cell {place}: no saved picture for {', '.join(left)}: refresh the notebook")
        return f'{code}<div class="jp-RenderedHTMLCommon output">{shown}</div>' if shown else code

    def _output(self, output: Any, slots: deque[Recorded]) -> str:
        if output.output_type == "stream":
            return f"<pre>{escape(output.text)}</pre>"
        data = output.data
        if STILL in data.get("text/html", ""):
            return self._live(data["text/html"], slots.popleft() if slots else None)
        if "text/html" in data:
            if slots and isinstance(progress := slots[0].shown, ShownProgress):
                return self._slot(slots.popleft().name, progress)
            return str(data["text/html"])
        if "text/markdown" in data:
            return _markdown(data["text/markdown"])
        return f"<pre>{escape(data['text/plain'])}</pre>"

    def _live(self, still: str, recorded: Recorded | None) -> str:
        """The place of something live, with a picture of it: recorded, or to be run elsewhere."""
        if recorded is None or isinstance(recorded.shown, ShownSheets):
            hint = rf"<div[^>]*><small>{re.escape(say(REVIVE))}</small></div>"
            run = f'<p class="missing">{link_to(self.words["kernel"], self.binder)}</p>'
            return re.sub(hint, run, still) + (links(self.words) if recorded is not None else "")
        return self._slot(recorded.name, recorded.shown)

    def _slot(self, name: str, shown: Recordable) -> str:
        """The place of something recorded."""
        return f'<div class="slot" data-record="{name}" data-kind="{KINDS[type(shown)]}">{shown.still}</div>'


def _markdown(source: str) -> str:
    """The text as markup, without the sentences on how to run a cell."""
    markup = str(markdown2html(TO_RUN.sub("", source)))
    return markup.replace('class="anchor-link"', 'class="anchor-link" aria-hidden="true" tabindex="-1"')


def title_of(notebook: Notebook) -> str:
    return str(notebook.cells[0].source.splitlines()[0].lstrip("# "))


def description_of(first: str) -> str:
    """The first paragraph of a notebook's first cell as plain text, without the line of its languages."""
    paragraphs = re.findall(r"<p>(.*?)</p>", _markdown(first), re.DOTALL)
    texts = (" ".join(unescape(re.sub(r"<[^>]*>", "", each)).split()) for each in paragraphs if CONTENTS not in each)
    return next(texts, "")
