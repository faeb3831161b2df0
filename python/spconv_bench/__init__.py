# SPDX-License-Identifier: Apache-2.0
"""Records of the program `spconv-bench`: read, filter, pivot, winners, plots.

Names and units are those of the records; `spconv-bench list columns` prints them with their meanings.

    import spconv_bench

    records = spconv_bench.read("results/").filter(dtype="f16", direction="fprop")
    for winner in spconv_bench.winners(records, runs=4):
        print(winner)
"""

from .columns import Column, columns
from .errors import RecordsError
from .plots import plot, plot_totals
from .program import ProgramError, call, find_program
from .reading import read
from .records import Records, Table
from .runs import run
from .totals import MANY_RUNS, Case, Total, Winner, break_even_runs, cells, total, winner, winners

__all__ = [
    "MANY_RUNS", "Case", "Column", "ProgramError", "Records", "RecordsError", "Table", "Total", "Winner",
    "break_even_runs", "call", "cells", "columns", "find_program", "plot", "plot_totals", "read", "run",
    "total", "winner", "winners",
]
