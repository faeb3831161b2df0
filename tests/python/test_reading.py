# SPDX-License-Identifier: Apache-2.0
"""Files of records: where they are, what their values are, what is refused."""

import lzma
import unittest
import warnings

import spconv_bench
from places import CONTEXT, GOLDEN, REAL, InFolder, jsonl, result


class Reading(InFolder):
    def test_the_committed_record_of_a_gpu(self):
        records = spconv_bench.read(REAL)
        self.assertEqual(len(records), 3780)
        self.assertEqual(set(records.values("gpu_name")), {"NVIDIA H200"})
        self.assertEqual([len(spconv_bench.read(REAL, kind)) for kind in ("context", "summary")], [2, 2])
        self.assertEqual(len(spconv_bench.read(REAL / "f16" / "records.jsonl.xz")), 1890)

    def test_jsonl_and_csv_hold_the_same_typed_values(self):
        columns = spconv_bench.columns()
        text, cells = spconv_bench.read(GOLDEN), spconv_bench.read(GOLDEN / "results.csv")
        self.assertEqual(len(text), len(cells))
        found = {row["case_id"]: row for row in cells}
        compared = 0
        for row in text:
            for name, column in columns.items():
                if name == "rank" or name not in text.columns:  # known only when a run has ended
                    continue
                other = found[row["case_id"]][name]
                if column.type == "real" and other is not None:
                    self.assertAlmostEqual(row[name], other, delta=1e-8 * abs(other), msg=name)
                else:
                    # An empty text is not measured in CSV.
                    self.assertEqual(row[name] if row[name] != "" else None, other, name)
                    self.assertIs(type(row[name] if row[name] != "" else None), type(other), name)
                compared += other is not None
        self.assertGreater(compared, 50 * len(text))

    def test_a_result_takes_from_its_context_what_it_leaves_out(self):
        self.write("records.jsonl", jsonl(CONTEXT, result(), result(gpu_name=None)))
        rows = spconv_bench.read(self.folder)
        self.assertEqual([row["gpu_name"] for row in rows], ["NVIDIA H200", None])
        self.assertIs(rows[0]["git_dirty"], False)

    def test_only_lines_of_results_are_rows(self):
        self.write("records.jsonl", jsonl(CONTEXT, result(), {"type": "case_end", "case": "x"}, {"type": "summary"}))
        self.assertEqual(len(spconv_bench.read(self.folder)), 1)
        self.assertEqual(spconv_bench.read(self.folder, "case_end")[0]["case"], "x")
        with self.assertRaisesRegex(ValueError, "known are result"):
            spconv_bench.read(self.folder, "results")

    def test_a_folder_of_runs_is_read_by_name_and_xz_too(self):
        self.write("b/records.jsonl", jsonl(CONTEXT, result(algorithm="b")))
        self.write("a/records.jsonl.xz", lzma.compress(jsonl(CONTEXT, result())))
        self.write("a/results.csv", b"a report of the same rows\n")
        (self.folder / "latest").symlink_to("b")
        self.assertEqual([row["algorithm"] for row in spconv_bench.read(self.folder)], ["a", "b"])

    def test_a_last_line_cut_off_is_left_out_with_a_warning(self):
        whole = jsonl(CONTEXT, result(), result(c_in=64))
        for cut in (whole[:-2], whole[:-40], whole + b'{"type":"res\xc3'):
            path = self.write("records.jsonl", cut)
            with self.assertWarnsRegex(UserWarning, "records.jsonl: its last line is cut off and left out"):
                rows = spconv_bench.read(path)
            self.assertEqual(len(rows), 1 if len(cut) < len(whole) else 2)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(len(spconv_bench.read(self.write("records.jsonl", whole[:-1]))), 2)

    def test_texts_that_would_run_in_a_spreadsheet_read_back_as_they_were(self):
        cells = {"'=1": "=1", "''@a": "'@a", "' +a": " +a", "'\ta": "\ta", "'-a": "-a"}
        cells.update({text: text for text in ("'a", "'", "'-1.5", "-1")})
        lines = [f"1.3,{cell}\n" for cell in cells]
        path = self.write("results.csv", ("schema_version,dataset\n" + "".join(lines)).encode())
        self.assertEqual([row["dataset"] for row in spconv_bench.read(path)], list(cells.values()))

    def test_a_last_row_of_csv_cut_off_is_left_out_with_a_warning(self):
        path = self.write("results.csv", b'schema_version,status,algorithm\n1.3,error,a\n1.3,error,"b')
        with self.assertWarnsRegex(UserWarning, "cut off"):
            self.assertEqual(spconv_bench.read(path).values("algorithm"), ["a"])

    def test_what_is_refused(self):
        compressed = lzma.compress(jsonl(CONTEXT, result()))
        cases = [
            ("records.jsonl", b"{]\n" + jsonl(CONTEXT), "records.jsonl:1: is no JSON object"),
            ("records.jsonl", jsonl(CONTEXT) + b"[1]\n", "records.jsonl:2: is no JSON object"),
            ("records.jsonl", jsonl(CONTEXT) + b'{"type": "x", "y": NaN}\n', "records.jsonl:2: is no JSON"),
            ("records.jsonl", jsonl(result()), 'the context line of its run "r1" is not above it'),
            ("records.jsonl", jsonl(CONTEXT, result(run_id="r2")), 'its run "r2" is not above it'),
            ("records.jsonl", jsonl({**CONTEXT, "schema_version": "2.0"}, result()), "written with schema 2.0"),
            ("records.jsonl", jsonl(CONTEXT, result(schema_version="new")), "is no major.minor"),
            ("records.jsonl", jsonl(CONTEXT, result(time_median_us=0.0)), "is ok without a time above 0"),
            ("records.jsonl.xz", compressed[:-9], "its xz data is damaged or cut off"),
            ("records.jsonl.xz", jsonl(CONTEXT), "is called .xz and holds no xz data"),
            ("results.csv", b"schema_version,c_in\n1.3,x\n", 'results.csv:2: c_in is "x", expected integer'),
            ("results.csv", b"schema_version,bias\n1.3,2\n", 'bias is "2", expected boolean'),
            ("results.csv", b"schema_version,tune_ms\n1.3,nan\n", 'tune_ms is "nan", expected real'),
            ("results.csv", b"schema_version,c_in\n1.3\n", "results.csv:2: has 1 fields, expected 2"),
            ("results.csv", b"", "has no header line"),
        ]
        for name, content, message in cases:
            with self.subTest(message), self.assertRaisesRegex(spconv_bench.RecordsError, message):
                spconv_bench.read(self.write(name, content))

    def test_folders_that_are_refused(self):
        with self.assertRaisesRegex(spconv_bench.RecordsError, "holds no records; name a folder"):
            spconv_bench.read(self.folder)
        with self.assertRaisesRegex(spconv_bench.RecordsError, "none: does not exist"):
            spconv_bench.read(self.folder / "none")
        self.write("records.jsonl", jsonl(CONTEXT))
        self.write("records.jsonl.xz", lzma.compress(jsonl(CONTEXT)))
        with self.assertRaisesRegex(spconv_bench.RecordsError, "holds records.jsonl and records.jsonl.xz"):
            spconv_bench.read(self.folder)


if __name__ == "__main__":
    unittest.main()
