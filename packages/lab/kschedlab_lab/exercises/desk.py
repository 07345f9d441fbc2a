"""The teacher's forms in a notebook: sheets for a class, and the progress that students hand in."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Any, TypeAlias

import anywidget
import traitlets

from kschedlab.messages import later, say
from kschedlab.text.html import Html, element, join
from kschedlab_lab.exercises.lesson import LESSONS
from kschedlab_lab.exercises.made_up import made_up
from kschedlab_lab.exercises.pages import title_of
from kschedlab_lab.exercises.roster import LARGEST, Roster, student_of
from kschedlab_lab.exercises.seeds import parse_seeds
from kschedlab_lab.exercises.sheet import answers_of, bound, page, sample, tabled
from kschedlab_lab.kept import FILE
from kschedlab_lab.language import language, spoken
from kschedlab_lab.panels.classroom import enlarge
from kschedlab_lab.stage.front_end import front_end
from kschedlab_lab.stage.live import publish

Message: TypeAlias = dict[str, Any]
SHEETS, SOLUTIONS, ANSWERS = later("sheets for the class"), later("sheets with solutions"), later("answers at a glance")
HERE, STAGE = Path(__file__).parent, Path(__file__).parents[1] / "stage"


class Desk(anywidget.AnyWidget):
    """A form. ``form``: its kind and its fields."""

    _esm = front_end(HERE / "desk.js")
    _css = "\n".join(path.read_text(encoding="utf-8") for path in (STAGE / "stage.css", HERE / "desk.css"))
    form: Any = traitlets.Dict().tag(sync=True)
    large: Any = traitlets.Bool().tag(sync=True)
    spoken: Any = traitlets.Dict().tag(sync=True)

    def __init__(self, **form: Any) -> None:
        super().__init__(form=form, spoken=spoken())
        self.on_msg(lambda _widget, message, _buffers: self.send(self.obey(message)))
        enlarge(self)

    def classroom(self, on: bool = True) -> None:
        """Enlarge everything, for a projector."""
        self.large = on

    def obey(self, message: Message) -> Message:
        """The reply to a message of the front end."""
        raise NotImplementedError

    def _ipython_display_(self) -> None:
        publish(self.still(), repr(self), self)

    def still(self) -> Html:
        """What a saved notebook shows of it."""
        return element("p", repr(self))


class SheetForm(Desk):
    """A form that makes sheets: a lesson, seeds, with or without solutions; to look at, print or download."""

    def __init__(self, lesson: str = "preemption", seeds: str = "1-30") -> None:
        lessons = {each: title_of(each) for each in LESSONS}
        contents = {each: say(each) for each in (SHEETS, SOLUTIONS, ANSWERS)}
        self._about, self._made = ("", "", ""), dict[int, Any]()
        super().__init__(kind="sheets", lessons=lessons, lesson=lesson, seeds=seeds, contents=contents)

    def obey(self, message: Message) -> Message:
        """How many seeds are ready, one more each time; then the document with its file name. Or what is wrong."""
        lesson, seeds, contents = (str(message.get(key)) for key in ("lesson", "seeds", "contents"))
        asked = {key: message.get(key) for key in ("then", "n")}
        try:
            wanted = parse_seeds(seeds)
            made = self._ready(lesson, contents, wanted)
        except ValueError as error:
            return {**asked, "error": str(error)}
        if len(made) < len(wanted):
            return {**asked, "ready": len(made), "all": len(wanted)}
        what = {ANSWERS: "answers", SOLUTIONS: "solutions"}.get(contents, "sheets")
        name = f"{lesson}-{what}-{seeds.replace(' ', '').replace(',', '+')}.html"
        return {**asked, "document": (tabled if contents == ANSWERS else bound)(lesson, made), "name": name}

    def _ready(self, lesson: str, contents: str, wanted: Sequence[int]) -> list[Any]:
        """What is made for these seeds, after one more of them."""
        about = lesson, contents, language()
        if about != self._about:
            self._about, self._made = about, {}
        if (seed := next((each for each in wanted if each not in self._made), None)) is not None:
            is_table = contents == ANSWERS
            self._made[seed] = answers_of(lesson, seed) if is_table else page(lesson, seed, contents == SOLUTIONS)
        return [self._made[each] for each in wanted if each in self._made]

    def still(self) -> Html:
        with suppress(ValueError):
            return join([super().still(), sample(self.form["lesson"], parse_seeds(self.form["seeds"])[0])])
        return super().still()

    def __repr__(self) -> str:
        message = later("A form: sheets of {lesson} for the seeds {seeds}, to print or download.")
        return say(message, lesson=title_of(self.form["lesson"]), seeds=self.form["seeds"])


class RosterForm(Desk):
    """A form that merges the progress of a class: files to drop; a table, and a file to download.

    Until there is a file, its table is that of a class that is made up.
    """

    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        self._example = _example()
        super().__init__(kind="roster", largest=LARGEST, table=str(self._example))

    def obey(self, message: Message) -> Message:
        """The table of all files so far, and the same as CSV."""
        if "clear" in message:
            self.files = {}
            return {"table": self.form["table"], "csv": ""}
        for name, text in message.get("files", {}).items():
            self._take(str(name), str(text))
        roster = Roster(self.files)
        return {"table": str(roster.html()), "csv": roster.export() if roster.students else ""}

    def _take(self, name: str, text: str) -> None:
        """A file takes the place of the one with its name, unless only the old one can be read."""
        name = self._named(name, text)
        if name in self.files and Roster({name: text}).troubles and not Roster({name: self.files[name]}).troubles:
            name = f"again {len(self.files) + 1}/{name}"
        self.files[name] = text

    def _named(self, name: str, text: str) -> str:
        """Files of several students may have one name; a file that is handed in again keeps its place."""
        signed = [each for each in Roster({name: text}).students if each != student_of(name)]
        if len(signed) == 1:
            return f"{signed[0]}/{name}"
        if PurePath(name).name != FILE or "/" in name:
            return name
        known = (key for key, content in self.files.items() if content == text)
        nameless = sum(key.startswith("unnamed ") for key in self.files)
        return next(known, f"unnamed {nameless + 1}/{FILE}")

    def still(self) -> Html:
        return join([super().still(), self._example])

    def __repr__(self) -> str:
        return say("A form: drop the files of the class here.")


def _example() -> Html:
    """The table of a class that is made up."""
    head = element("p", element("b", say("An example, until you drop files")))
    return join([head, Roster(made_up()).html()])
