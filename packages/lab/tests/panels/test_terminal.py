"""The panels beside a terminal: what they say of a cluster that kubectl changes, and the desk that serves it."""

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import httpx
import ipywidgets
import pytest
from msgspec.structs import replace

from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import (
    DEFAULT_SCHEDULER,
    Deployment,
    LabelSelector,
    Node,
    Pod,
    PodDisruptionBudget,
    Taint,
)
from kschedlab_lab.panels import preemption, terminal
from kschedlab_lab.panels.terminal_desk import KUBECONFIG, Desk, kubeconfig
from kschedlab_lab.panels.terminal_feed import KEPT, Feed
from kschedlab_lab.panels.terminal_view import view_of
from kschedlab_lab.views.svg import Room
from kschedlab_live.serve.kubeconfig import read
from kschedlab_simulation.log import Changed, Recorded
from packages.lab.tests.panels.played import Played, crowded
from tests.saying import says

ROOM = Room(640, 400)


@pytest.mark.parametrize("story", terminal.STORIES)
def test_a_panel_shows_the_cluster_before_anything_is_typed(story: str) -> None:
    panel = terminal.panel(story)
    assert panel.view.sentence == terminal.STILL
    assert str(panel) == str(terminal.panel(story)), "a saved notebook does not change"
    assert ElementTree.fromstring(str(panel.view.picture(ROOM))).tag.endswith("svg")
    assert str(panel.view.table) == "" and "urgent-" not in str(panel.view.picture(ROOM))
    assert "kind: Deployment" in panel.yaml() and f"generation: {terminal.STORIES[story].generation}" in panel.yaml()


def test_a_nomination_is_told_line_by_line() -> None:
    played = Played("nomination")
    played.run("5s")
    assert played.view().sentence == "nothing yet"
    played.scale("urgent", 1)
    played.run("6s")
    view = played.view()
    assert "0.0 s: kubectl scales urgent from 0 to 1." in view.text, "time begins with the first command"
    assert "replicaset-controller creates urgent-" in view.text and ": 3 CPU, priority 500." in view.text
    assert "of urgent-" in view.text and "0/2 nodes are available: 2 Insufficient cpu." in view.text
    assert "the scheduler nominates urgent-" in view.text
    assert "the scheduler deletes mail-a, which has 30 s to end." in view.text
    picture = str(view.picture(ROOM))
    assert "terminating, 30 s" in picture and "nominated to node-a" in picture
    played.run("60s")
    assert "mail-a is gone: the kubelet removed it." in played.view().text
    assert "is Running on node-a." in played.view().sentence
    assert "mail-a" not in str(played.view().picture(ROOM))


