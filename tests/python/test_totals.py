# SPDX-License-Identifier: Apache-2.0
"""Totals and winners: by hand, and as `spconv-bench report` has them of a committed record."""

import math
import unittest

import spconv_bench
from places import REAL, ROOT, InFolder, result
from spconv_bench import MANY_RUNS, Records, break_even_runs, cells, total, winner, winners
from spconv_bench.totals import DEVICE, WORKLOAD


def case(algorithm, run_us, first_us, **columns):
    return [
        result(algorithm=algorithm, time_median_us=time, time_ci95_lo_us=time - 1, time_ci95_hi_us=time + 1,
               phase=phase, cache="cold" if phase == "kernel" else "", **columns)
        for phase, time in (("kernel", run_us), ("end_to_end", first_us))
    ]


class Totals(unittest.TestCase):
    def test_end_to_end_once_then_kernels(self):
        ((only,),) = cells(Records(case("a", 10.0, 50.0)))
        self.assertEqual(total(only, 1), spconv_bench.Total(50, 49, 51))
        self.assertEqual(total(only, 4), spconv_bench.Total(80, 76, 84))
        self.assertEqual(total(only, MANY_RUNS).us, 10)
        with self.assertRaisesRegex(ValueError, "less than 1"):
            total(only, 0)

    def test_plan_and_a_run_where_the_whole_was_not_timed(self):
        rows = [result(), result(phase="plan", cache="", time_median_us=30.0)]
        self.assertEqual(total(cells(Records(rows))[0][0], 2).us, 50)
        self.assertIsNone(total(cells(Records(rows[:1]))[0][0], 1))

    def test_what_is_not_proven_never_wins(self):
        for column in ({"status": "throttled"}, {"verify_status": "not_run"}):
            rows = Records(case("a", 10.0, 50.0) + case("b", 1.0, 2.0, **column))
            self.assertEqual(winners(rows)[0].best.algorithm, "a")

    def test_the_winner_hangs_on_the_runs(self):
        (cell,) = cells(Records(case("quick_plan", 10.0, 20.0) + case("quick_run", 4.0, 50.0)))
        self.assertEqual([winner(cell, n).best.algorithm for n in (1, 6, 7)], ["quick_plan"] * 2 + ["quick_run"])
        self.assertEqual(break_even_runs(cell), 6)
        found = winner(cell, 1)
        self.assertEqual((found.ratio, found.sure, found.next.algorithm), (2.5, True, "quick_run"))
        self.assertIn("cube:4 16:32 f16 fprop: quick_plan 20 µs, 2.5 times", str(found))

    def test_a_later_run_replaces_an_earlier_one(self):
        late = case("a", 7.0, 9.0, run_id="r2")
        for rows in (case("a", 10.0, 50.0) + late, late + case("a", 10.0, 50.0)):
            self.assertEqual(winners(Records(rows), MANY_RUNS)[0].total.us, 7)
        # What the later run did not time is not taken from the earlier one.
        self.assertEqual(winners(Records(case("a", 10.0, 50.0) + late[:1]), 1), [])

    def test_hot_is_ranked_where_nothing_cold_was_measured(self):
        self.assertEqual(winners(Records([result(cache="hot")]), MANY_RUNS)[0].total.us, 10)

    def test_a_case_alone_has_no_ratio(self):
        found = winners(Records(case("a", 10.0, 50.0)))[0]
        self.assertIsNone(found.next)
        self.assertTrue(math.isnan(found.ratio))


class AsReport(InFolder):
    """The table `What to use` of summary.md, line by line."""

    def test_the_same_winners_totals_and_break_evens(self):
        spconv_bench.call(["report", REAL, "--no-plots", "--out", self.folder])
        lines = (self.folder / "summary.md").read_text(encoding="utf-8").replace("\\", "").splitlines()
        begin = next(i for i, line in enumerate(lines) if line.startswith("### What to use")) + 4
        found = {self._name(cell): cell for cell in cells(spconv_bench.read(REAL))}
        checked = 0
        for line in lines[begin:]:
            if not line.startswith("|"):
                break
            texts = [part.strip() for part in line.strip("|").split("|")]
            cell = found.pop(tuple(texts[:3]))
            for runs, at in ((1, 3), (4, 6), (MANY_RUNS, 9)):
                self._compare(winner(cell, runs), *texts[at : at + 3])
            self.assertEqual(str(break_even_runs(cell) or ""), texts[12])
            checked += 1
        self.assertEqual(checked, 126)
        self.assertFalse(found)

    def _name(self, cell):
        of = cell[0].cell
        size = of["voxel_size_m"] or of["resolution"]
        return (f"{of['dataset']}@{size:.9g} {of['c_in']}→{of['c_out']}", of["dtype"], of["direction"])

    def _compare(self, found, algorithm, time_us, ratio):
        self.assertEqual(found.best.algorithm, algorithm)
        self.assertAlmostEqual(found.total.us / float(time_us), 1, delta=0.005)
        self.assertAlmostEqual(found.ratio / float(ratio.split()[0]), 1, delta=0.005)
        self.assertEqual(found.sure, not ratio.endswith("?"))


class Keys(unittest.TestCase):
    def test_cases_compete_when_equal_in_all_keys_but_these(self):
        keys = {name for name, column in spconv_bench.columns().items() if column.key}
        within = {"algorithm", "phase", "cache", "layers"}  # what tells the rows of a cell apart
        apart = {"dtype", "arithmetic_class", "direction"}
        self.assertEqual(set(WORKLOAD) | {"backend"} | within | apart, keys)
        self.assertEqual(DEVICE, ("gpu_name", "backend"))


class Version(unittest.TestCase):
    def test_the_package_has_the_version_of_the_program(self):
        version = spconv_bench.call(["--version"]).split()[1]
        package = (ROOT / "python" / "pyproject.toml").read_text(encoding="utf-8")
        self.assertIn(f'\nversion = "{version}"', package)


if __name__ == "__main__":
    unittest.main()
