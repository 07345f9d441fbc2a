"""Exercises on paper: a page for each seed, to print or to save as PDF in a browser; and the answers."""

from __future__ import annotations

import re
from pathlib import Path

from kschedlab.messages import say, terms
from kschedlab.text.html import Child, Html, element, join
from kschedlab.text.plain import aligned, below
from kschedlab.text.tables import row, table
from kschedlab_lab.exercises.exercise import Exercise, lines
from kschedlab_lab.exercises.lesson import exercises_of
from kschedlab_lab.exercises.repair import Repair
from kschedlab_lab.exercises.seeds import parse_seeds
from kschedlab_lab.language import language as spoken
from kschedlab_lab.language.aloud import speaking
from kschedlab_lab.panels.contents import LESSONS
from kschedlab_lab.views.coded import coded
from kschedlab_lab.views.svg import CHINESE_FONT

PRINTED = (
    Path(__file__).with_name("sheet.css").read_text(encoding="utf-8")
    + f":lang(zh) body {{ font-family: {CHINESE_FONT}; }}"
)
BLANK = re.compile(r"(?m)^(( *).*:)(?: (?=\})|$(?!\n\2[ -]))")
"""Where a value is missing in the manifest that an exercise begins with: before a brace, or with nothing below it."""
HYPHENATED = re.compile(r"(<head>.*?</head>|<pre.*?</pre>|<svg.*?</svg>|<[^>]*>)|(\w+(?:-\w+)+)", re.DOTALL)
"""Markup that stays as it is, or else a name such as node-a, which no line's end may break."""
FREE = 7
"""How many free lines a frame for manifests or a function has, unless values alone are missing."""


def sheets(lesson: str, seeds: str, solutions: bool = False, language: str | None = None) -> str:
    """An HTML document that needs nothing else: ``sheets("preemption", "1-3, 7")``, a sheet for each student.

    ``language``: of everything on it, such as "zh"; None: the one that is chosen. ValueError for wrong names or seeds.
    """
    with speaking(language):
        made = [_sheet(lesson, seed, solutions) for seed in parse_seeds(seeds)]
        return _document(say("{lesson}: sheets", lesson=title_of(lesson)), join(made))


def answers(lesson: str, seeds: str, language: str | None = None) -> str:
    """A row for each seed, to mark at a glance, and below it what is right for all of them.

    Of a manifest it has the values that are new, of a function the lines.
    """
    with speaking(language):
        rows, alike = _answers(lesson, seeds)
        cells = (line for each in rows for line in below([cell.split("\n") for cell in each]))
        once = (f"{number.rstrip()}\n{answer}" if "\n" in answer else f"{number}{answer}" for number, answer in alike)
        return "\n\n".join(["\n".join(aligned([*cells], "")), *once])


def answers_html(lesson: str, seeds: str) -> str:
    """The same as an HTML document to print, in the chosen language, with room for names."""
    ((seed, *numbers), *rows), alike = _answers(lesson, seeds)
    made = table([seed, say("name"), *numbers], (row(each[0], "", *map(_answer, each[1:])) for each in rows))
    once = (element("div", element("b", number), _answer(answer)) for number, answer in alike)
    note = say("Of a manifest: the values that are new; of a function: the lines. Others may be right, too.")
    title = element("h1", say("{lesson}: the answers", lesson=title_of(lesson)))
    page = element("section", title, made, *once, element("p", note), class_="sheet")
    return _document(say("{lesson}: answers", lesson=title_of(lesson)), page)


def title_of(lesson: str) -> str:
    """The lesson's title on the map of the course."""
    found = (say(each.title) for each in LESSONS if each.module == lesson)
    return next(found, lesson)


