# SPDX-License-Identifier: Apache-2.0
"""Records from the files of runs, found and read as the program does (docs/records.md, section 1)."""

from __future__ import annotations

import lzma
import os
from pathlib import Path

from .columns import Value, columns
from .csv_rows import csv_rows
from .errors import RecordsError
from .jsonl import LINE_TYPES, jsonl_rows
from .records import Records

FIX = "name a folder of run --out, its records.jsonl (or .jsonl.xz) or results.csv"


def read(
    path: str | os.PathLike[str], line_type: str = "result", program: str | os.PathLike[str] | None = None
) -> Records:
    """The rows of a file, or of all runs below a folder: records.jsonl, else results.csv, either with .xz.

    line_type: result for the rows; or context, summary, case_end, which results.csv does not have.
    program: only for results.csv, whose types `list columns` says; see find_program().

    What was not measured is None. Rows of records.jsonl have what its context line says of the run, too. A last
    line that a killed run left half is left out with a warning. Raises RecordsError for what is not there,
    damaged otherwise or of a newer schema.
    """
    if line_type not in LINE_TYPES:
        raise ValueError(f'line_type: "{line_type}" is unknown; known are {", ".join(LINE_TYPES)}')
    rows: list[dict[str, Value]] = []
    for file in find_files(Path(path)):
        text = _text(file)
        name = file.stem if file.suffix == ".xz" else file.name
        if name.endswith(".jsonl") or text.startswith(b"{"):
            rows += jsonl_rows(file, text, line_type)
        elif line_type == "result":
            rows += csv_rows(file, text, columns(program))
    if line_type == "result":
        _check_times(path, rows)
    return Records(rows)


def find_files(path: Path) -> list[Path]:
    """The files that read() takes. A report of records leaves a results.csv of the same rows beside them."""
    if path.is_file():
        return [path]
    files = (_files_below(path, "records.jsonl") or _files_below(path, "results.csv")) if path.is_dir() else []
    if not files:
        raise RecordsError(f"{path}: {'holds no records' if path.exists() else 'does not exist'}; {FIX}")
    return files


def _files_below(folder: Path, name: str) -> list[Path]:
    here = [file for file in (folder / name, folder / f"{name}.xz") if file.is_file()]
    if len(here) > 1:
        raise RecordsError(f"{folder}: holds {name} and {name}.xz; name the one that counts")
    inner = sorted(one for one in folder.iterdir() if one.is_dir() and not one.is_symlink())
    return here or [file for one in inner for file in _files_below(one, name)]


def _text(path: Path) -> bytes:
    try:
        text = path.read_bytes()
        if text.startswith(b"\xfd7zXZ"):
            return lzma.decompress(text)
    except OSError as error:
        raise RecordsError(f"{path}: {error.strerror}") from error
    except lzma.LZMAError as error:
        raise RecordsError(f"{path}: its xz data is damaged or cut off; copy it again, whole") from error
    if path.suffix == ".xz":
        raise RecordsError(f"{path}: is called .xz and holds no xz data; copy it again, whole")
    return text


def _check_times(path: str | os.PathLike[str], rows: list[dict[str, Value]]) -> None:
    for row in rows:
        is_timed = row.get("status") in ("ok", "throttled") and row.get("phase")
        if is_timed and not (row.get("time_median_us") or 0) > 0:
            raise RecordsError(
                f"{path}: {row.get('case_id')} is {row['status']} without a time above 0; measure it again"
            )
