// SPDX-License-Identifier: Apache-2.0
// Every table of the page: its rows as words and values, and sorting by any column.
/// A word of a name ends at these, too, and is found alone.
const nameParts = /[_@:/→]+/;

function wordsOf(text) {
  return text.toLowerCase().split(/[\s(),;]+/).filter(Boolean);
}

/// Without the signs that stand before or behind a value.
function plain(text) {
  return text.replace(/^[✓✗–] /, "").replace(/( [*?~†ˇ≠]| \[\d+\])+$/, "");
}

function readRow(row, heads, facts) {
  const texts = [...row.cells].map((cell) =>
    cell.classList.contains("repeat") ? "" : cell.textContent);
  const words = new Set(facts.flatMap(wordsOf));
  texts.forEach((text, column) => {
    for (const word of wordsOf(plain(text))) {
      words.add(word);
      // A kernel's name has words of other meaning: the tf32 of a 3xtf32 row.
      if (!heads[column].classList.contains("whole"))
        for (const part of word.split(nameParts)) words.add(part);
    }
  });
  return { row, texts, words };
}

function readTable(table) {
  const heads = [...table.tHead.rows[0].cells];
  const facts = { device: table.dataset.device, direction: table.dataset.direction };
  const known = Object.values(facts).filter(Boolean);
  return { table, heads, facts, names: heads.map((head) => head.textContent),
    rows: [...table.tBodies[0].rows].map((row) => readRow(row, heads, known)) };
}

const tables = [...document.querySelectorAll("main table")].map(readTable);

function sortTable({ table, heads, rows }, column, descending) {
  for (const head of heads) head.removeAttribute("aria-sort");
  heads[column].setAttribute("aria-sort", descending ? "descending" : "ascending");
  const numeric = heads[column].classList.contains("n");
  const collator = new Intl.Collator("en", { numeric: true });
  const isEmpty = (text) => text === "" || (numeric && Number.isNaN(parseFloat(text)));
  const sorted = [...rows].sort((left, right) => {
    const a = left.texts[column], b = right.texts[column];
    // Rows without a value stay at the end whichever way.
    if (isEmpty(a) || isEmpty(b)) return isEmpty(a) - isEmpty(b);
    const difference = numeric ? parseFloat(a) - parseFloat(b) : collator.compare(a, b);
    return descending ? -difference : difference;
  });
  table.tBodies[0].append(...sorted.map(({ row }) => row));
}

/// "TABLE:COLUMN:up" of the tables that were sorted.
function sortText() {
  return tables.flatMap(({ table, heads }) => heads.flatMap((head, column) => {
    const way = head.getAttribute("aria-sort");
    return way ? [`${table.id}:${column}:${way === "ascending" ? "up" : "down"}`] : [];
  })).join();
}

function sortByText(text) {
  for (const part of text.split(",")) {
    const [id, column, way] = part.split(":");
    const found = tables.find(({ table }) => table.id === id);
    if (found?.heads[column]) sortTable(found, Number(column), way === "down");
  }
}

function makeSortable(changed) {
  for (const one of tables)
    one.heads.forEach((head, column) => {
      if (head.classList.contains("repeat")) return;
      const button = html("button", { type: "button" }, head.textContent);
      button.addEventListener("click", () => {
        sortTable(one, column, head.getAttribute("aria-sort") === "ascending");
        changed(button);
      });
      head.replaceChildren(button);
    });
}
