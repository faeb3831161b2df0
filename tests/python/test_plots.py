# SPDX-License-Identifier: Apache-2.0
"""Plots, the example as a user runs it, and what works without matplotlib and pandas."""

import importlib.util
import os
import subprocess
import sys
import unittest

import spconv_bench
from places import REAL, ROOT, InFolder

HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None


@unittest.skipUnless(HAS_MATPLOTLIB, "matplotlib is not installed")
class Plots(unittest.TestCase):
    def setUp(self):
        import matplotlib

        matplotlib.use("Agg")
        self.records = spconv_bench.read(REAL)

    def test_a_line_for_each_algorithm(self):
        rows = self.records.filter(phase="kernel", cache="cold", dtype="f16", direction="fprop", c_in=64)
        axes = spconv_bench.plot(rows)
        names = [text.get_text() for text in axes.get_legend().get_texts()]
        self.assertEqual(sorted(names), sorted(rows.values("algorithm")))
        self.assertEqual(axes.get_ylabel(), "time [µs]")
        self.assertGreater(len(axes.lines), len(names))  # the intervals

    def test_totals_over_runs(self):
        cell = spconv_bench.cells(self.records)[0]
        axes = spconv_bench.plot_totals(cell, runs=(1, 4))
        self.assertEqual(len(axes.lines), len(cell))
        first = next(line for line in axes.lines if line.get_label() == cell[0].algorithm)
        self.assertEqual(first.get_ydata()[1], spconv_bench.total(cell[0], 4).us / 4)

    def test_nothing_to_draw_is_said(self):
        with self.assertRaisesRegex(ValueError, "no row has both n_in and tune_ms"):
            spconv_bench.plot(spconv_bench.Records([{"algorithm": "a", "n_in": 1, "tune_ms": None}]), y="tune_ms")
        with self.assertRaisesRegex(ValueError, "no case of the cell"):
            spconv_bench.plot_totals([])


class Example(InFolder):
    def test_it_runs_and_says_what_the_report_says(self):
        example = ROOT / "python" / "examples" / "which_algorithm.py"
        done = subprocess.run([sys.executable, example, REAL, self.folder], capture_output=True, encoding="utf-8",
                              env={**os.environ, "PYTHONIOENCODING": "utf-8", "MPLBACKEND": "Agg"}, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        # summary.md of the record: masked_implicit_gemm_splitk wins 50 of 126 cells at 1 run, 84 at many.
        self.assertIn("at 1 run: masked_implicit_gemm_splitk wins 50 of 126", done.stdout)
        self.assertIn("at many runs: masked_implicit_gemm_splitk wins 84 of 126", done.stdout)
        self.assertEqual(HAS_MATPLOTLIB, (self.folder / "totals.svg").is_file())


class WithoutOthers(unittest.TestCase):
    def test_importing_it_loads_the_standard_library_alone(self):
        script = "import sys, spconv_bench; sys.exit(any(m in sys.modules for m in ('pandas', 'matplotlib', 'numpy')))"
        self.assertEqual(subprocess.run([sys.executable, "-c", script], check=False).returncode, 0)


if __name__ == "__main__":
    unittest.main()
