"""Take a picture of a panel: python -m tests.browser.shot 'preemption.panel(allowed=0)' OUT.png [--width 1280] ...

The expression's first name is a module of ``kschedlab_lab.panels``. ``--do`` runs Python on the page before the
picture is taken (``page``: playwright's page), and can be repeated.
"""

import argparse
from importlib import import_module
from typing import Any

from playwright.sync_api import sync_playwright

from tests.browser.lab import chromium
from tests.browser.page import PanelPage


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("panel")
    parser.add_argument("out")
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--height", type=int, default=720)
    parser.add_argument("--theme", choices=("light", "dark"), default="light")
    parser.add_argument("--classroom", action="store_true")
    parser.add_argument("--motion", action="store_true", help="with motion; else everything jumps")
    parser.add_argument("--full", action="store_true", help="the whole page, not the window")
    parser.add_argument("--do", action="append", default=[])
    args = parser.parse_args()
    name = args.panel.partition(".")[0]
    panel: Any = eval(args.panel, {name: import_module(f"kschedlab_lab.panels.{name}")})
    with sync_playwright() as playwright, chromium(playwright) as browser:
        shown = PanelPage(
            browser,
            panel,
            args.width,
            args.height,
            dark=args.theme == "dark",
            large=args.classroom,
            still=not args.motion,
            opened=False,
        )
        for line in args.do:
            exec(line, {"page": shown.page, "panel": panel, "shown": shown})
            shown.settled()
        shown.page.screenshot(path=args.out, full_page=args.full)
        print(panel)
        print(*shown.problems, sep="\n")


if __name__ == "__main__":
    main()
