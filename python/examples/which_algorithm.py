# SPDX-License-Identifier: Apache-2.0
"""Which algorithm for which workload, and from how many runs on? Cell by cell, as in a notebook.

python3 which_algorithm.py [RECORDS [FOLDER]]: records of `spconv-bench run --out`, by default those of an H200
in this repository; the plot goes to FOLDER.
"""

# %% Read what a run wrote. Rows are dicts; None is what was not measured.
import sys
from collections import Counter
from pathlib import Path

import spconv_bench

committed = Path(__file__).parents[2] / "reports" / "nvidia-h200" / "real"
records = spconv_bench.read(sys.argv[1] if len(sys.argv) > 1 else committed)
folder = Path(sys.argv[2] if len(sys.argv) > 2 else ".")
print(records)

# %% A table of one kind of rows: the kernel alone, with cold caches, for one data set.
dataset = records.values("dataset")[0]
kernels = records.filter(dataset=dataset, phase="kernel", cache="cold", direction="fprop")
print(f"\n{dataset}, fprop, cold kernel [µs]")
print(kernels.pivot(rows=["dtype", "c_in"], columns="algorithm", values="time_median_us"))

# %% The kernel alone is not what a user waits for: maps and plan come first. Who wins hangs on how often they serve.
print()
for runs in (1, 4, spconv_bench.MANY_RUNS):
    winners = spconv_bench.winners(records, runs)
    name = "many runs" if runs == spconv_bench.MANY_RUNS else f"{runs} run{'s' if runs > 1 else ''}"
    (algorithm, wins), *_ = Counter(winner.best.algorithm for winner in winners).most_common()
    print(f"at {name}: {algorithm} wins {wins} of {len(winners)}")

# %% Where the fastest kernel has to serve longest before it pays.
paying = [(spconv_bench.break_even_runs(cell) or 0, cell) for cell in spconv_bench.cells(records)]
runs, cell = max(paying, key=lambda one: one[0])
print(f"\n{spconv_bench.winner(cell, spconv_bench.MANY_RUNS)}")
print(f"... which pays from {runs} runs on; at one: {spconv_bench.winner(cell, 1)}")

# %% The same as a plot.
try:
    axes = spconv_bench.plot_totals(cell, runs=(1, 2, 4, 8, 16, 32, 64, 128, 256))
except ImportError:
    print("\nno plot: matplotlib is not installed")
else:
    axes.figure.savefig(folder / "totals.svg")
