"""``kschedlab sheet``: a lesson's exercises for a class."""

from __future__ import annotations

import argparse

from kschedlab.program.options import Commands, argument, print_html
from kschedlab_lab.language import ENGLISH, LANGUAGES


def add(commands: Commands) -> None:
    parser = commands.add_parser(
        "sheet", help="print a lesson's exercises for a class as HTML, with a seed for each student"
    )
    parser.add_argument("lesson", type=_lesson, metavar="LESSON", help="the lesson: overview, queue, score, ...")
    parser.add_argument(
        "--seeds", type=_seeds, metavar="1-30", required=True, help="one sheet for each seed, such as 1-30 or 1-3,7"
    )
    parser.add_argument("--solutions", action="store_true", help="include the solutions")
    parser.add_argument("--answers", action="store_true", help="print only a table of the answers, to mark at a glance")
    parser.add_argument(
        "--language",
        choices=tuple(LANGUAGES),
        default=ENGLISH,
        help=f"the language of what is printed (default: {ENGLISH})",
    )
    parser.set_defaults(run=run)


def _lesson(text: str) -> str:
    from kschedlab_lab.exercises.lesson import lesson_named

    return argument(lesson_named, text)


def _seeds(text: str) -> str:
    from kschedlab_lab.exercises.seeds import parse_seeds

    argument(parse_seeds, text)
    return text


def run(options: argparse.Namespace) -> int:
    from kschedlab_lab.exercises.sheet import answers, sheets

    if options.answers:
        print(answers(options.lesson, options.seeds, options.language))
    else:
        print_html(sheets(options.lesson, options.seeds, options.solutions, options.language))
    return 0
