"""The results as one page: tables and charts, with plotly's script in it. It follows the reader's light or dark."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from kschedlab.messages import say
from kschedlab.text.html import element, join, markup
from kschedlab.text.tables import LIMITS, html
from kschedlab_experiments.measures import measure_of
from kschedlab_experiments.results import Results
from kschedlab_experiments.statistics import Floats
from kschedlab_simulation.usage import MOMENTS

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""Okabe and Ito's, which colour-blind readers tell apart; each can be read on light and on dark."""
STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem;
  color: light-dark(#1b1b1b, #e8e8e8); background: light-dark(#fff, #16181c); }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { display: block; overflow-x: auto; font-variant-numeric: tabular-nums; }
figure { margin: 1rem 0; }
"""
SCRIPT = """
const dark = matchMedia('(prefers-color-scheme: dark)');
const figures = JSON.parse(document.getElementById('figures').textContent);
function paint() {
  const ink = dark.matches ? '#e8e8e8' : '#1b1b1b', line = dark.matches ? '#3a3f47' : '#dcdcdc';
  figures.forEach((figure, number) => {
    const layout = {...figure.layout, font: {...figure.layout.font, color: ink}};
    for (const axis of Object.keys(layout).filter(key => /^[xy]axis/.test(key)))
      layout[axis] = {...layout[axis], gridcolor: line, linecolor: line, zerolinecolor: ink};
    Plotly.react('figure-' + number, figure.data, layout, {responsive: true, displaylogo: false});
  });
}
paint();
dark.addEventListener('change', paint);
"""


def write_page(results: Results, path: str | os.PathLike[str]) -> None:
    """Write a page with the tables and charts that needs no other file and no network."""
    Path(path).write_text(_page(results), encoding="utf-8")


def _page(results: Results) -> str:
    figures = charts(results)
    title = say("Experiment: {variants}", variants=", ".join(results.variants))
    plots = [
        element("figure", element("h2", name), element("div", id=f"figure-{number}"))
        for number, (name, _) in enumerate(figures)
    ]
    data = json.dumps([json.loads(figure.to_json()) for _, figure in figures]).replace("<", "\\u003c")
    head = element("head", markup('<meta charset="utf-8">'), element("title", title), element("style", STYLE))
    scripts = f"<script>{get_plotlyjs()}</script><script type='application/json' id='figures'>{data}</script>"
    body = element("body", element("h1", title), html(results.sections(LIMITS)), *plots)
    document = str(join([head, body])).removesuffix("</body>")
    return f"<!DOCTYPE html>\n<html>{document}{scripts}<script>{SCRIPT}</script></body></html>\n"


def charts(results: Results) -> list[tuple[str, go.Figure]]:
    """The figures, each with its title: over time, waits, and what differs."""
    over_time = _OverTime(results)
    made = [
        (say("Pending pods over time"), over_time.figure("pending", say("pods"))),
        (say("Placed pods over time"), over_time.figure("placed", say("pods"))),
    ]
    made += [
        (say("Requested {which} over time", which=resource), over_time.figure(f"requested/{resource}", "%"))
        for resource in over_time.resources
    ]
    made.append((say("Time to placement"), _waits(results)))
    if len(results.variants) > 1:
        made.append(
            (
                say("Differences from {first}, in percent of the larger mean", first=results.variants[0]),
                _differences(results),
            )
        )
    return made


def _figure(x: str, y: str) -> go.Figure:
    figure = go.Figure()
    figure.update_layout(
        template="none",
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        margin={"l": 60, "r": 20, "t": 10, "b": 50},
        height=340,
        legend={"orientation": "h", "y": 1.12},
        xaxis={"title": {"text": x}, "automargin": True},
        yaxis={"title": {"text": y}, "automargin": True},
    )
    return figure


class _OverTime:
    """Means and ranges over seeds on one grid of moments, from two passes over the file of the runs."""

    def __init__(self, results: Results) -> None:
        self._results = results
        last, self._names = 0.0, dict.fromkeys(("placed", "pending"))
        for run in results.runs():
            last = max(last, run.series.at[-1])
            self._names |= dict.fromkeys(f"requested/{resource}" for resource in run.series.requested)
        self._grid = np.linspace(0, last, 2 * MOMENTS)
        shape = len(results.variants), len(self._grid)
        self._sum = {name: np.zeros(shape) for name in self._names}
        self._least = {name: np.full(shape, np.inf) for name in self._names}
        self._most = {name: np.full(shape, -np.inf) for name in self._names}
        self._times = {name: np.zeros(len(results.variants)) for name in self._names}
        for run in results.runs():
            series = run.series
            self._add("placed", run.variant, series.at, series.placed, 1)
            self._add("pending", run.variant, series.at, series.pending, 1)
            for resource, shares in series.requested.items():
                self._add(f"requested/{resource}", run.variant, series.at, shares, 100)

    @property
    def resources(self) -> list[str]:
        return [name.partition("/")[2] for name in self._names if "/" in name]

    def _add(self, name: str, variant: int, at: Sequence[float], values: Sequence[float], times: int) -> None:
        """Take a step function into account: its last value stays."""
        places = np.searchsorted(np.asarray(at), self._grid, side="right") - 1
        now = times * np.asarray(values, np.float64)[np.maximum(places, 0)]
        self._sum[name][variant] += now
        self._times[name][variant] += 1
        np.minimum(self._least[name][variant], now, out=self._least[name][variant])
        np.maximum(self._most[name][variant], now, out=self._most[name][variant])

    def figure(self, name: str, unit: str) -> go.Figure:
        """The mean of each variant, with the range of its runs behind it."""
        figure = _figure(say("seconds"), unit)
        x = self._grid.round(6).tolist()
        for number, variant in enumerate(self._results.variants):
            if not (times := self._times[name][number]):
                continue
            colour = COLOURS[number % len(COLOURS)]
            band = [*self._least[name][number].tolist(), *self._most[name][number][::-1].tolist()]
            figure.add_scatter(
                x=[*x, *x[::-1]],
                y=band,
                fill="toself",
                fillcolor=_clear(colour),
                line={"width": 0},
                hoverinfo="skip",
                showlegend=False,
                legendgroup=variant,
            )
            mean = (self._sum[name][number] / times).round(6).tolist()
            figure.add_scatter(x=x, y=mean, name=_text(variant), line={"color": colour}, legendgroup=variant)
        return figure


def _waits(results: Results) -> go.Figure:
    figure = _figure("", say("seconds"))
    for number, variant in enumerate(results.variants):
        means = [_mean(results[f"wait_p{percent}"][number]) for percent in (50, 95, 99)]
        colour = COLOURS[number % len(COLOURS)]
        figure.add_bar(x=["p50", "p95", "p99"], y=means, name=_text(variant), marker={"color": colour})
    return figure


def _differences(results: Results) -> go.Figure:
    figure = _figure(say("percent"), "")
    longest = 0
    for number, variant in enumerate(results.variants[1:], 1):
        shown = [each for each in results.differences(variant) if each.difference.low == each.difference.low]
        scale = [100 / max(abs(each.first), abs(each.second)) for each in shown]
        x = [each.difference.mean * by for each, by in zip(shown, scale, strict=True)]
        above = [(each.difference.high - each.difference.mean) * by for each, by in zip(shown, scale, strict=True)]
        below = [(each.difference.mean - each.difference.low) * by for each, by in zip(shown, scale, strict=True)]
        figure.add_scatter(
            x=x,
            y=[measure_of(each.measure).title for each in shown],
            mode="markers",
            name=_text(variant),
            error_x={"type": "data", "array": above, "arrayminus": below},
            marker={
                "color": COLOURS[number % len(COLOURS)],
                "size": 9,
                "symbol": ["circle" if each.real else "circle-open" for each in shown],
            },
        )
        longest = max(longest, len(shown))
    figure.update_layout(height=120 + 26 * longest, yaxis={"autorange": "reversed", "automargin": True})
    return figure


def _mean(numbers: Floats) -> float | None:
    return float(np.nanmean(numbers)) if (~np.isnan(numbers)).any() else None


def _clear(colour: str) -> str:
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.15)"


def _text(text: str) -> str:
    """The text for plotly, which would obey a few tags in it."""
    return text.replace("<", "‹").replace(">", "›")
