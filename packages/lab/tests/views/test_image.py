"""A drawing as an image: what its attributes say, its style sheet says, too."""

from urllib.parse import unquote

from kschedlab_lab.views.image import image
from kschedlab_lab.views.svg import label, svg


def test_a_size_that_many_texts_share_keeps_its_unit() -> None:
    texts = [label(f"text {i}", 0, 20 * i, fill="#123456", font_size=13) for i in range(4)]
    drawn = unquote(str(image(svg(texts, 100, 100, "four texts"), "four texts")))
    assert "font-size:13px" in drawn and "fill:#123456" in drawn
