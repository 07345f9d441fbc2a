"""Lesson 07's panel: every question about every kind of pod is answered, and wrong input leaves all as it was."""

import gzip
import html
import json
import re
from pathlib import Path

import pytest

from kschedlab.build import as_yaml, node, pod
from kschedlab.generations import LATEST
from kschedlab.manifests.loading import ManifestError, loads
from kschedlab.scheduler import schedule
from kschedlab_lab.panels import cluster_questions, your_cluster as lesson
from kschedlab_lab.panels.classroom import CLASSROOM, classroom
from kschedlab_lab.panels.cluster_loader import Loader
from kschedlab_lab.panels.cluster_source import BUNDLED, from_files, from_paths
from kschedlab_lab.panels.session import Session
from kschedlab_lab.stage.files import FilePicker
from kschedlab_lab.views.cluster_picture import QUESTIONS, WHAT_IF, WHY
from kschedlab_lab.views.svg import Room
from tests.course import GENERATIONS
from tests.samples import sampled
from tests.saying import says
from tools import make_cluster

SMALL = as_yaml([node("node-a"), pod("first", "node-a", 1), pod("second", "", 9)])
ROOT = Path(make_cluster.__file__).parents[1]
EVIL = "<script>alert(1)</script>\u202e"
PENDING = {
    "analytics/report-builder-0": "NodeResourcesFit",
    "data/redis-24": "InterPodAffinity",
    "data/restore-0": "VolumeRestrictions refuses it before any node is looked at (persistentvolumeclaim",
    "edge/ingress-canary-0": "NodePorts",
    "ml/train-large-0": "NodeResourcesFit",
    "ml/train-small-0": "TaintToleration",
    "ml/tune-0": "waits for its scheduling gates: example.com/quota",
    "analytics/forecast-0": "preemptionPolicy=Never",
    "shop/payment-burst-0": "preempting 2 victims",
    "shop/search-reindex-0": "NodeAffinity",
    "data/postgres-0": "didn't match PersistentVolume's node affinity",
    "shop/banner-0": "It has 1 point more than general-03: NodeResourcesFit +1.",
    "ci/runner-110": "goes to spot-",
}


def as_list(items):
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items})


def uploaded(panel, *given):
    """The panel with the cluster in these files, by name and text or content."""
    packed = [(name, each.encode() if isinstance(each, str) else each) for name, each in given]
    return panel.reading(lambda: from_files(packed))


def loading(panel, path):
    return panel.reading(lambda: from_paths([path]))


def drawn(view, room=None):
    return str(view.picture(room or Room()) if callable(view.picture) else view.picture)


@pytest.fixture(scope="module")
def loaded():
    return lesson.bundled()


def test_the_bundled_cluster_waits_for_different_reasons(loaded):
    assert list(loaded.cluster(LATEST).pending) == list(PENDING)
    panel = lesson.panel()
    for key, why in PENDING.items():
        assert why in panel.move(pod=key).view.text
    assert says(loaded.sentence, "bundled", "200 nodes", "2,047 running", "13 pending")


def test_the_lesson_begins_with_the_event_of_its_pod(loaded):
    event, _, _ = schedule("ml/train-small-0", loaded.cluster(LATEST)).event.partition("preemption: ")
    for folder in ("notebooks", "notebooks/zh"):
        cells = json.loads((ROOT / folder / "07-your-cluster.ipynb").read_text(encoding="utf-8"))["cells"]
        assert f"> {event}preemption: …" in "".join(cells[0]["source"])


@pytest.mark.nightly
def test_the_bundled_cluster_is_what_the_tool_makes():
    packed = (Path(lesson.__file__).parent / "bundled.json.gz").read_bytes()
    assert json.loads(gzip.decompress(packed))["items"] == make_cluster.cluster()
    assert len(packed) < 150_000


