"""The panels of lesson 01 at every setting, against v1.16's source written out plainly."""

from xml.etree import ElementTree

import pytest

from kschedlab.generations import DEFAULT_PREDICATES, DEFAULT_PRIORITIES
from kschedlab.lab.panels import (
    overview_inside as inside,
    overview_path as path,
    overview_predicates as predicates,
    overview_priorities as priorities,
    overview_sampling as sampling,
    overview_start as start,
    overview_watch as watch,
)
from kschedlab.manifests.loading import loads
from kschedlab.simulation.simulation import Simulation
from kschedlab.simulation.timeline.scenario import loads_scenario

# -- scheduleOne

BOUND = ["NextPod", "Schedule", "assumeVolumes", "RunReservePlugins", "assume"]
BINDING = ["RunPermitPlugins", "RunPreBindPlugins", "bind"]
FAILED = ["recordSchedulingFailure", "SchedulingQueue"]
SUCCESS = [*BOUND, *BINDING, "RunPostBindPlugins"]
QUEUED = ["SchedulingQueue"]
EXPECTED = {
    "success": [*QUEUED, *SUCCESS],
    "a volume to bind": [*QUEUED, *BOUND, "bindVolumes", *BINDING, "RunPostBindPlugins"],
    "FitError": [*QUEUED, "NextPod", "Schedule", *FAILED, "Preempt", *QUEUED, *SUCCESS],
    "preemption": [
        *QUEUED,
        *["NextPod", "Schedule", *FAILED, "Preempt", "SetNominatedNodeName", "DeletePod"],
        *QUEUED,
        *SUCCESS,
    ],
    "bind failure": [*QUEUED, *BOUND, *BINDING, "ForgetPod, RunUnreservePlugins", *FAILED, *QUEUED, *SUCCESS],
    "deleted while it waits": [*QUEUED, "NextPod", "skip"],
}


@pytest.mark.parametrize("story", path.STORIES)
def test_a_story_takes_the_steps_of_the_source(story):
    assert [step.title for step in path.taken(story)] == EXPECTED[story]


@pytest.mark.parametrize("story", path.STORIES)
def test_every_step_is_told_and_shown(story):
    seen = set()
    for settings in path.Settings.grid():
        if settings.story == story:
            view = path.show(settings)
            step = path.taken(story)[settings.step]
            assert f"at {step.seconds} s: {step.title}: {step.words}" in view.sentence
            assert step.words, "nothing came of it"
            assert f"▶ {step.seconds}" in view.text
            drawing = ElementTree.fromstring(str(view.picture))
            assert drawing.get("aria-label") == view.sentence
            seen.add(str(view.picture))
    assert len(seen) == len(path.taken(story))


def test_every_arrow_of_the_graph_is_taken_in_some_story():
    taken = set()
    for story in path.STORIES:
        for at in range(len(path.taken(story))):
            graph = path.loop.schedule_one(path.taken(story)[: at + 1])
            taken |= {(edge.source, edge.target) for edge in graph.edges if edge.lit}
    assert taken == {(edge.source, edge.target) for edge in graph.edges}


def test_pods_come_to_where_the_lesson_says():
    assert path.taken("a volume to bind")[2].words == "node-b"
    assert path.taken("FitError")[-1].words == "node-c"
    assert path.taken("preemption")[5].words == "node-a, victims: default/jobs-a"
    assert "etcdserver: request timed out" in path.taken("bind failure")[10].words


@pytest.mark.parametrize("story", [name for name, story in path.STORIES.items() if story.plugins is list])
def test_a_story_s_yaml_tells_the_same(story):
    again = Simulation.of(loads_scenario(path.as_yaml(path.Settings(story))))
    again.run()
    assert list(again.log.lines())[:1] == list(path.run(story).log.lines())[:1]
    assert len(again.log) == len(path.run(story).log)


# -- inside Schedule


def test_every_pod_goes_as_far_as_its_feasible_nodes_allow():
    for settings in inside.Settings.grid():
        view = inside.show(settings)
        if settings.missing:
            assert 'persistentvolumeclaim "data" not found' in view.sentence
            continue
        fit = [name for name, used in inside.USED.items() if used + settings.cpu <= 4]
        ends = {0: "fits on none of 3", 1: "the only feasible node"}
        assert ends.get(len(fit), f"of the {len(fit)} feasible nodes") in view.sentence
        assert view.text.count("Insufficient cpu") >= 3 - len(fit)


