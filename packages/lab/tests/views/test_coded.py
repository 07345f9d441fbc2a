import pytest

from kschedlab_lab.views.coded import coded


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("run `a<b>` and `c`", "run <code>a&lt;b&gt;</code> and <code>c</code>"),
        ("`<script>`", "<code>&lt;script&gt;</code>"),
        ("one ` alone, `` two", "one ` alone, `` two"),
        ("<b>", "&lt;b&gt;"),
    ],
)
def test_what_stands_between_backquotes_is_code(text: str, markup: str) -> None:
    assert str(coded(text)) == markup
