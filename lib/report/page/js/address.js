// SPDX-License-Identifier: Apache-2.0
// What the reader chose stands in the address: #words=f16&runs=4&sort=cases-table:6:up&at=cases
const controls = () => [...document.querySelectorAll(".kept [name]")];

/// What a control says before anyone touched it.
const standard = (control) => control.options
  ? ([...control.options].find((option) => option.defaultSelected) ?? control.options[0]).value
  : "";

/// `section`: where the reader is, to come back there.
function writeAddress(section) {
  const state = new URLSearchParams();
  for (const control of controls())
    if (control.value !== standard(control)) state.set(control.name, control.value);
  if (sortText()) state.set("sort", sortText());
  if (section) state.set("at", section);
  history.replaceState(null, "", `#${state}`);
}

function applyAddress() {
  const state = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
  for (const control of controls()) {
    control.value = state.get(control.name) ?? standard(control);
    // A list without such a value: another page's address.
    if (control.selectedIndex === -1) control.value = standard(control);
  }
  if (state.has("sort")) sortByText(state.get("sort"));
  drawFigures();
  filterTables();
  if (state.has("at")) document.getElementById(state.get("at"))?.scrollIntoView();
}
