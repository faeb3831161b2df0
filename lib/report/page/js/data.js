// SPDX-License-Identifier: Apache-2.0
// The numbers of the page, rows as objects again.
const data = JSON.parse(document.getElementById("data").textContent);

function objects({ columns, rows }) {
  return rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i]])));
}

const times = objects(data.times);
const cells = objects(data.cells);
const algorithms = data.algorithms.map(([name, short, color, point]) =>
  ({ name, short, color, point }));
const workloads = data.workloads.map(([name, shape, voxels]) => ({ name, shape, voxels }));

/// Whether something was proven right and timed at this number of runs.
const isTimed = (row, device, run) => row.device === device && row.totals_us[run][0] > 0;

function runsText(runs) {
  return runs === 0 ? "many runs" : runs === 1 ? "1 run" : `${runs} runs`;
}

/// What a total is made of.
function partsText(runs) {
  return runs === 0 ? "one run, maps and plan not counted" : `maps, plan and ${runsText(runs)}`;
}

function placeText(workload, dtype, direction) {
  return `${workloads[workload].name} ${data.dtypes[dtype]} ${data.directions[direction]}`;
}