def test_the_scores_of_one_node_add_up():
    for cpu in (1, 2):
        rows = inside.show(inside.Settings(cpu)).text.splitlines()[2:]
        numbers = [list(map(int, row.split()[1:5])) for row in rows if "Insufficient" not in row]
        assert all(sum(parts) == total for *parts, total in numbers) and len(numbers) == 4 - cpu


# -- predicates

BY_TAINT = {"CheckNodeCondition", "CheckNodeMemoryPressure", "CheckNodePIDPressure", "CheckNodeDiskPressure"}
DEFAULT = {name: "GeneralPredicates" for name in predicates.PARTS} | {
    name: "PodToleratesNodeTaints" for name in BY_TAINT
}


@pytest.mark.parametrize("name", predicates.TRIALS)
def test_a_predicate_refuses_what_is_in_the_way_until_there_is_a_way_out(name):
    for settings in predicates.Settings.grid():
        if settings.predicate != name:
            continue
        sentence = predicates.show(settings).sentence
        alone, _, default = sentence.partition(";")
        blind = name in BY_TAINT  # it does not know tolerations
        assert ("refuses" in alone) == (settings.obstacle and (blind or not settings.way_out))
        refusing = settings.obstacle and not settings.way_out
        assert (f"{DEFAULT.get(name, name)} refuses" in default) == refusing
        assert ("let it pass" in default) == (not refusing)


def test_no_other_predicate_refuses_in_a_trial():
    for name, trial in predicates.TRIALS.items():
        made = trial.make(True, False)
        refusing = {
            each
            for each in predicates.TRIALS
            if not predicates.judged(made, predicates.only(each)).verdict("node-a").passes
        }
        allowed = {name, DEFAULT.get(name, name)} | (set(predicates.PARTS) if name == "GeneralPredicates" else set())
        assert name in refusing and refusing <= allowed | ({"CheckNodeCondition"} if "Unsched" in name else set())


def test_the_catalogue_is_the_document_s_and_the_source_s():
    told = predicates.predicates()
    assert [each.name for each in told if each.by_default] == list(DEFAULT_PREDICATES)
    assert sum(each.listed for each in told) == 14
    assert {each.name for each in told if each.listed and not each.by_default} == BY_TAINT
    assert {each.name for each in told if each.by_default and not each.listed} == {"CheckNodeUnschedulable"}
    assert "asks 11 by default: 10 of these, and 1 more" in predicates.compared()


# -- priorities


@pytest.mark.parametrize("name", priorities.TRIALS)
def test_a_difference_decides_and_a_counterweight_weakens_it(name):
    def scores(difference, counterweight):
        decision = priorities.decide(priorities.Settings(name, difference, counterweight))
        scores = decision.scores
        return scores.rows[scores.plugins.index(name)].normalized.tolist(), decision

    equal, both = scores(False, False)[0], scores(True, True)[0]
    one, decision = scores(True, False)
    assert equal[0] == equal[1] and one[0] != one[1]
    assert decision.best == [["node-a", "node-b"][one[1] > one[0]]]
    assert abs(both[0] - both[1]) < abs(one[0] - one[1])
    assert f"node-a {one[0]}, node-b {one[1]} of 10" in priorities.show(priorities.Settings(name)).sentence


def test_there_are_the_eight_of_the_document():
    assert set(priorities.TRIALS) == set(DEFAULT_PRIORITIES)


# -- sampling


