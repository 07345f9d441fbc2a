"""The teacher's forms in a notebook: sheets for a class, and the progress that students hand in."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import traitlets

from kschedlab.messages import later, say
from kschedlab.objects.problems import InputValueError
from kschedlab.text.html import Html, element, join
from kschedlab_lab.exercises.exercise import Exercise, State
from kschedlab_lab.exercises.lesson import LESSONS, exercises_of
from kschedlab_lab.exercises.progress import Record, handed_in
from kschedlab_lab.exercises.roster import LARGEST, Roster
from kschedlab_lab.exercises.seeds import parse_seeds
from kschedlab_lab.exercises.sheet import answers_html, sheets, title_of
from kschedlab_lab.panels.classroom import enlarge
from kschedlab_lab.stage.front_end import front_end
from kschedlab_lab.stage.live import Live, publish

Message: TypeAlias = dict[str, Any]
SHEETS, SOLUTIONS, ANSWERS = later("sheets for the class"), later("sheets with solutions"), later("answers at a glance")
FILES = {SHEETS: "sheets", SOLUTIONS: "solutions", ANSWERS: "answers"}
COMMANDS = {SOLUTIONS: " --solutions", ANSWERS: " --answers"}
AT_ONCE = 100
"""How many seeds the form takes: some lessons need half a second for each, and nothing can stop them."""
HERE, STAGE = Path(__file__).parent, Path(__file__).parents[1] / "stage"
EXAMPLE, NAMES = "preemption", ("ada", "li-na", "mei", "noor", "otto", "sam")
"""The lesson and the names of a class that is made up."""
WRONG = re.compile("0$", re.MULTILINE)
"""What a class that is made up gets wrong in a manifest: how many pods its budget allows to be disrupted."""


class Desk(Live):
    """A form. ``form``: its kind and its fields."""

    _esm = front_end("desk")
    _css = "\n".join(path.read_text(encoding="utf-8") for path in (STAGE / "stage.css", HERE / "desk.css"))
    form: Any = traitlets.Dict().tag(sync=True)

    def __init__(self, **form: Any) -> None:
        super().__init__(form=form)
        self.on_msg(self._received)
        enlarge(self)

    def obey(self, message: Message) -> Message | None:
        """The reply to a message of the front end, if it needs one."""
        raise NotImplementedError

    def _received(self, _widget: object, message: Message, _buffers: object) -> None:
        if (reply := self.obey(message)) is not None:
            self.send(reply)

    def _ipython_display_(self) -> None:
        publish(self.still(), repr(self), self)

    def still(self) -> Html:
        """What a saved notebook shows of it."""
        return element("p", repr(self))


class SheetForm(Desk):
    """A form that makes sheets: a lesson, seeds, with or without solutions; to look at, print or download."""

    def __init__(self, lesson: str, seeds: str) -> None:
        parse_seeds(seeds)  # wrong ones are told at once
        lessons = {each: title_of(each) for each in LESSONS}
        contents = {each: say(each) for each in FILES}
        super().__init__(kind="sheets", lessons=lessons, lesson=lesson, seeds=seeds, contents=contents)

    def obey(self, message: Message) -> Message:
        """The document with its file name, or what is wrong; and what the front end wants it for."""
        lesson, seeds, contents = (str(message.get(key)) for key in ("lesson", "seeds", "contents"))
        asked = {key: message.get(key) for key in ("then", "n")}
        try:
            _few(lesson, seeds, contents)
            is_table = contents == ANSWERS
            made = answers_html(lesson, seeds) if is_table else sheets(lesson, seeds, contents == SOLUTIONS)
        except ValueError as error:
            return {**asked, "error": str(error)}
        name = f"{lesson}-{FILES[contents]}-{seeds.replace(' ', '').replace(',', '+')}.html"
        return {**asked, "document": made, "name": name}

    def __repr__(self) -> str:
        message = later("A form: sheets of {lesson} for the seeds {seeds}, to print or download.")
        return say(message, lesson=title_of(self.form["lesson"]), seeds=self.form["seeds"])


def _few(lesson: str, seeds: str, contents: str) -> None:
    """ValueError with the command, if these are more seeds than the form makes at once."""
    if (number := len(parse_seeds(seeds))) > AT_ONCE:
        option = COMMANDS.get(contents, "")
        command = f'kschedlab sheet {lesson} --seeds "{seeds}"{option} > {FILES.get(contents, "sheets")}'
        raise InputValueError(
            "{number:,} seeds are too many for this form; it takes {most}. In a terminal: {command}",
            number=number,
            most=AT_ONCE,
            command=command + (".txt" if contents == ANSWERS else ".html"),
        )


class RosterForm(Desk):
    """A form that merges the progress of a class: files to drop; a table, and a file to download.

    ``read``: by student and name of the file, the files so far; ``wrong``: by name, those of the last drop that can't
    be read.
    ``roster``: what the table shows; until there is a file, a class that is made up.
    ``merged``: the table of all files so far, the same as CSV, and whether there are any; a page that is loaded again
    shows it.
    """

    merged: Any = traitlets.Dict().tag(sync=True)

    def __init__(self) -> None:
        self.read: dict[tuple[str, str], str] = {}
        self.wrong: dict[str, str] = {}
        head = element("p", element("b", say("A class that is made up, until you drop files")))
        self.roster = self._made_up = Roster(made_up())
        self._example = join([head, self.roster.html()])
        super().__init__(kind="roster", largest=LARGEST)
        self._merge()

    def obey(self, message: Message) -> Message | None:
        """What a student has answered; files, or their end, change what is merged."""
        if "show" in message:
            student, lesson, number = json.loads(message["show"])
            return {"answer": str(self.roster.answer(student, lesson, number)), "of": message["show"]}
        if "clear" in message:
            self.read, self.wrong = {}, {}
        if "files" in message:
            self.wrong = {}
        for name, text in message.get("files", {}).items():
            self._take(str(name), str(text))
        self._merge()
        return None

    def _merge(self) -> None:
        roster = Roster([*((name, text) for (_, name), text in self.read.items()), *self.wrong.items()])
        self.roster = roster if roster.students else self._made_up
        begun, example = bool(self.read or self.wrong), None if roster.students else self._example
        table = join([roster.html() if begun else None, example])
        self.merged = {"table": str(table), "csv": roster.export() if roster.students else "", "begun": begun}

    def _take(self, name: str, text: str) -> None:
        """A file takes the place of the same student's file with its name, unless only the old one can be read."""
        students = [*Roster([(name, text)]).students]
        if students:
            self.read[students[0], name] = text
        else:
            self.wrong[name] = text

    def still(self) -> Html:
        return join([super().still(), self._example])

    def __repr__(self) -> str:
        return say("A form: drop the files of the class here.")


