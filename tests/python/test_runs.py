# SPDX-License-Identifier: Apache-2.0
"""The real program, its columns and its errors."""

import os
import unittest
from unittest import mock

import spconv_bench
from places import InFolder

TINY = ["cube:4", "--algorithms", "gather_scatter", "--directions", "fprop", "--dtypes", "f32", "--channels", "4",
        "--max-time", "0.05", "--no-isolate"]


class Runs(InFolder):
    def test_records_come_back_and_nothing_else_stays(self):
        records = spconv_bench.run(TINY)
        self.assertEqual(records.values("algorithm"), ["gather_scatter"])
        self.assertEqual(set(records.values("verify_status")), {"pass"})
        self.assertEqual(len(spconv_bench.winners(records)), 1)

    def test_records_stay_in_the_folder_named(self):
        records = spconv_bench.run(TINY, out=self.folder / "kept")
        self.assertEqual(len(spconv_bench.read(self.folder / "kept")), len(records))
        with self.assertRaisesRegex(ValueError, "by out="):
            spconv_bench.run([*TINY, "--out", "else"])

    def test_the_program_s_own_line_and_exit_code(self):
        for arguments, code, line in (
            (["cube:4", "--algorithms", "gather_scater"], 2, 'did you mean "gather_scatter"'),
            (["cube:4", "--filter", "nothing"], 5, "--filter"),
        ):
            with self.assertRaisesRegex(spconv_bench.ProgramError, line) as caught:
                spconv_bench.run(arguments)
            self.assertEqual(caught.exception.exit_code, code)
            self.assertNotIn("error: ", str(caught.exception))
            self.assertIsNone(caught.exception.records)

    def test_what_a_failed_run_wrote_comes_along(self):
        damaged = self.write("cut.bin", b"x" * 30)
        with self.assertRaises(spconv_bench.ProgramError) as caught:
            spconv_bench.run([damaged, "--voxel-size", "1", "--algorithms", "implicit_gemm", "--directions", "fprop"])
        self.assertEqual(caught.exception.exit_code, 4)
        self.assertEqual(caught.exception.records.values("status"), ["error"])

    def test_a_run_of_nothing_says_so(self):
        with self.assertRaisesRegex(spconv_bench.ProgramError, "nothing ran") as caught:
            spconv_bench.run([*TINY, "--tile-order", "plain"])
        self.assertEqual(caught.exception.exit_code, 5)
        self.assertEqual(caught.exception.records.values("status"), ["unsupported"])

    def test_a_program_that_is_not_there(self):
        with self.assertRaisesRegex(FileNotFoundError, "none: is no program; build it"):
            spconv_bench.run(TINY, program="none")
        with mock.patch.dict(os.environ, {"SPCONV_BENCH": "nowhere"}):
            with self.assertRaisesRegex(FileNotFoundError, "nowhere: is no program"):
                spconv_bench.columns()

    def test_columns_have_types_and_units(self):
        columns = spconv_bench.columns()
        self.assertEqual((columns["time_median_us"].type, columns["time_median_us"].unit), ("real", "µs"))
        self.assertEqual((columns["c_in"].type, columns["c_in"].key), ("integer", True))
        self.assertEqual(columns["bias"].parse("1"), True)
        self.assertTrue(all(column.meaning for column in columns.values()))
        self.assertEqual({column.type for column in columns.values()},
                         {"text", "enumeration", "integer", "real", "boolean"})


if __name__ == "__main__":
    unittest.main()
