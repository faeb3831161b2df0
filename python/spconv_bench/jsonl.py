# SPDX-License-Identifier: Apache-2.0
"""The lines of records.jsonl."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from .columns import Value
from .errors import RecordsError, check_version, warn_cut_off

LINE_TYPES = ("result", "context", "summary", "case_end")


def jsonl_rows(path: Path, text: bytes, line_type: str) -> Iterator[dict[str, Value]]:
    """The lines of one type. A result takes from the context line above it what it leaves out."""
    context: dict[str, Value] = {}
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        where = f"{path}:{number}"
        try:
            values = json.loads(line, parse_constant=_no_number)
        except ValueError:
            if not line.endswith(b"\n"):
                warn_cut_off(path)
                return
            values = None
        if not isinstance(values, dict):
            raise RecordsError(f"{where}: is no JSON object")
        found = values.pop("type", None)
        if found == "context":
            context = values
        if found == "result":
            values = _whole_result(values, context, where)
        if found == line_type:
            yield values


def _no_number(text: str) -> None:
    raise ValueError(text)  # NaN and Infinity are no JSON


def _whole_result(values: dict[str, Value], context: dict[str, Value], where: str) -> dict[str, Value]:
    if "schema_version" in values:  # then it says all itself
        check_version(values["schema_version"], where)
        return values
    run_id = values.get("run_id")
    if not run_id or run_id != context.get("run_id") or "schema_version" not in context:
        raise RecordsError(f'{where}: the context line of its run "{run_id}" is not above it; put it there')
    check_version(context["schema_version"], where)
    return {**values, **{name: value for name, value in context.items() if name not in values}}
