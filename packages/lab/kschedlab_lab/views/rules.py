"""Named rules in words: what the source said before, what it says since, and where."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kschedlab.messages import later, say
from kschedlab.text.html import Html, element, join
from kschedlab.text.tables import folded
from kschedlab_lab.named_rules import NamedRule, SourceLine
from kschedlab_lab.views.style import CELL, GREY, HEAD, LABELLED, MONO, TABLE, WRAPPED

APART = "padding-bottom:0.8em;"
HEADS = (later("change"), later("without it"), later("with it"))


def rules_html(lit: Sequence[NamedRule]) -> Html:
    """Folded: the lines of the source that change this answer, each alone."""
    return folded(say("the source, before and after each change"), _table(lit))


def _table(rules: Iterable[NamedRule]) -> Html:
    head = (element("th", say(text), scope="col", style=HEAD) for text in HEADS)
    return element("table", element("thead", element("tr", *head)), element("tbody", *map(_row, rules)), style=TABLE)


def _row(rule: NamedRule) -> Html:
    since = element("div", say("since {version}", version=rule.since), style=GREY)
    title = element(
        "th", element("b", say(rule.title)), since, scope="row", style=LABELLED + APART, data_ref=f"rule/{rule.name}"
    )
    return element("tr", title, _said(rule.before, rule.old), _said(rule.after, rule.new))


def _said(said: str, source: SourceLine) -> Html:
    where = join(
        [f"{source.version}, ", join(source.file.split("/"), join(["/", element("wbr")])), f", {source.function}"]
    )
    lines = (element("div", element("code", line, style=MONO)) for line in source.line.splitlines())
    return element("td", say(said), *lines, element("small", where, style=GREY), style=CELL + WRAPPED + APART)
