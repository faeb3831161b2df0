// SPDX-License-Identifier: Apache-2.0
// Elements of HTML and SVG, and the few shapes that figures share.
function made(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function html(name, attributes = {}, ...children) {
  return made(document.createElement(name), attributes, children);
}

function svg(name, attributes = {}, ...children) {
  return made(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

/// An image with a title for those who do not see it; `width` and `height` in its own units.
function drawing(width, height, title, ...children) {
  const size = { viewBox: `0 0 ${width} ${height}`, width, height };
  return svg("svg", { ...size, role: "img", "aria-label": title },
    svg("title", {}, title), ...children);
}

/// `kind`: classes of the style, "middle" and "end" among them for what lies at x.
function label(x, y, text, kind = "") {
  return svg("text", { x, y, class: kind }, text);
}

/// Of a grid.
function line(x1, y1, x2, y2) {
  return svg("line", { x1, y1, x2, y2 });
}

const ruler = document.createElement("canvas").getContext("2d");

/// How wide the text is in a drawing, in its units.
function widthOf(text) {
  ruler.font = '11px system-ui, "DejaVu Sans", Verdana, sans-serif';
  return ruler.measureText(text).width;
}

/// `text` in at most so many letters. The middle goes: data differ at the beginning, channels at the end.
function shortened(text, letters) {
  if (text.length <= letters) return text;
  const tail = Math.floor(letters / 2);
  return text.slice(0, letters - 1 - tail) + "…" + text.slice(-tail);
}