@pytest.mark.parametrize("generation", sampled(GENERATIONS, 1))
def test_every_question_is_answered(loaded, generation):
    """All pending pods, and running ones of several apps."""
    running = [key for key in loaded.pods if "-0" not in key][13::170]
    panel = lesson.panel(generation=generation)
    for key in (*PENDING, *running):
        for question in QUESTIONS:
            asked = panel.move(pod=key, question=question)
            view = asked.view
            assert asked.error == "" and view.sentence and view.text and "<svg" in drawn(view)
            if key in PENDING and question == WHY:
                decision = schedule(key, loaded.cluster(generation), GENERATIONS[generation])
                assert (decision.node or decision.pod.pod.metadata.name) in view.sentence
                assert decision.event in " ".join(view.text.split())
            if key in running:
                assert "runs" in view.sentence or question != WHY


def test_moving_by_code_and_restoring():
    first = lesson.panel()
    panel = first.move(pod="data/kafka-3", question=WHAT_IF, generation="v1.20")
    state = str(panel.settings)
    assert state == (
        "pod: data/kafka-3, question: what would change it, node: none, show: all, generation: v1.20, change: none"
    )
    found = panel.move(pod="checkout")
    assert found.settings.pod.startswith("shop/checkout-") and found.settings.question == WHAT_IF
    assert first.settings.pod == "analytics/report-builder-0", "code moves copies"
    assert str(first.restore(state).settings) == state and "lesson.panel().restore(" in panel.link()
    Session(panel).receive({"state": state.replace(WHAT_IF, WHY)})
    assert panel.settings.question == WHY and "where it runs" in panel.view.sentence
    with pytest.raises(ValueError, match='no pod "shop/nobody" among 2,060 pods'):
        panel.restore("pod: shop/nobody")
    with pytest.raises(ValueError, match='no node "moon" among 200 nodes'):
        panel.move(node="moon")
    with pytest.raises(ValueError, match="no pod"):
        panel.move(pod="")


def test_a_click_on_a_node_asks_why_not_that_one():
    session = Session(lesson.panel(pod="shop/banner-0"))
    assert 'data-set="node: general-07"' in session.shown["picture"]
    at = session.shown["at"] | {"node": "general-07"}
    (reply,) = session.receive({"set": at, "n": 1})
    shown = reply["shown"]
    assert re.search(r"★ general-\d+ 606<.*>general-07 599<", shown["picture"])
    assert shown["sentence"] == session.panel.move(node="none").view.sentence, "so that nothing moves under the hand"
    assert 'data-key="asked"' in shown["picture"] and "Why not general-07?" in shown["table"]
    (reply,) = session.receive({"set": at | {"node": "none"}, "n": 2})
    assert 'data-key="asked"' not in reply["shown"]["picture"]


def test_what_is_said_of_a_node_goes_with_it():
    panel = lesson.panel(pod="ml/train-small-0", node="general-02")
    alone = panel.move(show="gpu")
    assert "refuses general-02" in panel.view.text and "general-02:" not in drawn(alone.view)
    assert "refuses general-02" not in alone.view.text and "Why not" not in str(alone.view.table)


def test_a_change_is_applied_by_a_click_and_taken_back():
    panel = lesson.panel(pod="data/redis-24", question=WHAT_IF)
    word = "one more data node"
    assert f'data-set="node: none, change: {word}"' in drawn(panel.view) and "star" not in drawn(panel.view)
    after = panel.move(change=word)
    says(after.view.sentence, "redis-24 goes to data-01-new.", "One more data node", "1 node.")
    picture = drawn(after.view)
    assert picture.count('data-key="star"') == 1 and 'data-key="node/data-01-new"' in picture
    new = after.move(node="data-01-new")
    assert "data-01-new is the chosen node." in drawn(new.view)
    assert 'data-key="asked"' not in drawn(new.move(change="none").view), "the new node is gone"
    assert panel.move(change="no such change").view.sentence == panel.view.sentence
    assert "change" in after.move(question=WHY).view.idle and "change" not in after.view.idle


def test_the_least_priority_that_preempts_names_the_pod_that_sets_it():
    view = lesson.panel(pod="data/postgres-0", question=WHAT_IF).view
    assert "with priority 50001 instead of 0 (clickhouse-7 has 50000): preempts clickhouse-7" in drawn(view)


