// SPDX-License-Identifier: Apache-2.0
// Who wins where: a panel for each dtype, a row for each workload, a column for each direction.
const cellWidth = 62, cellHeight = 32, headHeight = 40;

function winnerText(cell, winner) {
  const [best, next, ratio, sure] = winner;
  const place = `${workloads[cell.workload].name} ${data.dtypes[cell.dtype]} ${data.directions[cell.direction]}`;
  if (next === undefined) return `${place}: ${algorithms[best].name}, the only one`;
  return `${place}: ${algorithms[best].name}, ${threeDigits(ratio)} times as fast as ` +
    `${algorithms[next].name}${sure ? "" : " (not sure: their intervals meet)"}`;
}

function heatCell(cell, winner, x, y) {
  const frame = { x: x + 1, y: y + 1, width: cellWidth - 2, height: cellHeight - 2, rx: 2 };
  const key = [cell.workload, cell.dtype, cell.direction].join();
  if (!winner)
    return svg("g", { class: "cell none", "data-cell": key }, svg("title", {}, "no verified time"),
      svg("rect", frame), label(x + cellWidth / 2, y + 20, "–", { "text-anchor": "middle" }));
  const [best, next, ratio, sure] = winner;
  const { color, short } = algorithms[best];
  const text = { "text-anchor": "middle", style: `fill:${inkOn(color)}` };
  return svg("g", { class: "cell", "data-cell": key }, svg("title", {}, winnerText(cell, winner)),
    svg("rect", { ...frame, fill: color }),
    label(x + cellWidth / 2, y + 14, short, { ...text, class: "strong" }),
    label(x + cellWidth / 2, y + 26,
      next === undefined ? "only one" : threeDigits(ratio) + (sure ? "" : " ?"), text));
}

function heatPanel(dtype, shown, run) {
  const rows = [...new Set(shown.map((cell) => cell.workload))];
  const columns = [...new Set(shown.map((cell) => cell.direction))].sort((a, b) => a - b);
  const names = rows.map((row) => shortened(workloads[row].name, 30));
  const left = Math.max(...names.map(widthOf)) + 10;
  const title = `${data.dtypes[dtype]}: the winner at ${runsText(data.runs[run])} a plan`;
  return drawing(left + columns.length * cellWidth, headHeight + rows.length * cellHeight, title,
    label(0, 14, data.dtypes[dtype], { class: "panel" }),
    ...columns.map((column, i) => label(left + (i + 0.5) * cellWidth, headHeight - 7,
      data.directions[column], { "text-anchor": "middle" })),
    ...names.map((name, i) => label(left - 8, headHeight + i * cellHeight + 20, name, { "text-anchor": "end" })),
    ...shown.map((cell) => heatCell(cell, cell.winners[run], left + columns.indexOf(cell.direction) * cellWidth,
      headHeight + rows.indexOf(cell.workload) * cellHeight)));
}

function heatMap(device, run) {
  const own = cells.filter((cell) => cell.device === device);
  return data.dtypes.flatMap((_, dtype) => {
    const shown = own.filter((cell) => cell.dtype === dtype);
    return shown.length ? [heatPanel(dtype, shown, run)] : [];
  });
}
