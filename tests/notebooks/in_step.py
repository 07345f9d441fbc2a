"""What a translation keeps of a text: headings, tables, links, code and numbers."""

import ast
import re
from collections import Counter
from typing import Any

from kschedlab_lab.language import LANGUAGES

FENCE = re.compile(r"^ *(`{3,}).*?^ *\1$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
LANGUAGE = re.compile(rf" --language ({'|'.join(LANGUAGES)})\b")
"""What a command names in the text of one language only, as a cell says ``language("zh")``."""
READ = "a text that is read"


class Silent(ast.NodeTransformer):
    """Leaves out what a reader reads: texts with a space or a Chinese character."""

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        is_text = isinstance(node.value, str) and (" " in node.value or not node.value.isascii())
        return ast.Constant(READ) if is_text else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        return ast.Constant(READ)


def code(english: str, other: str) -> tuple[str, str]:
    """Both cells without what is read; a word that the other cell translates ("yes") is read as well."""
    trees = [Silent().visit(ast.parse(source)) for source in (english, other)]
    for one, two in zip(*([n for n in ast.walk(tree) if isinstance(n, ast.Constant)] for tree in trees), strict=False):
        if READ in (one.value, two.value) and isinstance(one.value, str) and isinstance(two.value, str):
            one.value = two.value = READ
    return ast.dump(trees[0]), ast.dump(trees[1])


def within_its_set(link: str) -> str:
    """A link without the ways between the sets: the English page leads to the Chinese one, and back."""
    return "/".join(part for part in link.split("/") if part not in ("..", *LANGUAGES))


def shape(source: str) -> dict[str, Any]:
    """What a translation keeps: the ranks of headings, the columns of each table's rows, links, code."""
    text = FENCE.sub("", source)
    lines = text.splitlines()
    return {
        "headings": [len(line) - len(line.lstrip("#")) for line in lines if line.startswith("#")],
        "tables": [re.sub(r"\\\|", "", line).count("|") for line in lines if line.startswith("|")],
        "links": sorted(map(within_its_set, LINK.findall(text))),
        "code": sorted({within_its_set(LANGUAGE.sub("", each)) for each in CODE.findall(text)}),
        "folds": text.count("<details>") - text.count("</details>"),
        "opened": text.count("<details>"),
        "blocks": [match[0].splitlines()[0].strip() for match in FENCE.finditer(source)],
    }


def numbers(source: str) -> Counter[str]:
    """The numbers of the text outside of code and links."""
    return Counter(NUMBER.findall(LINK.sub("", CODE.sub("", FENCE.sub("", source)))))
