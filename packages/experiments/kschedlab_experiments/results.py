"""The results of an experiment: tables of means and paired differences, CSV, Parquet."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kschedlab.extras import require
from kschedlab.messages import later, listed, say, terms
from kschedlab.objects.problems import InputValueError, unknown
from kschedlab.shown import Shown
from kschedlab.text.sections import DECIDES, WEAK, Limits, Row, Section, Table
from kschedlab_experiments.measures import BY_PRIORITY, measure_of, order
from kschedlab_experiments.record import Record
from kschedlab_experiments.runs import Run
from kschedlab_experiments.statistics import Difference, Floats, adjusted, difference
from kschedlab_experiments.variants import Variant


class Compared(NamedTuple):
    """A measure of two variants: their means, the paired difference, and its p as one of all the measures compared."""

    measure: str
    first: float
    second: float
    difference: Difference
    p: float

    @property
    def real(self) -> bool:
        """Whether the difference is real: see ``adjusted`` of :mod:`kschedlab_experiments.statistics`."""
        return self.p <= 1 - self.difference.confidence + 1e-12


class Results(Shown):
    """The runs of an experiment, read from their file when they are asked for.

    ``results["pending"]`` is a measure of every run: float64[variants, seeds], NaN where a run has no such number.
    """

    def __init__(self, record: Record, variants: Sequence[Variant], seeds: Sequence[int], confidence: float) -> None:
        self._record = record
        self.variants = tuple(variant.name for variant in variants)
        self.warnings = tuple(f"{variant.name}: {warning}" for variant in variants for warning in variant.warnings)
        self.seeds = tuple(seeds)
        self.confidence = confidence
        self._places = {seed: place for place, seed in enumerate(self.seeds)}

    @property
    def path(self) -> Path:
        """The file of the runs."""
        return self._record.path

    def runs(self) -> Iterator[Run]:
        """The runs of these seeds, in the order in which they ended, each read from the file as it is asked for."""
        return (run for run in self._record if run.seed in self._places)

    @cached_property
    def _columns(self) -> dict[str, Floats]:
        columns: dict[str, Floats] = {}
        shape = len(self.variants), len(self.seeds)
        for run in self.runs():
            for name, number in run.numbers.items():
                if name not in columns:
                    by_priority = "/" in name and name.partition("/")[0] in BY_PRIORITY
                    columns[name] = np.full(shape, 0.0 if by_priority else np.nan)
                columns[name][run.variant, self._places[run.seed]] = np.nan if number is None else number
        return {name: columns[name] for name in sorted(columns, key=order)}

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the measures."""
        return tuple(self._columns)

    def __getitem__(self, measure: str) -> Floats:
        if measure not in self._columns:
            raise unknown("measure", measure, self._columns)
        return self._columns[measure]

    def by_variant(self, measure: str) -> dict[str, Floats]:
        """The measure of every run by variant, seed by seed. KeyError for an unknown name."""
        return dict(zip(self.variants, self[measure], strict=True))

    def differences(self, variant: str | None = None, measures: Iterable[str] | None = None) -> list[Compared]:
        """What differs between the first variant and this one (by default the second), measure by measure.

        ``measures``: by default all whose value is not the same in each pair. KeyError for an unknown name.
        """
        if len(self.variants) < 2:
            raise InputValueError("there is one variant only: there is nothing to compare")
        name = self.variants[1] if variant is None else variant
        if name not in self.variants:
            raise unknown("variant", name, self.variants)
        place = self.variants.index(name)
        chosen = [each for each in self.measures if self._differs(each, place)] if measures is None else list(measures)
        made = [difference(self[each][0], self[each][place], self.confidence) for each in chosen]
        return [
            Compared(each, _mean(self[each][0]), _mean(self[each][place]), one, p)
            for each, one, p in zip(chosen, made, adjusted(made), strict=True)
        ]

    def _differs(self, measure: str, place: int) -> bool:
        first, second = self[measure][0], self[measure][place]
        both = ~(np.isnan(first) | np.isnan(second))
        return bool((first[both] != second[both]).any())

    # -- as text

    def sections(self, limits: Limits) -> Iterator[Section]:
        """A table for each variant beside the first, or of the only one."""
        if len(self.variants) == 1:
            yield self._alone()
        for variant in self.variants[1:]:
            yield self._compared(variant)
        notes = list(self.warnings)
        if self.measures and (failed := int(np.nansum(self["failures"]))):
            notes.append(say("{failed} entries of timelines failed: `kschedlab simulate` lists them", failed=failed))
        if notes:
            yield Section(say("Note"), notes)

    def _alone(self) -> Section:
        head = terms("measure", "mean", "standard deviation", "least", "most")
        rows = []
        for name in self.measures:
            numbers = self[name][0]
            if numbers[~np.isnan(numbers)].any():
                values = (_mean(numbers), np.nanstd(numbers), np.nanmin(numbers), np.nanmax(numbers))
                rows.append(Row([measure_of(name).title, *(number(value, name) for value in values)]))
        return Section(self.variants[0], [Table(head, rows)], self._over())

    def _compared(self, variant: str) -> Section:
        first, place = self.variants[0], self.variants.index(variant)
        percent = f"{100 * self.confidence:g}"
        head = [
            say("measure"),
            first,
            variant,
            say("difference"),
            say("{percent} % interval", percent=percent),
            "p",
            "",
        ]
        compared = {each.measure: each for each in self.differences(variant)}
        rows, same, zero = [], [], []
        for name in self.measures:
            if (each := compared.get(name)) is not None:
                rows.append(_row(each))
            elif self[name][[0, place]][~np.isnan(self[name][[0, place]])].any():
                same.append(f"{measure_of(name).title} {number(_mean(self[name][0]), name)}")
            else:
                zero.append(measure_of(name).title)
        parts: list[str | Table] = [Table(head, rows)] if rows else []
        if same:
            parts.append(say("The same in each pair: {what}", what=listed(same)))
        if zero:
            parts.append(say("0 in all runs: {what}", what=listed(zero)))
        if rows:
            parts.append(self._verdicts())
        title = say("{variant} compared with {first}", variant=variant, first=first)
        return Section(title, parts, say("{over} with the same arrivals", over=self._over()))

    def _over(self) -> str:
        seeds = len(self.seeds)
        return say("over 1 seed") if seeds == 1 else say("over {seeds} seeds", seeds=seeds)

    def _verdicts(self) -> str:
        """What the last column means, or why no difference can be called real."""
        rest = 1 - self.confidence
        needed = next(pairs for pairs in range(2, 64) if 2 ** (1 - pairs) <= rest)
        if len(self.seeds) < needed:
            say_more = later("With {seeds} seeds no difference can be told from chance: take {needed} or more")
            return say(say_more, seeds=len(self.seeds), needed=needed)
        share = later("Of differences called real, {rest:g} % or fewer come about by chance")
        return say(share, rest=round(100 * rest, 6))

    # -- as files

    def rows(self) -> Iterator[dict[str, str | int | float | None]]:
        """A row for each run, in order of the variants and seeds: ``variant``, ``seed``, and each measure."""
        for place, variant in enumerate(self.variants):
            for column, seed in enumerate(self.seeds):
                row: dict[str, str | int | float | None] = {"variant": variant, "seed": seed}
                for name in self.measures:
                    value = float(self[name][place, column])
                    row[name] = None if value != value else value
                yield row

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON: the rows, and what differs from the first variant, by variant."""
        compared = {
            variant: [
                each.difference.__dict__
                | {"measure": each.measure, "first": each.first, "second": each.second}
                | {"adjusted_p": each.p, "real": each.real}
                for each in self.differences(variant)
            ]
            for variant in self.variants[1:]
        }
        return {"variants": list(self.variants), "runs": list(self.rows()), "differences": compared}

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the rows as CSV; an empty field is a number that the run does not have."""
        with Path(path).open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, ["variant", "seed", *self.measures])
            writer.writeheader()
            writer.writerows(self.rows())

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write the rows as Parquet. MissingExtraError without pyarrow."""
        require("parquet", "pyarrow")
        import pyarrow as pa
        from pyarrow import parquet

        parquet.write_table(pa.Table.from_pylist(list(self.rows())), path)


def _row(each: Compared) -> Row:
    name, made = each.measure, each.difference
    interval = f"{number(made.low, name, True)} … {number(made.high, name, True)}" if made.low == made.low else "–"
    values = [number(each.first, name), number(each.second, name), number(made.mean, name, True)]
    verdict = say("real") if each.real else say("may be chance")
    return Row([measure_of(name).title, *values, interval, f"{each.p:.2g}", verdict], DECIDES if each.real else WEAK)


def number(value: float, measure: str, signed: bool = False) -> str:
    """A number with its unit: three figures, all of a whole number."""
    if value != value:
        return "–"
    unit = measure_of(measure).unit
    rounded = float(f"{value:.3g}") if abs(value) < 1000 else round(value)
    if unit == "%":
        rounded = round(value, 2) if abs(value) < 10 else round(value, 1)
    text = f"{rounded:+,.10g}" if signed and rounded else f"{rounded:,.10g}"
    return text.replace("-", "−") + (f" {unit}" if unit else "")


def _mean(numbers: Floats) -> float:
    return float(np.nanmean(numbers)) if (~np.isnan(numbers)).any() else float("nan")
