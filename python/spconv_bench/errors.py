# SPDX-License-Identifier: Apache-2.0
"""What reading refuses, and what it only warns of."""

import warnings
from pathlib import Path

SCHEMA_MAJOR = 1


class RecordsError(ValueError):
    """Files that cannot be read, in one line: where, what, how to mend it."""


def check_version(version: object, where: str) -> None:
    """Raises RecordsError when `version` has a newer major than this package reads, or is no version."""
    major, dot, _ = str(version).partition(".")
    if not dot or not major.isdigit():
        raise RecordsError(f'{where}: schema_version "{version}" is no major.minor')
    if int(major) > SCHEMA_MAJOR:
        raise RecordsError(
            f"{where}: written with schema {version}, this package reads up to {SCHEMA_MAJOR}; use a newer one"
        )


def warn_cut_off(path: Path) -> None:
    """A killed run leaves half a line; no record is lost that was whole."""
    warnings.warn(f"{path}: its last line is cut off and left out", stacklevel=2)
