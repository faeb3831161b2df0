# SPDX-License-Identifier: Apache-2.0
"""The program `spconv-bench`: where it is, and calling it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .records import Records

PROGRAM_VARIABLE = "SPCONV_BENCH"


class ProgramError(RuntimeError):
    """The program ended with another exit code than 0. The text is its own error line.

    exit_code: as docs/records.md, section 7, lists them; negative when a signal ended it.
    records: what a run had written until then, with the status of each case; else None.
    """

    def __init__(self, message: str, exit_code: int, records: Records | None = None):
        super().__init__(message)
        self.exit_code = exit_code
        self.records = records


def find_program(program: str | os.PathLike[str] | None = None) -> str:
    """The path of the program: as given, else of the environment's SPCONV_BENCH, else on the PATH.

    Raises FileNotFoundError where there is none.
    """
    wanted = program or os.environ.get(PROGRAM_VARIABLE) or "spconv-bench"
    found = shutil.which(wanted)
    if not found:
        raise FileNotFoundError(f"{wanted}: is no program; build it, then give program= or set {PROGRAM_VARIABLE}")
    return found


def error_line(stderr: str, exit_code: int) -> str:
    """The last line that the program marks as an error, without the mark."""
    errors = [line for line in stderr.splitlines() if line.startswith("error: ")]
    return errors[-1].removeprefix("error: ") if errors else f"spconv-bench ended with {exit_code} and no error line"


def call(arguments: Sequence[str | os.PathLike[str]], program: str | os.PathLike[str] | None = None) -> str:
    """What the program prints to standard output. Raises ProgramError for any exit code but 0."""
    words = [find_program(program), *(os.fspath(word) for word in arguments)]
    done = subprocess.run(words, capture_output=True, encoding="utf-8", errors="replace", check=False)
    if done.returncode != 0:
        raise ProgramError(error_line(done.stderr, done.returncode), done.returncode)
    return done.stdout
