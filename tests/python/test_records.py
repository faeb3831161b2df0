# SPDX-License-Identifier: Apache-2.0
"""Filter, pivot, and rows as pandas takes them."""

import importlib.util
import unittest

from spconv_bench import Records

ROWS = Records([
    {"algorithm": "a", "c_in": 16, "cache": "cold", "time_median_us": 10.0},
    {"algorithm": "b", "c_in": 16, "cache": "cold", "time_median_us": 5.0},
    {"algorithm": "a", "c_in": 32, "cache": "cold", "time_median_us": 20.0},
    {"algorithm": "a", "c_in": 32, "cache": "hot", "time_median_us": 12.5},
    {"algorithm": "b", "c_in": 32, "cache": "cold"},
])


class RecordsTest(unittest.TestCase):
    def test_all_rows_have_all_columns(self):
        self.assertEqual(ROWS.columns, ("algorithm", "c_in", "cache", "time_median_us"))
        self.assertIsNone(ROWS[4]["time_median_us"])
        self.assertEqual(len(ROWS[1:3]), 2)
        self.assertEqual((ROWS + Records([{"new": 1}])).columns[-1], "new")

    def test_filter_by_values_lists_and_conditions(self):
        self.assertEqual(len(ROWS.filter(algorithm="a")), 3)
        self.assertEqual(len(ROWS.filter(c_in=[16, 32], cache="cold")), 4)
        self.assertEqual(len(ROWS.filter(lambda row: row["c_in"] > 16, algorithm="b")), 1)
        self.assertEqual(len(ROWS.filter(time_median_us=None)), 1)

    def test_a_name_that_is_no_column(self):
        for wrong in (
            lambda: ROWS.filter(algoritm="a"),
            lambda: ROWS.values("algoritm"),
            lambda: ROWS.pivot("algoritm", "c_in"),
        ):
            with self.assertRaisesRegex(KeyError, 'did you mean "algorithm"?'):
                wrong()

    def test_pivot(self):
        table = ROWS.filter(cache="cold").pivot("c_in", "algorithm")
        self.assertEqual(table.cells, {(16,): {"a": 10.0, "b": 5.0}, (32,): {"a": 20.0}})
        self.assertEqual(str(table).splitlines(), ["c_in   a  b", "16    10  5", "32    20"])

    def test_rows_that_meet_in_one_cell_are_not_picked_from(self):
        with self.assertRaisesRegex(ValueError, r"2 rows meet at \(32,\), a: filter"):
            ROWS.pivot("c_in", "algorithm")
        self.assertEqual(ROWS.pivot("c_in", "algorithm", aggregate=min).cells[(32,)], {"a": 12.5})

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
    def test_pandas(self):
        frame = ROWS.to_pandas()
        self.assertEqual(list(frame.columns), list(ROWS.columns))
        self.assertEqual(frame["c_in"].sum(), 128)


if __name__ == "__main__":
    unittest.main()
