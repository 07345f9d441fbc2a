"""An edition of the course: a language, its notebooks, its words, and where on the site it stands."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
URLS: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
"""The addresses of the project: ``Source``, ``Binder`` (the contents in the lab), ``Course`` (the site)."""
CONTENTS, TEACHER = "00-contents", "08-teacher"

ENGLISH = {
    "course": "Kubernetes scheduling",
    "recorded": "There is nothing to run on this page: its pictures move over recorded states at once.",
    "run": "To run and change the code, [open this lesson on Binder].",
    "kernel": "This part runs Python: [open this lesson on Binder].",
    "nearest": "This page holds some of the combinations. The nearest to yours: {changes}.",
    "elsewhere": "All of them: [open this lesson on Binder].",
    "untold": "How this comes about is not recorded for this state.",
    "sheets": "Ready to print: {sheets} of each lesson, each for another student.",
    "answers": "answers",
    "noSetting": "is not a setting; there are",
    "notOneOf": "is not one of",
    "aNumber": "the numbers of the steps",
    "isNot": "is not",
    "noNumber": "Type a number first.",
    "wrong": "Not quite.",
    "unknown": "That is not the right answer. [On Binder] the exercise says what is wrong with it.",
    "judged": "Python judges this answer: [open this lesson on Binder].",
    "python": "Python judges it: on Binder",
    "contents": "Contents",
    "previous": "Previous",
    "next": "Next",
    "theme": "Light or dark",
    "page": "On this page",
    "skip": "To the lesson",
}

CHINESE = {
    "course": "Kubernetes 调度",
    "recorded": "这一页不需要运行代码：图在录好的状态之间直接切换。",
    "run": "要运行和修改代码，请[在 Binder 上打开本课]。",
    "kernel": "这一部分要运行 Python：[在 Binder 上打开本课]。",
    "nearest": "这一页只录制了一部分组合，最接近的是：{changes}。",
    "elsewhere": "全部组合：[在 Binder 上打开本课]。",
    "untold": "这个状态没有录制演示过程。",
    "sheets": "可以直接打印：每课 {sheets}，每位学生一份，题目各不相同。",
    "answers": "答案",
    "noSetting": "不是这里的设置；可用的是",
    "notOneOf": "不在可选的值之中：",
    "aNumber": "步骤的编号",
    "isNot": "不是",
    "noNumber": "请先输入一个数。",
    "wrong": "不对。",
    "unknown": "这不是正确答案。[在 Binder 上]，练习会告诉你错在哪里。",
    "judged": "这个答案由 Python 来判断：[在 Binder 上打开本课]。",
    "python": "由 Python 来判断：请在 Binder 上做",
    "contents": "目录",
    "previous": "上一课",
    "next": "下一课",
    "theme": "浅色或深色",
    "page": "本页内容",
    "skip": "跳到正文",
}

ENGLISH_INSTEAD = {
    "- **Run** a cell with Shift+Enter, or all with *Run → Run All Cells*.\n": "",
    " *Run → Run All Cells* starts the pictures.": "",
    "in a lesson, `exercises.progress()` shows what you have solved": "the table after them shows what you have solved",
    "In a class, make `seed` your number on the class list, so that neighbours get other numbers.": "",
    ", and press *Check*": "; on Binder, *Check* judges it",
    "Press Hint, or call hint()": "Press Hint first",
    "now runs beside the notebook, in real time": "runs on Binder beside this lesson, in real time",
}

CHINESE_INSTEAD = {
    "- **运行**：点一下单元格，按 Shift+Enter；或者用菜单 *Run → Run All Cells*。\n": "",
    "*Run → Run All Cells* 让图动起来。": "",
    "在课里用 `exercises.progress()` 查看做对了哪些": "后面的表格列出做对了哪些",
    "现在，开头的那个集群就在笔记本旁边实时运行": "在 Binder 上，开头的那个集群就在这一课旁边实时运行",
    "上课时请把 `seed` 改成自己的学号，这样和旁边的同学数字不同。": "",
    "，然后按“检查”": "；要判断对错，请在 Binder 上按“检查”",
    "，按“检查”": "；要判断对错，请在 Binder 上按“检查”",
    "按“提示”，或者调用 hint()": "先按“提示”",
}


@dataclass(frozen=True)
class Edition:
    """One language, as HTML names it. ``notebooks``, ``place``: its folders in the repository and on the site.

    ``instead``: what a notebook says and a page cannot do, and what the page says instead.
    """

    language: str
    notebooks: str
    place: str
    words: dict[str, str]
    instead: dict[str, str]

    def without_kernel(self, text: str) -> str:
        """A text of its notebooks as a page says it."""
        for words, others in self.instead.items():
            text = text.replace(words, others)
        return text

    def paths(self) -> list[Path]:
        """Its notebooks in their order."""
        return sorted((ROOT / self.notebooks).glob("*.ipynb"))

    def binder(self, name: str) -> str:
        """Where a notebook runs."""
        return URLS["Binder"].removesuffix(f"notebooks/{CONTENTS}.ipynb") + f"{self.notebooks}/{name}.ipynb"

    def address(self, name: str) -> str:
        """Where the page of a notebook is published."""
        path = Path(self.place, "" if name == CONTENTS else page_of(name)).as_posix()
        return URLS["Course"] + ("" if path == "." else path + "/" * (name == CONTENTS))

    def others(self, name: str) -> dict[str, str]:
        """By language, the address of the same page in the other editions."""
        file = page_of(name)
        ways = {each.language: os.path.relpath(Path(each.place, file), self.place) for each in EDITIONS.values()}
        return {language: way for language, way in ways.items() if language != self.language}

    def source(self, path: str) -> str:
        """Where a file of the repository can be read; ``path`` is relative to the notebooks."""
        file = (ROOT / self.notebooks / path).resolve().relative_to(ROOT)
        return f"{URLS['Source']}/blob/HEAD/{file}"


EDITIONS = {
    each.language: each
    for each in (
        Edition("en", "notebooks", ".", ENGLISH, ENGLISH_INSTEAD),
        Edition("zh", "notebooks/zh", "zh", CHINESE, CHINESE_INSTEAD),
    )
}


def page_of(name: str) -> str:
    return "index.html" if name == CONTENTS else f"{name}.html"
