"""A pod that waits for a cool rack: how often it is tried, and what is drawn of that."""

from kschedlab.plugins import ClusterEvent, node_filter
from kschedlab_lab.panels.your_plugin_motion import Motion


def judge(pod, node):
    return None if int(node.metadata.labels.get("celsius", 0)) < 60 else "node(s) were too hot"


def test_a_hint_saves_tries():
    events = [ClusterEvent("Node", frozenset(["Add", "UpdateNodeLabel"]))]
    hint = lambda pod, old, new: int(new.metadata.labels.get("celsius", 0)) < 60  # noqa: E731
    motion = Motion(
        cold=node_filter("ColdNode")(judge), patient=node_filter("ColdNode", events=events, hint=hint)(judge)
    )
    assert motion.tries == {"cold": [0, 0, 10, 20], "patient": [0, 20]} and {*motion.nodes.values()} == {"rack-b"}
    assert repr(motion).splitlines()[1] == "patient: tried at 0, 20 s, and runs on rack-b"
    assert motion._repr_html_().count("<circle") == 6
