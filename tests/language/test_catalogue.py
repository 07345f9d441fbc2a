"""The catalogue follows the sources, and no translation loses a value."""

from pathlib import Path

import pytest

from kschedlab.language.catalogue import key_of, read, texts
from tools.catalogue import LANGUAGE, ROOT, added, fields, messages, of_python

CATALOGUE = read(LANGUAGE)
TRANSLATED = (
    "kschedlab/devices/",
    "kschedlab/lab/exercises/build.py",
    "kschedlab/lab/exercises/card.js",
    "kschedlab/lab/exercises/clusters.py",
    "kschedlab/lab/exercises/desk.js",
    "kschedlab/lab/exercises/desk.py",
    "kschedlab/lab/exercises/devices.py",
    "kschedlab/lab/exercises/exercise.py",
    "kschedlab/lab/exercises/generations.py",
    "kschedlab/lab/exercises/lesson.py",
    "kschedlab/lab/exercises/map_reduce.py",
    "kschedlab/lab/exercises/map_reduce_build.py",
    "kschedlab/lab/exercises/map_reduce_repair.py",
    "kschedlab/lab/exercises/overview_build.py",
    "kschedlab/lab/exercises/overview_predict.py",
    "kschedlab/lab/exercises/overview_repair.py",
    "kschedlab/lab/exercises/pages.py",
    "kschedlab/lab/exercises/pools.py",
    "kschedlab/lab/exercises/predict.py",
    "kschedlab/lab/exercises/preemption.py",
    "kschedlab/lab/exercises/progress.py",
    "kschedlab/lab/exercises/queue.py",
    "kschedlab/lab/exercises/queue_build.py",
    "kschedlab/lab/exercises/queue_pictures.py",
    "kschedlab/lab/exercises/queue_repairs.py",
    "kschedlab/lab/exercises/repair.py",
    "kschedlab/lab/exercises/roster.py",
    "kschedlab/lab/exercises/score.py",
    "kschedlab/lab/exercises/score_build.py",
    "kschedlab/lab/exercises/score_repair.py",
    "kschedlab/lab/exercises/seeds.py",
    "kschedlab/lab/exercises/sheet.py",
    "kschedlab/lab/exercises/your_cluster.py",
    "kschedlab/lab/exercises/your_plugin.py",
    "kschedlab/lab/panels/base.py",
    "kschedlab/lab/panels/cluster_loader.py",
    "kschedlab/lab/panels/cluster_questions.py",
    "kschedlab/lab/panels/cluster_source.py",
    "kschedlab/lab/panels/contents.py",
    "kschedlab/lab/panels/devices.py",
    "kschedlab/lab/panels/environment.py",
    "kschedlab/lab/panels/first.py",
    "kschedlab/lab/panels/generation_clusters.py",
    "kschedlab/lab/panels/generations.py",
    "kschedlab/lab/panels/heap_head.py",
    "kschedlab/lab/panels/lost_update.py",
    "kschedlab/lab/panels/map_reduce.py",
    "kschedlab/lab/panels/overview_gate.py",
    "kschedlab/lab/panels/overview_informer.py",
    "kschedlab/lab/panels/overview_inside.py",
    "kschedlab/lab/panels/overview_path.py",
    "kschedlab/lab/panels/overview_predicates.py",
    "kschedlab/lab/panels/overview_priorities.py",
    "kschedlab/lab/panels/overview_sampling.py",
    "kschedlab/lab/panels/overview_start.py",
    "kschedlab/lab/panels/overview_trials.py",
    "kschedlab/lab/panels/overview_victims.py",
    "kschedlab/lab/panels/overview_watch.py",
    "kschedlab/lab/panels/preemption.py",
    "kschedlab/lab/panels/preemption_questions.py",
    "kschedlab/lab/panels/preemption_search.py",
    "kschedlab/lab/panels/question.py",
    "kschedlab/lab/panels/queue_clock.py",
    "kschedlab/lab/panels/queue_faults.py",
    "kschedlab/lab/panels/queue_heap.py",
    "kschedlab/lab/panels/queue_nominated.py",
    "kschedlab/lab/panels/queue_order.py",
    "kschedlab/lab/panels/queue_parts.py",
    "kschedlab/lab/panels/queue_parts_run.py",
    "kschedlab/lab/panels/queue_story.py",
    "kschedlab/lab/panels/queue_waits.py",
    "kschedlab/lab/panels/reduce_and_sum.py",
    "kschedlab/lab/panels/round_robin.py",
    "kschedlab/lab/panels/score.py",
    "kschedlab/lab/panels/score_cluster.py",
    "kschedlab/lab/panels/score_extender.py",
    "kschedlab/lab/panels/score_questions.py",
    "kschedlab/lab/panels/select_host.py",
    "kschedlab/lab/panels/selector.py",
    "kschedlab/lab/panels/settings.py",
    "kschedlab/lab/panels/shared_sum.py",
    "kschedlab/lab/panels/terminal.py",
    "kschedlab/lab/panels/terminal_desk.py",
    "kschedlab/lab/panels/terminal_feed.py",
    "kschedlab/lab/panels/terminal_view.py",
    "kschedlab/lab/panels/weights.py",
    "kschedlab/lab/panels/your_cluster.py",
    "kschedlab/lab/panels/your_plugin.py",
    "kschedlab/lab/stage/",
    "kschedlab/language/",
    "kschedlab/manifests/",
    "kschedlab/objects/",
    "kschedlab/plugins/",
    "kschedlab/views/arithmetic.py",
    "kschedlab/views/bench.py",
    "kschedlab/views/catalogue.py",
    "kschedlab/views/chart.py",
    "kschedlab/views/cluster_detail.py",
    "kschedlab/views/cluster_picture.py",
    "kschedlab/views/comparison.py",
    "kschedlab/views/device_map.py",
    "kschedlab/views/device_sights.py",
    "kschedlab/views/device_story.py",
    "kschedlab/views/devices.py",
    "kschedlab/views/drawing.py",
    "kschedlab/views/evaluation.py",
    "kschedlab/views/explanation.py",
    "kschedlab/views/first.py",
    "kschedlab/views/generations.py",
    "kschedlab/views/glossary.py",
    "kschedlab/views/graph.py",
    "kschedlab/views/handing_out.py",
    "kschedlab/views/heap_head.py",
    "kschedlab/views/icons.py",
    "kschedlab/views/informer.py",
    "kschedlab/views/ladder.py",
    "kschedlab/views/ladder_drawing.py",
    "kschedlab/views/loop.py",
    "kschedlab/views/lost_update.py",
    "kschedlab/views/map_legend.py",
    "kschedlab/views/map_reduce.py",
    "kschedlab/views/node_map.py",
    "kschedlab/views/obstacles.py",
    "kschedlab/views/picture.py",
    "kschedlab/views/pieces.py",
    "kschedlab/views/preemption_scene.py",
    "kschedlab/views/queue_clock.py",
    "kschedlab/views/queue_heap.py",
    "kschedlab/views/queue_order.py",
    "kschedlab/views/queue_parts.py",
    "kschedlab/views/racks.py",
    "kschedlab/views/reduce_and_sum.py",
    "kschedlab/views/reservoir.py",
    "kschedlab/views/round_robin.py",
    "kschedlab/views/rule_words.py",
    "kschedlab/views/rules.py",
    "kschedlab/views/score.py",
    "kschedlab/views/score_formulas.py",
    "kschedlab/views/score_map.py",
    "kschedlab/views/shared_sum.py",
    "kschedlab/views/tables.py",
    "kschedlab/views/text.py",
    "kschedlab/views/versions.py",
    "kschedlab/views/weights.py",
    "kschedlab/views/whatif.py",
    "kschedlab/views/why_not.py",
    "kschedlab/views/wishes.py",
    "kschedlab/views/words.py",
    "kschedlab/views/your_cluster.py",
    "kschedlab/whatif/compare.py",
)
"""Files and folders of which every message has its translation."""


