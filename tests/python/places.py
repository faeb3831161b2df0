# SPDX-License-Identifier: Apache-2.0
"""Where the tests find things, and small files of records."""

import json
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REAL = ROOT / "reports" / "nvidia-h200" / "real"
GOLDEN = ROOT / "tests" / "golden" / "records"

CONTEXT = {"type": "context", "run_id": "r1", "schema_version": "1.3", "gpu_name": "NVIDIA H200", "git_dirty": False}


def result(**columns):
    """A row that is right and timed, of a run whose context line is CONTEXT."""
    row = {
        "type": "result", "run_id": "r1", "case_id": "cube:4/a/kernel/cold", "status": "ok", "verify_status": "pass",
        "dataset": "cube:4", "c_in": 16, "c_out": 32, "direction": "fprop", "dtype": "f16", "arithmetic_class": "f16",
        "algorithm": "a", "phase": "kernel", "cache": "cold", "backend": "cuda",
        "timestamp_utc": "2026-01-01T00:00:00Z",
        "time_median_us": 10.0, "time_ci95_lo_us": 9.0, "time_ci95_hi_us": 11.0,
    }
    return {**row, **columns}


def jsonl(*lines):
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


class InFolder(unittest.TestCase):
    """A test with an empty folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path
