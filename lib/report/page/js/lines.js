// SPDX-License-Identifier: Apache-2.0
// Time against voxels: a panel for each dtype, a line for each algorithm, 95 % intervals as bars.
const panel = { width: 330, height: 280, left: 52, right: 44, top: 24, bottom: 38 };

/// Names at the ends of lines, apart from each other.
function endLabels(ends) {
  const apart = 11;
  let free = -Infinity;
  return [...ends].sort((a, b) => a.y - b.y).map(({ x, y, algorithm }) => {
    free = Math.max(y + 3.5, free + apart);
    return label(x + 8, free, algorithm.short);
  });
}

function whiskers({ x, low, high }, stroke) {
  const d = `M${x - 6},${low}h12M${x - 6},${high}h12M${x},${low}V${high}`;
  return svg("path", { d, stroke, class: "whisker" });
}

/// Where the rows of an algorithm lie, from the left.
function placesOf(rows, run, across, up) {
  return rows.map((row) => {
    const [us, low, high] = row.totals_us[run], { name, voxels } = workloads[row.workload];
    const algorithm = algorithms[row.algorithm];
    const text = `${algorithm.name}, ${name}: ${intervalText(us, low, high)}`;
    const interval = { low: up(low ?? us), high: up(high ?? us) };
    return { algorithm, text, x: across(voxels), y: up(us), ...interval };
  }).sort((a, b) => a.x - b.x);
}

function drawnLine(places) {
  const { algorithm } = places[0];
  const d = `M${places.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join("L")}`;
  return svg("g", {}, svg("path", { d, stroke: algorithm.color, class: "line" }),
    ...places.map((place) => svg("g", {}, svg("title", {}, place.text),
      point(place.x, place.y, algorithm), whiskers(place, algorithm.color))));
}

function linePanel(dtype, direction, rows, run) {
  const { width, height, left, right, top, bottom } = panel;
  const x = logScale(rows.map((row) => workloads[row.workload].voxels), left, width - right);
  const ends = rows.flatMap((row) => row.totals_us[run].filter(Boolean));
  const y = logScale(ends, height - bottom, top);
  const lines = algorithms.map((_, i) => rows.filter((row) => row.algorithm === i))
    .filter((own) => own.length > 0)
    .map((own) => placesOf(own, run, x.place, y.place));
  const title = `${data.dtypes[dtype]} ${data.directions[direction]}: time of ` +
    `${partsText(data.runs[run])} against voxels`;
  return drawing(width, height, title, label(0, 14, data.dtypes[dtype], "panel"),
    ...x.ticks.flatMap((value) => [
      line(x.place(value), top, x.place(value), height - bottom),
      label(x.place(value), height - bottom + 14, shortCount(value), "middle")]),
    ...y.ticks.flatMap((value) => [
      line(left, y.place(value), width - right, y.place(value)),
      label(left - 6, y.place(value) + 4, shortTime(value), "end")]),
    label((left + width - right) / 2, height - 6, "voxels", "middle axis"),
    ...lines.map(drawnLine), ...endLabels(lines.map((places) => places.at(-1))));
}

function timeLines(device, run, direction, shape) {
  const shown = times.filter((row) => {
    const workload = workloads[row.workload];
    return isTimed(row, device, run) && row.direction === direction && workload.voxels > 0 &&
      (shape === "all" || workload.shape === shape);
  });
  return data.dtypes.flatMap((_, dtype) => {
    const rows = shown.filter((row) => row.dtype === dtype);
    return rows.length ? [linePanel(dtype, direction, rows, run)] : [];
  });
}
