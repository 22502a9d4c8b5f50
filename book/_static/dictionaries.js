// A dictionary as TSV or JSON lines, as benchlib/formats/dictionary.py and json_lines.py read it without
// options, and the concepts that ids and names mean.
Benchlib.part("dictionaries", (Benchlib) => {
  "use strict";
  const { Refused, strip, fold, suffix, lineError, numberedLines } = Benchlib.text;
  const { readJson, dumps, Csv } = Benchlib.cells;

  const thousands = (n) => n.toLocaleString("en-US");
  const uniqueNonempty = (texts) => [...new Set(texts.map(strip).filter(Boolean))];

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
        for (const folded of names.map(fold).filter(Boolean)) add(this.owners, folded, id);
      }
    }

    has = (id) => this.concepts.has(id) || this.alternatives.has(id);

    // The distinct concepts that ids stand for; an unknown one stands for itself.
    conceptsOf(ids) {
      const resolved = (id) => (this.concepts.has(id) ? [id] : (this.alternatives.get(id) ?? [id]));
      return [...new Set(ids.flatMap(resolved))];
    }
  }

  const spellsNil = (id) => /^(?:-1?|N[Iiİı]L\p{Nd}*|CU[Iiİı]-less|None|NaN|N\/?A|null)?$/iu.test(id);

  // The ids of concepts, and apart from them those that spell NIL and that the ontology lacks.
  function partNil(ids, ontology) {
    const nil = ids.filter((id) => spellsNil(id) && !(id && ontology.has(id)));
    return [nil.length ? ids.filter((id) => !nil.includes(id)) : ids, nil];
  }

  function badLines(path, errors, read) {
    const n = errors.length + read;
    if (errors.length > 0.01 * n) throw new Refused(errors[0]);
    if (!errors.length) return [];
    const first = errors.slice(0, 3).map((error) => error.replace(`${path}:`, ""));
    const told = `${thousands(errors.length)} of ${thousands(n)} lines of ${path} are left out`;
    return [`${told} (strict refuses them): line ${first.join("; ")}.`];
  }

  const KEYS = ["id", "names", "types", "parents", "definition", "alternatives", "name", "aliases"];
  const TEXTS = ["id", "definition", "name"];
  const NAMED = ["name", "names", "aliases"];

  function conceptOf(path, number, line) {
    let values = null;
    try {
      values = readJson(line);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
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
  const AN_ID = /([ _.:-][iI][dD]|[a-z]I[dD])$/;
  const A_NAME = [/[ _.:-](name|label|term)$/i, /[a-z](Name|Label|Term)$/];
  const SYNONYMS = /^(.*)(synonym|alias|altlabel|alternativename|othername)(s|es)?[0-9]*$/;

  // The head line in these cells, {labels, ids, names: columns}; null where they are none.
  function headerOf(path, number, cells) {
    const labels = [cells[0].replace(/^#+/, ""), ...cells.slice(1)].map(strip);
    const words = labels.map((label) => label.toLowerCase().replace(/[^a-z0-9]/g, ""));
    const columns = words.map((_, i) => i);
    const isName = (i) => NAMES.includes(words[i]) || A_NAME.some((ends) => ends.test(labels[i]));
    const synonyms = columns.filter((i) => SYNONYMS.test(words[i]));
    const names = [...columns.filter((i) => isName(i) && !synonyms.includes(i)), ...synonyms];
    const isId = (i) => IDS.includes(words[i]) || (AN_ID.test(labels[i]) && words[i] !== "taxid");
    const ids = columns.filter(isId);
    if (["conceptId", "norm_text"].some((label) => labels.includes(label))) {
      throw new Refused(`${path}: SNOMED CT and gilda are read by \`benchlib score\`, not by this page`);
    }
    if (ids.length && names.length) {
      if (ids.length === 1) return { labels, ids: ids[0], names };
      const several = ids.map((i) => labels[i]).join(" and ");
      const told = `${several}: --id-column LABEL (in Python \`id_column\`) chooses`;
      throw new Refused(`${path}:${number}: expected one column of ids, found ${told}`);
    }
    const named = !/[0-9]/.test(labels[0]) && names.length > 0;
    const first = [...IDS, ...NAMES].includes(words[0]) || [...ids, ...synonyms].includes(0);
    if (!cells[0].startsWith("#") && (first || named)) {
      const choice = "ids (id; --id-column LABEL (in Python `id_column`) chooses)";
      const missing = ids.length ? "names (name, synonyms)" : choice;
      throw lineError(path, number, `a head line with a column of ${missing}, or none`, cells.join(", "));
    }
    return null;
  }

  // The cells of a line: as CSV where they are quoted so, else quotes belong to the names.
  function cellsOf(line) {
    const cells = line.split("\t");
    if (!cells.some((cell) => cell.startsWith('"'))) return cells;
    try {
      return new Csv("", "\t").line(0, line) ?? cells;
    } catch {
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
      const id = strip(cells[header ? header.ids : 0] ?? "");
      const names = uniqueNonempty(named.map((i) => cells[i]));
      if (!id || !names.length) throw lineError(path, number, "a non-empty id and a name", cells.join("\t"));
      for (const i of named) {
        filled[i] = (filled[i] ?? 0) + (strip(cells[i]) !== "");
        barred[i] = (barred[i] ?? 0) + cells[i].includes("|");
      }
      const before = concepts.get(id)?.names ?? [];
      concepts.set(id, { names: uniqueNonempty([...before, ...names]), alternatives: [] });
      rows += 1;
    };
    for await (const [number, line] of numberedLines(file)) {
      if (!strip(line)) continue;
      if (!begun && !line.includes("\t") && !line.startsWith("#")) {
        const others = "`benchlib score` reads other forms";
        throw new Refused(`${path}:${number}: this page reads \`id<TAB>name\`; ${others}`);
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
      const held = `${thousands(n)} of ${thousands(filled[column])} cells in column ${1 + column} of ${path}`;
      notes.push(`${held} hold \`|\`, each read as one name: where it separates names, say so (synonyms).`);
    });
    return new Ontology(path, concepts, notes);
  }

  async function readDictionary(file) {
    const kind = suffix(file.name);
    if (kind === ".jsonl") return readJsonLines(file);
    if ([".tsv", ".txt", ".gene_info"].includes(kind)) return readTable(file);
    const known = [".csv", ".obo", ".json", ".rrf", ".dmp"].includes(kind);
    const others = known ? `; \`benchlib score\` reads ${kind}` : "";
    const expected = "a dictionary as .tsv, .txt or .jsonl (each also with .gz)";
    throw new Refused(`${file.name}: expected ${expected}${others}`);
  }

  return { readDictionary, spellsNil, partNil };
});
