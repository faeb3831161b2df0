// SPDX-License-Identifier: Apache-2.0
// One filter for every table: whole words, and lists for what a table has a column of.
const filters = document.getElementById("filters");

/// Columns that a list speaks of: named like it, or with nothing but its values.
function columnsOf({ names, rows }, list) {
  const values = [...list.options].map((option) => option.value).filter(Boolean);
  return names.flatMap((name, column) => {
    const filled = rows.map((row) => plain(row.texts[column] ?? "")).filter(Boolean);
    const hasOnlyValues = filled.length > 0 && filled.every((text) => values.includes(text));
    return name === list.name || hasOnlyValues ? [column] : [];
  });
}

const lists = [...filters.querySelectorAll("select")];
for (const one of tables)
  one.columns = new Map(lists.map((list) => [list, columnsOf(one, list)]));

function isShown(row, one, wanted) {
  // Words are asked of cells and cases; a run or a verdict has none of them.
  if (one.names.includes("workload") && !wanted.every((word) => row.words.has(word))) return false;
  return lists.every((list) => {
    if (!list.value) return true;
    const fact = one.facts[list.name], columns = one.columns.get(list);
    if (fact) return fact === list.value;
    return columns.length === 0 ||
      columns.some((column) => plain(row.texts[column]) === list.value);
  });
}

function filterTables() {
  const wanted = wordsOf(filters.elements.words.value);
  for (const one of tables) {
    let count = 0;
    for (const row of one.rows) {
      row.row.hidden = !isShown(row, one, wanted);
      count += !row.row.hidden;
    }
    const all = one.rows.length;
    one.table.caption.dataset.shown = count < all ? `${count} of ${all} rows` : "";
    if (one.table.id === "cases-table")
      filters.querySelector("output").textContent = `${count} of ${all} cases`;
  }
}
