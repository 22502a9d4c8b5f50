// Tables that sort, filter and can be saved, without any library.
//   class "sortable"    a click, Enter or Space on a column's head sorts by it: best first, then the other way,
//                       then as it was. Of numbers the largest is the best, or the smallest in the columns that
//                       a class less-3 (the third) names
//   class "filterable"  a search box above the table, and a menu for each column with few values;
//                       data-select="Paper,Verdict" names the menus' columns
//   class "download"    a button that saves the rows shown as CSV, with all columns
// Of a long table only the first rows are on the page until the others are asked for: see folds.js.
(() => {
  "use strict";
  const NUMBER = /^[-+−]?[\d,]*\.?\d+(?:e[-+]?\d+)?(?![^\s%])/i;
  const INTERVAL = "small, .interval"; // in pages as they are built (study/book/light.py), and as scripts write it
  const collator = new Intl.Collator("en", { numeric: true });
  const slug = (text) =>
    text
      .trim()
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-");
  const text = (cell) => (cell ? cell.textContent.trim().replace(/\s+/g, " ") : "");
  const plain = (number) => number.replace("−", "-").replace(/,(?=\d{3}\b)/g, "");
  const further = (body) => body.querySelector(":scope > template");
  const bodyRows = (table) =>
    [...table.tBodies].flatMap((body) => [
      ...body.rows,
      ...(further(body)?.content.querySelectorAll("tr") || []),
    ]);
  const unfold = (table) =>
    [...table.tBodies]
      .map(further)
      .filter(Boolean)
      .forEach((template) => window.folds.build(template)); // pages of records have no folds.js
  const heads = (table) => (table.tHead ? [...table.tHead.rows[table.tHead.rows.length - 1].cells] : []);

  // A number, with or without an interval or unit behind it; nothing, "NOT RUN" and "no mention left" come last.
  function sortKey(cell) {
    const shown = cell && cell.dataset.sort !== undefined ? cell.dataset.sort : text(cell);
    const match = shown.match(NUMBER);
    const missing = shown === "" || shown === "–" || /^(not run|no mention left)\b/i.test(shown);
    return { missing, number: match ? parseFloat(plain(match[0])) : NaN, shown };
  }

  function compare(a, b) {
    if (!Number.isNaN(a.number) && !Number.isNaN(b.number) && a.number !== b.number)
      return a.number - b.number;
    return collator.compare(a.shown, b.shown);
  }

  function bestFirst(table, column) {
    const keys = bodyRows(table)
      .map((row) => sortKey(row.cells[column]))
      .filter((key) => !key.missing);
    const isText = keys.some((key) => Number.isNaN(key.number));
    return isText || table.classList.contains(`less-${column + 1}`) ? "ascending" : "descending";
  }

  function sort(table, column) {
    unfold(table);
    const head = heads(table)[column];
    const best = bestFirst(table, column);
    const other = best === "ascending" ? "descending" : "ascending";
    const direction = { none: best, [best]: other, [other]: "none" }[head.getAttribute("aria-sort")];
    heads(table).forEach((one) => one.setAttribute("aria-sort", one === head ? direction : "none"));
    const sign = direction === "ascending" ? 1 : -1;
    for (const body of table.tBodies) {
      const rows = [...body.rows].map((row) => ({ row, key: sortKey(row.cells[column]) }));
      rows.sort((a, b) =>
        direction === "none"
          ? a.row.dataset.place - b.row.dataset.place
          : a.key.missing - b.key.missing || sign * compare(a.key, b.key),
      );
      body.append(...rows.map(({ row }) => row));
    }
  }

  function makeSortable(table) {
    bodyRows(table).forEach((row, place) => {
      row.dataset.place = place;
    });
    heads(table).forEach((head, column) => {
      head.tabIndex = 0;
      head.setAttribute("aria-sort", "none");
      head.title = "Sort by this column: best first, the other way, as it was";
      head.addEventListener("click", () => sort(table, column));
      head.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        sort(table, column);
      });
    });
  }

  function menuColumns(table) {
    const named = (table.dataset.select || "").split(",").map(slug).filter(Boolean);
    const rows = bodyRows(table);
    return heads(table)
      .map((head, column) => {
        const values = [...new Set(rows.map((row) => text(row.cells[column])))].filter(Boolean);
        return { name: text(head), column, values };
      })
      .filter(({ name, values }) =>
        named.length
          ? named.includes(slug(name))
          : values.length > 1 &&
            values.length <= 24 &&
            rows.length >= 2 * values.length &&
            values.every((value) => value.length <= 40 && !/^[-−+]?\d/.test(value)),
      );
  }

  function makeFilterable(table, bar) {
    const search = Object.assign(document.createElement("input"), {
      type: "search",
      placeholder: "Filter rows",
    });
    search.setAttribute("aria-label", "Filter rows by text");
    const count = document.createElement("output");
    const menus = menuColumns(table).map(({ name, column, values }) => {
      const menu = document.createElement("select");
      menu.setAttribute("aria-label", `Filter by ${name}`);
      menu.dataset.column = slug(name);
      menu.append(new Option(`${name}: all`, ""), ...values.map((value) => new Option(value, value)));
      return { menu, column };
    });
    const apply = () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const rows = bodyRows(table);
      rows.forEach((row) => {
        const content = text(row).toLowerCase();
        const kept =
          words.every((word) => content.includes(word)) &&
          menus.every(({ menu, column }) => !menu.value || text(row.cells[column]) === menu.value);
        row.hidden = !kept;
      });
      count.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length}`;
      table.dispatchEvent(new Event("filtered"));
    };
    [search, ...menus.map(({ menu }) => menu)].forEach((control) =>
      control.addEventListener("input", () => {
        unfold(table);
        apply();
      }),
    );
    bar.append(search, ...menus.map(({ menu }) => menu), count);
    apply();
  }

  // The cell without its interval, and the interval's ends; a number as programs read it.
  function valueOf(cell) {
    const bare = cell.cloneNode(true);
    bare.querySelectorAll(INTERVAL).forEach((interval) => interval.remove());
    const shown = text(bare);
    return /^[-+−]?[\d,]*\.?\d+$/.test(shown) ? plain(shown) : shown;
  }
  const ends = (cell) => text(cell.querySelector(INTERVAL)).replace(/[[\]]/g, "").split(", ").map(plain);

  // The columns of the file: a column with intervals becomes three.
  function columns(table) {
    return heads(table).flatMap((head, column) => {
      const name = text(head);
      const bounds = (end) => (row) => ends(row.cells[column])[end] || "";
      const itself = [name, (row) => valueOf(row.cells[column])];
      return bodyRows(table).some((row) => row.cells[column].querySelector(INTERVAL))
        ? [itself, [`${name} low`, bounds(0)], [`${name} high`, bounds(1)]]
        : [itself];
    });
  }

  function makeDownload(table, bar) {
    const button = Object.assign(document.createElement("button"), { type: "button" });
    const shown = () => bodyRows(table).filter((row) => !row.hidden);
    const label = () => {
      const all = shown().length === bodyRows(table).length;
      button.textContent = all ? "CSV" : `CSV of the ${shown().length} rows shown`;
    };
    button.title = "Save as CSV, with all columns";
    button.addEventListener("click", () => {
      const parts = columns(table);
      const lines = [parts.map(([name]) => name), ...shown().map((row) => parts.map(([, of]) => of(row)))];
      const quoted = (field) => `"${field.replace(/"/g, '""')}"`;
      const content = lines.map((fields) => fields.map(quoted).join(",")).join("\n");
      const address = URL.createObjectURL(new Blob([`${content}\n`], { type: "text/csv" }));
      const name = table.id || table.closest("[id]")?.id || "table";
      Object.assign(document.createElement("a"), { href: address, download: `${name}.csv` }).click();
      setTimeout(() => URL.revokeObjectURL(address), 1000);
    });
    table.addEventListener("filtered", label);
    label();
    bar.append(button);
  }

  function makeUnfoldable(table) {
    const all = bodyRows(table).length;
    const button = Object.assign(document.createElement("button"), {
      type: "button",
      textContent: `All ${all} rows`,
    });
    const cell = table.createTFoot().insertRow().insertCell();
    cell.colSpan = heads(table).length;
    cell.append(button);
    button.addEventListener("click", () => unfold(table));
    table.addEventListener("unfolded", () => table.deleteTFoot());
  }

  function enhance(table) {
    const is = (name) => table.classList.contains(name);
    const bar = document.createElement("div");
    bar.className = "table-bar";
    (table.closest(".table-scroll, .pst-scrollable-table-container") || table).before(bar);
    if (table.querySelector("template")) makeUnfoldable(table);
    if (is("sortable")) makeSortable(table);
    if (is("filterable")) makeFilterable(table, bar);
    if (is("download")) makeDownload(table, bar);
  }

  const start = () => document.querySelectorAll("article table").forEach(enhance);
  document.addEventListener("unfolded", ({ target }) => target.querySelectorAll("table").forEach(enhance));
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
