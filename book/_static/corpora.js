// A PubTator corpus and its dictionary, as TSV or JSON lines: benchlib/formats/pubtator.py, gold_ids.py,
// dictionary.py and json_lines.py without their options. Offsets must count characters.
Benchlib.part("corpora", (Benchlib) => {
  "use strict";
  const { Refused, strip, fold, isLetter, length, cut, thousands, uniqueNonempty, repr } = Benchlib.text;
  const { lineError, numberedLines } = Benchlib.text;
  const { readJson, dumps, Csv } = Benchlib.cells;
  const { partNil } = Benchlib.predictions;

  // ---------- gold
  // An option by its name, as benchlib.mends.option has it.
  const option = (name, value) => `--${name.replaceAll("_", "-")} ${value} (on a page \`${name}\`)`;
  const split = (printed, separators) => printed.split(separators).map(strip);

  // The parts of an id string, each a list of ids of which any is right; throws a text.
  function goldParts(given, submentions, ontology) {
    const printed = strip(given);
    const pieces = split(printed, /[|,;+]/);
    const letters = pieces.filter(isLetter).length;
    let parts = letters && letters < pieces.length
      ? [[printed]] : split(printed, /[,;+]/).map((part) => split(part, /\|/));
    if (parts.length === 1 && submentions.length > 1 && submentions.length === printed.split("|").length) {
      parts = split(printed, /\|/).map((part) => [part]);
    }
    if (printed && !parts.flat().some(Boolean)) {
      throw `expected an id beside the separators, found ${repr(printed)}`;
    }
    const texts = submentions.length === parts.length ? submentions : [];
    const named = parts.map((part, i) => [partNil(part, ontology)[0], texts[i] ?? ""]);
    const ids = named.flatMap(([part]) => part);
    const longer = ids.filter((id) => !isLetter(id));
    const kept = new Map(named.map(([part, text]) => {
      const own = [...new Set(part)].filter((id) => !longer.length || !isLetter(id)).sort();
      return [`${own.join("\0")}\0${text}`, own];
    }));
    return { printed, parts: [...kept.values()].filter((part) => part.length) };
  }

  // ---------- PubTator
  const OFFSET = /^([0-9]{1,15})(?:\.0*)?$/;
  const PIECES = /^[0-9]+(?:[-: ][0-9]+)?(?:[,;|][0-9]+(?:[-: ][0-9]+)?)+$/;
  const TEXT = /^([^|\t]+)\|([ta])\|([^]*)$/;

  async function blocksOf(file) {
    const blocks = [];
    let block = null;
    const end = () => {
      if (block && block.abstract === null) {
        throw lineError(file.name, block.line, "an abstract line after the title", "none");
      }
      if (block) blocks.push({ ...block, text: `${block.title} ${block.abstract}` });
      block = null;
    };
    for await (const [number, line] of numberedLines(file)) {
      const match = TEXT.exec(line);
      if (!strip(line) || (match && match[2] === "t")) {
        end();
        if (match) block = { id: match[1], line: number, title: match[3], abstract: null, lines: [] };
      } else if (match && block && block.id === match[1] && block.abstract === null) {
        block.abstract = match[3];
      } else if (match || !block || block.abstract === null) {
        throw lineError(file.name, number, "a title line, its abstract line, then annotations", line);
      } else {
        const [id, ...cells] = line.split("\t");
        if (id !== block.id) throw lineError(file.name, number, `a line of document ${block.id}`, line);
        block.lines.push([number, cells]);
      }
    }
    end();
    if (!blocks.length) throw lineError(file.name, 1, "at least one document", "none");
    return blocks;
  }

  // Whether a line is a relation: its second column is no offset, and it is no mention whose start is wrong.
  function isRelation(cells, text) {
    if (!cells.length || !strip(cells[0]) || /^[-+]?[0-9]/.test(cells[0])) return false;
    const end = cells.length > 3 && OFFSET.exec(cells[1]);
    return !(end && cells[2] && cut(text, 0, Number(end[1])).endsWith(cells[2]));
  }

  function rowOf(path, number, given) {
    let cells = given;
    const start = cells.length ? OFFSET.exec(cells[0]) : null;
    const joined = !start && cells.length > 3 && PIECES.test(cells[0]) && !PIECES.test(cells[1]);
    if (joined) cells = [cells[0], ...cells]; // all pieces in one column: 12-20,25-30
    if (cells.length < 4 || cells.length > 6) {
      const expected = "document, start, end, mention, type, id[, sub-mentions]";
      throw lineError(path, number, expected, cells.join("\t"));
    }
    const [first, last, text, type, id, submentions] = cells;
    const end = OFFSET.exec(last);
    let span = start && end && [Number(start[1]), Number(end[1])];
    const pieces = !span && PIECES.test(first) && PIECES.test(last);
    if (pieces) {
      const offsets = `${first} ${last}`.match(/[0-9]+/g).map(Number);
      span = [Math.min(...offsets), Math.max(...offsets)];
    }
    if (!span || span[0] >= span[1]) {
      throw lineError(path, number, "start and end as numbers, start before end", `${first}, ${last}`);
    }
    const key = JSON.stringify([span, text, type, id ?? null, submentions || "", pieces && [first, last]]);
    const several = submentions ? submentions.split("|") : [];
    return { number, span, text, type, id, submentions: several, pieces, key };
  }

  class Corpus {
    constructor(path) {
      const name = path.replace(/\.gz$/, "").replace(/\.[^.]*$/, "");
      Object.assign(this, { path, name: `${name}-test`, ids: new Set(), mentions: [], dropped: new Map() });
      Object.assign(this, { counted: new Map(), printed: new Map(), moved: new Map() });
      // Of the key of a span: [document, start, end, number of parts], and its text.
      [this.parts, this.texts] = [new Map(), new Map()];
    }

    count(counts, what, n = 1) {
      if (n) counts.set(what, (counts.get(what) ?? 0) + n);
    }

    // The passages of a document as one text, in which the offsets of its mentions count.
    addDocument(passages, ontology) {
      const texts = passages.map((block) => block.text);
      let period = 1;
      while (texts.length % period || texts.some((text, i) => text !== texts[i % period])) period += 1;
      let [whole, gap] = ["", ""];
      const first = []; // of each passage that is not repeated: where it starts, its annotations
      passages.forEach((block, i) => {
        const rows = block.lines.filter(([, cells]) => !isRelation(cells, block.text))
          .map(([number, cells]) => rowOf(this.path, number, cells));
        this.count(this.counted, "relation lines", block.lines.length - rows.length);
        const before = whole + gap;
        const at = length(before);
        const isAt = (row, base) => row.span[0] >= base
          && cut(block.text, row.span[0] - base, row.span[1] - base) === row.text;
        const exact = (base) => rows.filter((row) => !row.pieces && isAt(row, base)).length;
        const absolute = at > 0 && exact(at) > exact(0);
        const repeats = i >= period && !absolute;
        const [start, earlier] = repeats ? first[i % period] : [at, new Set()];
        if (i && rows.length) {
          this.count(this.counted, repeats ? "passages that repeat a document"
            : `further passages with offsets of ${absolute ? "the document" : "their own"}`);
        }
        const seen = new Set();
        for (const row of rows) {
          const key = `${block.id}\0${row.span.join("\0")}`;
          if (!this.printed.has(key)) this.printed.set(key, []);
          const isRepeat = earlier.has(row.key) || seen.has(row.key);
          if (isRepeat || row.pieces) {
            const known = earlier.has(row.key) ? "duplicate document" : "duplicate row";
            this.count(this.dropped, isRepeat ? known : "discontinuous span");
          } else this.addMention(block, row, absolute ? at : 0, start, isAt, ontology, this.printed.get(key));
          seen.add(row.key);
        }
        rows.forEach((row) => earlier.add(row.key));
        if (repeats) return;
        first.push([start, earlier]);
        whole = before + block.text;
        gap = block.abstract ? " " : ""; // without abstract the text ends in a blank
      });
      this.ids.add(passages[0].id);
    }

    addMention(block, row, base, start, isAt, ontology, printed) {
      if (!isAt(row, base)) {
        const there = cut(block.text, ...row.span.map((offset) => Math.max(0, offset - base)));
        const expected = `${repr(row.text)} at ${row.span.join("-")} of document ${block.id}`;
        throw lineError(this.path, row.number, expected, there);
      }
      if (row.id === undefined) this.count(this.counted, "mentions without an id column, read as NIL");
      let gold;
      try {
        gold = goldParts(row.id ?? "", row.submentions, ontology);
      } catch (error) {
        throw typeof error === "string" ? new Refused(`${this.path}:${row.number}: ${error}`) : error;
      }
      const { text, type } = row;
      const [document, from, to] = [block.id, ...row.span.map((offset) => start + offset - base)];
      const key = [document, from, to].join("\0");
      const parts = gold.parts.length > 1 ? gold.parts.length : 0;
      printed.push([document, from, to]);
      this.mentions.push({ key, document, start: from, end: to, text, type, gold });
      this.texts.set(key, text);
      this.parts.set(key, [document, from, to, Math.max(parts, this.parts.get(key)?.[3] ?? 0)]);
    }

    // What reading found odd, in the words of benchlib.formats.own.
    notes(ontology) {
      const outside = new Map();
      for (const { document, gold } of this.mentions) {
        for (const id of gold.parts.flat().sort()) {
          const known = ontology.has(id) || outside.has(id);
          if (!known) outside.set(id, `${id} (document ${document})`);
        }
      }
      const left = [...this.dropped].map(([reason, n]) => `${reason} ${thousands(n)}`).join(", ");
      const more = outside.size > 20 ? `; and ${thousands(outside.size - 20)} more` : "";
      const ids = `${thousands(outside.size)} gold ids of ${this.path} are not in ${ontology.name}`;
      return [
        ...(left ? [`Left out of ${this.path}: ${left}.`] : []),
        ...[...this.counted].map(([what, n]) => `${this.path}: ${thousands(n)} ${what}.`),
        ...(outside.size ? [`${ids}: ${[...outside.values()].slice(0, 20).join("; ")}${more}`] : []),
      ];
    }
  }

  async function readCorpus(file, ontology) {
    const documents = new Map();
    for (const block of await blocksOf(file)) {
      if (!documents.has(block.id)) documents.set(block.id, []);
      documents.get(block.id).push(block);
    }
    const corpus = new Corpus(file.name);
    for (const passages of documents.values()) corpus.addDocument(passages, ontology);
    for (const [key, spans] of corpus.printed) {
      const distinct = new Map(spans.map((span) => [span.join("\0"), span]));
      if (distinct.size !== 1 || !distinct.has(key)) corpus.moved.set(key, [...distinct.values()]);
    }
    return corpus;
  }

  // ---------- dictionaries
  class Ontology {
    // `concepts`: id -> {names, alternatives}
    constructor(name, concepts, notes) {
      Object.assign(this, { name, concepts, notes, alternatives: new Map(), owners: new Map() });
      const add = (map, key, id) => {
        if (!map.has(key)) map.set(key, []);
        if (!map.get(key).includes(id)) map.get(key).push(id);
      };
      for (const [id, { names, alternatives }] of concepts) {
        alternatives.forEach((other) => add(this.alternatives, other, id));
        names.forEach((text) => add(this.owners, fold(text), id));
      }
    }

    has(id) { return this.concepts.has(id) || this.alternatives.has(id); }

    // The distinct concepts that ids stand for; an unknown one stands for itself.
    conceptsOf(ids) {
      return [...new Set(ids.flatMap((id) => (this.concepts.has(id) ? [id] : this.alternatives.get(id) ?? [id])))];
    }
  }

  function badLines(path, errors, read) {
    const n = errors.length + read;
    if (errors.length > 0.01 * n) throw new Refused(errors[0]);
    if (!errors.length) return [];
    const first = errors.slice(0, 3).map((error) => error.replace(`${path}:`, "")).join("; ");
    const told = `${thousands(errors.length)} of ${thousands(n)} lines of ${path} are left out`;
    return [`${told} (--strict refuses them): line ${first}.`];
  }

  const KEYS = ["id", "names", "types", "parents", "definition", "alternatives", "name", "aliases"];
  const TEXTS = ["id", "definition", "name"];
  const NAMED = ["name", "names", "aliases"];

  function conceptOf(path, number, line) {
    let values = null;
    try { values = readJson(line); } catch (error) { if (!(error instanceof Refused)) throw error; }
    const has = (key) => values instanceof Map && values.has(key);
    if (!has("id") || !NAMED.some(has)) {
      throw lineError(path, number, "a JSON object with `id` and `names`, each key once", line);
    }
    const unknown = [...values.keys()].filter((key) => !KEYS.includes(key)).sort();
    if (unknown.length) throw lineError(path, number, `no key but ${KEYS.join(", ")}`, unknown[0]);
    for (const [key, value] of values) {
      const text = TEXTS.includes(key);
      const items = text ? [value] : value;
      if (!Array.isArray(items) || !items.every((item) => typeof item === "string")) {
        throw lineError(path, number, `${key} as ${text ? "text" : "a list of texts"}`, dumps(value));
      }
      values.set(key, text ? strip(value) : uniqueNonempty(value));
    }
    if (!values.get("id")) throw lineError(path, number, "an id that is not empty", line);
    const names = uniqueNonempty(NAMED.flatMap((key) => values.get(key) ?? []));
    return [values.get("id"), { names, alternatives: values.get("alternatives") ?? [] }];
  }

  async function readJsonLines(file) {
    const [concepts, errors] = [new Map(), []];
    for await (const [number, line] of numberedLines(file)) {
      if (!strip(line)) continue;
      try {
        const [id, concept] = conceptOf(file.name, number, line);
        if (concepts.has(id)) throw lineError(file.name, number, "each id once", `${id} again`);
        concepts.set(id, concept);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        errors.push(error.message);
      }
    }
    const notes = badLines(file.name, errors, concepts.size);
    if (!concepts.size) throw lineError(file.name, 1, "at least one concept", "none");
    return new Ontology(file.name, concepts, notes);
  }

  const IDS = ["id", "ids", "uid", "cui", "curie", "code", "identifier", "concept", "mesh"];
  const NAMES = ["name", "names", "label", "term", "string", "str", "symbol"];
  const AN_ID = /^.*([ _.:-][iI][dD]|[a-z]I[dD])$/;
  const A_NAME = /[ _.:-](name|label|term)$/i;
  const SYNONYMS = /^(.*)(synonym|alias|altlabel|alternativename|othername)(s|es)?$/;

  // The head line in these cells, {labels, ids, names: columns}; null where they are none.
  function headerOf(path, number, cells) {
    const labels = [cells[0].replace(/^#+/, ""), ...cells.slice(1)].map(strip);
    const words = labels.map((label) => label.toLowerCase().replace(/[^a-z]/g, ""));
    const columns = words.map((_, i) => i);
    const isName = (i) => NAMES.includes(words[i]) || A_NAME.test(labels[i]) || /[a-z](Name|Label|Term)$/.test(labels[i]);
    const synonyms = columns.filter((i) => SYNONYMS.test(words[i]));
    const names = [...columns.filter((i) => isName(i) && !synonyms.includes(i)), ...synonyms];
    const ids = columns.filter((i) => IDS.includes(words[i]) || (AN_ID.test(labels[i]) && words[i] !== "taxid"));
    if (["conceptId", "norm_text"].some((label) => labels.includes(label))) {
      throw new Refused(`${path}: SNOMED CT and gilda are read by \`benchlib score\`, not by this page`);
    }
    if (ids.length && names.length) {
      if (ids.length === 1) return { labels, ids: ids[0], names };
      const told = `${ids.map((i) => labels[i]).join(" and ")}: ${option("id_column", "LABEL")} chooses`;
      throw new Refused(`${path}:${number}: expected one column of ids, found ${told}`);
    }
    if (!cells[0].startsWith("#") && ([...IDS, ...NAMES].includes(words[0]) || synonyms.includes(0))) {
      const missing = IDS.includes(words[0]) ? "names (name, synonyms)" : "ids (id)";
      throw lineError(path, number, `a head line with a column of ${missing}, or none`, cells.join(", "));
    }
    return null;
  }

  // The cells of a line: as CSV where they are quoted so, else quotes belong to the names.
  function cellsOf(line) {
    const cells = line.split("\t");
    if (!cells.some((cell) => cell.startsWith('"'))) return cells;
    try {
      return new Csv("\t").line(line) ?? cells;
    } catch (error) {
      if (typeof error !== "string") throw error;
      return cells;
    }
  }

  async function readTable(file) {
    const path = file.name;
    const [concepts, errors, filled, barred] = [new Map(), [], [], []];
    let [header, begun, rows] = [null, false, 0];
    const add = (number, cells) => {
      if (cells.length < 2) throw lineError(path, number, "`id<TAB>name`", cells[0]);
      if (header && cells.length > header.labels.length) {
        throw lineError(path, number, `no more than ${header.labels.length} cells`, cells.join("\t"));
      }
      const columns = header ? header.names : cells.map((_, i) => i).slice(1);
      const named = columns.filter((i) => i < cells.length && !(header && strip(cells[i]) === "-"));
      const [id, names] = [strip(cells[header ? header.ids : 0] ?? ""), uniqueNonempty(named.map((i) => cells[i]))];
      if (!id || !names.length) throw lineError(path, number, "a non-empty id and a name", cells.join("\t"));
      for (const i of named) {
        filled[i] = (filled[i] ?? 0) + (strip(cells[i]) !== "");
        barred[i] = (barred[i] ?? 0) + cells[i].includes("|");
      }
      concepts.set(id, { names: uniqueNonempty([...(concepts.get(id)?.names ?? []), ...names]), alternatives: [] });
      rows += 1;
    };
    for await (const [number, line] of numberedLines(file)) {
      if (!strip(line)) continue;
      if (!begun && !line.includes("\t") && !line.startsWith("#")) {
        throw new Refused(`${path}:${number}: this page reads \`id<TAB>name\`; \`benchlib score\` reads other forms`);
      }
      const cells = cellsOf(line);
      if (!begun && (header = headerOf(path, number, cells))) begun = true;
      else if (!cells[0].startsWith("#")) {
        begun = true;
        try {
          add(number, cells);
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          errors.push(error.message);
        }
      }
    }
    const notes = badLines(path, errors, rows);
    if (!rows) throw lineError(path, 1, "`id<TAB>name`, `id,name` or `id||name`", "an empty file");
    const isRead = (i) => i === header.ids || header.names.includes(i);
    const unread = (header?.labels ?? []).filter((label, i) => label && !isRead(i));
    if (unread.length) notes.push(`Columns of ${path} that are not read: ${unread.join(", ")}.`);
    barred.forEach((n, column) => {
      if (n <= 0.1 * filled[column]) return;
      const cells = `${thousands(n)} of ${thousands(filled[column])} cells in column ${column + 1} of ${path}`;
      notes.push(`${cells} hold \`|\`, each read as one name: where it separates names, say so (synonyms).`);
    });
    return new Ontology(path, concepts, notes);
  }

  async function readDictionary(file) {
    const kind = /\.[^.]*$/.exec(file.name.toLowerCase().replace(/\.gz$/, ""))?.[0] ?? "";
    if (kind === ".jsonl") return readJsonLines(file);
    if ([".tsv", ".txt", ".gene_info"].includes(kind)) return readTable(file);
    const known = [".csv", ".obo", ".json", ".rrf", ".dmp"].includes(kind);
    throw new Refused(`${file.name}: this page reads dictionaries as .tsv, .txt or .jsonl (each also with .gz)${
      known ? `; \`benchlib score\` reads ${kind}` : ""}`);
  }

  return { readCorpus, readDictionary };
});

if (typeof module !== "undefined") module.exports = globalThis.Benchlib;
