# SPDX-License-Identifier: Apache-2.0
"""The columns of records as the program lists them, and the values in their text."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import Any

from .program import call

Value = Any  # str, int, float, bool, or None for what was not measured; the column says which


@dataclass(frozen=True)
class Column:
    """A column of the records: `type` is text, enumeration, integer, real or boolean; `unit` may be empty.

    Rows of two files match when all `key` columns are equal. What `varies` each run of the same cases fills in anew:
    times, conditions, who ran when.
    """

    name: str
    type: str
    unit: str
    key: bool
    varies: bool
    meaning: str

    def parse(self, text: str) -> Value:
        """The value of a cell; empty is None, not measured. Raises ValueError when it is none of the type."""
        if not text:
            return None
        if self.type == "integer":
            return int(text)
        if self.type == "real":
            if not math.isfinite(number := float(text)):
                raise ValueError(text)
            return number
        if self.type == "boolean":
            return {"0": False, "1": True}[text] if text in ("0", "1") else _refuse(text)
        return text


def _refuse(text: str) -> Value:
    raise ValueError(text)


def columns(program: str | os.PathLike[str] | None = None) -> dict[str, Column]:
    """All columns by name, in the order of the files, from `spconv-bench list columns`."""
    header, *lines = call(["list", "columns"], program).splitlines()
    # A column may be empty in a line, as most units: the header says where each begins.
    starts = [header.index(word) for word in header.split()]
    cells = [[line[begin:end].strip() for begin, end in zip(starts, [*starts[1:], None])] for line in lines]
    return {
        name: Column(name, type_, unit, role == "key", role == "varies", meaning)
        for name, type_, unit, role, meaning in cells
    }
