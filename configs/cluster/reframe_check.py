# SPDX-License-Identifier: Apache-2.0
"""A sweep as a ReFrame check, a test for each shard (docs/sweeps.md):
    export SWEEP=$PWD/sweep SPCONV_BENCH=$PWD/build/cuda/spconv-bench SHARDS=16
    export CASES="--config flexgemm"
    reframe -c configs/cluster/reframe_check.py -r --performance-report
    $SPCONV_BENCH merge $SWEEP -o $SWEEP/all
The anchor is the figure that ReFrame keeps and compares over time.
"""
import os

import reframe as rfm
import reframe.utility.sanity as sn

SHARDS = int(os.environ["SHARDS"])


@rfm.simple_test
class SpconvBench(rfm.RunOnlyRegressionTest):
    shard = parameter(range(SHARDS))
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = os.environ["SPCONV_BENCH"]
    sweep = os.environ["SWEEP"]

    @run_after("init")
    def set_options(self):
        self.executable_opts = ["run", os.environ["CASES"], f"--shard {self.shard}/{SHARDS}",
                                f"--out {self.sweep}", "--resume"]
        self.records = f"{self.sweep}/shard-{self.shard}-of-{SHARDS}/records.jsonl"

    @sanity_function
    def ended_well(self):
        return sn.assert_found(r'"type":"summary","duration_s".*"exit_code":0', self.records)

    @performance_function("us")
    def anchor(self):
        return sn.extractsingle(r'"type":"anchor".*"time_median_us":([\d.]+)', self.records, 1, float)