def test_the_catalogue_has_the_messages_of_the_sources() -> None:
    kept = {key_of(each): [file for file, _ in each.locations] for each in CATALOGUE if each.id}
    assert list(kept.items()) == list(messages().items()), "run `make catalogue`"


def test_a_translation_has_the_fields_of_its_message() -> None:
    assert {each: text for each, text in texts(CATALOGUE).items() if "{" in each and fields(each) != fields(text)} == {}


def test_translated_files_have_no_message_without_a_translation() -> None:
    done = texts(CATALOGUE)
    missing = [each for each, files in messages().items() if any(map(_is_translated, files)) and each not in done]
    assert missing == []


def _is_translated(file: str) -> bool:
    return file.startswith(TRANSLATED)


def test_every_translated_file_is_there() -> None:
    assert [each for each in TRANSLATED if not (ROOT / each).exists()] == []


SOURCE = """
def shown(number):
    label = say("a {pod}", pod=say("b")) if number else say("c" if number > 1 else "d")
    return label + count(number, "pod") + str(terms("e", "f")) + "no message", text.count("x"), later("b")
speed = slider("g", range(3), 1)
wrong = Fault(path, "h"), Fault(path, later("{i} j", i=meant("k", "l")))
"""


def test_what_is_a_message(tmp_path: Path) -> None:
    file = tmp_path / "source.py"
    file.write_text(SOURCE, encoding="utf-8")
    assert list(of_python(file)) == ["a {pod}", "b", "c", "d", "{number} pod", "e", "f", "b", "g", "h", "{i} j", "l\4k"]


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"no such message": "无"}, "no source says 'no such message'"),
        ({"{number} node": "节点"}, "'{number} node': the fields are"),
        (["Check"], "the file is to hold"),
    ],
)
def test_a_translation_that_does_not_fit_is_refused(given: object, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        added(given)


def test_an_empty_translation_is_left_for_later() -> None:
    assert added({"Check": "", "{number} node": "{number} 个节点"}) == {"{number} node": "{number} 个节点"}
