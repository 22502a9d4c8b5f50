// Wide tables. Every table of the text stands in a box of its own that scrolls sideways, so that the page never
// does; the classes more-left and more-right say where there is more to see. The first column stays, and the
// second with it where it is needed to tell the rows apart (class two-stay). On a phone the last columns that do
// not fit are folded away behind a button, but for the first and those that a class keep-3 (the third) names.
(() => {
  "use strict";
  const PHONE = matchMedia("(max-width: 600px)");

  function scrollBox(table) {
    const box = document.createElement("div");
    box.className = "table-scroll";
    table.before(box);
    box.append(table);
    return box;
  }

  function shadows(box) {
    const left = box.scrollLeft;
    box.classList.toggle("more-left", left > 1);
    box.classList.toggle("more-right", left + box.clientWidth < box.scrollWidth - 1);
  }

  function needsSecond(table) {
    const rows = [...table.tBodies].flatMap((body) => [...body.rows]);
    const firsts = new Set(rows.map((row) => row.cells[0].textContent));
    const second = table.rows[0].cells[1];
    return firsts.size < rows.length && second && !second.classList.contains("text-right");
  }

  function makeFoldable(table, box) {
    const whole = (row) => row.cells.length === table.tHead.rows[0].cells.length;
    const show = (column, shown) =>
      [...table.rows].filter(whole).forEach((row) => {
        row.cells[column].hidden = !shown;
      });
    const columns = [...table.tHead.rows[0].cells].map((_, column) => column).slice(1);
    const last = columns.filter((column) => !table.classList.contains(`keep-${column + 1}`)).reverse();
    const button = Object.assign(document.createElement("button"), { type: "button" });
    let all = false;

    const fit = () => {
      columns.forEach((column) => show(column, true));
      const folded = [];
      for (const column of last) {
        if (!PHONE.matches || box.scrollWidth <= box.clientWidth) break; // measured anew: the others may widen
        show(column, false);
        folded.push(column);
      }
      if (all) folded.forEach((column) => show(column, true));
      button.hidden = !folded.length;
      button.setAttribute("aria-expanded", String(all));
      button.textContent = all
        ? "Fewer columns"
        : `${folded.length} more column${folded.length === 1 ? "" : "s"}`;
    };
    button.addEventListener("click", () => {
      all = !all;
      fit();
      shadows(box);
    });
    const bar = box.previousElementSibling;
    if (bar && bar.classList.contains("table-bar")) bar.append(button);
    else box.before(button);
    return fit;
  }

  function enhance(table) {
    const box = table.closest(".table-scroll, .pst-scrollable-table-container") || scrollBox(table);
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", table.caption ? table.caption.textContent.trim() : "Table");
    const fit = table.tHead ? makeFoldable(table, box) : () => {};
    const first = table.rows[0].cells[0];
    const stay = () => table.classList.toggle("two-stay", table.tHead !== null && needsSecond(table));
    stay();
    table.addEventListener("unfolded", () => {
      stay();
      fit();
    });
    let width = 0;
    const observer = new ResizeObserver(() => {
      if (box.clientWidth && box.clientWidth !== width) {
        width = box.clientWidth;
        fit();
      }
      table.style.setProperty("--first", `${first.offsetWidth}px`);
      shadows(box);
    });
    [box, first].forEach((element) => observer.observe(element)); // also when a fold of the page is opened
    box.addEventListener("scroll", () => shadows(box), { passive: true });
  }

  const start = () => document.querySelectorAll("article table").forEach(enhance);
  document.addEventListener("unfolded", ({ target }) => target.querySelectorAll("table").forEach(enhance));
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
