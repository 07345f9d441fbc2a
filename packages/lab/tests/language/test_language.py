"""The chosen language: English needs no catalogue, values are data, and what has no translation stays English."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from kschedlab.messages import later, listed, meant, say, sentences, terms
from kschedlab.text.words import count, listing
from kschedlab_lab.language import language, spoken
from kschedlab_lab.language.chinese import words


@pytest.fixture
def chinese() -> Iterator[None]:
    language("zh")
    yield
    language("en")


def test_a_kernel_begins_in_english_and_reads_no_catalogue() -> None:
    program = (
        "import sys; import kschedlab_lab.language; from kschedlab.messages import say; "
        "print(say('{n} of 2', n=1), 'babel' in sys.modules)"
    )
    assert subprocess.check_output([sys.executable, "-c", program], text=True) == "1 of 2 False\n"
    assert language() == "en" and spoken() == {}


def test_braces_in_a_value_and_in_a_message_without_fields_mean_nothing() -> None:
    assert say("{pod} waits; {nodes}.", pod="{nodes}", nodes="{0!r}") == "{nodes} waits; {0!r}."
    assert say("metadata: {name: mine}") == later("metadata: {name: mine}") == "metadata: {name: mine}"


def test_what_is_said_in_english() -> None:
    assert listed("abc") == "a, b, c" and sentences(["One.", "", "Two."]) == "One. Two."
    assert terms("Node", "Victims") == ["Node", "Victims"]


@pytest.mark.usefixtures("chinese")
def test_what_is_said_in_chinese() -> None:
    assert language() == "zh"
    assert count(3, "node") == "3 个节点" and count(1, "node") == "1 个节点"
    assert listing([*"abcdefg"]) == "a、b、c、d、e 等，另有 2 个"
    assert sentences(["一。", "二。"]) == "一。二。"
    assert terms("node", "no such message") == ["节点", "no such message"]


def test_a_message_keeps_its_fields_until_it_is_shown() -> None:
    wrong = later('"{name}" appears twice', name="web")
    either = later("{others} or {last}", others=["a", "b"], last="c")
    both = later("{problem}: expected {choices}", problem=wrong, choices=either)
    assert both == '"web" appears twice: expected a, b or c' == say(both)
    language("zh")
    shown = say(both), say("{place}: {message}", place="here", message=wrong), later(wrong) is wrong
    language("en")
    assert shown == ("“web”出现了两次：应当是 a、b 或 c", "here：“web”出现了两次", True)


@pytest.mark.usefixtures("chinese")
def test_a_word_may_have_a_translation_for_a_context() -> None:
    assert meant("score", "plugin") == "score" == later("score")
    assert say(meant("score", "plugin")) == "打分插件" and say("score") == "得分"
    assert say(meant("no such message", "algorithm")) == "no such message"


@pytest.mark.usefixtures("chinese")
def test_no_space_stands_between_chinese_characters() -> None:
    assert [say("{who} cordons {node}", who=who, node="node-a") for who in ("kubelet", say("the timeline"))] == [
        "kubelet 把 node-a 设为不可调度",
        "时间线把 node-a 设为不可调度",
    ]


@pytest.mark.usefixtures("chinese")
def test_a_front_end_gets_its_words() -> None:
    told = spoken()
    assert told["lang"] == "zh" and told["words"]["Check"] == "检查" and "Event" not in told["words"]


def test_another_language_is_refused() -> None:
    with pytest.raises(ValueError, match='there is no language "xx"; there are en, zh'):
        language("xx")


def test_a_line_keeps_the_longest_chinese_word_together() -> None:
    assert words().findall("调度器把计数器") == ["调度器", "把", "计数器"]
