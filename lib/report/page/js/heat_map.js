// SPDX-License-Identifier: Apache-2.0
// Who wins where: a panel for each dtype, a row for each workload, a column for each direction.
const tile = { width: 62, height: 32, head: 40 };

function winnerText(cell, winner) {
  const place = placeText(cell.workload, cell.dtype, cell.direction);
  if (!winner) return `${place}: no verified time`;
  const [best, next, ratio, sure] = winner;
  if (next === undefined) return `${place}: ${algorithms[best].name}, the only one`;
  return `${place}: ${algorithms[best].name}, ${threeDigits(ratio)} times as fast as ` +
    `${algorithms[next].name}${sure ? "" : " (not sure: their intervals meet)"}`;
}

function heatCell(cell, winner, x, y) {
  const middle = x + tile.width / 2;
  const size = { width: tile.width - 2, height: tile.height - 2 };
  const box = svg("rect", { x: x + 1, y: y + 1, ...size, rx: 2 });
  const key = [cell.workload, cell.dtype, cell.direction].join();
  const group = svg("g", { class: "cell", "data-cell": key },
    svg("title", {}, winnerText(cell, winner)), box);
  if (!winner) {
    group.classList.add("none");
    group.append(label(middle, y + 20, "–", "middle"));
    return group;
  }
  const [best, next, ratio, sure] = winner;
  const { color, short } = algorithms[best];
  box.setAttribute("fill", color);
  group.append(inked(color, label(middle, y + 14, short, "middle strong")),
    inked(color, label(middle, y + 26,
      next === undefined ? "only one" : threeDigits(ratio) + (sure ? "" : " ?"), "middle")));
  return group;
}

function heatPanel(dtype, shown, run) {
  const rows = [...new Set(shown.map((cell) => cell.workload))];
  const columns = [...new Set(shown.map((cell) => cell.direction))].sort((a, b) => a - b);
  const names = rows.map((row) => shortened(workloads[row].name, 30));
  const left = Math.max(...names.map(widthOf)) + 10;
  const across = (column) => left + column * tile.width;
  const down = (row) => tile.head + row * tile.height;
  const title = `${data.dtypes[dtype]}: the winner at ${runsText(data.runs[run])} a plan`;
  return drawing(across(columns.length), down(rows.length), title,
    label(0, 14, data.dtypes[dtype], "panel"),
    ...columns.map((column, i) =>
      label(across(i + 0.5), tile.head - 7, data.directions[column], "middle")),
    ...names.map((name, i) => label(left - 8, down(i) + 20, name, "end")),
    ...shown.map((cell) => heatCell(cell, cell.winners[run],
      across(columns.indexOf(cell.direction)), down(rows.indexOf(cell.workload)))));
}

function heatMap(device, run) {
  const own = cells.filter((cell) => cell.device === device);
  return data.dtypes.flatMap((_, dtype) => {
    const shown = own.filter((cell) => cell.dtype === dtype);
    return shown.length ? [heatPanel(dtype, shown, run)] : [];
  });
}
