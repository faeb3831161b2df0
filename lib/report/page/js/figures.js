// SPDX-License-Identifier: Apache-2.0
// The figures and what they show: each is drawn again when a choice changes.
/// A list to choose from, hidden where there is no choice; it begins with the value at `first`.
function choice(name, text, values, { first = 0, shown = (value) => value } = {}) {
  return html("label", values.length < 2 ? { hidden: "" } : {}, `${text} `,
    html("select", { name }, ...values.map((value, i) =>
      html("option", i === first ? { value, selected: "" } : { value }, shown(value)))));
}

function figure(id, heading, caption, ...choices) {
  return html("figure", { id }, html("h3", {}, heading),
    html("div", { class: "controls" }, ...choices), html("div", { class: "panels" }), html("figcaption", {}, caption));
}

/// One line can join workloads that differ in voxels; else each shape has its own.
function shapesOfLines() {
  const voxels = workloads.map((workload) => workload.voxels);
  if (new Set(voxels).size === voxels.length) return ["all"];
  return [...new Set(workloads.map((workload) => workload.shape))];
}

/// The first place of the lists that has a time: not every device has rows of the first dtype.
function firstPlace(device, run) {
  const order = ["workload", "dtype", "direction"];
  const before = (a, b) => order.map((name) => a[name] - b[name]).find((sign) => sign !== 0) ?? 0;
  const timed = times.filter((row) => isTimed(row, device, run)).sort(before);
  return timed[0] ?? { workload: 0, dtype: 0, direction: 0 };
}

function makeFigures() {
  const section = document.getElementById("figures"), place = firstPlace(0, 0);
  const shapes = shapesOfLines();
  document.getElementById("no-figures").remove();
  section.classList.add("kept");
  const used = algorithms.filter((_, i) => times.some((row) => row.algorithm === i));
  section.append(
    html("div", { class: "controls" },
      choice("figures-of", "device", data.devices.map(([title]) => title)),
      choice("runs", "runs that share a plan", data.runs.map(String),
        { shown: (runs) => runsText(Number(runs)) }),
      html("output", { id: "counted" })),
    legend(used),
    figure("winners", "Winners",
      "The fastest algorithm of each cell, and how many times as long the next one takes; “?” " +
      "where their 95 % intervals meet. A click shows the cell below."),
    figure("lines", "Time against voxels",
      "Medians with 95 % intervals, both axes logarithmic. Down is faster.",
      choice("direction-of-lines", "direction", data.directions, { first: place.direction }),
      choice("shape-of-lines", "shape", shapes,
        { first: Math.max(shapes.indexOf(workloads[place.workload]?.shape), 0) })),
    figure("phases", "What the time is made of",
      "From the left: maps (lightest), the rest of the plan, the kernels (full color), each " +
      "measured alone. The mark is the total that ranks, with its 95 % interval.",
      choice("workload-of-bars", "workload", workloads.map((workload) => workload.name),
        { first: place.workload }),
      choice("dtype-of-bars", "dtype", data.dtypes, { first: place.dtype }),
      choice("direction-of-bars", "direction", data.directions, { first: place.direction })));
  chosen("figures-of").addEventListener("input", keepToDevice);
  section.addEventListener("input", drawFigures);
  section.addEventListener("click", (event) => chooseCell(event.target.closest("[data-cell]")));
}

const chosen = (name) => document.querySelector(`#figures [name="${name}"]`);

const listsOfBars = ["workload", "dtype", "direction"];

function chooseCell(cell) {
  if (!cell) return;
  cell.dataset.cell.split(",").forEach((value, i) => {
    chosen(`${listsOfBars[i]}-of-bars`).selectedIndex = value;
  });
  chosen("workload-of-bars").dispatchEvent(new Event("input", { bubbles: true }));
}

/// Another device may have no rows of the bars' place: they begin where it has some.
function keepToDevice() {
  const device = chosen("figures-of").selectedIndex, run = chosen("runs").selectedIndex;
  const lists = listsOfBars.map((name) => [name, chosen(`${name}-of-bars`)]);
  if (times.some((row) => isTimed(row, device, run) &&
    lists.every(([name, list]) => row[name] === list.selectedIndex))) return;
  const place = firstPlace(device, run);
  for (const [name, list] of lists) list.selectedIndex = place[name];
}

function drawFigures() {
  const place = (name) => chosen(name).selectedIndex;
  const device = place("figures-of"), run = place("runs");
  document.getElementById("counted").textContent = `times are of ${partsText(data.runs[run])}`;
  const box = (id) => document.querySelector(`#${id} .panels`);
  box("winners").replaceChildren(...heatMap(device, run));
  box("lines").replaceChildren(
    ...timeLines(device, run, place("direction-of-lines"), chosen("shape-of-lines").value));
  box("phases").replaceChildren(phaseBars(box("phases").clientWidth, device, run,
    place("workload-of-bars"), place("dtype-of-bars"), place("direction-of-bars")));
}