def test_an_event_is_told_once_for_each_pod_and_each_message() -> None:
    feed = Feed([])
    for at, (pod, message) in enumerate((("a", "no node"), ("b", "no node"), ("a", "no node"), ("a", "no room"))):
        feed.follow([Recorded("Pod", f"default/{pod}", "Warning", "FailedScheduling", message, at=(at + 5) * SECOND)])
    assert [(each.after // SECOND, each.text[-1], each.message) for each in feed.seen.lines] == [
        (0, "a", "no node"),
        (1, "b", "no node"),
        (3, "a", "no room"),
    ]


NODE = Node(metadata=replace(Node().metadata, name="n"))
POD = Pod(metadata=replace(Pod().metadata, namespace="default", name="p"))
ZERO = replace(POD, spec=replace(POD.spec, priority=0))
NOMINATED = replace(POD, status=replace(POD.status, nominatedNodeName="n"))
AT_ONCE = replace(POD, metadata=replace(POD.metadata, deletionTimestamp=1, deletionGracePeriodSeconds=0))
DEPLOYMENT = Deployment(metadata=replace(Deployment().metadata, namespace="default", name="d"))
LABELLED = replace(NODE.metadata, labels={"a": "b"})
TAINTED = replace(NODE.spec, taints=(Taint("a", effect="NoSchedule"),))


@pytest.mark.parametrize(
    ("kind", "old", "new", "words"),
    [
        ("Pod", None, POD, "kubectl creates p: priority 0"),
        ("Pod", None, ZERO, "kubectl creates p: priority 0"),
        ("Pod", POD, NOMINATED, "kubectl nominates p to n"),
        ("Pod", NOMINATED, POD, "kubectl takes the nomination to n from p"),
        ("Pod", POD, AT_ONCE, "kubectl deletes p, which has 0 s to end"),
        ("Pod", POD, POD, ""),
        ("Node", NODE, replace(NODE, metadata=LABELLED), "kubectl changes Node n"),
        ("Node", NODE, replace(NODE, spec=TAINTED), "kubectl changes Node n"),
        ("Node", NODE, replace(NODE, status=replace(NODE.status, allocatable={"cpu": 1})), ""),
        ("Deployment", None, DEPLOYMENT, "kubectl creates Deployment d"),
        ("Deployment", DEPLOYMENT, DEPLOYMENT, "kubectl changes Deployment d"),
    ],
)
def test_a_change_is_told_in_words(kind: str, old: Any, new: Any, words: str) -> None:
    feed = Feed([])
    name = new.metadata.name
    feed.follow([Changed("MODIFIED", kind, name if kind == "Node" else f"default/{name}", old, new, "kubectl", at=0)])
    assert ", ".join(each.text for each in feed.seen.lines) == words


def test_an_eviction_is_against_a_budget_that_has_too_few_pods_left() -> None:
    """Two of three are to stay: the first eviction is allowed."""
    metadata = replace(POD.metadata, labels={"app": "shop"})
    budget = PodDisruptionBudget(
        metadata=metadata,
        spec=replace(PodDisruptionBudget().spec, selector=LabelSelector(matchLabels={"app": "shop"})),
        status=replace(PodDisruptionBudget().status, desiredHealthy=2),
    )
    feed, counts = Feed([]), list[tuple[int, int]]()
    pods = [replace(POD, metadata=replace(metadata, name=name)) for name in "abc"]
    feed.follow([Changed("ADDED", "PodDisruptionBudget", "default/p", None, budget, at=0)])
    feed.follow([Changed("ADDED", "Pod", f"default/{pod.metadata.name}", None, pod, at=0) for pod in pods])
    for pod in pods:
        gone = replace(pod, metadata=replace(pod.metadata, deletionTimestamp=1))
        feed.follow([Changed("MODIFIED", "Pod", f"default/{pod.metadata.name}", pod, gone, DEFAULT_SCHEDULER, at=0)])
        counts.append((feed.seen.preempted, feed.seen.against))
    assert counts == [(1, 0), (2, 1), (3, 2)]


def test_a_pod_that_is_late_to_leave_has_no_second_left() -> None:
    played = Played("nomination")
    played.scale("urgent", 1)
    played.run("2s")
    seen = played.feed.seen
    assert "terminating, 30 s" in str(view_of(seen, "").picture(ROOM))
    late = str(view_of(seen._replace(now=seen.now + 3600 * SECOND), "").picture(ROOM))
    assert "terminating, 0 s" in late


def test_a_saved_picture_is_of_the_last_line() -> None:
    panel, played, moments = terminal.panel("nomination"), Played("nomination"), list[str]()
    for number in range(3):
        if number:
            played.scale("urgent", number)
            played.run(f"{10 * number}s")
        panel.see(played.feed.seen, True)
        moments.append(panel.state(panel.settings, ROOM)["moment"])
        assert moments[-1] == "".join(panel.view.text.splitlines()[1:][-1:])
    assert moments[0] == "" and len({*moments}) == 3


def test_a_more_important_pod_takes_the_nomination() -> None:
    played = Played("nomination")
    played.scale("urgent", 1)
    played.run("2s")
    played.scale("critical", 1)
    played.run("4s")
    assert played.pods()["critical"].status.nominatedNodeName and "priority 1000" in played.view().text


def test_two_nominations_are_told_together_and_one_alone() -> None:
    played = Played("nomination")
    played.run("1s")
    pods = played.feed.seen.pods[:2]
    waiting = [
        replace(pod, spec=replace(pod.spec, nodeName=""), status=replace(pod.status, nominatedNodeName="node-a"))
        for pod in pods
    ]
    words = [view_of(played.feed.seen._replace(pods=tuple(waiting[:n])), "nothing").sentence for n in (1, 2)]
    assert words == ["nothing", "2 pods are nominated to node-a."]


def test_the_cluster_of_lesson_05_evicts_whom_the_lesson_evicts() -> None:
    played = Played("ladder")
    played.run("1s")
    played.scale("urgent", 1)
    played.run("2s")
    decision = preemption.decide(preemption.Settings(allowed=1))
    assert played.pods()["urgent"].status.nominatedNodeName == decision.nominated_node
    going = {pod.metadata.name for pod in played.feed.seen.pods if pod.metadata.deletionTimestamp is not None}
    assert decision.preemption is not None and decision.nominated_node is not None
    victims = decision.preemption.candidates[decision.nominated_node].victims
    assert going == {each.pod.metadata.name for each in victims}
    played.scale("urgent", 3)
    played.run("20s")
    going = {pod.metadata.name for pod in played.feed.seen.pods if pod.metadata.deletionTimestamp is not None}
    assert going == {"shop-a", "mail-c", "jobs-c", "shop-b", "logs-b"}, "as the lesson's fold says"
    assert played.view().sentence == "3 pods are nominated to node-a, node-b, node-c."
    played.run("60s")
    said = played.view().sentence
    assert "is Running on node-" in said and says(said, "5 pods had to leave, 1 against the budget")


def test_the_budget_is_drawn_with_its_shields_and_counts_down() -> None:
    played = Played("ladder")

    def drawn() -> str:
        return " ".join(ElementTree.fromstring(str(played.view().picture(ROOM))).itertext())

    played.run("1s")
    assert says(drawn(), "Budget shop", "may lose", 1)
    assert str(played.view().picture(ROOM)).count("covered by the budget: shop") >= 3, "shop-a, shop-b and jobs-b"
    played.scale("urgent", 1)
    played.run("2s")
    assert says(drawn(), "Budget shop", "may lose", 0)

    def broken() -> list[str]:
        found = ElementTree.fromstring(str(played.view().picture(ROOM))).iter()
        tips = {each.get("data-key"): each.get("data-tip", "") for each in found if each.get("data-key")}
        return [key[4:] for key, tip in tips.items() if key and "breaks the budget: shop" in tip]

    assert broken() == [], "it allowed shop-a to go"
    played.scale("urgent", 3)
    played.run("20s")
    assert broken() == ["shop-b"]


def test_nodes_and_strange_names_are_told() -> None:
    played = Played("nomination")
    api = played.simulation.api
    played.cordon("node-a")
    node = api.get(Node, "", "node-a")
    api.update(replace(node, metadata=replace(node.metadata, labels={"a": "b"})), by="\u202ekubectl<b>")
    api.delete(Node, "", "node-b", by="kubectl")
    played.run("1s")
    text = played.view().text
    assert "kubectl cordons node-a." in text and "kubectl deletes Node node-b." in text
    assert "[U+202E]kubectl<b> changes Node node-a." in text
    assert "kubectl&lt;b&gt;" in str(played.view().table)
    assert "cordoned" in str(played.view().picture(ROOM))


def test_much_is_cut_short() -> None:
    played = Played("nomination")
    for number in range(8):
        played.scale("urgent", 5 * number + 5)
        played.run(f"{number + 1}s")
    assert len(played.feed.seen.lines) == KEPT
    view = played.view()
    picture = str(view.picture(ROOM))
    assert "more" in picture and ElementTree.fromstring(picture).tag.endswith("svg")


def test_eight_nodes_and_four_waiting_pods_are_drawn_and_the_others_counted() -> None:
    seen = Played("nomination").feed.seen

    def words(nodes: int, pods: int) -> str:
        drawn = str(view_of(crowded(seen, nodes, pods), "").picture(ROOM))
        return " ".join(ElementTree.fromstring(drawn).itertext())

    assert "not ready" in words(2, 0) and "not ready" not in words(1, 0) and "waiting" not in words(1, 0)
    assert "more" not in words(8, 4) and "waiting" in words(8, 4)
    assert "1 node more" in words(9, 4) and "2 more" in words(1, 6)


def test_the_oldest_pod_is_at_the_bottom_and_of_two_as_old_the_more_important_one() -> None:
    seen = Played("nomination").feed.seen
    first = next(pod for pod in seen.pods if pod.spec.nodeName == "node-a")
    ages = {"new": (2, 9), "minor": (1, 0), "major": (1, 5), "unknown": (None, 0)}
    pods = tuple(
        replace(
            first,
            metadata=replace(first.metadata, name=name, creationTimestamp=made),
            spec=replace(first.spec, priority=priority),
        )
        for name, (made, priority) in ages.items()
    )
    drawn = str(view_of(seen._replace(pods=pods), "").picture(Room(640, 800)))
    heights = {name: float(y) for y, name in re.findall(r'translate\([^,]+,([^)]+)\)" data-key="pod/(\w+)"', drawn)}
    assert sorted(heights, key=lambda name: heights[name]) == ["new", "minor", "major", "unknown"]


def test_pods_without_a_request_and_ended_ones_take_no_place() -> None:
    played = Played("nomination")
    api = played.simulation.api
    plain = api.get(Pod, "default", "mail-a")
    container = replace(plain.spec.containers[0], resources=replace(plain.spec.containers[0].resources, requests={}))
    for name in ("one", "two"):
        spec = replace(plain.spec, containers=(container,), nodeName="node-a")
        api.create(Pod(metadata=replace(Pod().metadata, namespace="default", name=name), spec=spec), by="kubectl")
    api.patch_status(Pod, "default", "logs-a", phase="Succeeded", by="kubelet")
    played.run("1s")
    picture = str(played.view().picture(ROOM))
    words = " ".join(each.text or "" for each in ElementTree.fromstring(picture).iter() if each.tag.endswith("text"))
    assert "2 pods without a CPU request" in words
    assert 'data-key="pod/logs-a"' not in picture and "2 CPU free" in picture


def test_an_unknown_story_is_named() -> None:
    with pytest.raises(ValueError, match='"x" is not a story; there are nomination, ladder'):
        terminal.panel("x")


# -- the desk


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.02)


