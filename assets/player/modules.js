// SPDX-License-Identifier: Apache-2.0
// Modules side by side (engine/report/modules_page.cpp): a click on a line marks all that belong with it.
"use strict";
for (const table of document.querySelectorAll("table.modules")) {
  table.addEventListener("click", event => {
    const cell = event.target.closest("td");
    if (!cell || String(getSelection())) return;
    const marked = cell.classList.contains("on");
    for (const other of table.querySelectorAll("td.on")) other.classList.remove("on");
    if (marked || !cell.dataset.group) return;
    for (const other of table.querySelectorAll(`td[data-group="${cell.dataset.group}"]`)) other.classList.add("on");
  });
}
