// SPDX-License-Identifier: Apache-2.0
// Time against voxels: a panel for each dtype, a line for each algorithm, 95 % intervals as bars.
const panel = { width: 330, height: 280, left: 52, right: 44, top: 24, bottom: 38 };

/// Names at the ends of lines, apart from each other.
function endLabels(ends) {
  const apart = 11;
  ends.sort((a, b) => a.y - b.y);
  let free = -Infinity;
  return ends.map(({ x, y, algorithm }) => {
    free = Math.max(y + 3.5, free + apart);
    return label(x + 8, free, algorithm.short, { class: "end" });
  });
}

function whiskers(x, low, high, color) {
  return svg("path", { d: `M${x - 6},${low}h12M${x - 6},${high}h12M${x},${low}V${high}`, stroke: color, class: "whisker" });
}

function lineOf(algorithm, rows, run, across, up) {
  const places = rows.map((row) => {
    const [us, low, high] = row.totals_us[run];
    const said = `${algorithm.name}, ${workloads[row.workload].name}: ${intervalText(us, low, high)}`;
    return { said, x: across(workloads[row.workload].voxels), y: up(us), low: up(low ?? us), high: up(high ?? us) };
  }).sort((a, b) => a.x - b.x);
  const path = places.map(({ x, y }, i) => `${i ? "L" : "M"}${x.toFixed(1)},${y.toFixed(1)}`).join("");
  const drawn = svg("g", {}, svg("path", { d: path, stroke: algorithm.color, class: "line" }),
    ...places.map(({ said, x, y, low, high }) => svg("g", {}, svg("title", {}, said),
      point(x, y, algorithm), whiskers(x, low, high, algorithm.color))));
  return { drawn, end: { ...places.at(-1), algorithm } };
}

function linePanel(dtype, rows, run, direction) {
  const { width, height, left, right, top, bottom } = panel;
  const x = logScale(rows.map((row) => workloads[row.workload].voxels), left, width - right);
  const y = logScale(rows.flatMap((row) => row.totals_us[run].filter(Boolean)), height - bottom, top);
  const lines = algorithms.flatMap((algorithm, i) => {
    const own = rows.filter((row) => row.algorithm === i);
    return own.length ? [lineOf(algorithm, own, run, x.place, y.place)] : [];
  });
  const title = `${data.dtypes[dtype]} ${data.directions[direction]}: time of ${partsText(data.runs[run])} against voxels`;
  return drawing(width, height, title, label(0, 14, data.dtypes[dtype], { class: "panel" }),
    ...x.ticks.flatMap((value) => [line(x.place(value), top, x.place(value), height - bottom, { class: "grid" }),
      label(x.place(value), height - bottom + 14, shortCount(value), { "text-anchor": "middle" })]),
    ...y.ticks.flatMap((value) => [line(left, y.place(value), width - right, y.place(value), { class: "grid" }),
      label(left - 6, y.place(value) + 4, shortTime(value), { "text-anchor": "end" })]),
    label((left + width - right) / 2, height - 6, "voxels", { "text-anchor": "middle", class: "axis" }),
    ...lines.map(({ drawn }) => drawn), ...endLabels(lines.map(({ end }) => end)));
}

function timeLines(device, run, direction, shape) {
  return data.dtypes.flatMap((_, dtype) => {
    const rows = times.filter((row) => row.device === device && row.dtype === dtype &&
      row.direction === direction && row.totals_us[run][0] > 0 && workloads[row.workload].voxels > 0 &&
      (shape === "all" || workloads[row.workload].shape === shape));
    return rows.length ? [linePanel(dtype, rows, run, direction)] : [];
  });
}
