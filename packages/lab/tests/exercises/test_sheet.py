"""Class sheets: what a teacher prints."""

import html
import inspect
import re
import subprocess
import sys

import pytest

from kschedlab.program.main import main
from kschedlab_lab.exercises import answers, sheets
from kschedlab_lab.exercises.desk import SheetForm
from kschedlab_lab.exercises.exercise import lines
from kschedlab_lab.exercises.lesson import LESSONS, exercises_of
from kschedlab_lab.exercises.seeds import parse_seeds
from kschedlab_lab.exercises.sheet import answers_html
from kschedlab_lab.language import language
from kschedlab_lab.language.aloud import speaking

SEEDS = [("3", [3]), ("1-3", [1, 2, 3]), ("7, 1-2", [7, 1, 2]), ("1 – 3, 2", [1, 2, 3])]


@pytest.mark.parametrize(("given", "seeds"), SEEDS)
def test_seeds_as_they_are_written(given, seeds):
    assert parse_seeds(given) == seeds
    table, *_ = answers("queue", given).split("\n\n")
    assert re.findall(r"(?m)^\d+", table) == [str(seed) for seed in seeds]


@pytest.mark.parametrize("given", ["", "a", "3-1", "1-", "1-100000", "-1", "1;2", "1-900,1000-1900"])
def test_other_seeds_are_refused(given):
    for made in (parse_seeds, lambda seeds: answers("queue", seeds), lambda seeds: sheets("queue", seeds)):
        with pytest.raises(ValueError, match="seeds: "):
            made(given)


def test_the_answers_of_a_class_stand_in_a_table():
    table, *_ = answers("preemption", "1-2").split("\n\n")
    head, *rows = table.splitlines()
    assert re.split(r" {2,}", head) == ["seed", "1. Which node?", f"2. {exercises_of('preemption', 1)[1].title}"]
    assert [row.split()[0] for row in rows] == ["1", "2"]
    assert exercises_of("preemption", 2)[0].right in rows[1]


def test_an_answer_that_is_right_for_every_seed_is_said_once():
    made, mended = exercises_of("preemption", 2), exercises_of("preemption", 2)[2].model()
    text = answers_html("preemption", "1-3")
    assert text.count(str(lines(mended))) == 1 and f"3. {made[2].title}, every seed: " in text
    assert text.count("<tr") == 4 and made[0].right in text
    assert answers("preemption", "1-3").endswith(f"\n\n3. {made[2].title}, every seed:\n{mended}")


def test_a_short_manifest_is_among_the_answers_and_is_right():
    for seed in (1, 2, 3):
        exercise = exercises_of("devices", seed)[1]
        assert exercise.model() in answers("devices", str(seed)) and exercise.model().startswith("count: ")


def test_of_a_manifest_only_what_is_new_is_among_the_answers():
    assert re.fullmatch(r"celsius: \d+", exercises_of("your_plugin", 1)[2].model()), "not what the beginning has"
    assert re.fullmatch(r"\d × nodeName: node-a", exercises_of("map_reduce", 1)[1].model()), "pods that are alike, once"


def test_a_class_has_up_to_a_thousand_seeds_of_up_to_nine_digits():
    assert parse_seeds("1-1000") == [*range(1, 1001)]
    assert parse_seeds("999999998 - 999999999, 1") == [999_999_998, 999_999_999, 1]
    with pytest.raises(ValueError, match="1001 are too many; 1000 are enough"):
        parse_seeds("1-1001")
    for wrong in ("1234567890", "1-1234567890", "1234567890-1234567891"):
        with pytest.raises(ValueError, match=f'"{wrong}" is neither a number nor a range'):
            parse_seeds(wrong)
    with pytest.raises(ValueError, match=f'"{"x" * 40}" is'):
        parse_seeds("x" * 41)


def test_a_form_for_no_seeds_is_refused():
    with pytest.raises(ValueError, match="x"):
        SheetForm("queue", "x")


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_exercise_has_an_answer_at_a_glance(lesson):
    assert all(each.model() for each in exercises_of(lesson, 1))


def test_the_lines_that_mend_a_function_are_among_the_answers():
    for lesson in ("queue", "preemption", "overview"):
        exercise = exercises_of(lesson, 1)[-1]
        mended, right = exercise.model().splitlines(), inspect.getsource(exercise.right)
        assert mended and all(each == "…" or each in right for each in mended), "whole lines, with what is before them"
        assert all(each in answers(lesson, "1") for each in mended)


def test_seeds_that_run_backwards_are_said_to():
    with pytest.raises(ValueError, match='"3-1" runs backwards'):
        parse_seeds("3-1")


def test_the_program_prints_them(capsys):
    assert main(["sheet", "preemption", "--seeds", "1-2", "--answers"]) == 0
    assert capsys.readouterr().out.rstrip("\n") == answers("preemption", "1-2")


