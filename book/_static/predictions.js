// A predictions file as benchlib/formats/predictions.py reads it: columns, checks, warnings and refusals. Rows
// are held as numbers, so that millions of them fit.
Benchlib.part("predictions", (Benchlib) => {
  "use strict";
  const { Refused, Float, strip, floatRepr, repr, tuple, listed, cut, fold, blocksOfLines } = Benchlib.text;
  const { readJson, csvCells } = Benchlib.cells;
  const COLUMNS = ["document", "start", "end", "part", "rank", "name", "ids", "score"];
  const NEEDED = "columns document, start, end, and name or ids, each once";
  const [ROWS, BELOW, SHOWN] = [2 ** 17, 2 ** 31, 60];

  const refusal = (path, line, expected, found) => (
    new Refused(`${path}:${line}: expected ${expected}, found ${found}`));

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
  const document = (cell) => (typeof cell === "number" || typeof cell === "bigint" || cell instanceof Float
    ? repr(cell) : string(cell));
  function idsOf(cell) {
    const ids = typeof cell === "string" ? (cell ? cell.split("|") : []) : cell;
    return Array.isArray(ids) && ids.every((id) => string(id) !== undefined) ? ids : undefined;
  }
  const number = (column) => [whole, `a whole number as ${column}, below 2,147,483,648`];
  const CELLS = {
    ...Object.fromEntries(["start", "end", "part", "rank"].map((column) => [column, number(column)])),
    document: [document, "text as document"],
    name: [string, "text as name"],
    ids: [idsOf, "ids stored as text, joined by | or in a list, as ids"],
    score: [finite, "a finite number as score"],
  };
  const ABSENT = { part: 0, name: "", ids: [], rank: NaN, score: NaN };

  // ---------- rows
  // A number for each distinct key, in order of appearance, with the value given first.
  class Distinct {
    constructor() { [this.places, this.values] = [new Map(), []]; }

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
      Object.assign(this, { n: 0, first: 1, answered: false, wrong: new Map(), last: [] });
    }

    // A row; `get` gives the cell of a column, undefined or null for none.
    add(line, get) {
      if (!this.n) this.first = line;
      const row = COLUMNS.map((column) => {
        const cell = get(column) ?? null;
        if (cell !== null && (column === "name" || column === "ids")) this.answered = true;
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
      const column = COLUMNS.find((name) => this.wrong.has(name));
      if (!column) return;
      const [line, cell] = this.wrong.get(column);
      throw refusal(this.path, line, CELLS[column][1], cut(repr(cell, true), 0, SHOWN));
    }

    // The columns as arrays, rank and score null where no row has them.
    end() {
      this.check();
      if (!this.n || !this.answered) {
        throw refusal(this.path, this.first, this.n ? NEEDED : "at least one row of predictions", "none");
      }
      for (const name of ["line", "span", "part", "candidate"]) this[name] = Int32Array.from(this[name]);
      for (const name of ["rank", "score"]) {
        const lacking = this[name].findIndex(Number.isNaN);
        const all = lacking >= 0 && this[name].every(Number.isNaN);
        if (lacking >= 0 && !all) throw refusal(this.path, this.line[lacking], CELLS[name][1], "None");
        this[name] = all ? null : Float64Array.from(this[name]);
      }
      return this;
    }
  }

  async function readRows(file, progress) {
    const path = file.name;
    const kind = /\.[^.]*$/.exec(path.toLowerCase().replace(/\.gz$/, ""))?.[0] ?? "";
    if (kind === ".parquet") throw new Refused(`${path}: Parquet is read by \`benchlib score\`, not by this page`);
    const rows = new Rows(path);
    if (kind === ".tsv" || kind === ".csv") {
      let header = null;
      const check = (line, labels) => {
        const has = (label) => labels.includes(label);
        const known = ["document", "start", "end"].every(has) && (has("name") || has("ids"));
        header = new Map(labels.map((label, place) => [label, place]));
        if (!known || header.size < labels.length) throw refusal(path, line, NEEDED, labels.join(", "));
      };
      for await (const [line, row] of csvCells(file, kind === ".tsv" ? "\t" : ",", progress)) {
        if (!header) check(line, row);
        else if (row.length !== header.size) throw refusal(path, line, `${header.size} cells`, row.length);
        else rows.add(line, (column) => row[header.get(column)]);
      }
      if (!header) check(1, []);
      if (rows.n) for (const label of header.keys()) rows.unread.add(label);
    } else if (kind === ".jsonl") {
      for await (const { first, lines } of blocksOfLines(file, progress)) {
        for (let i = 0; i < lines.length; i++) {
          if (!strip(lines[i])) continue;
          let row;
          try {
            row = readJson(lines[i]);
            if (!(row instanceof Map)) throw new Refused("another value");
          } catch (error) {
            if (!(error instanceof Refused)) throw error;
            const begins = repr(cut(lines[i], 0, SHOWN), true);
            throw refusal(path, first + i, "a JSON object", `${begins}, ${error.message}`);
          }
          for (const key of row.keys()) rows.unread.add(key);
          rows.add(first + i, (column) => row.get(column));
        }
      }
    } else throw new Refused(`${path}: expected .jsonl, .tsv or .csv (each also with .gz) or .parquet`);
    COLUMNS.forEach((column) => rows.unread.delete(column));
    return rows.end();
  }

  // Refuse where a row is wrong, with the spans nearest to the first of these.
  function refuseRows(rows, wrong, expected, spans = []) {
    const first = wrong.indexOf(1);
    if (first < 0) return;
    const shown = [];
    let n = 0;
    for (let i = first; i < wrong.length; i++) {
      if (wrong[i] && (n += 1) <= 3) {
        const [name, ids] = rows.candidates.values[rows.candidate[i]];
        shown.push(`${rows.line[i]} ${tuple([...rows.spans.values[rows.span[i]], rows.part[i], name, ids])}`);
      }
    }
    const [document, start] = rows.spans.values[rows.span[first]];
    const near = [...spans].sort((a, b) => (a[0] !== document) - (b[0] !== document)
      || Math.abs(a[1] - start) - Math.abs(b[1] - start)).slice(0, 4);
    const such = near.length ? `, such as ${listed(near.map((span) => tuple(span.slice(0, 3))))}` : "";
    throw refusal(rows.path, rows.line[first], expected + such, `${n} rows without: ${shown.join("; ")}`);
  }

  // ---------- spans: those of the mentions of a corpus, wherever its reading has put them
  // Put rows at other spans: by span those of its rows, none where they are left out.
  function respan(rows, places) {
    const spans = new Distinct();
    const columns = { line: [], span: [], part: [], candidate: [], rank: [], score: [] };
    rows.span.forEach((span, i) => places[span].forEach((place) => {
      for (const name in columns) if (rows[name]) columns[name].push(rows[name][i]);
      columns.span[columns.span.length - 1] = spans.of(place.join("\0"), () => place);
    }));
    for (const name in columns) if (rows[name]) rows[name] = rows[name].constructor.from(columns[name]);
    rows.spans = spans;
  }

  function decimalDocuments(rows, corpus, warn) {
    const whole = ([id]) => (!corpus.ids.has(id) && id.endsWith(".0") && corpus.ids.has(id.slice(0, -2))
      ? id.slice(0, -2) : null);
    const names = rows.spans.values.map(whole);
    const lines = rows.line.filter((_, i) => names[rows.span[i]] !== null);
    warn("rows whose document is a decimal number, read as a whole one", lines);
    if (lines.length) respan(rows, rows.spans.values.map(([id, ...at], i) => [[names[i] ?? id, ...at]]));
  }

  function atMentions(rows, corpus, warn) {
    if (!corpus.moved.size) return;
    const [spans, { name }] = [rows.spans.values, corpus];
    const text = (span) => corpus.texts.get(span.join("\0"));
    const byFile = spans.map((span) => corpus.moved.get(span.join("\0")) ?? [span]);
    const byCorpus = spans.map((span, i) => (text(span) === undefined ? byFile[i] : [span]));
    const [forFile, forCorpus] = [byFile, byCorpus].map((way) => {
      const [reached, counts] = [new Map(way.flat().map((span) => [span.join("\0"), span])), new Map()];
      for (const span of reached.values()) {
        if (text(span) !== undefined) counts.set(span[0], (counts.get(span[0]) ?? 0) + 1);
      }
      return (id) => counts.get(id) ?? 0;
    });
    const at = spans.map(([id], i) => (forFile(id) > forCorpus(id) ? byFile : byCorpus)[i]);
    const several = at.map((places) => new Set(places.map(text)).size > 1);
    const expected = `offsets as in ${name}, where several passages have a mention at these offsets`;
    refuseRows(rows, Uint8Array.from(rows.span, (span) => several[span]), expected, corpus.parts.values());
    if (!rows.span.some((span) => at[span].length)) {
      const found = `${rows.line.length} rows of mentions that are left out`;
      throw refusal(rows.path, rows.line[0], `mentions of ${name} that count`, found);
    }
    const changed = at.map((places, i) => places.some((place) => place.join("\0") !== spans[i].join("\0")));
    const [left, moved] = [(span) => !at[span].length, (span) => changed[span]]
      .map((of) => rows.line.filter((_, i) => of(rows.span[i])));
    warn(`rows of mentions that ${name} leaves out`, left);
    warn(`rows of mentions that ${name} has elsewhere, moved there`, moved);
    respan(rows, at);
  }

  // ---------- candidates
  const spellsNil = (id) => /^(?:-1?|N[Iiİı]L\p{Nd}*|CU[Iiİı]-less|None|NaN)?$/iu.test(id);

  // The ids of concepts, and apart from them those that spell NIL and that the ontology lacks.
  function partNil(ids, ontology) {
    const nil = ids.filter((id) => spellsNil(id) && !(id && ontology.has(id)));
    return [nil.length ? ids.filter((id) => !nil.includes(id)) : ids, nil];
  }

  function candidateOf([name, printed], ontology) {
    let [ids, nil] = partNil(printed, ontology);
    if (!ids.length && !nil.length) {
      ids = ontology.owners.get(fold(name)) ?? [];
      nil = name && !ids.length && spellsNil(name) ? [name] : [];
    }
    return { name: nil.length && !ids.length ? "" : name, ids, nil: nil.join(", ") };
  }

  // Which rows score higher than the one ranked before them, in their order.
  function rising(query, rank, score) {
    const order = Uint32Array.from(query, (_, i) => i);
    order.sort((a, b) => query[a] - query[b] || rank[a] - rank[b] || score[b] - score[a] || a - b);
    const found = new Uint8Array(query.length);
    for (let i = 1; i < order.length; i++) {
      const [a, b] = [order[i - 1], order[i]];
      if (query[a] === query[b] && score[b] > score[a]) found[b] = 1;
    }
    return found;
  }

  // Predictions for the mentions of a corpus: lists of candidates by query, best first, and warnings.
  async function readPredictions(file, corpus, ontology, best = false, progress = undefined) {
    const rows = await readRows(file, progress);
    const warnings = [];
    const warn = (what, items) => {
      if (items.length) warnings.push(`${rows.path}: ${items.length} ${what}: ${listed([...items])}`);
    };
    const lines = (mask) => rows.line.filter((_, i) => mask[i]);
    warn("columns that are not read", [...rows.unread].map((name) => repr(name, true).slice(1, -1)));
    decimalDocuments(rows, corpus, warn);
    atMentions(rows, corpus, warn);

    const [queries, spans, n] = [new Distinct(), rows.spans.values, rows.line.length];
    const query = rows.span.map((span, i) => (
      queries.of(span + rows.part[i] * spans.length, () => [span, rows.part[i]])));
    const parts = spans.map((span) => corpus.parts.get(span.join("\0"))?.[3]);
    const unknown = Uint8Array.from(query, (q) => parts[queries.values[q][0]] === undefined);
    refuseRows(rows, unknown, `spans of mentions of ${corpus.name}`, corpus.parts.values());
    const candidates = rows.candidates.values.map((printed) => candidateOf(printed, ontology));

    const size = new Int32Array(queries.values.length);
    const place = query.map((q) => size[q]++);
    if (!rows.score && !rows.rank) {
      const several = rows.line.filter((_, i) => size[query[i]] > 1);
      warn("rows without rank or score, ranked in the order of the file", several);
      rows.rank = Float64Array.from(place, (before) => before + 1);
    }
    const score = rows.score ?? rows.rank.map((rank) => -rank);
    if (rows.rank && rows.score) {
      const higher = lines(rising(query, rows.rank, score));
      warn("rows that score higher than a row ranked before them (the score decides)", higher);
    }

    // Each list in descending order, equal scores as in the file; a candidate that it has is not added again.
    const [start, order] = [new Int32Array(size.length + 1), new Int32Array(n)];
    size.forEach((each, q) => { start[q + 1] = start[q] + each; });
    for (let i = 0; i < n; i++) order[start[query[i]] + place[i]] = i;
    const [sets, repeated] = [new Distinct(), new Uint8Array(n)];
    const same = candidates.map(({ name, ids }) => {
      const distinct = [...new Set(ids)].sort();
      return sets.of(`${name}\0${distinct.length}\0${distinct.join("\0")}`, () => 0);
    });
    for (let q = 0; q < size.length; q++) {
      const list = order.subarray(start[q], start[q + 1]);
      const seen = new Set();
      const look = (i) => {
        const key = same[rows.candidate[i]];
        if (seen.has(key)) repeated[i] = 1;
        seen.add(key);
      };
      if (!best) list.forEach(look);
      list.sort((a, b) => score[b] - score[a] || a - b);
      if (best) list.forEach(look);
    }
    if (!best) refuseRows(rows, repeated, 'each candidate once in a list (or duplicates="best")');
    warn("rows of a candidate that has a better one in its list, left out", lines(repeated));
    const odd = [
      ["with a spelling of NIL, read as NIL (beside an id left out)", (c) => c.nil],
      [`with ids outside ${ontology.name}`, (c) => listed(c.ids.filter((id) => !ontology.has(id)))],
      [`with neither ids nor a name of ${ontology.name}`, (c) => (c.ids.length ? "" : c.name)],
    ];
    for (const [what, of] of odd) {
      const [texts, items] = [candidates.map(of), []];
      let total = 0;
      rows.candidate.forEach((candidate, i) => {
        if (texts[candidate] && (total += 1) <= 4) items.push(`${rows.line[i]} (${texts[candidate]})`);
      });
      if (total) warnings.push(`${rows.path}: ${total} rows ${what}: ${listed(items)}`);
    }
    const whole = queries.values.filter(([, part]) => part === 0).map(([span]) => spans[span].join("\0"));
    const answered = new Set(whole);
    const unanswered = corpus.mentions.filter((mention) => !answered.has(mention.key));
    warn("mentions without an answer (part 0)", unanswered.map((m) => tuple([m.document, m.start, m.end])));
    const beyond = queries.values.map(([span, part]) => part > parts[span]);
    warn("rows of a part that their mention does not have, which count in no score",
      rows.line.filter((_, i) => beyond[query[i]]));

    const kept = order.filter((i) => !repeated[i]);
    const ends = new Int32Array(size.length + 1);
    kept.forEach((i) => { ends[query[i] + 1] += 1; });
    for (let q = 0; q < size.length; q++) ends[q + 1] += ends[q];
    return {
      lists: new Map(queries.values.map(([span, part], q) => [`${spans[span].join("\0")}\0${part}`, q])),
      start: ends,
      candidate: kept.map((i) => rows.candidate[i]),
      score: Float64Array.from(kept, (i) => score[i]),
      candidates,
      warnings,
    };
  }

  return { readPredictions, partNil };
});

if (typeof module !== "undefined") module.exports = globalThis.Benchlib;
