"""Named rules in words: what the source said before, what it says since, and where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kschedlab.decision import Decision
from kschedlab.messages import later, say
from kschedlab.text.html import Html, element, join
from kschedlab.text.ladder import ladder_table
from kschedlab.text.rule_words import WORDS, Source
from kschedlab.text.tables import LIMITS, folded, html, table_html
from kschedlab.whatif.switching import Switch
from kschedlab_lab.views.style import CELL, GREY, HEAD, LABELLED, MONO, TABLE, WRAPPED

HEADS = (later("rule"), later("without it"), later("with it"))


def rules_html(lit: Sequence[Switch], decision: Decision) -> Html:
    """The rules that change this answer, each alone; below, folded, the numbers of the decision."""
    found = [_table(lit)] if lit else [element("p", say("No rule changes this answer alone."))]
    preemption = decision.preemption
    if preemption is not None and len(preemption.positions) > 1:
        found.append(folded(say("the rules of preemption, one after the other"), table_html(ladder_table(preemption))))
    if decision.scores is not None:
        found.append(folded(say("the points of each node"), html(decision.sections(LIMITS))))
    return join(found)


def rules_text(lit: Iterable[Switch]) -> Iterator[str]:
    """The rules that change the answer, a few lines each."""
    for rule in lit:
        words = WORDS[rule.name]
        yield "  " + say("{rule} ({version})", rule=say(words.title), version=rule.since)
        for said, source in ((words.before, words.old), (words.after, words.new)):
            yield "    " + say("{version}: {said}", version=source.version, said=say(said))
            yield f"      {source.line} ({source.file}, {source.where})"


def _table(rules: Iterable[Switch]) -> Html:
    head = (element("th", say(text), scope="col", style=HEAD) for text in HEADS)
    return element("table", element("thead", element("tr", *head)), element("tbody", *map(_row, rules)), style=TABLE)


def _row(rule: Switch) -> Html:
    words = WORDS[rule.name]
    since = element("div", say("since {since}", since=rule.since), style=GREY)
    title = element(
        "th", element("b", say(words.title)), since, scope="row", style=LABELLED, data_ref=f"rule/{rule.name}"
    )
    return element("tr", title, _said(words.before, words.old), _said(words.after, words.new))


def _said(said: str, source: Source) -> Html:
    where = join(
        [f"{source.version}, ", join(source.file.split("/"), join(["/", element("wbr")])), f", {source.where}"]
    )
    line = element("div", element("code", source.line, style=MONO))
    return element("td", say(said), line, element("small", where, style=GREY), style=CELL + WRAPPED)
