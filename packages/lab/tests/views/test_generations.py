"""The tables of generations: what stands in one row, what is left out, what is marked, what is escaped."""

import re
from dataclasses import replace

import pytest

from kschedlab.generations import V1_13, V1_16, V1_20, V1_37, Generation
from kschedlab_configuration.older.registry import DEFAULT_PRIORITIES, REGISTRY_1_13, REGISTRY_1_16
from kschedlab_configuration.older.service_anti_affinity import ServiceAntiAffinity
from kschedlab_configuration.versions import VERSIONS
from kschedlab_lab.views.generations import TOPICS, GenerationTable, sections
from kschedlab_lab.views.style import CHANGED
from tests.course import GENERATIONS
from tests.text.test_tables import Balanced

ALL = tuple(GENERATIONS.values())
FILTERS, SCORES, RULES = "filters and their order", "scores and their weights", "constants and rules"
OF_FILTERS, OF_SCORES, FIELDS = "rules of filters", "rules of scores", "fields of a pod that the API has"
OF_LOOP, MESSAGES = "rules of the loop", "messages"


def cells(section: str, label: str, *generations: Generation) -> list[str] | None:
    """The row with that label, the entries of a cell joined; None if there is no such row."""
    (found,) = [each for each in sections(generations or ALL) if each.title == section]
    wanted = (row for row in found.rows if row.label == label)
    return next(([", ".join(each.place + each.text for each in cell) for cell in row.cells] for row in wanted), None)


def html(*generations: Generation) -> str:
    return GenerationTable(*generations)._repr_html_()


def marked(markup: str, label: str) -> list[bool]:
    """Whether the cells of the last row with that label are marked."""
    plain = markup.replace("<wbr>", "")
    row = [row for row in plain.split("<tr>") if f">{label}</th>" in row][-1]
    return [CHANGED in cell for cell in re.findall("<td[^>]*>", row)]


def test_plugins_of_one_topic_stand_in_one_row_whatever_their_names() -> None:
    assert cells(FILTERS, "taints") == [*["4. PodToleratesNodeTaints"] * 2, "3. TaintToleration", "3. TaintToleration"]
    assert cells(FILTERS, "resources") == [
        *["2. GeneralPredicates: PodFitsResources"] * 2,
        *["6. NodeResourcesFit"] * 2,
    ]
    limits = "8. EBSLimits, 9. GCEPDLimits, 10. NodeVolumeLimits, 11. AzureDiskLimits"
    assert cells(FILTERS, "number of volumes", V1_20, V1_37) == [limits, "8. NodeVolumeLimits"]
    assert cells(SCORES, "taints") == ["TaintTolerationPriority ×1"] * 2 + ["TaintToleration ×1", "TaintToleration ×3"]
    assert cells(SCORES, "spreading") == ["SelectorSpreadPriority ×1"] * 2 + ["PodTopologySpread ×2"] * 2
    assert cells(SCORES, "pods that a node avoids", V1_20, V1_37) == ["NodePreferAvoidPods ×10000", ""]


def test_no_plugin_is_left_out() -> None:
    for generation in ALL:
        named = html(generation).replace("<wbr>", "")
        for plugin in (*generation.filters, *(score for score, _ in generation.scores)):
            assert re.search(rf"\b{plugin.name}\b", named)


def test_every_plugin_there_is_has_a_topic() -> None:
    named: list[object] = []
    for registry in (REGISTRY_1_13, REGISTRY_1_16):
        named += [*registry.predicates.values(), *registry.priorities.values()]
    named += [each for version in VERSIONS for each in (*version.filters, *version.scores)]
    classes = {type(each).__name__ for each in named} - {"GeneralPredicates"} | {ServiceAntiAffinity.__name__}
    classes |= {type(plugin).__name__ for plugin in V1_37.filters}
    classes |= {type(score).__name__ for generation in (V1_20, V1_37) for score, _ in generation.scores}
    assert classes <= set(TOPICS)


