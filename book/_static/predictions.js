// Predictions for the mentions of a corpus as benchlib/formats/predictions.py reads them: spans, candidates,
// lists, warnings and refusals.
Benchlib.part("predictions", (Benchlib) => {
  "use strict";
  const { repr, tuple, listed, fold } = Benchlib.text;
  const { Distinct, readRows, refusal } = Benchlib.columns;
  const { spellsNil, partNil } = Benchlib.dictionaries;

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
    const near = [...spans]
      .sort(
        (a, b) =>
          (a[0] !== document) - (b[0] !== document) || Math.abs(a[1] - start) - Math.abs(b[1] - start),
      )
      .slice(0, 4);
    const such = near.length ? `, such as ${listed(near.map((span) => tuple(span.slice(0, 3))))}` : "";
    throw refusal(rows.path, rows.line[first], expected + such, `${n} rows without: ${shown.join("; ")}`);
  }

  // ---------- spans: those of the mentions of a corpus, wherever its reading has put them
  // Put rows at other spans: `places` gives those of a row, none where it is left out.
  function respan(rows, places) {
    const [spans, candidates, { values }] = [new Distinct(), new Distinct(), rows.candidates];
    const columns = { line: [], span: [], part: [], candidate: [], rank: [], score: [] };
    rows.line.forEach((_, i) =>
      places(i).forEach((place) => {
        for (const name of ["line", "part", "rank", "score"])
          if (rows[name]) columns[name].push(rows[name][i]);
        columns.span.push(spans.of(place.join("\0"), () => place));
        columns.candidate.push(candidates.of(rows.candidate[i], () => values[rows.candidate[i]]));
      }),
    );
    for (const name in columns) if (rows[name]) rows[name] = rows[name].constructor.from(columns[name]);
    Object.assign(rows, { spans, candidates });
  }

  function decimalDocuments(rows, corpus, warn) {
    const whole = ([id]) =>
      !corpus.ids.has(id) && id.endsWith(".0") && corpus.ids.has(id.slice(0, -2)) ? id.slice(0, -2) : null;
    const names = rows.spans.values.map(whole);
    const lines = rows.line.filter((_, i) => names[rows.span[i]] !== null);
    warn("rows whose document is a decimal number, read as a whole one", lines);
    const places = rows.spans.values.map(([id, ...at], i) => [[names[i] ?? id, ...at]]);
    if (lines.length) respan(rows, (i) => places[rows.span[i]]);
  }

  // Leave out rows that repeat one whose offsets are those of several mentions of the file.
  function answeredOnce(rows, corpus, warn) {
    const [spans, times, seen] = [rows.spans.values, new Map(), new Set()];
    for (const { key } of corpus.mentions) times.set(key, (times.get(key) ?? 0) + 1);
    const mentions = (span) => times.get(span.join("\0")) ?? 0;
    const moved = (span) => (corpus.moved.get(span.join("\0")) ?? []).reduce((n, at) => n + mentions(at), 0);
    const shared = spans.map((span) => Math.max(mentions(span), moved(span)) > 1);
    const again = Uint8Array.from(rows.span, (span, i) => {
      if (!shared[span]) return 0;
      const key = [span, rows.part[i], rows.candidate[i], rows.rank?.[i], rows.score?.[i]].join();
      return seen.size === seen.add(key).size;
    });
    const lines = rows.line.filter((_, i) => again[i]);
    warn("rows of mentions with the same offsets that repeat another, left out", lines);
    if (lines.length) respan(rows, (i) => (again[i] ? [] : [spans[rows.span[i]]]));
  }

  // Leave out rows that repeat one whose offsets are those of several mentions of the file.
  function answeredOnce(rows, corpus, warn) {
    const times = new Map();
    for (const { key } of corpus.mentions) times.set(key, (times.get(key) ?? 0) + 1);
    const there = (at) => at.reduce((n, span) => n + (times.get(span.join("\0")) ?? 0), 0);
    const moved = new Map([...corpus.moved].map(([key, at]) => [key, there(at)]));
    const shared = rows.spans.values
      .map((span) => span.join("\0"))
      .map((key) => Math.max(times.get(key) ?? 0, moved.get(key) ?? 0) > 1);
    const seen = new Set();
    const again = Uint8Array.from(rows.span, (span, i) => {
      if (!shared[span]) return 0;
      const row = [span, rows.part[i], rows.candidate[i], rows.rank?.[i], rows.score?.[i]].join();
      return seen.has(row) || !seen.add(row);
    });
    const repeated = rows.line.filter((_, i) => again[i]);
    warn("rows of mentions with the same offsets that repeat another, left out", repeated);
    for (const name of ["line", "span", "part", "candidate", "rank", "score"]) {
      if (rows[name]) rows[name] = rows[name].filter((_, i) => !again[i]);
    }
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
    refuseRows(
      rows,
      Uint8Array.from(rows.span, (span) => several[span]),
      expected,
      corpus.parts.values(),
    );
    if (!rows.span.some((span) => at[span].length)) {
      const rest = `${rows.line.length} rows of mentions that are left out`;
      throw refusal(rows.path, rows.line[0], `mentions of ${name} that count`, rest);
    }
    const changed = at.map((places, i) => places.some((place) => place.join("\0") !== spans[i].join("\0")));
    const [dropped, moved] = [(span) => !at[span].length, (span) => changed[span]].map((of) =>
      rows.line.filter((_, i) => of(rows.span[i])),
    );
    warn(`rows of mentions that ${name} leaves out`, dropped);
    warn(`rows of mentions that ${name} has elsewhere, moved there`, moved);
    respan(rows, (i) => at[rows.span[i]]);
  }

  // ---------- candidates
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
    const higher = new Uint8Array(query.length);
    for (let i = 1; i < order.length; i++) {
      const [a, b] = [order[i - 1], order[i]];
      if (query[a] === query[b] && score[b] > score[a]) higher[b] = 1;
    }
    return higher;
  }

  // Predictions for the mentions of a corpus: lists of candidates by query, best first, and warnings.
  async function readPredictions(file, corpus, ontology, best = false, progress = undefined) {
    const rows = await readRows(file, progress);
    const warnings = [];
    const warn = (what, items) => {
      if (items.length) warnings.push(`${rows.path}: ${items.length} ${what}: ${listed([...items])}`);
    };
    const lines = (mask) => rows.line.filter((_, i) => mask[i]);
    warn(
      "columns that are not read",
      [...rows.unread].map((name) => repr(name, true).slice(1, -1)),
    );
    decimalDocuments(rows, corpus, warn);
    answeredOnce(rows, corpus, warn);
    atMentions(rows, corpus, warn);

    const [queries, spans] = [new Distinct(), rows.spans.values];
    const query = rows.span.map((span, i) =>
      queries.of(span + rows.part[i] * spans.length, () => [span, rows.part[i]]),
    );
    const parts = spans.map((span) => corpus.parts.get(span.join("\0"))?.[3]);
    const unknown = Uint8Array.from(query, (q) => parts[queries.values[q][0]] === undefined);
    refuseRows(rows, unknown, `spans of mentions of ${corpus.name}`, corpus.parts.values());
    const candidates = rows.candidates.values.map((printed) => candidateOf(printed, ontology));

    const lists = queries.values.map(() => []); // of rows
    const rank = query.map((q, i) => lists[q].push(i));
    if (!rows.score && !rows.rank) {
      const several = rows.line.filter((_, i) => lists[query[i]].length > 1);
      warn("rows without rank or score, ranked in the order of the file", several);
      rows.rank = Float64Array.from(rank);
    }
    const score = rows.score ?? rows.rank.map((place) => -place);
    if (rows.rank && rows.score) {
      const higher = lines(rising(query, rows.rank, score));
      warn("rows that score higher than a row ranked before them (the score decides)", higher);
    }

    // Each list in descending order, equal scores as in the file; a candidate that it has is not added again.
    const [sets, repeated] = [new Distinct(), new Uint8Array(query.length)];
    const same = candidates.map(({ name, ids }) => {
      const distinct = [...new Set(ids)].sort();
      return sets.of(`${name}\0${distinct.length}\0${distinct.join("\0")}`, () => 0);
    });
    const sorted = (list) => list.sort((a, b) => score[b] - score[a]);
    for (const list of best ? lists.map(sorted) : lists) {
      const seen = new Set();
      for (const i of list) {
        repeated[i] = seen.has(same[rows.candidate[i]]);
        seen.add(same[rows.candidate[i]]);
      }
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
    warn(
      "mentions without an answer (part 0)",
      unanswered.map((m) => tuple([m.document, m.start, m.end])),
    );
    const beyond = queries.values.map(([span, part]) => part > parts[span]);
    warn(
      "rows of a part that their mention does not have, which count in no score",
      rows.line.filter((_, i) => beyond[query[i]]),
    );

    const keys = queries.values.map(([span, part]) => [...spans[span], part].join("\0"));
    const kept = lists.map((list) => sorted(list).filter((i) => !repeated[i]));
    const byQuery = new Map(keys.map((key, q) => [key, kept[q]]));
    return { lists: byQuery, candidate: rows.candidate, score, candidates, warnings };
  }

  return { readPredictions };
});