def scaled(url: str, replicas: int) -> None:
    """What ``kubectl scale deployment urgent`` sends."""
    httpx.patch(
        f"{url}/apis/apps/v1/namespaces/default/deployments/urgent/scale",
        json={"spec": {"replicas": replicas}},
        headers={"content-type": "application/merge-patch+json", "user-agent": "kubectl/v1.37.0"},
    ).raise_for_status()


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The kubeconfig that JupyterLab's settings name."""
    file = tmp_path / "run" / KUBECONFIG
    monkeypatch.setenv("KUBECONFIG", f"{file}:{tmp_path / 'own'}")
    return file


def test_the_panel_follows_what_is_typed(path: Path) -> None:
    async def follow() -> None:
        panel = terminal.panel("nomination")
        desk = Desk(panel)
        desk.start()
        assert "The cluster is running." in _words(desk) and panel.view.sentence == terminal.FIRST
        assert desk.stage.shown["moment"] == ""
        await asyncio.to_thread(scaled, read(path), 1)
        await until(lambda: "node-a" in desk.stage.shown["table"] and "the scheduler nominates" in panel.view.text)
        assert "kubectl scales urgent from 0 to 1." in panel.view.text
        assert desk.stage.shown["moment"] != "", "the saved picture is to be replaced"
        desk.turn()
        desk.turn()
        desk.start()
        assert panel.view.sentence == terminal.FIRST, "it begins again"
        desk.end()
        assert not path.exists() and Desk.current is None

    asyncio.run(follow())


