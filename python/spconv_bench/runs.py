# SPDX-License-Identifier: Apache-2.0
"""Runs of the program whose records come back."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .program import ProgramError, error_line, find_program
from .reading import read
from .records import Records


def run(
    arguments: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str] | None = None,
    program: str | os.PathLike[str] | None = None,
) -> Records:
    """The records of `spconv-bench run ARGUMENTS`, as in run(["sphere:32", "--dtypes", "f16"]).

    out: the folder to keep them in, else none is left. A run appends to what is in it: rows of earlier runs come
    back, too. Raises ProgramError with the program's error line and exit code when that is not 0; its records are
    what was measured.
    """
    words = [os.fspath(word) for word in arguments]
    if any(word in ("-o", "--out") or word.startswith("--out=") for word in words):
        raise ValueError("arguments: name the folder by out=, not by --out")
    with tempfile.TemporaryDirectory(prefix="spconv-bench-") as scratch:
        folder = Path(out) if out is not None else Path(scratch) / "run"
        command = [find_program(program), "run", *words, "--out", os.fspath(folder)]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
        if done.returncode == 0:
            return read(folder, program=program)
        written = folder.is_dir() and any(folder.rglob("records.jsonl"))
        records = read(folder, program=program) if written else None
    raise ProgramError(error_line(done.stderr, done.returncode), done.returncode, records)
