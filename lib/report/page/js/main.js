// SPDX-License-Identifier: Apache-2.0
// What happens when. Without all this the page is complete, only still.
const sectionOf = (element) => element.closest("section").id;

makeFigures();
makeSortable((button) => writeAddress(sectionOf(button)));
filters.hidden = false;
filters.addEventListener("submit", (event) => event.preventDefault());
filters.addEventListener("input", filterTables);
filters.addEventListener("reset", () => setTimeout(() => {
  filterTables();
  writeAddress(sectionOf(filters));
}));
for (const kept of document.querySelectorAll(".kept"))
  kept.addEventListener("input", (event) => writeAddress(sectionOf(event.target)));
addEventListener("hashchange", () => {
  // A link within the page: the choices stay.
  if (location.hash.includes("=")) applyAddress();
  else writeAddress(location.hash.slice(1));
});
addEventListener("resize", drawFigures);
applyAddress();