def test_the_buttons_stop_the_time_and_end_the_cluster(path: Path) -> None:
    async def press() -> None:
        desk = Desk(terminal.panel("nomination"))
        again, clock, end = (each for each in desk.children[2].children if isinstance(each, ipywidgets.Button))

        def look() -> tuple[str, bool, bool, bool]:
            return clock.description, again.disabled, clock.disabled, end.disabled

        again.click()
        assert look() == ("Stop time", False, False, False)
        clock.click()
        assert look() == ("Let time run", False, False, False)
        clock.click()
        assert look() == ("Stop time", False, False, False)
        clock.click()
        again.click()
        assert look() == ("Stop time", False, False, False), "the time of a new cluster runs"
        end.click()
        assert look() == ("Stop time", False, True, True) and "The cluster has ended" in _words(desk)
        assert desk.panel.view.sentence == terminal.STILL
        clock.click()
        assert look() == ("Stop time", False, True, True), "nothing to stop"
        again.click()
        assert look() == ("Stop time", False, False, False) and desk.panel.view.sentence == terminal.FIRST
        end.click()

    asyncio.run(press())


def test_a_button_sends_the_pods_without_a_terminal(path: Path) -> None:
    async def press() -> None:
        panel = terminal.panel("ladder")
        desk = Desk(panel)
        desk.start()
        (send,) = (each for each in desk.children[2].children if getattr(each, "description", "") == "Send 3 × urgent")
        send.click()
        await until(lambda: "3 pods are nominated to node-a, node-b, node-c." in panel.view.text)
        desk.end()
        assert send.disabled
        desk.send()

    asyncio.run(press())


