// SPDX-License-Identifier: Apache-2.0
// Copy buttons beside commands, and folds that open for paper.
function copyButton(code) {
  const button = html("button", { type: "button", class: "copy" }, "copy");
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

document.addEventListener("toggle", (event) => {
  const code = event.target.open && event.target.querySelector(":scope > code");
  if (code && !event.target.querySelector(".copy")) copyButton(code);
}, true);

addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("details.fold")) fold.open = true;
});
