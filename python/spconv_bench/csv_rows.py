# SPDX-License-Identifier: Apache-2.0
"""The rows of results.csv."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

from .columns import Column, Value
from .errors import RecordsError, check_version, warn_cut_off


# What the program writes in front of a text that a spreadsheet would run as a formula: a number is none.
_MARKED = re.compile(r"'+(?!-(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$)( *\t[ \t]*[^ \t]|[ \t]*[=+\-@])")


def csv_rows(path: Path, text: bytes, known: dict[str, Column]) -> Iterator[dict[str, Value]]:
    """Rows with the types of the columns `known`; names that are none of them are left out."""
    # Values hold no line ends, so that a row without one at its end was cut off.
    whole, _, rest = text.rpartition(b"\n")
    if not whole:
        raise RecordsError(f"{path}: has no header line")
    if rest:
        warn_cut_off(path)
    number = 1
    try:
        lines = csv.reader(whole.decode("utf-8").split("\n"), strict=True)
        header = next(lines)
        for number, cells in enumerate(lines, 2):
            cells = [cell[1:] if _MARKED.match(cell) else cell for cell in cells]
            yield _row(header, cells, known, f"{path}:{number}")
    except (csv.Error, UnicodeDecodeError) as error:
        raise RecordsError(f"{path}:{number}: {error}") from error


def _row(header: list[str], cells: list[str], known: dict[str, Column], where: str) -> dict[str, Value]:
    if len(cells) != len(header):
        raise RecordsError(f"{where}: has {len(cells)} fields, expected {len(header)}")
    texts = dict(zip(header, cells))
    check_version(texts.get("schema_version", ""), where)
    row: dict[str, Value] = {}
    for name, text in texts.items():
        if name in known:
            try:
                row[name] = known[name].parse(text)
            except ValueError as error:
                raise RecordsError(f'{where}: {name} is "{text}", expected {known[name].type}') from error
    return row
