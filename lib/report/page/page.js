// SPDX-License-Identifier: Apache-2.0
"use strict";
// Sorting, filters and copy buttons. Without it the page is complete, only still.
(() => {
  const table = document.getElementById("cases-table");
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const names = heads.map((head) => head.textContent);
  const rows = [...body.rows].map((row) => {
    const cells = [...row.cells].slice(0, -1).map((cell) => cell.textContent);
    return { row, cells, text: cells.join(" ").toLowerCase() };
  });

  const form = document.querySelector(".filters");
  const output = form.querySelector("output");
  const words = form.elements.words;
  const lists = [...form.querySelectorAll("select")];

  function filter() {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = lists.filter((list) => list.value)
      .map((list) => [names.indexOf(list.name), list.value]);
    let count = 0;
    for (const { row, cells, text } of rows) {
      const shown = wanted.every((word) => text.includes(word)) &&
        chosen.every(([column, value]) => cells[column] === value);
      row.hidden = !shown;
      count += shown;
    }
    output.textContent = `${count} of ${rows.length} cases`;
  }

  function readAddress() {
    const match = /^#filter=(.*)$/.exec(location.hash);
    if (!match) return;
    try {
      words.value = decodeURIComponent(match[1]);
    } catch {
      words.value = match[1];
    }
    filter();
  }

  function sortBy(column) {
    const head = heads[column];
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const numeric = head.classList.contains("n");
    const order = new Intl.Collator("en", { numeric: true });
    const compare = (left, right) => {
      const a = left.cells[column], b = right.cells[column];
      // Cases without a value stay at the end whichever way.
      if (!a || !b) return (a ? 0 : 1) - (b ? 0 : 1);
      const difference = numeric ? parseFloat(a) - parseFloat(b) : order.compare(a, b);
      return down ? -difference : difference;
    };
    rows.sort(compare);
    body.append(...rows.map(({ row }) => row));
  }

  function copyButton(code) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "copy";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "copied";
      } catch {
        getSelection().selectAllChildren(code);
        button.textContent = "selected";
      }
    });
    code.after(button);
  }

  heads.slice(0, -1).forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    button.addEventListener("click", () => sortBy(column));
    head.replaceChildren(button);
  });
  table.addEventListener("toggle", (event) => {
    const code = event.target.querySelector("code");
    if (event.target.open && !event.target.querySelector(".copy")) copyButton(code);
  }, true);
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    filter();
    history.replaceState(null, "", words.value ? "#filter=" + encodeURIComponent(words.value) : "#cases");
  });
  form.addEventListener("reset", () => setTimeout(filter));
  addEventListener("hashchange", readAddress);
  filter();
  readAddress();
})();
