// A PubTator corpus with its gold, as benchlib/formats/pubtator.py and gold_ids.py read it without options.
// Offsets must count characters.
Benchlib.part("pubtator", (Benchlib) => {
  "use strict";
  const { Refused, strip, length, cut, repr, lineError, numberedLines } = Benchlib.text;
  const { partNil } = Benchlib.dictionaries;

  const thousands = (n) => n.toLocaleString("en-US");
  const isLetter = (text) => /^\p{L}$/u.test(text);
  const split = (printed, separators) => printed.split(separators).map(strip);

  // The parts of the id string of a row, each a list of ids of which any is right.
  function goldParts(path, { number, id: text, submentions }, ontology) {
    const printed = strip(text ?? "");
    const pieces = split(printed, /[|,;+]/);
    const letters = pieces.filter(isLetter).length;
    let parts =
      letters && letters < pieces.length
        ? [[printed]]
        : split(printed, /[,;+]/).map((part) => split(part, /\|/));
    if (parts.length === 1 && submentions.length > 1 && submentions.length === printed.split("|").length) {
      parts = split(printed, /\|/).map((part) => [part]);
    }
    if (printed && !parts.flat().some(Boolean)) {
      throw Refused.at(path, number, "an id beside the separators", repr(printed));
    }
    const texts = submentions.length === parts.length ? submentions : [];
    const named = parts.map((part, i) => [partNil(part, ontology)[0], texts[i] ?? ""]);
    const ids = named.flatMap(([part]) => part);
    const longer = ids.filter((id) => !isLetter(id));
    const kept = new Map(
      named.map(([part, submention]) => {
        const own = [...new Set(part)].filter((id) => !longer.length || !isLetter(id)).sort();
        return [`${own.join("\0")}\0${submention}`, own];
      }),
    );
    const parted = [...kept.values()].filter((part) => part.length);
    return { printed, parts: parted, key: [printed, ...kept.keys()].join("\0") };
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

  function rowOf(path, number, row) {
    let cells = row;
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
      this.parts = new Map(); // of the key of a span: [document, start, end, number of parts, text]
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
        const rows = block.lines
          .filter(([, cells]) => !isRelation(cells, block.text))
          .map(([number, cells]) => rowOf(this.path, number, cells));
        this.count(this.counted, "relation lines", block.lines.length - rows.length);
        const before = whole + gap;
        const at = length(before);
        const isAt = (row, base) =>
          row.span[0] >= base && cut(block.text, row.span[0] - base, row.span[1] - base) === row.text;
        const exact = (base) => rows.filter((row) => !row.pieces && isAt(row, base)).length;
        const absolute = at > 0 && exact(at) > exact(0);
        const repeats = i >= period && !absolute;
        const [start, earlier] = repeats ? first[i % period] : [at, new Set()];
        const further = `further passages with offsets of ${absolute ? "the document" : "their own"}`;
        const what = repeats ? "passages that repeat a document" : further;
        if (i && rows.length) this.count(this.counted, what);
        const seen = new Set();
        for (const row of rows) {
          const key = `${block.id}\0${row.span.join("\0")}`;
          if (!this.printed.has(key)) this.printed.set(key, []);
          const [base, spans] = [absolute ? at : 0, this.printed.get(key)];
          if (earlier.has(row.key)) this.count(this.dropped, "duplicate document");
          else if (row.pieces) this.count(this.dropped, "discontinuous span");
          else this.addMention(block, row, base, start, isAt, ontology, spans, seen);
        }
        rows.forEach((row) => earlier.add(row.key));
        if (repeats) return;
        first.push([start, earlier]);
        whole = before + block.text;
        gap = block.abstract ? " " : ""; // without abstract the text ends in a blank
      });
      this.ids.add(passages[0].id);
    }

    addMention(block, row, base, start, isAt, ontology, printed, seen) {
      if (!isAt(row, base)) {
        const there = cut(block.text, ...row.span.map((offset) => Math.max(0, offset - base)));
        const expected = `${repr(row.text)} at ${row.span.join("-")} of document ${block.id}`;
        throw lineError(this.path, row.number, expected, there);
      }
      if (row.id === undefined) this.count(this.counted, "mentions without an id column, read as NIL");
      const gold = goldParts(this.path, row, ontology);
      const [document, from, to] = [block.id, ...row.span.map((offset) => start + offset - base)];
      const [key, whole] = [[document, from, to].join("\0"), [from, to, row.type, gold.key].join("\0")];
      if (seen.has(whole)) return this.count(this.dropped, "duplicate row");
      seen.add(whole);
      const parts = Math.max(gold.parts.length > 1 ? gold.parts.length : 0, this.parts.get(key)?.[3] ?? 0);
      printed.push([document, from, to]);
      this.mentions.push({ key, document, start: from, end: to, text: row.text, type: row.type, gold });
      this.parts.set(key, [document, from, to, parts, row.text]);
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
      const reasons = [...this.dropped].map(([reason, n]) => `${reason} ${thousands(n)}`).join(", ");
      const more = outside.size > 20 ? `; and ${thousands(outside.size - 20)} more` : "";
      const ids = `${thousands(outside.size)} gold ids of ${this.path} are not in ${ontology.name}`;
      return [
        ...(reasons ? [`Left out of ${this.path}: ${reasons}.`] : []),
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

  return { readCorpus };
});
