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

function lengthOf(parts) {
  return parts.reduce((sum, [, duration]) => sum + duration, 0);
}

function drawnParts(algorithm, parts, place, y) {
  let begin = 0;
  return parts.map(([name, duration, strength]) => {
    const x = place(begin), width = Math.max(place(begin + duration) - x, 0);
    begin += duration;
    const size = { x, y: y + 5, width, height: bars.row - 10 };
    const group = svg("g", {},
      svg("title", {}, `${algorithm.name}, ${name}: ${timeText(duration)}`),
      svg("rect", { ...size, fill: algorithm.color, "fill-opacity": strength, class: "bar" }));
    const text = label(x + 5, y + bars.row / 2 + 4, name);
    if (width > widthOf(name) + 8)
      group.append(strength === 1 ? inked(algorithm.color, text) : text);
    return group;
  });
}

/// The total that ranks: its interval as a mark, then its text.
function drawnTotal([us, low, high], best, place, end, y) {
  const from = place(low ?? us), to = place(high ?? us);
  const d = `M${from},${y - 4}v8M${to},${y - 4}v8M${from},${y}H${to}`;
  return [svg("path", { d, class: "measured" }),
    label(Math.max(place(end), to) + 10, y + 4, `${timeText(us)} · ${threeDigits(us / best)}×`)];
}

function barOf(row, run, best, name, place, y) {
  const algorithm = algorithms[row.algorithm], middle = y + bars.row / 2;
  const parts = partsOf(row, data.runs[run]), total = row.totals_us[run];
  return svg("g", { class: "total" },
    svg("title", {}, `${algorithm.name}: ${intervalText(...total)}`),
    point(8, middle, algorithm), label(20, middle + 4, name),
    ...drawnParts(algorithm, parts, place, y),
    ...drawnTotal(total, best, place, lengthOf(parts), middle));
}

/// In a box so wide; a narrow one has short names.
function phaseBars(space, device, run, workload, dtype, direction) {
  const rows = times.filter((row) => isTimed(row, device, run) && row.workload === workload &&
    row.dtype === dtype && row.direction === direction)
    .sort((a, b) => a.totals_us[run][0] - b.totals_us[run][0]);
  if (!rows.length) return html("p", { class: "note" }, "Nothing was proven right and timed here.");
  const width = Math.min(space, bars.widest);
  const kind = width < bars.narrow ? "short" : "name";
  const names = rows.map((row) => algorithms[row.algorithm][kind]);
  const longest = Math.max(...rows.flatMap((row) => [lengthOf(partsOf(row, data.runs[run])),
    row.totals_us[run][2] ?? row.totals_us[run][0]]));
  const x = linearScale(longest, Math.max(...names.map(widthOf)) + 30, width - 115);
  const base = bars.top + rows.length * bars.row;
  const title = `${placeText(workload, dtype, direction)}: time of ` +
    `${partsText(data.runs[run])}, least first`;
  return drawing(width, base + bars.bottom, title,
    ...x.ticks.flatMap((value) => [
      line(x.place(value), bars.top, x.place(value), base),
      label(x.place(value), base + 16, value ? shortTime(value) : "0", "middle")]),
    ...rows.map((row, i) =>
      barOf(row, run, rows[0].totals_us[run][0], names[i], x.place, bars.top + i * bars.row)));
}
