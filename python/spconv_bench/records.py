# SPDX-License-Identifier: Apache-2.0
"""Rows of records: filter and pivot."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from .columns import Value

if TYPE_CHECKING:
    import pandas

Row = dict[str, Value]


class Records(Sequence[Row]):
    """Rows as dicts, all with the same columns; None is what was not measured.

    Names and units are those of `spconv-bench list columns`: time_median_us is in microseconds.
    """

    def __init__(self, rows: Iterable[Row] = ()):
        given = list(rows)
        self.columns: tuple[str, ...] = tuple(dict.fromkeys(name for row in given for name in row))
        self._rows: list[Row] = [{name: row.get(name) for name in self.columns} for row in given]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Records: ...
    def __getitem__(self, index: int | slice) -> Row | Records:
        return Records(self._rows[index]) if isinstance(index, slice) else self._rows[index]

    def __add__(self, other: Records) -> Records:
        return Records([*self, *other])

    def __repr__(self) -> str:
        return f"Records({len(self)} rows, {len(self.columns)} columns)"

    def filter(self, *conditions: Callable[[Row], Any], **values: Any) -> Records:
        """The rows for which all conditions hold and the columns named have the value, or one of a list.

        records.filter(lambda row: row["c_in"] > 32, phase="kernel", dtype=["f16", "bf16"])

        Raises KeyError for a name that no row has.
        """
        for name in values:
            self._check(name)
        allowed = {
            name: list(value) if isinstance(value, (list, tuple, set, frozenset)) else [value]
            for name, value in values.items()
        }
        return Records(
            row
            for row in self
            if all(row[name] in several for name, several in allowed.items())
            and all(condition(row) for condition in conditions)
        )

    def values(self, name: str) -> list[Value]:
        """What occurs in a column, each once, in the order of the rows. Raises KeyError as filter() does."""
        self._check(name)
        return list(dict.fromkeys(row[name] for row in self))

    def pivot(
        self,
        rows: str | Sequence[str],
        columns: str,
        values: str = "time_median_us",
        aggregate: Callable[[list[Value]], Value] | None = None,
    ) -> Table:
        """A table with a line for each value of `rows` and a column for each of `columns`.

        Rows without the value are left out. Raises ValueError where several rows meet in one cell, unless
        `aggregate` makes one value of them; KeyError as filter() does.
        """
        names = (rows,) if isinstance(rows, str) else tuple(rows)
        for name in (*names, columns, values):
            self._check(name)
        found: dict[tuple[Value, ...], dict[Value, list[Value]]] = {}
        for row in self:
            if row[values] is not None:
                line = found.setdefault(tuple(row[name] for name in names), {})
                line.setdefault(row[columns], []).append(row[values])
        cells = {
            key: {column: _one(several, key, column, aggregate) for column, several in line.items()}
            for key, line in found.items()
        }
        headers = tuple(dict.fromkeys(column for line in cells.values() for column in line))
        return Table(names, headers, cells)

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame of the rows; needs pandas."""
        import pandas

        return pandas.DataFrame(list(self), columns=list(self.columns))

    def _check(self, name: str) -> None:
        if name in self.columns or not self.columns:
            return
        near = difflib.get_close_matches(name, self.columns, 1)
        raise KeyError(f'"{name}" is no column of these rows' + (f'; did you mean "{near[0]}"?' if near else ""))


def _one(
    several: list[Value], key: tuple[Value, ...], column: Value, aggregate: Callable[[list[Value]], Value] | None
) -> Value:
    if aggregate:
        return aggregate(several)
    if len(several) > 1:
        raise ValueError(f"{len(several)} rows meet at {key}, {column}: filter by phase and cache, or give aggregate")
    return several[0]


@dataclass(frozen=True)
class Table:
    """What pivot() found: cells[values of row_names][value of the column]. str() aligns it for a terminal."""

    row_names: tuple[str, ...]
    columns: tuple[Value, ...]
    cells: dict[tuple[Value, ...], dict[Value, Value]]

    def __str__(self) -> str:
        lines = [[*self.row_names, *(_text(column) for column in self.columns)]]
        for key, line in self.cells.items():
            lines.append([*(_text(part) for part in key), *(_text(line.get(column)) for column in self.columns)])
        widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
        left = len(self.row_names)
        return "\n".join(
            "  ".join(
                cell.ljust(width) if i < left else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(line, widths))
            ).rstrip()
            for line in lines
        )


def _text(value: Value) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
