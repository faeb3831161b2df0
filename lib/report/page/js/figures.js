// SPDX-License-Identifier: Apache-2.0
// The figures and what they show: each is drawn again when a choice changes.
/// A list to choose from, hidden where there is no choice.
function choice(name, text, values, shown = (value) => value) {
  return html("label", values.length < 2 ? { hidden: "" } : {}, `${text} `,
    html("select", { name }, ...values.map((value) => html("option", { value }, shown(value)))));
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

function makeFigures() {
  const section = document.getElementById("figures");
  document.getElementById("no-figures").remove();
  section.classList.add("kept");
  const used = algorithms.filter((_, i) => times.some((row) => row.algorithm === i));
  section.append(
    html("div", { class: "controls" },
      choice("figures-of", "device", data.devices.map(([title]) => title)),
      choice("runs", "runs that share a plan", data.runs.map(String),
        (runs) => runsText(Number(runs))),
      html("output", { id: "counted" })),
    legend(used),
    figure("winners", "Winners",
      "The fastest algorithm of each cell, and how many times as long the next one takes; “?” " +
      "where their 95 % intervals meet. A click shows the cell below."),
    figure("lines", "Time against voxels",
      "Medians with 95 % intervals, both axes logarithmic. Down is faster.",
      choice("direction-of-lines", "direction", data.directions),
      choice("shape-of-lines", "shape", shapesOfLines())),
    figure("phases", "What the time is made of",
      "From the left: maps (lightest), the rest of the plan, the kernels (full color), each " +
      "measured alone. The mark is the total that ranks, with its 95 % interval.",
      choice("workload-of-bars", "workload", workloads.map((workload) => workload.name)),
      choice("dtype-of-bars", "dtype", data.dtypes),
      choice("direction-of-bars", "direction", data.directions)));
  section.addEventListener("input", drawFigures);
  section.addEventListener("click", (event) => chooseCell(event.target.closest("[data-cell]")));
}

const chosen = (name) => document.querySelector(`#figures [name="${name}"]`);

function chooseCell(cell) {
  if (!cell) return;
  const names = ["workload-of-bars", "dtype-of-bars", "direction-of-bars"];
  cell.dataset.cell.split(",").forEach((value, i) => { chosen(names[i]).selectedIndex = value; });
  chosen(names[0]).dispatchEvent(new Event("input", { bubbles: true }));
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