def test_an_applied_change_says_on_how_many_nodes_the_pod_fits_then():
    panel = lesson.panel(pod="analytics/report-builder-0", question=WHAT_IF)
    after = panel.move(change="asking for 1285m CPU instead of 7.7 CPU")
    says(after.view.sentence, "Asking only 1.285 CPU: it fits on 1 node.")


def test_a_change_that_evicts_says_on_how_many_nodes_that_helps():
    panel = lesson.panel(pod="edge/ingress-canary-0", question=WHAT_IF)
    after = panel.move(change="with priority 50001 instead of 0").view.sentence
    assert says(after, "With priority 50001", "evicting helps on 6 nodes.") and "Rule" not in after


def test_starts_are_said_of_the_nodes_whose_starts_are_compared():
    panel = lesson.panel(pod="shop/payment-burst-0", show="general")
    for name, pods in {"general-44": 2, "general-48": 2, "general-02": 0}.items():
        shown = drawn(panel.move(node=name).view)
        assert len(re.findall(r">[^<]* \(since \d\d:\d\d\)<", shown)) == pods, name


def test_a_change_that_leads_out_of_the_pool_that_is_shown_shows_all_nodes_and_no_button_moves():
    panel = lesson.panel(pod="edge/ingress-canary-0", question=WHAT_IF, show="ingress")
    pool, everywhere = drawn(panel.view), drawn(panel.move(show="all").view)
    leads = dict(re.findall(r'data-set="node: none, change: ([^,"]*)(, show: all|)"', pool))
    assert leads["without nodeSelector karpenter.sh/nodepool=ingress"] == ", show: all"
    assert leads["one more ingress node"] == "", "its star is in the pool"

    def first_button(picture: str) -> str:
        return re.findall(
            r'translate\(0,([\d.]+)\)"><g transform="[^"]*"><g transform="[^"]*"><g data-key="ask"', picture
        )[0]

    assert first_button(pool) == first_button(everywhere)


def test_the_pool_that_a_pod_names_is_counted_or_that_of_all_its_nearest_nodes():
    counted = {
        "edge/ingress-canary-0": "6 of 6 nodes of ingress",
        "ml/train-small-0": "12 of 12 nodes of gpu",
        "data/postgres-0": "24 of 24 nodes of data",
        "analytics/report-builder-0": "101 of 200 nodes",
    }
    for key, nodes in counted.items():
        says(lesson.panel(pod=key).view.sentence, f"waits: on {nodes}, only one filter is in its way.")


def test_every_change_that_is_offered_can_be_applied():
    panel = lesson.panel(question=WHAT_IF)
    for key in PENDING:
        asked = panel.move(pod=key)
        changes = re.findall(r'data-set="node: none, change: ([^"]*)"', drawn(asked.view, Room(1000, 900)))
        for word in {*changes} - {"none"}:
            applied = asked.move(change=html.unescape(word))
            decision = asked.answers._what_if(key, LATEST)
            assert applied.view.sentence != asked.view.sentence
            assert decision.decision.pod.pod.metadata.name in asked.view.sentence


def test_shown_nodes_follow_the_settings():
    few = drawn(lesson.panel(pod="shop/banner-0", show="gpu").view)
    assert "‹ all 200 nodes" in few and len(set(re.findall(r'data-key="node/(gpu-\d+)/box"', few))) == 12


def test_a_pod_of_another_scheduler_is_left_to_it():
    text = as_list([node("n"), pod("mine", "", 1, schedulerName="volcano")])
    for question in QUESTIONS:
        view = uploaded(lesson.panel(), ("mine.yaml", text)).move(question=question).view
        assert view.sentence.startswith(
            "kube-scheduler does not decide about this pod: no profile has the schedulerName"
        )
        assert '"volcano"' in view.text and "data-state" not in drawn(view) and 'data-key="node/n"' in drawn(view)


def test_enlarged_it_stays_enlarged():
    loader = Loader(lesson.panel())
    classroom()
    try:
        loader.take(lambda: lesson.bundled())
        assert CLASSROOM in loader._dom_classes and loader.stage.large
    finally:
        classroom(on=False)
    assert CLASSROOM not in loader._dom_classes and not loader.stage.large


