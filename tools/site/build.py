"""Builds the course as pages without a server or a kernel: python -m tools.site.build OUT [NAME ...] [--language en]

Without names: every lesson. Each notebook runs in a process of its own; its pages' text and outputs are those that the
notebook has saved, and its panels and exercises are recorded anew.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from pygments.formatters import HtmlFormatter

import kschedlab_lab.exercises
import kschedlab_lab.stage
from packages.lab.hatch_build import bundle
from tools.site.cards import progress, recorded
from tools.site.edition import EDITIONS, Edition, page_of
from tools.site.page import Page, Recorded, title_of
from tools.site.record import Limits, Shared, recording
from tools.site.run import Recordable, ShownPanel, ShownProgress, ShownSheets, read, shown_by
from tools.site.sheets import build_sheets

HERE = Path(__file__).parent
STAGE, CARD = Path(kschedlab_lab.stage.__file__).parent, Path(kschedlab_lab.exercises.__file__).parent


def script() -> str:
    """The front ends of the lab as one script, and what plays recordings to them. A file can't import modules."""
    return bundle(HERE / "front/page.js", "--format=iife")


def styles() -> str:
    light, dark = (HtmlFormatter(style=name).get_style_defs(".highlight") for name in ("default", "github-dark"))
    plain = ".highlight { background: none !important; }"
    night = f'@media (prefers-color-scheme: dark) {{ :root:not([data-theme="light"]) {{ {dark} }} }}'
    chosen = f':root[data-theme="dark"] {{ {dark} }}'
    files = (HERE / "course.css", STAGE / "stage.css", CARD / "card.css")
    return "\n".join([light, night, chosen, plain, *(file.read_text(encoding="utf-8") for file in files)])


def build_shared(out: Path) -> None:
    """What all pages load."""
    (out / "data").mkdir(parents=True, exist_ok=True)
    (out / "course.js").write_text(script(), encoding="utf-8")
    (out / "course.css").write_text(styles(), encoding="utf-8")
    (out / ".nojekyll").touch()


def build_page(path: Path, out: Path, edition: Edition, limits: Limits) -> None:
    """The page of one notebook, with its recordings."""
    os.environ["KSCHEDLAB_PROGRESS"] = "off"
    name, notebook = path.stem, read(path)
    found: dict[int, list[Recorded]] = {}
    for place, cell in shown_by(notebook).items():
        found[place] = [Recorded(f"{name}-{place}-{number}", each) for number, each in enumerate(cell)]
    titles = {each.stem: title_of(read(each)) for each in edition.paths()}
    page = Page(edition, name, notebook, found, titles)
    (out / page_of(name)).write_text(page.html(), encoding="utf-8")
    shared = Shared()
    answered: dict[str, str] = {}
    for each in (each for every in found.values() for each in every):
        if isinstance(each.shown, ShownSheets):
            build_sheets(out)
            continue
        made = record_of(each.name, each.shown, shared, answered, limits)
        (out / f"data/{each.name}.js").write_text(packed(each.name, made, page), encoding="ascii")


def record_of(
    name: str,
    shown: Recordable,
    shared: Shared,
    answered: dict[str, str],
    limits: Limits,
) -> dict[str, Any]:
    """What is recorded. ``answered``: the exercises above that can be answered on the page; one more is noted."""
    if isinstance(shown, ShownPanel):
        return recording(shown, shared, limits)
    if isinstance(shown, ShownProgress):
        return progress(shown.summary, answered)
    made = recorded(shown.exercise)
    if made["answers"]:
        answered[shown.exercise.title] = name
    return made


def packed(name: str, record: dict[str, Any], page: Page) -> str:
    """A recording as a script."""
    text = page.linked(page.edition.without_kernel(json.dumps(record, ensure_ascii=False, separators=(",", ":"))))
    compressed = gzip.compress(text.encode(), 9, mtime=0)
    return f'kschedlab.arrived("{name}", "{base64.b64encode(compressed).decode()}");\n'


def main() -> None:
    """Build what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("names", nargs="*", help="notebooks without .ipynb; default: all")
    parser.add_argument("--language", choices=EDITIONS, default="en")
    for each in fields(Limits):
        words = "recorded of each panel (default: %(default)s)"
        parser.add_argument(f"--{each.name}", type=int, default=each.default, help=words)
    args = parser.parse_intermixed_args()
    edition, limits = EDITIONS[args.language], Limits(*(getattr(args, each.name) for each in fields(Limits)))
    out = args.out / edition.place
    paths = {path.stem: path for path in edition.paths()}
    if unknown := [name for name in args.names if name not in paths]:
        parser.error(f'there is no notebook "{unknown[0]}"; there are {", ".join(paths)}')
    build_shared(out)
    if len(args.names) == 1:
        build_page(paths[args.names[0]], out, edition, limits)
        return
    if not args.names:
        for old in (out / "data").glob("*.js"):  # of cells that are no longer there
            old.unlink()
    flags = ["--language", args.language, *(f"--{name}={value}" for name, value in asdict(limits).items())]

    def built(name: str) -> None:
        """A page from a process of its own: notebooks don't share what their cells define."""
        subprocess.run([sys.executable, "-m", "tools.site.build", str(args.out), name, *flags], check=True)
        files = [out / page_of(name), *(out / "data").glob(f"{name}-*")]
        print(f"{name}: {sum(each.stat().st_size for each in files) / 1e6:.1f} MB", flush=True)

    with ThreadPoolExecutor(os.cpu_count()) as some:
        list(some.map(built, args.names or paths))


if __name__ == "__main__":
    main()
