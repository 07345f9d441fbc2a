"""A decision map as a figure of plotly, which is imported only here, and only when a figure is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kschedlab.extras import require

if TYPE_CHECKING:
    from kschedlab_planning.maps import DecisionMap

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999")
"""Okabe and Ito's colours, which differ for colour-blind readers, too."""


def map_figure(drawn: DecisionMap) -> Any:
    """A ``plotly.graph_objects.Figure``: a colour for each outcome, with the values at the pointer."""
    require("lab", "plotly")
    from plotly.graph_objects import Figure, Heatmap

    (x, xs), (y, ys), names = drawn.x, drawn.y, [str(each) for each in drawn.outcomes]
    number = len(names)
    colours = [COLOURS[place % len(COLOURS)] for place in range(number)]
    steps = [(end / number, colour) for place, colour in enumerate(colours) for end in (place, place + 1)]
    heatmap = Heatmap(
        x=[str(value) for value in xs],
        y=[str(value) for value in ys],
        z=drawn.places.tolist(),
        text=[[names[place] for place in row] for row in drawn.places.tolist()],
        hovertemplate=f"{x}: %{{x}}<br>{y}: %{{y}}<br>%{{text}}<extra></extra>",
        colorscale=steps,
        zmin=-0.5,
        zmax=number - 0.5,
        colorbar={"tickvals": list(range(number)), "ticktext": names},
    )
    axes = {"xaxis": {"title": {"text": x}, "type": "category"}, "yaxis": {"title": {"text": y}, "type": "category"}}
    return Figure(heatmap, layout={"title": {"text": drawn.pod}, **axes})
