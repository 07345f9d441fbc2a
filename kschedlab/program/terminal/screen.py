"""Settings of standard output: width, colours, and how much of a long list to show."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TextIO, TypeVar

from rich.console import Console, ConsoleOptions, Group, JustifyMethod, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from kschedlab.program.terminal.names import shortened
from kschedlab.text.html import visible

DEFAULT_WIDTH, NARROWEST, WIDE = 80, 60, 100_000
NAME = 12
"""Minimum width of name columns, in characters."""
WIDTHS = 8
"""For how many widths of columns shortened names are kept."""

T = TypeVar("T")


@dataclass
class Screen:
    """The output for results. ``width``: in characters; ``all``: show lists in full.

    ``folded``, ``shortened``: whether printed lists or names were cut; :meth:`close` names the options that help.
    """

    out: TextIO
    width: int
    colour: bool = False
    all: bool = False
    folded: bool = False
    shortened: bool = False

    def print(self, *parts: RenderableType) -> None:
        if not parts:
            return
        console = Console(
            file=self.out,
            width=self.width,
            height=1000,
            force_terminal=self.colour,
            force_jupyter=False,
            force_interactive=False,
            color_system="standard" if self.colour else None,
            no_color=False,
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
        )
        with console.capture() as capture:
            console.print(Group(*parts))
        self.write("".join(f"{line.rstrip(' ')}\n" for line in capture.get().splitlines()))

    def write(self, text: str) -> None:
        """Write the text unchanged, except that characters missing from the encoding become question marks."""
        encoding = self.out.encoding or "utf-8"
        self.out.write(text.encode(encoding, "replace").decode(encoding))

    def first(self, things: Sequence[T], limit: int) -> Sequence[T]:
        if self.all or len(things) <= limit:
            return things
        self.folded = True
        return things[:limit]

    def rule(self) -> Text:
        return Text("─" * min(self.width, DEFAULT_WIDTH), style="dim")

    def close(self) -> None:
        remedies = []
        if self.folded:
            remedies.append("--all shows what was left out")
        if self.shortened:
            remedies.append("--wide shows names in full")
        if remedies:
            self.print(Text(f"\n({'; '.join(remedies)})", style="dim"))
        self.folded = self.shortened = False


def screen_for(out: TextIO, colour: str = "auto", wide: bool = False, all: bool = False) -> Screen:
    """The screen for these options, the environment and the terminal.

    ``COLUMNS`` overrides the terminal's width; without a terminal it is 80. ``NO_COLOR`` and ``TERM=dumb`` disable
    colours, unless ``colour`` is ``always``.
    """
    terminal = out.isatty()
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    coloured = colour == "always" or (colour == "auto" and terminal and not plain)
    return Screen(out, WIDE if wide else _width(out, terminal), coloured, all)


def _width(out: TextIO, terminal: bool) -> int:
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdigit() and int(columns):
        return min(max(int(columns), NARROWEST), WIDE)
    try:
        known = os.get_terminal_size(out.fileno()).columns if terminal else 0
        return max(known, NARROWEST) if known else DEFAULT_WIDTH
    except (OSError, ValueError):
        return DEFAULT_WIDTH


# -- parts of a page


def text(content: str, style: str = "") -> Text:
    """A paragraph that wraps at words; control characters are escaped."""
    return Text(visible(content), style=style)


def indented(*parts: RenderableType, by: int = 2) -> RenderableType:
    return Padding.indent(Group(*parts), by)


def grid(*columns: RenderableType, numbers: Iterable[int] = (), fixed: Iterable[int] = ()) -> Table:
    """A table without lines. ``numbers``: right-aligned columns; ``fixed``: columns that never wrap."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim", show_edge=False)
    right, still = set(numbers), set(fixed)
    for i, column in enumerate(columns):
        justify: JustifyMethod = "right" if i in right else "left"
        table.add_column(column, justify=justify, no_wrap=i in still | right, overflow="fold")
    return table


@dataclass
class ShortNames:
    """The names in one table or list, shortened together so that they differ from each other and from ``among``."""

    screen: Screen
    among: Iterable[str] = ()
    known: dict[str, None] = field(default_factory=dict)
    fitted: dict[tuple[int, int], dict[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.known.update(dict.fromkeys(map(visible, self.among)))

    def __call__(self, *names: str, before: str = "", after: str = "", style: str = "") -> Listing:
        clean = tuple(map(visible, names))
        self.known.update(dict.fromkeys(clean))
        return Listing(self, clean, visible(before), visible(after), style)

    def first(self, names: Sequence[str], limit: int, before: str = "", style: str = "") -> Listing:
        """The first names and the number of others: ``a, b and 3 more``."""
        shown = self.screen.first(names, limit)
        rest = f" and {len(names) - len(shown):,} more" if len(shown) < len(names) else ""
        return self(*shown, before=before, after=rest, style=style)

    def fit(self, width: int) -> dict[str, str]:
        which = len(self.known), width
        if which not in self.fitted:
            if len(self.fitted) == WIDTHS:
                del self.fitted[next(iter(self.fitted))]
            self.fitted[which] = shortened(self.known, width)
        return self.fitted[which]


@dataclass(frozen=True)
class Listing:
    """Some of a table's names, separated by commas, between two texts."""

    names: ShortNames
    listed: tuple[str, ...]
    before: str
    after: str
    style: str

    def _text(self, width: int) -> Text:
        fitted = self.names.fit(width - len(self.before))
        if any(fitted[name] != name for name in self.listed):
            self.names.screen.shortened = True
        return Text(f"{self.before}{', '.join(fitted[name] for name in self.listed)}{self.after}", style=self.style)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        whole = len(f"{self.before}{', '.join(self.listed)}{self.after}")
        return Measurement(min(whole, NAME), whole).with_maximum(options.max_width)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self._text(options.max_width - (1 if len(self.listed) > 1 else 0))
