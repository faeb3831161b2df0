#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures sparse convolution on the data of your own repository, with a chosen spconv-bench, and compares with a
# named baseline. Copy it to ci/ of your repository; github-measure.yml and gitlab-measure.yml call it there, and
# docs/ci.md explains. What is measured are the program's algorithms on your data, and yours where RUN names a plug-in.
#
# What to measure:
#   RUN             arguments of run: your data and what to do with it, such as
#                   "scans/street.bin --voxel-size 0.1 --dtypes f16 --channels 32,64"
#   ROUNDS          how often each case is visited [5]: more rounds show drift and decide more
# Which program, the first of these that is set:
#   SPCONV_BENCH    a program that is there
#   RELEASE         a release's .tar.gz, path or URL, and RELEASE_SHA256, what it must be
#   TAG             a tag, branch or commit of REPOSITORY, to be built; VENDOR: cuda, hip or host [what there is]
# What to compare with:
#   BASELINE        the name of a baseline [main]
#   SAVE            1: this run becomes that baseline, nothing is compared
#   COMPARE         more options of compare, such as "--threshold 5% --strict"
# The folder .spconv-bench keeps baselines, runs and builds between jobs: let your CI service cache it. The page of
# the run, its comparison and the history of runs are in performance/.
#
# Exit codes are those of run and compare: 1 wrong results, 2 usage, or no baseline yet, 3 slower or more memory,
# 4 a crash or lack of memory, 5 nothing comparable, 6 inconclusive. All but 0 fail a job; who can live with an
# inconclusive row says COMPARE="--fail-on slower,incorrect,error,memory".
set -euo pipefail
shopt -s inherit_errexit

kept=.spconv-bench
page=performance
say() { printf 'measure: %s\n' "$*" >&2; }
die() { printf 'error: measure: %s\n' "$*" >&2; exit 2; }

[[ -n ${RUN:-} ]] || die "RUN is not set; say what to measure, as RUN=\"scan.bin --voxel-size 0.1\""

# Prints the path of the program in a release that is unpacked once.
from_release() {
  local folder=$kept/release-$RELEASE_SHA256
  if [[ ! -d $folder ]]; then
    mkdir -p "$folder.new"
    case $RELEASE in
      *://*) curl --fail --silent --show-error --location --output "$folder.new/release.tar.gz" "$RELEASE" ;;
      *) cp "$RELEASE" "$folder.new/release.tar.gz" ;;
    esac
    sha256sum --check --status <<<"$RELEASE_SHA256  $folder.new/release.tar.gz" ||
      { rm -r "$folder.new"; die "$RELEASE has another SHA-256 than RELEASE_SHA256"; }
    tar -xzf "$folder.new/release.tar.gz" -C "$folder.new"
    mv "$folder.new" "$folder"
  fi
  find "$folder" -type f -name spconv-bench -perm -u+x -print -quit
}

# Prints the path of the program of a tag that is built once.
from_tag() {
  local folder commit
  commit=$(git ls-remote "$REPOSITORY" "$TAG^{}" "$TAG" | sort -k2 -r | head -n 1 | cut -f 1)
  commit=${commit:-$TAG}
  folder=$kept/build-$commit
  if [[ ! -e $folder/is-built ]]; then
    rm -rf "$folder"
    git clone --quiet "$REPOSITORY" "$folder" >&2
    git -C "$folder" checkout --quiet "$commit" 2>/dev/null || die "$REPOSITORY has no $TAG"
    say "building $TAG ($commit)"
    "$folder/bootstrap.sh" build ${VENDOR:+--vendor "$VENDOR"} >&2
    touch "$folder/is-built"
  fi
  find "$folder/build" -maxdepth 2 -name spconv-bench -perm -u+x -print -quit
}

find_program() {
  if [[ -n ${SPCONV_BENCH:-} ]]; then
    command -v "$SPCONV_BENCH" || die "SPCONV_BENCH: $SPCONV_BENCH is no program"
  elif [[ -n ${RELEASE:-} ]]; then
    [[ -n ${RELEASE_SHA256:-} ]] || die "RELEASE needs RELEASE_SHA256"
    from_release
  elif [[ -n ${TAG:-} ]]; then
    [[ -n ${REPOSITORY:-} ]] || die "TAG needs REPOSITORY, the address to clone from"
    from_tag
  else
    die "no program; set SPCONV_BENCH, RELEASE or TAG"
  fi
}

program=$(find_program)
[[ -n $program ]] || die "there is no program spconv-bench in what was unpacked or built"
say "$("$program" --version)"

# --samples makes intervals narrower, --timeout ends a case that hangs.
commit=$(git rev-parse --short HEAD 2>/dev/null || echo no-commit)
results=$kept/runs/$(date -u +%Y%m%dT%H%M%SZ)-$commit
while [[ -e $results ]]; do results+=-again; done # within one second
code=0
# RUN and COMPARE are lists of words.
# shellcheck disable=SC2086
"$program" run $RUN --rounds "${ROUNDS:-5}" --samples --timeout 120 --out "$results" || code=$?
[[ -f $results/records.jsonl ]] || exit "$code"

# The page stands on its own where gnuplot is missing.
plots=()
command -v gnuplot >/dev/null || plots=(--no-plots)
"$program" report "$results" "${plots[@]}" --out "$page"
"$program" history $kept/runs --csv "$page/history.csv" >"$page/history.txt"

if ((code != 0)); then
  say "the run failed with $code: it is neither compared nor kept as a baseline"
  exit "$code"
fi
if [[ ${SAVE:-} == 1 ]]; then
  exec "$program" compare --save-baseline "${BASELINE:-main}" "$results"
fi
# shellcheck disable=SC2086
exec "$program" compare --baseline "${BASELINE:-main}" "$results" ${COMPARE:-} \
  --md "$page/compare.md" --json "$page/compare.json" --junit "$page/compare.xml"