def test_settings_have_the_names_that_a_comparison_gives_them() -> None:
    assert cells(RULES, "preemption.victims.sorted_again") == ["no", "no", "no", "yes"]
    assert cells(RULES, "sampling.min_percentage") == ["50", "5", "5", "5"]
    assert cells(RULES, "max_node_score") == ["10", "10", "100", "100"]
    assert cells(OF_LOOP, "loop.reads_api") == ["yes", "yes", "no", "no"]
    assert cells(OF_FILTERS, "InterPodAffinity.own_terms_see_nominated_pods") == ["no", "no", "yes", "yes"]
    assert cells(OF_SCORES, "SelectorSpreadPriority.requires_all_selectors") == ["no", "yes", "", ""]
    assert cells(FIELDS, "overhead") == ["no", "no", "yes", "yes"]


def test_a_list_stands_in_one_cell_line_by_line() -> None:
    ladder = cells(RULES, "preemption.ladder", V1_13, V1_16)
    assert ladder is not None
    assert ladder[1] == f"{ladder[0]}, 5. latest start"


def test_settings_that_are_the_same_everywhere_are_left_out() -> None:
    assert cells(RULES, "preemption.min_candidates") is None
    assert [section.title for section in sections((V1_37, V1_37))] == [FILTERS, SCORES]


def test_html_has_the_rows_in_folded_tables() -> None:
    found = Balanced(markup := html(V1_20, V1_37))
    assert ["taints", "3. TaintToleration", "3. TaintToleration"] in found.rows
    assert ["taints", "TaintToleration ×1", "TaintToleration ×3"] in found.rows
    assert [FILTERS] in found.rows
    shown = sections((V1_20, V1_37))
    assert len(found.rows) == sum(len(section.rows) + 2 for section in shown)
    assert markup.index("<details>") < markup.index("<table")
    assert re.findall("<summary>(.*?): [0-9]+ rows, [0-9]+ changed</summary>", markup) == [
        FILTERS,
        SCORES,
        RULES,
        OF_LOOP,
        MESSAGES,
        OF_FILTERS,
        OF_SCORES,
        FIELDS,
    ]
    assert "<summary>scores and their weights: 10 rows, 7 changed</summary>" in markup
    assert repr(GenerationTable(V1_20, V1_37)).splitlines()[1] == "scores and their weights: 10 rows, 7 changed"


def test_html_marks_what_differs_from_the_left_but_not_a_place_in_the_order() -> None:
    markup = html(*ALL)
    assert marked(markup, "zones of volumes") == [False, False, True, False]
    assert marked(markup, "preemption.ladder") == [False, True, False, False]
    assert marked(markup, "preemption.victims.sorted_again") == [False, False, False, True]


def test_long_fields_of_the_api_are_shortened_and_named_in_full_on_hover() -> None:
    markup = html(*ALL)
    full = "affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution.namespaceSelector"
    assert f'title="{full}"' in markup
    row = ["affinity.podAffinity.required….namespaceSelector", "no", "no", "no", "yes"]
    assert row in Balanced(markup).rows


def test_a_generation_of_ones_own_beside_the_others() -> None:
    weights = {**DEFAULT_PRIORITIES, "MostRequestedPriority": 2}
    own = replace(V1_13, name="own", scores=REGISTRY_1_13.scores(**weights))
    both = "LeastRequestedPriority ×1, MostRequestedPriority ×2"
    assert cells(SCORES, "resources", V1_13, own) == ["LeastRequestedPriority ×1", both]
    assert marked(html(V1_13, own), "resources")[-1]


def test_names_are_escaped() -> None:
    evil = replace(V1_37, name="<script>alert(1)</script>\u202e")
    markup = html(evil)
    assert "script" not in Balanced(markup).tags
    assert "&lt;script&gt;alert(1)&lt;/script&gt;[U+202E]" in markup


def test_one_section_alone() -> None:
    table = GenerationTable(V1_20, V1_37, only="scores")
    assert re.findall("<summary>(.*?): ", table._repr_html_()) == [SCORES]
    assert SCORES in repr(table) and FILTERS not in repr(table)
    with pytest.raises(ValueError, match='no section begins with "weights"; there are filters and their order, scores'):
        repr(GenerationTable(only="weights"))