def test_a_cluster_of_one_s_own(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(SMALL)
    for panel in (
        loading(lesson.panel(), str(path)),
        loading(lesson.panel(), str(tmp_path)),
        lesson.panel(str(path)),
        lesson.panel(loads(SMALL)),
        uploaded(lesson.panel(), ("mine.yaml", SMALL)),
        uploaded(lesson.panel(), ("mine.yaml.gz", gzip.compress(SMALL.encode()))),
    ):
        assert panel.problems == () and "1 node, 1 running pod, 1 pending." in repr(panel)
        assert panel.settings.pod == "default/second" and "Insufficient cpu" in panel.view.text
        again = panel.move(pod="default/first").view.sentence
        assert again == "first goes to node-a, where it runs."


def test_several_files_are_one_cluster():
    nodes, pods = as_yaml([node("node-a")]), as_yaml([pod("first", "", 1)])
    panel = uploaded(lesson.panel(), ("nodes.yaml", nodes), ("pods.yaml", pods))
    assert panel.loaded.name == "nodes.yaml, pods.yaml" and panel.view.sentence.startswith("first goes to node-a.")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: [", "mine.yaml:1: not valid YAML"),
        ("", "mine.yaml: is empty"),
        (as_yaml([node("node-a")]), "mine.yaml: there are no pods in it"),
        (as_yaml([pod("p", "", 1)]), "mine.yaml: there are no nodes in it; try: kubectl get nodes,pods,"),
        (as_yaml([node("node-a", "lots"), pod("p")]), 'mine.yaml:7: Node node-a: status.allocatable.cpu: "lots"'),
    ],
)
def test_wrong_input_is_told_by_line_and_the_old_cluster_stays(text, problem):
    panel = lesson.panel(pod="data/kafka-3")
    refused = uploaded(panel, ("mine.yaml", text))
    assert refused.problems[0].startswith(problem) and panel.problems == ()
    assert str(refused.settings) == str(panel.settings) and refused.loaded.name == BUNDLED
    loader = Loader(panel)
    loader.take(lambda: from_files([("mine.yaml", text.encode())]))
    assert "Not loaded; the bundled cluster stays." in loader.files.wrong and loader.panel is panel
    loader.take(lambda: from_files([("small.yaml", SMALL.encode())]))
    assert loader.files.wrong == "" and loader.panel.loaded.name == "small.yaml"


