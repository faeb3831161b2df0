// SPDX-License-Identifier: Apache-2.0
// What a total is made of: maps, the rest of the plan, the runs; a bar for each algorithm.
const bars = { row: 30, top: 8, bottom: 30, widest: 1000, narrow: 620 };

/// Parts of a bar in the order of time: name, duration, how strong its color is.
function partsOf(row, runs) {
  const kernels = [runs > 1 ? `${runs} kernels` : "kernel", Math.max(runs, 1) * row.run_us, 1];
  if (runs === 0 || row.plan_us === null) return [kernels];
  const rest = ["plan", row.plan_us - (row.map_us ?? 0), 0.6];
  return row.map_us === null ? [rest, kernels] : [["maps", row.map_us, 0.3], rest, kernels];
}

function barOf(row, run, place, best, y, name) {
  const algorithm = algorithms[row.algorithm];
  const [us, low, high] = row.totals_us[run];
  const middle = y + bars.row / 2;
  let begin = 0;
  const parts = partsOf(row, data.runs[run]).map(([part, duration, strength]) => {
    const x = place(begin), width = place(begin + duration) - x;
    begin += duration;
    const fits = width > widthOf(part) + 8;
    return svg("g", {}, svg("title", {}, `${algorithm.name}, ${part}: ${timeText(duration)}`),
      svg("rect", { x, y: y + 5, width: Math.max(width, 0), height: bars.row - 10, fill: algorithm.color,
        "fill-opacity": strength, class: "bar" }),
      ...(fits ? [label(x + 5, middle + 4, part, strength === 1 ? { style: `fill:${inkOn(algorithm.color)}` } : {})] : []));
  });
  const end = Math.max(place(begin), place(high ?? us)) + 10;
  return svg("g", { class: "total" }, svg("title", {}, `${algorithm.name}: ${intervalText(us, low, high)}`), point(8, middle, algorithm),
    label(20, middle + 4, name), ...parts,
    svg("path", { d: `M${place(low ?? us)},${middle - 4}v8M${place(high ?? us)},${middle - 4}v8M${place(low ?? us)},${middle}H${place(high ?? us)}`,
      class: "measured" }),
    label(end, middle + 4, `${timeText(us)} · ${threeDigits(us / best)}×`));
}

/// In a box so wide; a narrow one has short names.
function phaseBars(space, device, run, workload, dtype, direction) {
  const rows = times.filter((row) => row.device === device && row.workload === workload && row.dtype === dtype &&
    row.direction === direction && row.totals_us[run][0] > 0)
    .sort((a, b) => a.totals_us[run][0] - b.totals_us[run][0]);
  if (!rows.length) return html("p", { class: "note" }, "Nothing was proven right and timed here.");
  const lengths = rows.flatMap((row) => [row.totals_us[run][2] ?? row.totals_us[run][0],
    partsOf(row, data.runs[run]).reduce((sum, part) => sum + part[1], 0)]);
  const width = Math.min(space, bars.widest);
  const names = rows.map((row) => algorithms[row.algorithm][width < bars.narrow ? "short" : "name"]);
  const x = linearScale(Math.max(...lengths), Math.max(...names.map(widthOf)) + 30, width - 115);
  const height = bars.top + rows.length * bars.row + bars.bottom, base = height - bars.bottom;
  const title = `${workloads[workload].name} ${data.dtypes[dtype]} ${data.directions[direction]}: ` +
    `time of ${partsText(data.runs[run])}, least first`;
  return drawing(width, height, title,
    ...x.ticks.flatMap((value) => [line(x.place(value), bars.top, x.place(value), base, { class: "grid" }),
      label(x.place(value), base + 16, value ? shortTime(value) : "0", { "text-anchor": "middle" })]),
    ...rows.map((row, i) => barOf(row, run, x.place, rows[0].totals_us[run][0], bars.top + i * bars.row, names[i])));
}
