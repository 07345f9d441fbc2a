"""Which label breaks a filter, and what a filter that looks at pods says."""

from kschedlab.plugins import node_filter
from kschedlab_lab.panels.your_plugin_probes import answers, panel
from kschedlab_lab.views.svg import Room


@node_filter("ColdNode")
def cold(pod, node):
    return None if int(node.metadata.labels.get("celsius", 0)) < 60 else "node(s) were too hot"


@node_filter("Alone")
def alone(pod, node):
    return "node(s) had other pods" if node.pods else None


def test_a_label_that_is_no_number_breaks_a_filter_that_reads_one():
    assert answers(cold) == ["✓", "✓", "refused", "error", "✓"]
    assert answers(alone) == ["✓", "✓", "✓", "✓", "refused"]
    asked = panel(cold=cold, alone=alone)
    assert "Right." in repr(asked.answer("x")) and "Not quite." in repr(asked.answer("60"))
    before = asked.question.before(asked.settings)
    assert "error" in str(asked.view.picture(Room())) and "error" not in str(before(Room()))


def test_a_filter_that_nothing_breaks_is_none_of_the_labels():
    assert "Right." in repr(panel(alone=alone).answer("none"))
