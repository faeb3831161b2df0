# SPDX-License-Identifier: Apache-2.0
"""What a user waits for: maps and plan once, then as many runs as they serve.

The same totals and winners as `spconv-bench report` names: the least total among the cases that were proven
right and timed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from .columns import Value
from .records import Row

MANY_RUNS = math.inf  # so many that maps and plan cost nothing

# Cases compete when they are equal in these, the device, the arithmetic and the direction.
DEVICE = ("gpu_name", "backend")
WORKLOAD = (
    "dataset", "voxel_size_m", "voxel_edges", "resolution", "range", "frame", "row_order", "conv_kind", "kernel_size",
    "stride", "dilation", "padding", "output_rule", "output_extent", "c_in", "c_out", "groups", "bias", "epilogue",
    "batch_size", "map_variant",
)


@dataclass(frozen=True)
class Total:
    """A time with its 95 % interval, in microseconds; NaN where the interval is not known."""

    us: float
    lo_us: float
    hi_us: float

    def plus(self, other: Total, count: float) -> Total:
        """This and `count` times the other; ends of intervals add up."""
        return Total(
            self.us + count * other.us, self.lo_us + count * other.lo_us, self.hi_us + count * other.hi_us
        )


@dataclass
class Case:
    """One algorithm on one workload, dtype and direction; its rows by phase, those of the kernel by cache."""

    cell: dict[str, Value]
    algorithm: str
    cache: str = "cold"  # what is ranked: hot where nothing cold was measured on the device
    rows: dict[str, Row] = field(default_factory=dict)


Cell = list[Case]


def cells(records: Iterable[Row]) -> list[Cell]:
    """The cases that compete, together. Of a case that several runs have, the rows of the latest run."""
    cases: dict[tuple[Value, ...], Case] = {}
    for row in sorted(records, key=lambda row: (row["run_id"] or "", row["timestamp_utc"] or "")):
        cell = _cell(row)
        case = cases.setdefault((*cell.values(), row["algorithm"]), Case(cell, row["algorithm"]))
        if any(other["run_id"] != row["run_id"] for other in case.rows.values()):
            case.rows.clear()
        case.rows[(row["cache"] if row["phase"] == "kernel" else row["phase"]) or ""] = row
    cold = {_device(case) for case in cases.values() if "cold" in case.rows}
    by_cell: dict[tuple[Value, ...], Cell] = {}
    for case in cases.values():
        case.cache = "cold" if _device(case) in cold else "hot"
        by_cell.setdefault(tuple(case.cell.values()), []).append(case)
    return [sorted(cell, key=lambda case: case.algorithm) for cell in by_cell.values()]


def total(case: Case, runs: float) -> Total | None:
    """Maps, plan and `runs` runs: the phase end_to_end, or plan and a run, and a kernel time for each further run.

    Of MANY_RUNS the kernel time. None where the case is not proven right or a part was not timed.
    """
    run = _ranked_time(case, case.cache)
    if run is None or runs == MANY_RUNS:
        return run
    if runs < 1:
        raise ValueError(f"runs: {runs} is less than 1")
    first = _ranked_time(case, "end_to_end")
    if first is None and (plan := _ranked_time(case, "plan")) is not None:
        first = plan.plus(run, 1)
    return first.plus(run, runs - 1) if first and runs > 1 else first


@dataclass(frozen=True)
class Winner:
    """What a cell comes to at so many runs: `ratio` is the next one's total over it; NaN where there is no other."""

    best: Case
    runs: float
    total: Total
    next: Case | None = None
    ratio: float = math.nan
    sure: bool = False  # the two intervals do not meet

    def __str__(self) -> str:
        cell = self.best.cell
        size = cell["voxel_size_m"] or cell["voxel_edges"] or cell["resolution"]
        where = f"{cell['dataset']}{f'@{size}' if size else ''} {cell['c_in']}:{cell['c_out']}"
        text = f"{where} {cell['dtype']} {cell['direction']}: {self.best.algorithm} {self.total.us:.4g} µs"
        if self.next:
            text += f", {self.ratio:.3g} times as fast as {self.next.algorithm}{'' if self.sure else ' (not sure)'}"
        return text


def winner(cell: Cell, runs: float) -> Winner | None:
    """The least total of a cell; None where no total is known."""
    known = [(found.us, i, found) for i, case in enumerate(cell) if (found := total(case, runs))]
    known.sort()
    if not known:
        return None
    (_, i, best), *others = known
    if not others:
        return Winner(cell[i], runs, best)
    _, j, second = others[0]
    return Winner(cell[i], runs, best, cell[j], second.us / best.us, best.hi_us < second.lo_us)


def winners(records: Iterable[Row], runs: float = 1) -> list[Winner]:
    """The winner of each cell that has one, where `runs` runs share maps and plan."""
    return [found for cell in cells(records) if (found := winner(cell, runs))]


def break_even_runs(cell: Cell) -> int | None:
    """From how many runs on the fastest kernel also has the least total; 1 where it always has.

    None where no kernel is known, its total is not, or another algorithm is never overtaken.
    """
    fastest = winner(cell, MANY_RUNS)
    first = total(fastest.best, 1) if fastest else None
    if fastest is None or first is None:
        return None
    runs = 1
    for other in cell:
        other_first, other_run = total(other, 1), total(other, MANY_RUNS)
        if other is fastest.best or other_first is None or other_run is None or first.us <= other_first.us:
            continue
        gain_us = other_run.us - fastest.total.us
        if gain_us <= 0:
            return None
        runs = max(runs, 1 + math.ceil((first.us - other_first.us) / gain_us))
    return runs


def _cell(row: Row) -> dict[str, Value]:
    cell = {name: row.get(name) for name in (*DEVICE, *WORKLOAD)}
    # A case that has no time has no arithmetic_class either.
    return {**cell, "dtype": row.get("arithmetic_class") or row["dtype"], "direction": row["direction"]}


def _device(case: Case) -> tuple[Value, ...]:
    return tuple(case.cell[name] for name in DEVICE)


def _ranked_time(case: Case, phase: str) -> Total | None:
    row = case.rows.get(phase)
    if row is None or row["status"] != "ok" or row["verify_status"] != "pass" or row["time_median_us"] is None:
        return None
    names = ("time_median_us", "time_ci95_lo_us", "time_ci95_hi_us")
    return Total(*(math.nan if row[name] is None else row[name] for name in names))