def test_a_path_is_loaded_as_it_is_sent_and_the_way_back_is_open(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(SMALL)
    (tmp_path / ".hidden.json").write_text("{")
    loader, sent = Loader(lesson.panel(pod="data/kafka-3")), []
    loader.files.send = sent.append
    loader.files._received(None, {"path": "/"}, [])
    assert "the whole file system" in loader.files.wrong and loader.panel.loaded.name == BUNDLED
    for given in (path, tmp_path):
        loader.files._received(None, {"path": str(given)}, [])
        assert loader.panel.loaded.name == str(given) and loader.files.wrong == ""
    loader.files._received(None, {"back": True}, [])
    assert loader.panel.loaded.name == BUNDLED and loader.panel.settings.pod == "data/kafka-3"
    assert sent == [{"done": True}] * 4


def test_another_cluster_is_drawn_for_the_same_room():
    loader = Loader(lesson.panel())
    loader.stage.session.room = Room(540, 400)
    loader.take(lambda: from_files([("small.yaml", SMALL.encode())]))
    assert 'viewBox="0 0 540 ' in loader.stage.shown["picture"]


def test_a_misspelt_field_is_named_above_the_picture():
    first = pod("first")
    first["spec"]["nodeselector"] = {}
    misspelt = as_yaml([node("node-a"), first])
    loader = Loader(lesson.panel())
    loader.take(lambda: from_files([("mine.yaml", misspelt.encode())]))
    assert "spec.nodeselector: is not a field of PodSpec: did you mean nodeSelector?" in loader._said.value


def test_kinds_that_a_file_lacks_are_named(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(SMALL)
    loader = Loader(lesson.panel())
    assert "Not in it" not in loader._said.value, "the bundled cluster is whole"
    loader.take(lambda: lesson.from_paths([str(path)]))
    ((number, kinds),) = re.findall(r"Not in it: (\d+) kinds\..*?</summary>(.*?)</details>", loader._said.value)
    assert int(number) == len(kinds.split(", "))
    assert "services" in kinds and "persistentvolumes" in kinds and not {"nodes", "pods"} & {*kinds.split(", ")}


def test_where_a_pod_runs_keeps_its_mark_when_another_node_is_clicked():
    asked = cluster_questions.what_moves_it()
    shown = Session(asked).shown["picture"]
    assert shown.count('data-key="runs"') == 1 == shown.count('data-key="star"') and "it runs here" in shown
    after = asked.answer("its image").move(node="general-60")
    picture = drawn(after.view)
    assert picture.count('data-key="runs"') == 1 == picture.count('data-key="asked"')


def test_a_click_names_whom_the_pod_would_evict_there():
    for place, start in {"general-48": "04:45", "general-44": "02:55"}.items():
        panel = lesson.panel(pod="shop/payment-burst-0", node=place)
        leaves = f"(since {start})"
        assert leaves in drawn(panel.view) and leaves in panel.view.text
    assert "since" not in drawn(lesson.panel(pod="shop/payment-burst-0", node="gpu-01").view)


def test_a_pod_that_evicts_nobody_has_a_reason():
    for key, why in {"analytics/forecast-0": "preemptionPolicy=Never", "data/postgres-0": "less important"}.items():
        assert why in lesson.panel(pod=key).view.sentence
    assert "evicted" not in lesson.panel(pod="ml/train-small-0").view.sentence, "there it is no question"


def test_wrong_files_and_paths():
    panel = lesson.panel()
    for path in ("-", "/nowhere/at/all.yaml", "\0"):
        assert loading(panel, path).problems and loading(panel, path).loaded.name == BUNDLED
    for content in (b"\x1f\x8bnonsense", gzip.compress(b"a: b")[:-9], b"\xff\xfe\xff", b""):
        assert uploaded(panel, ("x.gz", content)).problems[0].startswith("x")
    with pytest.raises(ManifestError):
        lesson.panel("/nowhere/at/all.yaml")


def test_what_is_wrong_with_many_objects_is_cut_off():
    loader = Loader(lesson.panel())
    for wrong, more in ((20, []), (21, ["and 1 more"]), (1050, ["and 1,030 more"])):
        text = as_yaml([node(f"NODE-{i}") for i in range(wrong)])
        loader.take(lambda text=text: from_files([("mine.yaml", text.encode())]))
        lines = re.findall("<li>(.*?)</li>", loader.files.wrong)
        assert len(lines[:20]) == 20 and all("NODE-" in line for line in lines[:20]) and lines[20:] == more


def test_a_large_file_comes_in_parts_and_each_is_acknowledged():
    taken, sent = [], []
    picker = FilePicker("kubectl get nodes,pods", taken.append, 100, taken.append, taken.clear, "back")
    picker.send = sent.append
    parts = [("a.json", b"x" * 40, True, True), ("a.json", b"y" * 20, False, False), ("b.yaml", b"z", False, True)]
    for i, (name, content, first, begins) in enumerate(parts):
        message = {"name": name, "first": first, "begins": begins, "last": i == 2}
        picker._received(None, message, [memoryview(content)])
        assert sent.count({"got": True}) == i + 1 and (taken == []) == (i < 2) == ({"done": True} not in sent)
    assert taken == [[("a.json", b"x" * 40 + b"y" * 20), ("b.yaml", b"z")]]
    picker._received(None, {"name": "c", "first": True, "begins": True, "last": True}, [memoryview(b"x" * 500)])
    assert len(taken[1][0][1]) == 101, "more than the limit is dropped; the reader then says that it is too large"
    picker._received(None, {"last": True}, [memoryview(b"stray")])
    assert len(taken) == 2


def test_a_chosen_file_replaces_the_cluster():
    loader = Loader(lesson.panel())
    first = loader.stage
    picker = loader.files
    picker._received(
        None, {"name": "mine.yaml", "first": True, "begins": True, "last": True}, [memoryview(SMALL.encode())]
    )
    assert loader.panel.loaded.name == "mine.yaml" and loader.stage is not first
    assert loader._box.children == (loader.stage,) and "mine.yaml: 1 node" in loader._said.value


def test_hostile_text_is_shown_and_not_obeyed():
    """Names are checked by the loader; other text goes through as it is, and file names are anything."""
    claims = [{"name": "data", "persistentVolumeClaim": {"claimName": EVIL}}]
    gated = pod("gated", "", 1, schedulingGates=[{"name": "example.com/quota"}])
    text = as_list([node("n"), pod("mine", "", 1, volumes=claims), gated])
    panel = uploaded(lesson.panel(), (f"{EVIL}.json", text))
    loader = Loader(panel)
    markup = [loader._said.value, str(panel.still())]
    for question in QUESTIONS:
        asked = panel.move(pod="default/mine", question=question, show=EVIL, change=EVIL)
        markup += [drawn(asked.view), str(asked.view.table), str(asked.still())]
        assert "\u202e" not in repr(asked).replace(EVIL, "")
    wrong = [(f"{EVIL}.yaml", f"kind: Node\nmetadata: {{name: '{EVIL}'}}".encode())]
    loader.take(lambda: from_files(wrong))
    markup += [loader.files.wrong, str(uploaded(panel, *wrong).still())]
    for each in markup:
        assert "<script" not in each and "\u202e" not in each
    assert any("&lt;script&gt;" in each for each in markup)


def test_a_saved_panel_is_small_and_holds_its_numbers():
    panel = lesson.panel(pod="ml/train-small-0", question=WHAT_IF)
    still = str(panel.still())
    assert "tolerating nvidia.com/gpu=present" in repr(panel) and len(still) < 25_000
    assert 'src="data:image/svg+xml' in still


def test_five_thousand_nodes_can_be_asked_about():
    pool = {"karpenter.sh/nodepool": "big"}
    made = [node(f"node-{i}", 8, labels={**pool, "kubernetes.io/hostname": f"node-{i}"}) for i in range(5000)]
    made += [pod(f"pod-{i}", f"node-{i % 5000}", 2, priority=i % 7) for i in range(15_000)]
    panel = uploaded(lesson.panel(), ("mine.yaml", as_list([*made, pod("mine", "", 4, 0)])))
    assert panel.settings.pod == "default/mine"
    for question in QUESTIONS:
        asked = panel.move(question=question)
        assert len(drawn(asked.view)) < 250_000 and asked.error == ""


def test_pods_whose_node_is_not_in_the_files_are_counted_as_running():
    running = as_yaml([node("node-a"), pod("here", "node-a", 1), pod("elsewhere", "node-b", 1), pod("second", "", 1)])
    assert "1 node, 2 running pods, 1 pending." in repr(uploaded(lesson.panel(), ("mine.yaml", running)))


def test_a_slider_asks_for_less_cpu_until_the_pod_fits():
    panel = cluster_questions.how_little().answer("1.2 CPU")
    says(panel.view.sentence, "Asking for 7.7 CPU, report-builder-0 fits on no node.")
    says(panel.move(cpu=1700).view.sentence, "fits on no node.")
    assert "star" not in drawn(panel.move(cpu=3200).view), "evicting, which helps then, comes later in the lesson"
    says(panel.move(cpu=1200).view.sentence, "fits on 1 node.")
    says(panel.move(cpu=700).view.sentence, "fits on 70 nodes.")


def test_each_filter_that_refuses_a_node_has_a_line_with_its_reason():
    picture = str(lesson.panel(pod="ml/train-small-0", node="ingress-01").view.picture(Room()))
    for text in ("TaintToleration", "taint dedicated=ingress", "NodeAffinity", "NodeResourcesFit", "4.06Gi free"):
        assert text in picture
