"""How long a page of the course takes from its address to its first picture: pages.py FOLDER [--rounds 5]

Each page of a built site (`make site`) is opened from a local file server in a browser without a cache. Prints for each
page the median and the slowest round, in milliseconds.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.browser.lab import chromium
from tests.browser.test_site import FIRST, served


def first_picture(browser: Browser, address: str) -> float:
    """Milliseconds to the first paint with content, in a context of its own."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(address)
    page.wait_for_function(FIRST)
    found = float(page.evaluate(FIRST))
    context.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    with sync_playwright() as playwright, chromium(playwright) as browser, served(args.folder) as address:
        first_picture(browser, address)  # the browser itself starts only once
        for file in sorted([*args.folder.glob("*.html"), *args.folder.glob("zh/*.html")]):
            name = str(file.relative_to(args.folder))
            took = [first_picture(browser, f"{address}/{name}") for _ in range(args.rounds)]
            print(f"{name:28}{statistics.median(took):6.0f}{max(took):6.0f}", flush=True)


if __name__ == "__main__":
    main()
