// Tables that sort and filter, without any library.
//   class "sortable"    a click, Enter or Space on a column's head sorts by it
//   class "filterable"  a search box above the table, and a menu for each column with few values;
//                       data-select="Paper,Verdict" (or the class select-paper) names the menus' columns
//   class "download"    a button that saves the rows shown as CSV
// Every table of the text is put into a box of its own that scrolls sideways, so that the page never does.
(() => {
  "use strict";
  const slug = (text) => text.trim().toLowerCase().replace(/[^a-z0-9]+/g, "-");
  const text = (cell) => (cell ? cell.textContent.trim().replace(/\s+/g, " ") : "");
  const bodyRows = (table) => [...table.tBodies].flatMap((body) => [...body.rows]);
  const heads = (table) => (table.tHead ? [...table.tHead.rows[table.tHead.rows.length - 1].cells] : []);

  function scrollBox(table) {
    const box = document.createElement("div");
    box.className = "table-scroll";
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    const caption = table.caption ? text(table.caption) : "Table";
    box.setAttribute("aria-label", caption);
    table.before(box);
    box.append(table);
    return box;
  }

  // A number, with or without an interval or unit behind it; nothing and "NOT RUN" come last.
  function sortKey(cell) {
    const shown = cell && cell.dataset.sort !== undefined ? cell.dataset.sort : text(cell);
    const match = shown.replace(/−/g, "-").replace(/,(?=\d{3}\b)/g, "").match(/^[-+]?\d*\.?\d+(?:e[-+]?\d+)?/i);
    const missing = shown === "" || shown === "–" || /^not run\b/i.test(shown);
    return { missing, number: match ? parseFloat(match[0]) : NaN, shown };
  }

  function compare(a, b) {
    if (!Number.isNaN(a.number) && !Number.isNaN(b.number) && a.number !== b.number) return a.number - b.number;
    return a.shown.localeCompare(b.shown, "en", { numeric: true });
  }

  function sort(table, column) {
    const head = heads(table)[column];
    const direction = head.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
    heads(table).forEach((other) => other.setAttribute("aria-sort", "none"));
    head.setAttribute("aria-sort", direction);
    const sign = direction === "ascending" ? 1 : -1;
    for (const body of table.tBodies) {
      const rows = [...body.rows].map((row) => ({ row, key: sortKey(row.cells[column]) }));
      rows.sort((a, b) => a.key.missing - b.key.missing || sign * compare(a.key, b.key));
      body.append(...rows.map(({ row }) => row));
    }
  }

  function makeSortable(table) {
    heads(table).forEach((head, column) => {
      head.tabIndex = 0;
      head.setAttribute("aria-sort", "none");
      head.title = "Sort by this column";
      head.addEventListener("click", () => sort(table, column));
      head.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        sort(table, column);
      });
    });
  }

  function menuColumns(table) {
    const names = heads(table).map((head) => text(head));
    const named = (table.dataset.select || "").split(",").map(slug).filter(Boolean);
    [...table.classList].filter((c) => c.startsWith("select-")).forEach((c) => named.push(c.slice(7)));
    const values = (column) => new Set(bodyRows(table).map((row) => text(row.cells[column])));
    return names.map((name, column) => ({ name, column, values: [...values(column)].filter(Boolean) }))
      .filter(({ name, values: found }) => (named.length
        ? named.includes(slug(name))
        : found.length > 1 && found.length <= 8 && bodyRows(table).length >= 2 * found.length
          && found.every((value) => value.length <= 24 && !/^[-−+]?\d/.test(value))));
  }

  function makeFilterable(table, bar) {
    const search = Object.assign(document.createElement("input"), { type: "search", placeholder: "Filter rows" });
    search.setAttribute("aria-label", "Filter rows by text");
    const count = document.createElement("output");
    const menus = menuColumns(table).map(({ name, column, values }) => {
      const menu = document.createElement("select");
      menu.setAttribute("aria-label", `Filter by ${name}`);
      menu.dataset.column = slug(name);
      menu.append(new Option(`${name}: all`, ""));
      values.sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
      values.forEach((value) => menu.append(new Option(value, value)));
      return { menu, column };
    });
    const apply = () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const rows = bodyRows(table);
      rows.forEach((row) => {
        const content = text(row).toLowerCase();
        const kept = words.every((word) => content.includes(word))
          && menus.every(({ menu, column }) => !menu.value || text(row.cells[column]) === menu.value);
        row.hidden = !kept;
      });
      count.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length}`;
    };
    [search, ...menus.map(({ menu }) => menu)].forEach((control) => control.addEventListener("input", apply));
    bar.append(search, ...menus.map(({ menu }) => menu), count);
    apply();
  }

  function makeDownload(table, bar) {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: "CSV" });
    button.title = "Save the rows shown as CSV";
    button.addEventListener("click", () => {
      const quoted = (cell) => `"${text(cell).replace(/"/g, '""')}"`;
      const rows = [heads(table), ...bodyRows(table).filter((row) => !row.hidden).map((row) => [...row.cells])];
      const content = rows.map((cells) => cells.map(quoted).join(",")).join("\n");
      const address = URL.createObjectURL(new Blob([`${content}\n`], { type: "text/csv" }));
      const name = table.id || table.closest("[id]")?.id || "table";
      Object.assign(document.createElement("a"), { href: address, download: `${name}.csv` }).click();
      setTimeout(() => URL.revokeObjectURL(address), 1000);
    });
    bar.append(button);
  }

  function enhance(table) {
    const box = table.closest(".table-scroll, .pst-scrollable-table-container") || scrollBox(table);
    const is = (name) => table.classList.contains(name);
    if (is("sortable")) makeSortable(table);
    if (!is("filterable") && !is("download")) return;
    const bar = document.createElement("div");
    bar.className = "table-bar";
    box.before(bar);
    if (is("filterable")) makeFilterable(table, bar);
    if (is("download")) makeDownload(table, bar);
  }

  const start = () => document.querySelectorAll("article table").forEach(enhance);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
