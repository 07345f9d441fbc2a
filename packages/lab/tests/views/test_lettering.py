"""Text in a drawing: nothing is lost when it flows, and no line is wider than its place."""

import re

import pytest
from hypothesis import given, strategies as st

from kschedlab_lab.views.lettering import after_hyphen, flowed, name_lines, text_width, told_apart, units, wrapped
from tools.glossary import SECTIONS

WORDS = st.text("abcWXYZ/-. ", max_size=40)


@given(WORDS, st.integers(20, 200), st.booleans())
def test_the_whole_text_flows_in_lines_that_fit(text: str, width: int, bold: bool) -> None:
    lines = flowed(text, width, 12, bold)
    assert re.sub(" ", "", "".join(lines)) == re.sub(" ", "", text)
    assert all(text_width(line, 12, bold) <= width for line in lines)


def test_a_long_name_breaks_between_its_humps() -> None:
    assert flowed("recordSchedulingFailure now", 90) == ["record", "Scheduling", "Failure now"]
    assert flowed("two words", 200) == ["two words"] and flowed("", 50) == []


def test_a_name_takes_one_line_or_two() -> None:
    assert name_lines("LeastAllocated", 200) == ["LeastAllocated"] and name_lines(" ", 200) == [""]
    assert name_lines("LeastAllocated", 80) == ["Least", "Allocated"]


def test_lines_end_between_words_and_the_last_one_says_that_there_is_more() -> None:
    assert wrapped("Insufficient cpu", 88, 3) == ["Insufficient", "cpu"]
    first, second = wrapped("one two three four five six", 60, 2)
    assert first == "one two" and second.startswith("three") and second.endswith("…")


def test_names_are_told_apart_by_what_follows_their_common_words() -> None:
    assert after_hyphen(["node-a", "node-b"]) == ["a", "b"]
    assert after_hyphen(["gpu-01", "gpu-02"]) == ["01", "02"] and after_hyphen(["node-a"]) == ["node-a"]


CHINESE = st.text("节点调度器抢占的了，。（）“”、 PodBind31×", max_size=40)


@given(CHINESE, st.integers(60, 200), st.booleans())
def test_a_chinese_text_flows_in_lines_that_fit_and_loses_nothing(text: str, width: int, bold: bool) -> None:
    lines = flowed(text, width, 12, bold)
    assert re.sub(" ", "", "".join(lines)) == re.sub(" ", "", text)
    assert all(text_width(line, 12, bold) <= width or len(line) == 1 for line in lines)


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("PostBind 插件", 81, ["PostBind", "插件"]),
        ("启动 HTTP 服务器", 81, ["启动 HTTP", "服务器"]),
        ("抢占：在候选节点上模拟驱逐", 90, ["抢占：在候选", "节点上模拟驱逐"]),
        ("节点已满，容忍度不匹配，无法调度", 90, ["节点已满，", "容忍度不匹配，", "无法调度"]),
        ("按优先级重新入队（第 3 步）", 90, ["按优先级重新", "入队（第 3 步）"]),
        ("不可调度队列 · 3 个节点", 96, ["不可调度队列 ·", "3 个节点"]),
        ("10（满分 10）× 1 = 10", 73, ["10", "（满分 10）", "× 1 = 10"]),
    ],
)
def test_chinese_lines_end_between_words(text: str, width: float, lines: list[str]) -> None:
    assert flowed(text, width) == lines


def test_a_word_is_divided_where_the_text_fits_only_then() -> None:
    assert wrapped("预选算法、优选算法", 60, 2) == ["预选算法、", "优选算法"]
    assert wrapped("调度器绑定节点上", 48, 2) == ["调度器绑", "定节点上"]
    assert wrapped("调度器绑定节点上", 48, 3) == ["调度器", "绑定", "节点上"]


def test_no_word_of_the_glossary_is_divided() -> None:
    words = {word for terms in SECTIONS.values() for each in terms for word in re.findall("[一-鿿]+", each.chinese)}
    divided = {word for word in words if len(word) < 4 and len(units(word)) > 1}
    assert divided == set()


def test_names_that_do_not_fit_are_told_apart() -> None:
    assert told_apart("node-b", 60, 12) == "node-b"
    assert [told_apart(name, 30, 12) for name in ("node-a", "node-b")] == ["…a", "…b"]
    assert told_apart("elsewhere", 30, 12).startswith("el")
