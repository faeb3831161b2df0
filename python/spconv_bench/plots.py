# SPDX-License-Identifier: Apache-2.0
"""Plots with matplotlib, which nothing else needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .records import Records, Row
from .totals import Cell, total

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TIMES = "time_median_us"


def plot(
    records: Records, x: str = "n_in", y: str = TIMES, by: str = "algorithm", axes: Axes | None = None
) -> Axes:
    """Draws column y over column x, a line for each value of `by`; times with their 95 % intervals.

    Both axes are logarithmic. Filter first: a line joins all rows of its name. Raises ValueError when no row has
    both values, KeyError for a name that no row has.
    """
    axes = axes or _new_axes()
    drawn = False
    for name in records.values(by):
        rows = [row for row in records.filter(**{by: name}) if row[x] is not None and row[y] is not None]
        rows.sort(key=lambda row: row[x])
        if not rows:
            continue
        drawn = True
        (line,) = axes.plot([row[x] for row in rows], [row[y] for row in rows], marker="o", label=str(name))
        if y == TIMES:
            _draw_intervals(axes, x, rows, line.get_color())
    if not drawn:
        raise ValueError(f"no row has both {x} and {y}")
    _finish(axes, x, y)
    return axes


def plot_totals(cell: Cell, runs: Sequence[int] = (1, 2, 4, 8, 16, 32, 64), axes: Axes | None = None) -> Axes:
    """Draws the total per run of each case of a cell, in microseconds, over the runs that share maps and plan.

    Where lines cross, another algorithm begins to win. Raises ValueError when no total is known.
    """
    axes = axes or _new_axes()
    drawn = False
    for case in cell:
        points = [(count, found.us / count) for count in runs if (found := total(case, count))]
        if points:
            drawn = True
            axes.plot(*zip(*points), marker="o", label=case.algorithm)
    if not drawn:
        raise ValueError("no case of the cell was proven right and timed in all phases")
    _finish(axes, "runs that share maps and plan", "total / runs [µs]")
    return axes


def _new_axes() -> Axes:
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(8, 4.5), layout="constrained")[1]


def _draw_intervals(axes: Axes, x: str, rows: list[Row], color: Any) -> None:
    for row in rows:
        ends = [row["time_ci95_lo_us"], row["time_ci95_hi_us"]]
        if None not in ends and all(map(math.isfinite, ends)):
            axes.plot([row[x], row[x]], ends, color=color, linewidth=1)


def _finish(axes: Axes, x_label: str, y_label: str) -> None:
    from matplotlib.ticker import LogFormatter

    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):  # 300, not 3 x 10^2
        axis.set_major_formatter(LogFormatter())
        axis.set_minor_formatter(LogFormatter(minor_thresholds=(1.5, 0.5)))
    axes.set_xlabel(x_label)
    axes.set_ylabel("time [µs]" if y_label == TIMES else y_label)
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))  # beside the lines, not over them
