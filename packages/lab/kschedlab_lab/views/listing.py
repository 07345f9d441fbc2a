"""Shows the package's own source code where a lesson explains it, never a copy; folded, for it is long."""

from __future__ import annotations

import re
from collections.abc import Callable
from inspect import getsource
from textwrap import dedent
from typing import Any

from kschedlab.messages import later
from kschedlab.objects.problems import expected
from kschedlab.text.html import element


class Listing:
    """The source of a public function or class, with its file. TypeError for anything else, ValueError if private."""

    def __init__(self, of: Callable[..., Any]) -> None:
        if not callable(of) or not hasattr(of, "__qualname__"):
            raise expected(later("a function or a class"), of)
        if any(part.startswith("_") and not part.endswith("__") for part in of.__qualname__.split(".")):
            raise ValueError(f"{of.__qualname__} is private: list a public function, which readers may call")
        self.name, self.file = of.__qualname__, f"{of.__module__.replace('.', '/')}.py"
        self.source = dedent(getsource(of))

    def __repr__(self) -> str:
        return f"# {self.name}, {self.file}\n{self.source}"

    def _repr_markdown_(self) -> str:
        """A fold with the code as Markdown, which JupyterLab and GitHub highlight."""
        fence = "`" * (1 + max(map(len, re.findall("`+", self.source)), default=2))
        summary = element("summary", element("code", self.name), f" · {self.file}")
        return f"<details>{summary}\n\n{fence}python\n{self.source}{fence}\n\n</details>"
