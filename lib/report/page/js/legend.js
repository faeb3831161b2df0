// SPDX-License-Identifier: Apache-2.0
// How an algorithm looks: a color, a shape and a short name, each enough to tell it.
/// The points that the plots of gnuplot have, by its numbers.
const outlines = {
  5: "M-4,-4H4V4H-4Z", 7: "M-4.5,0a4.5,4.5 0 1 0 9,0a4.5,4.5 0 1 0 -9,0Z", 9: "M0,-5L5,4H-5Z",
  11: "M0,5L5,-4H-5Z", 13: "M0,-5.5L5,0L0,5.5L-5,0Z", 15: "M0,-5L5,-1L3,5H-3L-5,-1Z",
};

function point(x, y, algorithm) {
  const transform = `translate(${x.toFixed(1)},${y.toFixed(1)})`;
  const d = outlines[algorithm.point] ?? outlines[7];
  return svg("path", { d, transform, fill: algorithm.color, class: "point" });
}

/// Black or white, whichever is read better on the color.
function inkOn(color) {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000" : "#fff";
}

/// A label that lies on the color.
function inked(color, text) {
  text.style.fill = inkOn(color);
  return text;
}

function legend(shown) {
  const size = { width: 14, height: 14, viewBox: "-7 -7 14 14" };
  return html("ul", { class: "legend" }, ...shown.map((algorithm) => html("li", {},
    svg("svg", { ...size, "aria-hidden": "true" }, point(0, 0, algorithm)),
    html("b", {}, algorithm.short), ` ${algorithm.name}`)));
}