def made_up() -> Iterator[tuple[str, str]]:
    """What a class that is made up hands in. Each exercise is harder than the one before."""
    rng = random.Random("class 1")
    for seed, name in enumerate(NAMES, 1):
        made = enumerate(exercises_of(EXAMPLE, seed), 1)
        yield f"{name}.json", handed_in(_made_up(seed, number, exercise, rng) for number, exercise in made)


def _made_up(seed: int, number: int, exercise: Exercise, rng: random.Random) -> Record:
    """What became of an exercise, in a class that is made up."""
    tries = rng.randint(0 if number > 2 else 1, 2 + number)
    solved = tries > 0 and rng.random() > 0.2 * number
    state = State.RIGHT if solved else State.WRONG if tries else State.UNATTEMPTED
    hints = min(rng.randint(0, 2), max(tries - 1, 0))
    if tries:
        exercise.check(exercise.right if solved else _mistaken(seed, exercise))
    looked = hints, hints == 2 and not solved
    return Record(EXAMPLE, seed, number, exercise.title, state, tries, *looked, exercise.given, exercise.verdict)


def _mistaken(seed: int, exercise: Exercise) -> Any:
    """A wrong answer of a class that is made up: most forget the priorities, one forgets which way round it goes."""
    if exercise.answered_by == "function":
        return the_wrong_way_round if seed % 2 else not_by_priority
    return WRONG.sub("2", exercise.right)


def not_by_priority(starts: dict[str, list[tuple[int, int]]]) -> str:
    times = {node: min(start for _, start in victims) for node, victims in starts.items()}
    return max(times, key=lambda node: times[node])


def the_wrong_way_round(starts: dict[str, list[tuple[int, int]]]) -> str:
    times = {}
    for node, victims in starts.items():
        highest = max(priority for priority, _ in victims)
        times[node] = min(start for priority, start in victims if priority == highest)
    return min(times, key=lambda node: (times[node], node))