def test_the_seconds_of_a_pod_that_leaves_run(path: Path) -> None:
    async def follow() -> None:
        desk, left = Desk(terminal.panel("nomination")), set[str]()
        desk.start()
        await asyncio.to_thread(scaled, read(path), 1)

        def run() -> bool:
            left.update(re.findall(r"terminating, (\d+) s", str(desk.stage.shown)))
            return len(left) > 2

        await until(run)
        desk.end()
        kept = re.findall(r"terminating, (\d+) s", str(desk.stage.shown))
        assert kept and max(map(int, kept)) <= min(map(int, left)), "the last state is that of the end"

    asyncio.run(follow())


def test_a_kernel_has_one_cluster(path: Path) -> None:
    async def two() -> None:
        first, second = Desk(terminal.panel("nomination")), Desk(terminal.panel("ladder"))
        first.start()
        second.start()
        assert (first.background, Desk.current) == (None, second)
        assert "The cluster has ended" in _words(first)
        url = read(path)
        assert len(httpx.get(f"{url}/api/v1/nodes").json()["items"]) == 4
        second.end()

    asyncio.run(two())


def test_another_notebook_takes_the_terminals(path: Path) -> None:
    async def taken() -> None:
        desk = Desk(terminal.panel("nomination"))
        desk.start()
        text = path.read_text()
        path.write_text(text.replace("http://127.0.0.1:", "http://127.0.0.1:1"))
        await until(lambda: "another notebook" in _words(desk))
        path.write_text(text)
        await until(lambda: "kubectl finds this cluster" in _words(desk))
        desk.end()

    asyncio.run(taken())


def test_what_prevents_the_cluster_is_said(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("kind: Config\n")
    desk = Desk(terminal.panel("nomination"))
    desk.start()
    assert "The cluster could not be started" in _words(desk) and "is not a kubeconfig of kschedlab serve" in _words(
        desk
    )
    assert (desk.background, path.read_text()) == (None, "kind: Config\n")


def test_other_terminals_are_told_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "mine"))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "a b"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert kubeconfig() == tmp_path / "a b" / KUBECONFIG
    desk = Desk(terminal.panel("nomination"))
    desk.start()
    assert "export KUBECONFIG=" in _words(desk) and "a b/kschedlab.kubeconfig" in _words(desk)
    assert "kubectl is not on this machine" in _words(desk)
    desk.end()


def _words(desk: Desk) -> str:
    return str(desk.children[1].value)
