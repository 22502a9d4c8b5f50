// The rows of a predictions file, each cell checked, as benchlib/formats/predictions_columns.py reads them.
// They are held as numbers, so that millions fit.
Benchlib.part("columns", (Benchlib) => {
  "use strict";
  const { Refused, Float, strip, floatRepr, repr, cut, suffix, numberedLines } = Benchlib.text;
  const { readJson, csvCells } = Benchlib.cells;

  const COLUMNS = ["document", "start", "end", "part", "rank", "name", "ids", "score"];
  const SPAN = ["document", "start", "end"];
  const NEEDED = "columns document, start, end, and name or ids, each once";
  const [ROWS, BELOW, SHOWN] = [2 ** 17, 2 ** 31, 60];

  // ---------- cells: each function gives what the cell means, undefined for a wrong one
  const DECIMAL = /^[-+]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][-+]?\d+(?:_\d+)*)?$/;

  function whole(cell) {
    if (Number.isInteger(cell)) return cell >= 0 && cell < BELOW ? cell : undefined;
    const printed = cell instanceof Float ? floatRepr(cell.value) : cell;
    const match = typeof printed === "string" && /^([0-9]+)(?:\.0*)?$/.exec(printed);
    return match && Number(match[1]) < BELOW ? Number(match[1]) : undefined;
  }
  function finite(cell) {
    let value = cell instanceof Float ? cell.value : typeof cell === "bigint" ? Number(cell) : cell;
    if (typeof cell === "string") {
      value = DECIMAL.test(strip(cell)) ? Number(strip(cell).replaceAll("_", "")) : NaN;
    }
    return Number.isFinite(value) ? value : undefined;
  }
  const string = (cell) => (typeof cell === "string" && !cell.includes("\0") ? cell : undefined);
  const documentId = (cell) =>
    typeof cell === "number" || typeof cell === "bigint" || cell instanceof Float ? repr(cell) : string(cell);
  function idsOf(cell) {
    const ids = typeof cell === "string" ? (cell ? cell.split("|") : []) : cell;
    return Array.isArray(ids) && ids.every((id) => strip(string(id) ?? "")) ? ids.map(strip) : undefined;
  }
  const number = (column) => [whole, `a whole number as ${column}, below 2,147,483,648`];
  const CELLS = {
    ...Object.fromEntries(["start", "end", "part", "rank"].map((column) => [column, number(column)])),
    document: [documentId, "text as document"],
    name: [string, "text as name"],
    ids: [idsOf, "ids stored as text, joined by | or in a list, as ids"],
    score: [finite, "a finite number as score"],
  };
  const ABSENT = { part: 0, name: "", ids: [], rank: NaN, score: NaN };

  // ---------- rows
  // A number for each distinct key, in order of appearance, with the value given first.
  class Distinct {
    places = new Map();
    values = [];
    of(key, value) {
      let place = this.places.get(key);
      if (place === undefined) {
        place = this.values.length;
        this.places.set(key, place);
        this.values.push(value());
      }
      return place;
    }
  }

  class Rows {
    constructor(path) {
      Object.assign(this, { path, unread: new Set(), spans: new Distinct(), candidates: new Distinct() });
      Object.assign(this, { line: [], span: [], part: [], candidate: [], rank: [], score: [] });
      Object.assign(this, { n: 0, first: 1, wrong: new Map(), last: [] });
    }

    // A row; `get` gives the cell of a column, undefined or null for none.
    add(line, get) {
      if (!this.n) this.first = line;
      const row = COLUMNS.map((column) => {
        const cell = get(column) ?? null;
        const value = cell === null && column in ABSENT ? ABSENT[column] : CELLS[column][0](cell);
        if (value === undefined && !this.wrong.has(column)) this.wrong.set(column, [line, cell]);
        return value;
      });
      if (!this.wrong.size) this.keep(line, row);
      if ((this.n += 1) % ROWS === 0) this.check();
    }

    keep(line, [document, start, end, part, rank, name, ids, score]) {
      const { last } = this;
      if (document !== last[0] || start !== last[1] || end !== last[2]) {
        const span = this.spans.of(`${document}\0${start}\0${end}`, () => [document, start, end]);
        this.last = [document, start, end, span];
      }
      this.line.push(line);
      this.span.push(this.last[3]);
      this.part.push(part);
      this.candidate.push(this.candidates.of(`${name}\0${ids.length}\0${ids.join("\0")}`, () => [name, ids]));
      this.rank.push(rank);
      this.score.push(score);
    }

    // The library checks this many rows at a time, column by column: the first wrong column is told.
    check() {
      this.need(false);
      const column = COLUMNS.find((name) => this.wrong.has(name));
      if (!column) return;
      const [line, cell] = this.wrong.get(column);
      throw Refused.at(this.path, line, CELLS[column][1], cut(repr(cell, true), 0, SHOWN));
    }

    // Refuse a file in which a column lacks or stands twice.
    need(answer, labels = [...this.unread]) {
      const has = (name) => labels.includes(name);
      const there = SPAN.every(has) && (!answer || has("name") || has("ids"));
      if (!there || new Set(labels).size < labels.length)
        throw Refused.at(this.path, this.first, NEEDED, labels.join(", ") || "none");
    }

    // The columns as arrays, rank and score null where no row has them.
    end() {
      if (!this.n) throw Refused.at(this.path, this.first, "at least one row of predictions", "none");
      this.check();
      this.need(true);
      COLUMNS.forEach((column) => this.unread.delete(column));
      for (const name of ["line", "span", "part", "candidate"]) this[name] = Int32Array.from(this[name]);
      for (const name of ["rank", "score"]) {
        const lacking = this[name].findIndex(Number.isNaN);
        const all = lacking >= 0 && this[name].every(Number.isNaN);
        if (lacking >= 0 && !all) throw Refused.at(this.path, this.line[lacking], CELLS[name][1], "None");
        this[name] = all ? null : Float64Array.from(this[name]);
      }
      return this;
    }

    // The places of the rows of which `of` is true.
    where = (of) => this.line.map((_, i) => i).filter((i) => of(i));
    spanOf = (i) => this.spans.values[this.span[i]];
  }

  async function readRows(file, progress) {
    const path = file.name;
    const kind = suffix(path);
    if (kind === ".parquet") throw new Refused(`${path}: \`benchlib score\` reads Parquet, not this page`);
    const rows = new Rows(path);
    if (kind === ".tsv" || kind === ".csv") {
      let header = null;
      for await (const [line, row] of csvCells(file, kind === ".tsv" ? "\t" : ",", progress)) {
        if (!header) {
          header = new Map(row.map((label, place) => [label, place]));
          Object.assign(rows, { first: line, unread: new Set(row) });
          rows.need(true, row);
        } else if (row.length !== header.size)
          throw Refused.at(path, line, `${header.size} cells`, row.length);
        else rows.add(line, (column) => row[header.get(column)] || null);
      }
      if (!header) rows.need(true);
    } else if (kind === ".jsonl") {
      for await (const [at, line] of numberedLines(file, progress)) {
        if (!strip(line)) continue;
        let row;
        try {
          row = readJson(line);
          if (!(row instanceof Map)) throw new Refused("another value");
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          const begins = repr(cut(line, 0, SHOWN), true);
          throw Refused.at(path, at, "a JSON object", `${begins}, ${error.message}`);
        }
        for (const key of row.keys()) rows.unread.add(key);
        rows.add(at, (column) => row.get(column));
      }
    } else throw new Refused(`${path}: expected .jsonl, .tsv or .csv (each also with .gz) or .parquet`);
    return rows.end();
  }

  return { Distinct, readRows };
});
