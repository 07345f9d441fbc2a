"""The width and the colours of a terminal, and how much of a list it shows."""

import io

import pytest

from kschedlab.program.terminal.screen import Screen, screen_for
from kschedlab.program.terminal.writer import limits, written
from kschedlab.text.sections import DECIDES, GOOD, Limits, Names, Part, Row, Section, Table


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def printed(*parts: Part, width: int = 80, all: bool = False) -> list[str]:
    screen = Screen(io.StringIO(), width, all=all)
    screen.print(*written([Section("Title", parts)], screen))
    screen.close()
    return screen.out.getvalue().splitlines()[1:]


@pytest.mark.parametrize(
    ("columns", "width"),
    [("", 80), ("0", 80), ("wide", 80), ("²", 80), ("-90", 80), ("59", 60), ("61", 61), ("100000", 100_000)]
    + [("100001", 100_000)],
)
def test_the_width_is_that_of_columns_from_60_on(columns: str, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    for out in (io.StringIO(), Terminal()):
        assert screen_for(out).width == width
        assert screen_for(out, wide=True).width == 100_000


@pytest.mark.parametrize(
    ("colour", "environment", "file", "terminal"),
    [
        ("auto", {}, False, True),
        ("auto", {"NO_COLOR": "1"}, False, False),
        ("auto", {"NO_COLOR": ""}, False, True),
        ("auto", {"TERM": "dumb"}, False, False),
        ("always", {"NO_COLOR": "1", "TERM": "dumb"}, True, True),
        ("never", {}, False, False),
    ],
)
def test_colours(
    colour: str, environment: dict[str, str], file: bool, terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert (screen_for(io.StringIO(), colour).colour, screen_for(Terminal(), colour).colour) == (file, terminal)
    screen = screen_for(Terminal(), colour)
    screen.print(*written([Section("a goes to b", [Table(["x"], [Row(["y"], DECIDES)])])], screen))
    assert ("\x1b[" in screen.out.getvalue()) == terminal


def test_the_outcome_is_coloured_and_the_pod_s_name_is_not():
    for heading, plain in (("web goes to a", "web"), ("Why", "")):
        screen = Screen(io.StringIO(), 80, colour=True)
        screen.print(*written([Section(heading, mark=GOOD)], screen))
        before = f"\x1b[1m{plain}\x1b[0m" if plain else ""
        assert screen.out.getvalue() == f"{before}\x1b[1;32m{heading.removeprefix(plain)}\x1b[0m\n"


def test_a_list_shows_three_names_and_all_of_them_when_asked():
    assert printed(Names(["a", "b", "c"])) == ["  a, b, c"]
    folded = ["  On: a, b, c and 1,001 more", "", "(--all shows what was left out)"]
    assert printed(Names(["a", "b", "c", *(f"n{i}" for i in range(1001))], "On: ")) == folded
    assert printed(Names(["a", "b", "c", "d"]), all=True) == ["  a, b, c, d"]


def test_a_cut_name_says_how_to_see_it_in_full():
    (name, *rest) = printed(Names(["x" * 70]), width=60)
    assert len(name) <= 60 and "…" in name
    assert rest == ["", "(--wide shows names in full)"]
    assert printed(Names(["x" * 70]), width=80) == [f"  {'x' * 70}"]


def test_numbers_stand_below_each_other():
    table = Table(["nodes", "because"], [Row([1234, "too small"]), Row([7, "tainted"])])
    assert printed(table) == ["  nodes  because", "  1,234  too small", "      7  tainted"]
    turned = Table(["", "a", "b"], [Row(["cpu", 1, 20]), Row(["memory", 300, 4])], turned=True)
    assert printed(turned) == ["     cpu  memory", "  a    1     300", "  b   20       4"]
    assert printed(Table(["a"], [])) == []


def test_two_words_never_wrap_and_sentences_do():
    words = Table(["rule", "why"], [Row(["two words", "a sentence that is long enough to wrap " * 3])])
    assert printed(words, width=60)[1].startswith("  two words  a sentence")
    assert len(printed(words, width=60)) == 4


@pytest.mark.parametrize(
    ("width", "nodes", "rungs"),
    [(60, 1, 2), (81, 1, 2), (82, 2, 2), (102, 2, 2), (103, 2, 3), (129, 3, 4), (130, 4, 4), (147, 4, 5), (500, 4, 6)],
)
def test_a_wider_terminal_shows_more_nodes(width: int, nodes: int, rungs: int) -> None:
    shown = limits(Screen(io.StringIO(), width))
    assert (shown, shown.nodes, shown.rungs) == (Limits(nodes, 4, 3, 4, rungs, 6), nodes, rungs)
