"""Markup: text can't become tags, nothing hides in it, and it can be read back."""

import html
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from hypothesis import given, strategies as st

from kschedlab.text.html import Html, element, join, visible
from kschedlab_lab.views.image import image

EVERYTHING = st.text(st.characters(exclude_categories=()), max_size=40)


class Parsed(HTMLParser):
    """What a browser would see: tags with attributes, and the text."""

    def __init__(self, markup: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def in_address(attributes: dict[str, str | None]) -> str:
    """The drawing in the address of an image, with the usual quotation marks."""
    return unquote((attributes["src"] or "").partition(",")[2]).replace("'", '"')


@given(EVERYTHING, EVERYTHING)
def test_text_stays_text(inside: str, attribute: str) -> None:
    parsed = Parsed(str(element("p", inside, title=attribute)))
    assert parsed.tags == [("p", {"title": visible(attribute)})]
    assert parsed.text == visible(inside)


@given(EVERYTHING)
def test_nothing_hides_in_visible_text(text: str) -> None:
    shown = visible(text)
    assert all(c.isprintable() or c == " " or not c.isascii() for c in shown)
    assert visible(shown) == shown
    shown.encode()


def test_hidden_characters_are_spelled_out() -> None:
    assert visible("web\u202e1\x1b[0m\n") == "web[U+202E]1[U+001B][0m[U+000A]"
    assert visible("抢占 é") == "抢占 é"


def test_no_text_can_be_made_markup_by_its_type() -> None:
    with pytest.raises(TypeError):
        Html("<script>")  # type: ignore[call-arg]


def test_children_are_joined_as_they_are() -> None:
    both = join([element("b", "x"), "<i>", None, 3, 0.5, 2.0])
    assert str(both) == "<b>x</b>&lt;i&gt;30.52"
    assert str(element("p", both, Html())) == f"<p>{both}</p>"


def test_attributes() -> None:
    made = element("img", class_="a", aria_label='"x" & y', viewBox="0 0 1 1", hidden=None)
    assert str(made) == '<img class="a" aria-label="&quot;x&quot; &amp; y" viewBox="0 0 1 1">'


def test_an_image_holds_the_drawing_and_says_what_it_shows() -> None:
    svg = element("svg", element("text", "抢占"), xmlns="http://www.w3.org/2000/svg")
    ((tag, attributes),) = Parsed(str(image(svg, alt="a <node>"))).tags
    source = attributes["src"] or ""
    assert (tag, attributes["alt"]) == ("img", "a <node>")
    drawn = unquote(source.removeprefix("data:image/svg+xml,"))
    assert drawn == str(svg).replace('"', "'")
    assert ElementTree.fromstring(drawn).find(".//{*}text").text == "抢占"  # type: ignore[union-attr]


def test_an_image_leaves_out_what_only_a_front_end_reads() -> None:
    words = element("text", 'role="a" data-b="2.0" 1.0')
    marked = element("rect", x=1.04, y=30.0, data_key="pod/a", aria_label="carry a", data_set="x: 2.0")
    surface, titled = element("rect", width=20, fill="transparent"), element("path", element("title", "t"), d="M0 0")
    svg = element("svg", marked, surface, titled, words, xmlns="http://www.w3.org/2000/svg", aria_label="alt")
    ((_, attributes),) = Parsed(str(image(svg, alt="alt"))).tags
    drawn = in_address(attributes)
    assert drawn == f'<svg xmlns="http://www.w3.org/2000/svg"><rect x="1" y="30"/>{titled}{words}</svg>'


def test_an_image_whose_elements_have_several_looks_can_be_read() -> None:
    halo: dict[str, Any] = {"paint_order": "stroke", "stroke": "#FFFFFF", "stroke_width": 4}
    words = [element("text", str(i), x=i, fill="#000000", font_weight="bold", **halo) for i in range(4)]
    svg = element("svg", *words, xmlns="http://www.w3.org/2000/svg")
    ((_, attributes),) = Parsed(str(image(svg, alt="alt"))).tags
    drawn = in_address(attributes)
    assert [each.text for each in ElementTree.fromstring(drawn).iterfind("{*}text")] == ["0", "1", "2", "3"]


@given(EVERYTHING)
def test_any_text_comes_through_the_address_of_an_image(text: str) -> None:
    svg = element("svg", element("text", text), element("text", "100 % #1 <a> \"b\" 'c' & currentColor"))
    ((_, attributes),) = Parsed(str(image(svg, alt=text))).tags
    found = ElementTree.fromstring(unquote((attributes["src"] or "").partition(",")[2]))
    assert [each.text or "" for each in found] == [visible(text), "100 % #1 <a> \"b\" 'c' & currentColor"]
    assert attributes["alt"] == visible(text)


def test_an_image_holds_what_it_repeats_once() -> None:
    boxes = [element("g", element("rect", width=118.5, height=50, rx=6), transform=f"translate({i})") for i in range(3)]
    svg = element("svg", *boxes, element("rect", width=118.5, height=51, rx=6), xmlns="http://www.w3.org/2000/svg")
    ((_, attributes),) = Parsed(str(image(svg, alt="alt"))).tags
    drawn = in_address(attributes)
    assert drawn.count("<rect") == 2 and drawn.count('<use href="#b0"/>') == 3
    assert '<defs><rect id="b0" width="118.5" height="50" rx="6"/></defs>' in drawn
    assert len(list(ElementTree.fromstring(drawn).iter())) == 1 + 1 + 1 + 3 + 3 + 1


def test_a_notebook_gets_the_markup_and_a_terminal_its_size() -> None:
    made = element("p", "x")
    assert made._repr_html_() == str(made) == html.unescape("&lt;p&gt;x&lt;/p&gt;")
    assert repr(made) == "<Html, 8 characters>"
    assert made == element("p", "x") and hash(made) == hash(element("p", "x")) and made != element("p", "y")


def test_a_style_sheet_is_not_escaped_and_cannot_end_its_element() -> None:
    assert str(element("style", "a > b::after { content: 'c' }")) == "<style>a > b::after { content: 'c' }</style>"
    with pytest.raises(ValueError, match="can't contain <"):
        element("style", "</style><script>")


def test_an_image_names_looks_that_repeat_once() -> None:
    """Text that only resembles an attribute stays as it is: its quotation marks are escaped."""
    look = {"fill": "none", "stroke": "#D55E00"}
    rects = [element("rect", width=i, **look) for i in range(3)]
    svg = element("svg", *rects, element("text", ' fill="none" stroke="#D55E00"', font_size=12))
    ((_, attributes),) = Parsed(str(image(svg, alt="alt"))).tags
    drawn = in_address(attributes)
    assert drawn == (
        "<svg><style>.a0{fill:none;stroke:#D55E00}</style>"
        '<rect width="0" class="a0"/><rect width="1" class="a0"/><rect width="2" class="a0"/>'
        '<text font-size="12"> fill=&quot;none&quot; stroke=&quot;#D55E00&quot;</text></svg>'
    )