@pytest.mark.parametrize("lesson", LESSONS)
def test_pages_to_print_have_a_name_and_every_exercise(lesson):
    text = sheets(lesson, "1, 2")
    assert text.startswith("<!doctype html>") and "@page" in text and "break-after: page" in text
    assert text.count('<section class="sheet">') == text.count("<span>Name</span>") == 2
    for number, each in enumerate(exercises_of(lesson, 2), 1):
        assert f"<h2>{number}. {html.escape(each.title)}</h2>" in text
        assert text.count(html.escape(each.explained())) == 0
    assert "[U+" not in text and "http" not in re.sub(r"http://www.w3.org/2000/svg", "", text)


@pytest.mark.parametrize(("lesson", "seed"), [("preemption", 7), ("preemption", 27), ("generations", 7)])
def test_paper_has_every_start_time(lesson, seed):
    text = sheets(lesson, str(seed))
    drawn = re.findall(r">(\d\d:\d\d)<", text)
    known = "".join(each.instance.text for each in exercises_of(lesson, seed)[:2])
    assert sorted(drawn) == sorted(re.findall(r"started (\d\d:\d\d)", known)) and drawn
    assert "<details" not in text, "nobody opens a fold on paper"


def test_the_solutions_tick_the_right_answers_and_draw():
    made = exercises_of("preemption", 3)
    text = re.sub(r'<span class="whole">(.*?)</span>', r"\1", sheets("preemption", "3", solutions=True))
    for each in made:
        assert not each.choices() or f"☒ {html.escape(each.right)}" in text
        assert str(each.drawing()) in text
    assert text.count("<b>Solution. </b>") == len(made)


@pytest.mark.parametrize(("name", "lesson"), [("queue", "queue"), ("map-reduce", "map_reduce")])
def test_the_program_prints_pages(name, lesson, capsys):
    assert main(["sheet", name, "--seeds", "1-2"]) == 0
    assert capsys.readouterr().out.rstrip("\n") == sheets(lesson, "1-2").rstrip("\n")


def test_the_program_refuses_what_it_cannot_print(capsys):
    for wrong in (["sheet", "cooking", "--seeds", "1"], ["sheet", "preemption", "--seeds", "x"]):
        with pytest.raises(SystemExit):
            main(wrong)
    assert "seeds" in capsys.readouterr().err


@pytest.mark.parametrize("options", [(), ("--solutions",)], ids=" ".join)
def test_the_program_prints_them_in_chinese_and_speaks_english_afterwards(options, capsys):
    assert main(["sheet", "queue", "--seeds", "1", "--language", "zh", *options]) == 0
    printed = capsys.readouterr().out.rstrip("\n")
    assert language() == "en"
    assert printed == sheets("queue", "1", "--solutions" in options, language="zh").rstrip("\n")
    language("zh")
    try:
        titles = [each.title for each in exercises_of("queue", 1)]
    finally:
        language("en")
    assert all(re.search("[一-鿿]", title) and title in printed for title in titles)


def test_the_answers_can_be_chinese_too(capsys):
    assert main(["sheet", "score", "--seeds", "1-2", "--language", "zh", "--answers"]) == 0
    assert capsys.readouterr().out.rstrip("\n") == answers("score", "1-2", "zh")
    assert answers("score", "1-2", "zh").startswith("种子")
    with speaking("zh"):
        assert '<html lang="zh">' in answers_html("score", "1")
    with pytest.raises(ValueError, match='there is no language "fr"'):
        sheets("queue", "1", language="fr")


def test_pages_are_in_the_encoding_that_they_name():
    program = "import sys; from kschedlab.program.main import main; main(sys.argv[1:])"
    asked = ["sheet", "queue", "--seeds", "1", "--language", "zh"]
    command = [sys.executable, "-X", "utf8=0", "-c", program, *asked]
    printed = subprocess.run(command, env={"PYTHONIOENCODING": "gbk"}, stdout=subprocess.PIPE, check=True).stdout
    assert printed.decode("utf-8").rstrip("\n") == sheets("queue", "1", language="zh").rstrip("\n")


@pytest.mark.parametrize("seed", [1, 10, 27])
def test_every_number_that_a_budget_may_allow_is_among_the_answers(seed):
    exercise = exercises_of("preemption", seed)[1]
    named = exercise.model().rpartition(": ")[2].split(" or ")
    right = [
        n
        for n in "0123"
        if exercise.judge(exercise.right.replace("Allowed: 0", f"Allowed: {n}")).state.value == "right"
    ]
    assert named == right and (seed == 1 or "1" in named)


def test_a_page_of_solutions_names_its_seed_and_sets_words_as_words():
    text = sheets("preemption", "7", solutions=True)
    assert len(re.findall(r"<h2>[^<]*<small> · seed 7</small></h2>", text)) == 3
    assert "<p>urgent goes to " in text and "urgent goes" not in "".join(re.findall(r"<pre.*?</pre>", text))
