"""What preemption asks a filter: it depends on what the filter declares."""

from kschedlab.plugins import node_filter
from kschedlab_lab.panels.your_plugin_preemption import panel
from kschedlab_lab.views.svg import Room
from tests.saying import says

ROOM = Room(640, 400)
REASON = "node(s) had other pods"


@node_filter("Alone", unresolvable=True)
def alone(pod, node):
    return REASON if node.pods else None


def test_a_filter_that_says_evicting_does_not_help_is_not_asked_again():
    shown = panel(alone)
    assert says(shown.view.sentence, "web waits", "Alone", "not asked again")
    assert [frame.caption for frame in shown.view.story(ROOM)][1:2] == [f"Alone refuses rack-a: {REASON}."]
    assert says(repr(shown.answer("no: it finds no node")), "Right")


def test_without_the_declaration_it_is_asked_again_without_old():
    shown = panel(alone).move(unresolvable=False)
    assert says(shown.view.sentence, "web goes to rack-a", "old has to leave")
    assert "unresolvable=False" in str(shown.view.picture(ROOM))
    captions = [frame.caption for frame in shown.view.story(ROOM)]
    assert says(captions[2], "takes old off rack-a", "asks Alone again", "passes")
    assert shown.view.story(ROOM)[-1].picture == shown.view.picture(ROOM)


def test_the_question_shows_no_answer():
    shown = panel(alone)
    before = str(shown.question.before(shown.settings)(ROOM))
    assert "web" in before and REASON not in before and "unresolvable" not in before


def test_a_filter_that_refuses_nothing_lets_web_in():
    shown = panel(node_filter("Open")(lambda pod, node: None))
    assert says(shown.view.sentence, "web goes to rack-a") and shown.view.story is None
