// SPDX-License-Identifier: Apache-2.0
// The figures and what they show: each is drawn again when a choice changes.
/// Values are places in lists, names their texts.
function choice(name, text, options) {
  return html("label", options.length < 2 ? { hidden: "" } : {}, `${text} `,
    html("select", { name }, ...options.map(([value, shown]) => html("option", { value }, shown))));
}

const numbered = (names) => names.map((name, i) => [i, name]);

function figure(id, heading, caption, ...choices) {
  return html("figure", { id }, html("h3", {}, heading), html("div", { class: "controls" }, ...choices),
    html("div", { class: "panels" }), html("figcaption", {}, caption));
}

/// One line can join workloads that differ in voxels alone.
function shapeOptions() {
  const voxels = workloads.map((workload) => workload.voxels);
  if (new Set(voxels).size === voxels.length) return [["", "all"]];
  return [...new Set(workloads.map((workload) => workload.shape))].map((shape) => [shape, shape.trim()]);
}

function makeFigures() {
  const section = document.getElementById("figures");
  document.getElementById("no-figures").remove();
  section.classList.add("kept");
  const used = algorithms.filter((_, i) => times.some((row) => row.algorithm === i));
  const directions = numbered(data.directions);
  section.append(
    html("div", { class: "controls" },
      choice("gpu", "device", numbered(data.devices.map(([title]) => title))),
      choice("runs", "runs that share a plan", data.runs.map((runs, i) => [i, runsText(runs)]))),
    legend(used),
    figure("winners", "Winners", "The fastest algorithm of each cell, and how many times as long the next one takes; " +
      "“?” where their 95 % intervals meet. A click shows the cell below."),
    figure("lines", "Time against voxels", "Medians with 95 % intervals, both axes logarithmic. Down is faster.",
      choice("lines-direction", "direction", directions), choice("lines-shape", "shape", shapeOptions())),
    figure("phases", "What the time is made of", "From the left: maps (lightest), the rest of the plan, " +
      "the kernels (full color), each measured alone. The mark is the total that ranks, with its 95 % interval.",
      choice("workload-of-bars", "workload", numbered(workloads.map((workload) => workload.name))),
      choice("dtype-of-bars", "dtype", numbered(data.dtypes)),
      choice("direction-of-bars", "direction", directions)));
  section.addEventListener("change", drawFigures);
  section.addEventListener("click", (event) => chooseCell(event.target.closest("[data-cell]")));
}

const chosen = (name) => document.querySelector(`#figures [name="${name}"]`);

function chooseCell(cell) {
  if (!cell) return;
  const names = ["workload-of-bars", "dtype-of-bars", "direction-of-bars"];
  cell.dataset.cell.split(",").forEach((value, i) => { chosen(names[i]).value = value; });
  chosen(names[0]).dispatchEvent(new Event("change", { bubbles: true }));
}

function drawFigures() {
  const number = (name) => Number(chosen(name).value);
  const device = number("gpu"), run = number("runs");
  const put = (id, ...drawings) => document.querySelector(`#${id} .panels`).replaceChildren(...drawings);
  put("winners", ...heatMap(device, run));
  put("lines", ...timeLines(device, run, number("lines-direction"), chosen("lines-shape").value));
  put("phases", phaseBars(device, run, number("workload-of-bars"), number("dtype-of-bars"), number("direction-of-bars")));
}
