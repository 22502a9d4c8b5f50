// Predictions for the mentions of a corpus as benchlib/formats/predictions.py reads them: spans, candidates,
// lists, warnings and refusals.
Benchlib.part("predictions", (Benchlib) => {
  "use strict";
  const { Refused, repr, fold, strip } = Benchlib.text;
  const { Distinct, readRows } = Benchlib.columns;
  const { spellsNil, partNil } = Benchlib.dictionaries;

  const keyOf = (span) => span.join("\0");
  const listed = (items) => items.slice(0, 3).join(", ") + (items.length > 3 ? ", ..." : "");
  function tuple(items) {
    const shown = items.map((item) => (Array.isArray(item) ? tuple(item) : repr(item)));
    return `(${shown.join(", ")}${items.length === 1 ? "," : ""})`;
  }

  // Refuse the rows of which `isWrong` is true, with the spans nearest to the first of these.
  function refuseRows(rows, isWrong, expected, spans = []) {
    const wrong = rows.where(isWrong);
    if (!wrong.length) return;
    const shown = Array.from(wrong.subarray(0, 3), (i) => {
      const [name, ids] = rows.candidates.values[rows.candidate[i]];
      return `${rows.line[i]} ${tuple([...rows.spanOf(i), rows.part[i], name, ids])}`;
    });
    const [document, start] = rows.spanOf(wrong[0]);
    const nearer = (a, b) =>
      (a[0] !== document) - (b[0] !== document) || Math.abs(a[1] - start) - Math.abs(b[1] - start);
    const near = [...spans].sort(nearer).slice(0, 4);
    const such = near.length ? `, such as ${listed(near.map((span) => tuple(span.slice(0, 3))))}` : "";
    const found = `${wrong.length} rows without: ${shown.join("; ")}`;
    throw Refused.at(rows.path, rows.line[wrong[0]], expected + such, found);
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
        columns.span.push(spans.of(keyOf(place), () => place));
        columns.candidate.push(candidates.of(rows.candidate[i], () => values[rows.candidate[i]]));
      }),
    );
    for (const name in columns) if (rows[name]) rows[name] = rows[name].constructor.from(columns[name]);
    Object.assign(rows, { spans, candidates });
  }

  function decimalDocuments(rows, corpus, warnRows) {
    const whole = (id) => (corpus.ids.has(id) ? id : id.replace(/\.0$/, ""));
    const documents = rows.spans.values.map(([id]) => (corpus.ids.has(whole(id)) ? whole(id) : id));
    const isOther = (i) => documents[rows.span[i]] !== rows.spanOf(i)[0];
    if (warnRows("rows whose document is a decimal number, read as a whole one", isOther)) {
      respan(rows, (i) => [[documents[rows.span[i]], ...rows.spanOf(i).slice(1)]]);
    }
  }

  // How often a value is among these.
  function counter(values) {
    const counts = new Map();
    for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
    return (value) => counts.get(value) ?? 0;
  }

  // Leave out rows that repeat one whose offsets are those of several mentions of the file.
  function answeredOnce(rows, corpus, warnRows) {
    const [times, seen] = [counter(corpus.mentions.map(({ key }) => key)), new Set()];
    const shared = rows.spans.values.map((span) => {
      const moved = (corpus.moved.get(keyOf(span)) ?? []).map((at) => times(keyOf(at)));
      return times(keyOf(span)) > 1 || moved.reduce((a, b) => a + b, 0) > 1;
    });
    const again = Uint8Array.from(rows.span, (span, i) => {
      if (!shared[span]) return 0;
      const row = [span, rows.part[i], rows.candidate[i], rows.rank?.[i], rows.score?.[i]].join();
      return seen.has(row) || !seen.add(row);
    });
    const what = "rows of mentions with the same offsets that repeat another, left out";
    if (warnRows(what, (i) => again[i])) respan(rows, (i) => (again[i] ? [] : [rows.spanOf(i)]));
  }

  function atMentions(rows, corpus, warnRows) {
    if (!corpus.moved.size) return;
    const [spans, { name }] = [rows.spans.values, corpus];
    const text = (span) => corpus.parts.get(keyOf(span))?.[4];
    const byFile = spans.map((span) => corpus.moved.get(keyOf(span)) ?? [span]);
    const byCorpus = spans.map((span, i) => (text(span) === undefined ? byFile[i] : [span]));
    // Of each document, how many spans either way explains.
    const isMention = (span) => text(span) !== undefined;
    const forFile = counter(spans.filter((_, i) => byFile[i].some(isMention)).map(([id]) => id));
    const forCorpus = counter(spans.filter(isMention).map(([id]) => id));
    const at = spans.map(([id], i) => (forFile(id) > forCorpus(id) ? byFile : byCorpus)[i]);
    const several = at.map((places) => new Set(places.map(text)).size > 1);
    const expected = `offsets as in ${name}, where several passages have a mention at these offsets`;
    refuseRows(rows, (i) => several[rows.span[i]], expected, corpus.parts.values());
    if (!rows.span.some((span) => at[span].length)) {
      const rest = `${rows.line.length} rows of mentions that are left out`;
      throw Refused.at(rows.path, rows.line[0], `mentions of ${name} that count`, rest);
    }
    const changed = at.map((places, i) => places.some((place) => keyOf(place) !== keyOf(spans[i])));
    warnRows(`rows of mentions that ${name} leaves out`, (i) => !at[rows.span[i]].length);
    warnRows(`rows of mentions that ${name} has elsewhere, moved there`, (i) => changed[rows.span[i]]);
    respan(rows, (i) => at[rows.span[i]]);
  }

  // ---------- candidates
  function candidateOf([name, printed], ontology) {
    let [ids, nil] = partNil(printed, ontology);
    if (!ids.length && !nil.length) {
      ids = ontology.owners.get(fold(name)) ?? [];
      nil = name && !ids.length && spellsNil(strip(name)) ? [name] : [];
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
    const warn = (what, items, n = items.length) => {
      if (n) warnings.push(`${rows.path}: ${n} ${what}: ${listed(items)}`);
    };
    // Gives how many rows these are.
    const warnRows = (what, of, shown = (i) => rows.line[i]) => {
      const places = rows.where(of);
      warn(what, Array.from(places.subarray(0, 4), shown), places.length);
      return places.length;
    };
    const unread = [...rows.unread].map((name) => repr(name, true).slice(1, -1));
    warn("columns that are not read", unread);
    decimalDocuments(rows, corpus, warnRows);
    answeredOnce(rows, corpus, warnRows);
    atMentions(rows, corpus, warnRows);

    const [queries, spans] = [new Distinct(), rows.spans.values];
    const query = rows.span.map((span, i) =>
      queries.of(span + rows.part[i] * spans.length, () => [span, rows.part[i]]),
    );
    const parts = spans.map((span) => corpus.parts.get(keyOf(span))?.[3]);
    const isElsewhere = (i) => !corpus.ids.has(rows.spanOf(i)[0]);
    refuseRows(rows, isElsewhere, `documents of ${corpus.name}, such as ${listed([...corpus.ids])}`);
    const isUnknown = (i) => parts[rows.span[i]] === undefined;
    refuseRows(rows, isUnknown, `spans of mentions of ${corpus.name}`, corpus.parts.values());
    const candidates = rows.candidates.values.map((printed) => candidateOf(printed, ontology));

    const lists = queries.values.map(() => []); // of rows
    const rank = query.map((q, i) => lists[q].push(i));
    if (!rows.score && !rows.rank) {
      const what = "rows without rank or score, ranked in the order of the file";
      warnRows(what, (i) => lists[query[i]].length > 1);
      rows.rank = Float64Array.from(rank);
    }
    const score = rows.score ?? rows.rank.map((place) => -place);
    if (rows.rank && rows.score) {
      const higher = rising(query, rows.rank, score);
      warnRows("rows that score higher than a row ranked before them (the score decides)", (i) => higher[i]);
    }

    // Each list in descending order, equal scores as in the file; a candidate that it has is not added again.
    const [sets, repeated] = [new Distinct(), new Uint8Array(query.length)];
    const same = candidates.map(({ name, ids }) => {
      const distinct = [...new Set(ids)].sort();
      return sets.of(`${fold(name)}\0${distinct.length}\0${distinct.join("\0")}`, () => 0);
    });
    const sorted = (list) => list.sort((a, b) => score[b] - score[a]);
    for (const list of best ? lists.map(sorted) : lists) {
      const seen = new Set();
      for (const i of list) {
        repeated[i] = seen.has(same[rows.candidate[i]]);
        seen.add(same[rows.candidate[i]]);
      }
    }
    const isRepeated = (i) => repeated[i];
    if (!best) refuseRows(rows, isRepeated, 'each candidate once in a list (or duplicates="best")');
    warnRows("rows of a candidate that has a better one in its list, left out", isRepeated);
    const odd = [
      ["with a spelling of NIL, read as NIL (beside an id left out)", (c) => c.nil],
      [`with ids outside ${ontology.name}`, (c) => listed(c.ids.filter((id) => !ontology.has(id)))],
      [`with neither ids nor a name of ${ontology.name}`, (c) => (c.ids.length ? "" : c.name)],
    ];
    for (const [what, of] of odd) {
      const texts = candidates.map(of);
      const text = (i) => texts[rows.candidate[i]];
      warnRows(`rows ${what}`, text, (i) => `${rows.line[i]} (${text(i)})`);
    }
    const answered = new Set(
      queries.values.filter(([, part]) => !part).map(([span]) => spans[span].join("\0")),
    );
    const unanswered = corpus.mentions.filter(({ key }) => !answered.has(key));
    const told = unanswered.map(({ document, start, end }) => tuple([document, start, end]));
    warn("mentions without an answer (part 0)", told);
    const beyond = "rows of a part that their mention does not have, which count in no score";
    warnRows(beyond, (i) => rows.part[i] > parts[rows.span[i]]);

    const keys = queries.values.map(([span, part]) => [...spans[span], part].join("\0"));
    const kept = lists.map((list) => sorted(list).filter((i) => !repeated[i]));
    const byQuery = new Map(keys.map((key, q) => [key, kept[q]]));
    return { lists: byQuery, candidate: rows.candidate, score, candidates, warnings };
  }

  return { readPredictions };
});
