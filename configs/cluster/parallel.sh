#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A sweep on one node, a GPU for each task, by GNU parallel (docs/sweeps.md):
#   export SWEEP=sweep SPCONV_BENCH=build/cuda/spconv-bench
#   GPUS=8 SHARDS=16 configs/cluster/parallel.sh run --config flexgemm
# The same command goes on where it was stopped. On AMD GPUs the variable is HIP_VISIBLE_DEVICES.
set -euo pipefail
gpus=${GPUS:?how many GPUs the node has}
shards=${SHARDS:-$gpus}
mkdir -p "$SWEEP"

# A task that fails is tried once more; what it has ended is not repeated. When stopped, tasks get
# two minutes to let their case end. -q: words reach the program as they are.
seq 0 $((shards - 1)) |
  parallel -q --jobs "$gpus" --retries 2 --termseq TERM,120000,KILL --joblog "$SWEEP/parallel.log" \
    --results "$SWEEP/shard-{}.log" env 'CUDA_VISIBLE_DEVICES={= $_ = slot() - 1 =}' "$SPCONV_BENCH" "$@" \
    --shard "{}/$shards" --out "$SWEEP" --resume >"$SWEEP/parallel.out" 2>&1 || true
"$SPCONV_BENCH" merge "$SWEEP" -o "$SWEEP/all"