def plainly(nodes, percentage, adaptive):
    """numFeasibleNodesToFind of v1.16 (adaptive) and v1.13."""
    if nodes < 100 or percentage >= 100:
        return nodes
    if percentage == 0:
        percentage = max(5, 50 - nodes // 125) if adaptive else 50
    return max(100, nodes * percentage // 100)


def test_every_number_of_the_curve():
    for settings in sampling.Settings.grid():
        for generation, adaptive in ((sampling.V1_13, False), (sampling.V1_16, True)):
            found = sampling.find(settings, generation)
            assert found.enough == plainly(settings.nodes, settings.percentage, adaptive)
            there = settings.nodes // settings.every
            assert found.found == min(found.enough, there)
            reached = (found.enough + 1) * settings.every - 1
            assert found.looked == min(reached, settings.nodes)


def test_the_sentence_and_the_marked_point_say_the_same():
    for nodes in (99, 100, 1000, 5000):
        view = sampling.show(sampling.Settings(nodes))
        row = next(line for line in view.text.splitlines() if "▶" in line).split()
        assert row[1:] == [f"{nodes:,}", *(f"{plainly(nodes, 0, adaptive):,}" for adaptive in (False, True))]
        assert f"v1.16 finds {row[3]} " in view.sentence


def test_the_prediction_s_right_answer_is_the_engine_s():
    remarks = sampling.how_many().remarks
    right = f"{sampling.find(sampling.Settings(5000), sampling.V1_16).enough:,}"
    assert [answer for answer, remark in remarks.items() if remark.startswith("Yes")] == [right]


# -- nominations


@pytest.mark.parametrize("story", watch.STORIES)
def test_every_change_is_told_as_kubectl_prints_it(story):
    for settings in watch.Settings.grid():
        if settings.story == story:
            view, line = watch.show(settings), watch.lines(story)[settings.change]
            assert view.text.splitlines()[-len(line.text) :] == list(line.text)
            if line.change is not None and line.change.new is not None:
                nominated = line.change.new.status.nominatedNodeName or "<none>"
                assert view.sentence.endswith(f"NOMINATED NODE {nominated}.")
                assert nominated in line.text[0]
            ElementTree.fromstring(str(view.picture))


@pytest.mark.parametrize(
    ("story", "pod", "node", "nominated"),
    [
        ("the usual way", "urgent", "node-a", "node-a"),
        ("another node becomes free", "urgent", "node-b", "node-a"),
        ("a more important pod comes", "urgent", "", ""),
        ("a more important pod comes", "critical", "node-a", "node-a"),
    ],
)
def test_where_the_pods_end_up(story, pod, node, nominated):
    found = {each.metadata.name: each for each in watch.run(story).pods()}[pod]
    assert (found.spec.nodeName, found.status.nominatedNodeName) == (node, nominated)


def test_losing_a_nomination_brings_no_pod_back():
    """v1.16: scheduling_queue.go, isPodUpdated looks at everything but the status."""
    log = watch.run("a more important pod comes").log
    moved = [each for each in log if getattr(each, "pod", "") == "default/urgent" and getattr(each, "to", "")]
    assert [each.event for each in moved if each.to == "active"] == ["PodAdd", "AssignedPodDelete"]


# -- start-up


def test_start_up_is_told_in_the_order_of_run():
    steps = [row[1] for row in start.started().rows]
    assert steps == list(start.SOURCE)
    assert start.started() == start.started(), "no port, and no other thing of this machine"


def test_a_policy_leaves_what_is_mandatory():
    (detail,) = (row[3] for row in start.started(start.POLICY).rows if row[1] == "load algorithms")
    assert "CheckNodeUnschedulable, PodFitsResources, PodToleratesNodeTaints; score LeastRequestedPriority=2" in detail


def test_the_informer_sees_terminating_pods_and_no_finished_ones():
    seen = {name: (informer, to) for name, _, _, informer, to in start.seen().rows}
    assert seen == {
        "running": ("sees it", "the cache"),
        "succeeded": ("-", "nobody"),
        "failed": ("-", "nobody"),
        "terminating": ("sees it", "the cache"),
        "pending": ("sees it", "the queue"),
        "not-mine": ("sees it", "nobody"),
    }


# -- all of them


@pytest.mark.parametrize("module", [path, inside, predicates, priorities, sampling, watch])
def test_a_panel_moves_through_the_same_function_and_back(module):
    panel = module.panel()
    settings = list(module.Settings.grid())[-1]
    assert panel.restore(str(settings)).view.text == module.show(settings).text
    assert panel.reset().settings == module.Settings()
    assert panel.link().startswith(module.__name__.rpartition("_")[2] + ".panel().restore(")


@pytest.mark.parametrize("module", [inside, predicates, priorities])
def test_the_yaml_is_the_cluster(module):
    settings = module.Settings()
    assert len(loads(module.as_yaml(settings)).pods) == sum(
        each["kind"] == "Pod" for each in module.manifests(settings)
    )


def test_watching_can_be_carried_out_elsewhere():
    scenario = loads_scenario(watch.as_yaml(watch.Settings("another node becomes free")))
    assert (len(scenario.objects), len(scenario.entries)) == (5, 2)