def _answers(lesson: str, seeds: str) -> tuple[list[list[str]], list[tuple[str, str]]]:
    """A head, and each seed with its answers; then what is right for every one of several seeds, with its title."""
    made = {str(seed): exercises_of(lesson, seed) for seed in parse_seeds(seeds)}
    titles = (f"{number}. {each.title}" for number, each in enumerate(next(iter(made.values())), 1))
    rows = [[seed, *(each.model() for each in exercises)] for seed, exercises in made.items()]
    first, *columns = zip([*terms("seed"), *titles], *rows, strict=True)
    alike = [each for each in columns if len(rows) > 1 and len(set(each[1:])) == 1]
    own = zip(first, *(each for each in columns if each not in alike), strict=True)
    return [[*each] for each in own], [(say("{exercise}, every seed: ", exercise=each[0]), each[1]) for each in alike]


def _answer(text: str) -> Child:
    """Several lines, such as code, as a block; a name such as node-a on one line."""
    if "\n" in text:
        return lines(text)
    return text if " " in text else element("span", text, class_="whole")


def _document(title: str, body: Html) -> str:
    """A whole HTML document that needs nothing else."""
    about = element("meta", charset="utf-8"), element("title", title), element("style", PRINTED)
    page = str(element("html", element("head", *about), element("body", body), lang=spoken()))
    whole = HYPHENATED.sub(lambda found: found[1] or f'<span class="whole">{found[2]}</span>', page)
    return f"<!doctype html>\n{whole}\n"


def _sheet(lesson: str, seed: int, solutions: bool) -> Html:
    """The sheet of one student, or its solutions."""
    exercises, name = exercises_of(lesson, seed), title_of(lesson)
    title = element("h1", say("{lesson}: solutions", lesson=name) if solutions else name)
    blank, date = element("span", "", class_="name"), element("span", "", class_="date")
    name_of, date_of = (element("span", each) for each in terms("Name", "Date"))
    line = [] if solutions else [name_of, blank, date_of, date]
    head = element("div", title, *line, element("span", say("seed {seed}", seed=seed)), class_="head")
    common = next((each.instance.common for each in exercises if str(each.instance.common)), None)
    made = (_exercise(number, each, seed if solutions else None) for number, each in enumerate(exercises, 1))
    return element("section", head, common, *made, class_="sheet")


def _exercise(number: int, exercise: Exercise, seed: int | None) -> Html:
    """What is asked and given, and beside it, where there is room, the place for the answer, or the right one.

    ``seed``: of solutions, which take several pages: each page names it; None on a student's sheet.
    """
    solutions = seed is not None
    of = element("small", " · ", say("seed {seed}", seed=seed)) if solutions else None
    head = element("h2", f"{number}. {exercise.title}", of)
    asked = element("div", *exercise.paragraphs(), class_="asked")
    given, ticked = in_print(exercise), exercise.right if solutions else None
    picked = [
        element("div", f"{'☒' if each == ticked else '☐'} {each}", class_="choice") for each in exercise.choices()
    ]
    room = join(picked) if picked else None if solutions else _room(exercise)
    left = element("div", given) if str(given) else None
    flow = element("div", left, element("div", room, class_="room") if room is not None else None, class_="flow")
    return element("div", head, asked, flow, *(_solution(exercise) if solutions else ()), class_="exercise")


def in_print(exercise: Exercise) -> Html:
    """The picture in print, without what stands above all exercises; a function is printed as text."""
    instance = exercise.instance
    if str(instance.printed) or str(instance.common):
        return join([instance.printed, instance.request])
    return lines(instance.text) if not str(instance.picture) and instance.text else instance.picture


def _room(exercise: Exercise) -> Html:
    """Room for an answer that is written: a line, or a frame."""
    if exercise.answered_by == "text":
        return element("div", "", class_="ruled")
    free = [element("div", "", class_="line") for _ in range(0 if ": }" in exercise.start else FREE)]
    return element("div", lines(BLANK.sub(r"\1 ________ ", exercise.start)), *free, class_="frame")


def _solution(exercise: Exercise) -> tuple[Html, Html]:
    """The solution in words and as a picture; a mended function's is its lines beside the broken ones."""
    text = coded(exercise.why) if isinstance(exercise, Repair) else exercise.markup()
    said = element("div", element("b", say("Solution. ")), text, class_="said")
    return said, element("div", exercise.drawing(), class_="solution")
