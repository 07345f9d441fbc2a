"""Named rules in words: what the source said before, what it says since, and where."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kschedlab.decision import Decision
from kschedlab.messages import later, say
from kschedlab.text.html import Html, element, join
from kschedlab.text.ladder import ladder_table
from kschedlab.text.tables import LIMITS, folded, html, table_html
from kschedlab_lab.named_rules import NamedRule, SourceLine
from kschedlab_lab.views.style import CELL, GREY, HEAD, LABELLED, MONO, TABLE, WRAPPED

HEADS = (later("change"), later("without it"), later("with it"))


def rules_html(lit: Sequence[NamedRule], decision: Decision) -> Html:
    """Folded: the lines of the source that change this answer, each alone, and the numbers of the decision."""
    none = element("p", say("No single change gives another answer."))
    found = [folded(say("the source, before and after each change"), _table(lit))] if lit else [none]
    preemption = decision.preemption
    if preemption is not None and len(preemption.positions) > 1:
        found.append(folded(say("the rules of preemption, one after the other"), table_html(ladder_table(preemption))))
    if decision.scores is not None:
        found.append(folded(say("the points of each node"), html(decision.sections(LIMITS))))
    return join(found)


def _table(rules: Iterable[NamedRule]) -> Html:
    head = (element("th", say(text), scope="col", style=HEAD) for text in HEADS)
    return element("table", element("thead", element("tr", *head)), element("tbody", *map(_row, rules)), style=TABLE)


def _row(rule: NamedRule) -> Html:
    since = element("div", say("since {version}", version=rule.since), style=GREY)
    title = element(
        "th", element("b", say(rule.title)), since, scope="row", style=LABELLED, data_ref=f"rule/{rule.name}"
    )
    return element("tr", title, _said(rule.before, rule.old), _said(rule.after, rule.new))


def _said(said: str, source: SourceLine) -> Html:
    where = join(
        [f"{source.version}, ", join(source.file.split("/"), join(["/", element("wbr")])), f", {source.function}"]
    )
    line = element("div", element("code", source.line, style=MONO))
    return element("td", say(said), line, element("small", where, style=GREY), style=CELL + WRAPPED)
