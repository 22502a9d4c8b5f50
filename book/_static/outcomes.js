// Where the gold is in each list of candidates, as benchlib/scoring/outcomes.py has it, and of which kind a
// mention is (strata.py, without training mentions).
Benchlib.part("outcomes", (Benchlib) => {
  "use strict";
  const { fold, strip, length } = Benchlib.text;
  const ORDERS = [0, 1, 2, 3]; // as in ranking.js
  const [NAMES, ROWS, CONCEPTS, VOTES] = ORDERS;
  const NEIGHBOURS = 15; // that vote
  const MOST_TYPES = 24; // the rest are "other"

  // ---------- outcomes: {above, ties, golds, needed}, the first three by ORDERS, of each question to a list
  function places(list, gold) {
    const zeros = () => ORDERS.map(() => 0);
    const place = { above: zeros().fill(-1), ties: zeros(), golds: zeros(), needed: 1, best: -Infinity };
    const golds = (concepts) => concepts.filter((concept) => gold.has(concept)).length;
    const first = list?.rows.find(({ owners }) => golds(owners));
    if (!first) return place;
    place.best = first.score;
    place.above.fill(0);
    const add = (order, comparison, size, hits) => {
      if (comparison > 0) place.above[order] += size;
      place.ties[order] += comparison ? 0 : size;
      place.golds[order] += comparison ? 0 : hits;
    };
    const seen = new Set();
    for (const { score, owners } of list.rows) {
      const comparison = Math.sign(score - place.best);
      if (comparison < 0) break;
      const nil = Number(!owners.length); // takes a place as a concept does
      const fresh = owners.filter((concept) => !seen.has(concept));
      fresh.forEach((concept) => seen.add(concept));
      add(CONCEPTS, comparison, fresh.length + nil, golds(fresh));
    }
    for (const { score, owners } of list.named) {
      const comparison = Math.sign(score - place.best);
      add(NAMES, comparison, 1, golds(owners) ? 1 : 0);
      add(ROWS, comparison, owners.length || 1, golds(owners));
    }
    // Sets of concepts by how many of the nearest names have them, then by the best of these.
    const votes = new Map();
    const last = list.named.length > NEIGHBOURS ? list.named[NEIGHBOURS - 1].score : -Infinity;
    for (const { label, score, owners } of list.named.filter((entry) => entry.score >= last)) {
      if (!votes.has(label)) votes.set(label, { n: 0, score, gold: golds(owners) > 0 });
      votes.get(label).n += 1;
    }
    const sets = [...votes.values()];
    const order = (a, b) => Math.sign(a.n - b.n) || Math.sign(a.score - b.score);
    const best = sets.filter((set) => set.gold).reduce((a, b) => (a && order(a, b) >= 0 ? a : b), null);
    if (best) sets.forEach((set) => add(VOTES, order(set, best), 1, set.gold ? 1 : 0));
    else place.above[VOTES] = -1;
    return place;
  }

  // All sets are wanted: as good as the worst of them; those that share its place are needed together.
  function allOf(list, sets) {
    const each = sets.map((set) => places(list, set));
    const worst = Math.min(...each.map(({ best }) => best));
    const decisive = each.filter(({ best }) => best === worst);
    const golds = ORDERS.map((order) => decisive.reduce((n, set) => n + set.golds[order], 0));
    return { ...decisive.at(-1), golds, needed: decisive.length };
  }

  function outcomesOf(predictions, corpus, ontology) {
    const codes = new Map();
    const code = (id) => {
      if (!codes.has(id)) codes.set(id, codes.size);
      return codes.get(id);
    };
    const codesOf = (ids) => ontology.conceptsOf(ids).map(code);
    const { candidates, candidate, score } = predictions;
    const label = (concepts) => [...concepts].sort((a, b) => a - b).join();
    const entries = candidates.map((of) => {
      const owners = codesOf(of.ids);
      return { owners, name: fold(of.name), label: label(owners) || `?${of.name}`, candidate: of };
    });

    // The rows of a list that have one name and one score are one, with the concepts of all.
    function merged(list) {
      const rows = new Map();
      list.forEach((entry, i) => {
        const key = entry.name ? `${entry.score}\0${entry.name}` : i;
        if (rows.has(key)) rows.get(key).push(entry);
        else rows.set(key, [entry]);
      });
      if (rows.size === list.length) return list;
      return [...rows.values()].map((several) => {
        if (several.length === 1) return several[0];
        const owners = [...new Set(several.flatMap((entry) => entry.owners))];
        return { score: several[0].score, owners, label: label(owners) || several[0].label };
      });
    }
    function listOf(key, part) {
      const rows = predictions.lists.get(`${key}\0${part}`);
      if (!rows) return null;
      const listedRows = rows.map((i) => ({ score: score[i], ...entries[candidate[i]] }));
      return { rows: listedRows, named: merged(listedRows) };
    }
    return corpus.mentions.map((mention) => {
      const list = listOf(mention.key, 0);
      const tied = list ? list.rows.filter((entry) => entry.score === list.rows[0].score) : [];
      const given = tied.find(({ candidate: { name, ids } }) => (ids.length ? ids[0] : name) !== "");
      const top = { topScore: given ? tied[0].score : -Infinity, first: given ?? list?.rows[0] };
      const parts = mention.gold.parts.map((part) => codesOf(part));
      const nil = !parts.length;
      if (nil) return { mention, nil, ...top };
      const gold = new Set(parts.flat());
      const own = parts.map((part) => new Set(part));
      const distinct = [...new Map(parts.map((part, i) => [part.join(), own[i]])).values()];
      const judged = (each, i) => ({ any: places(each, gold), own: places(each, own[i]) });
      const lists = parts.length > 1 ? parts.map((_, i) => listOf(mention.key, i + 1)) : [];
      return {
        mention,
        nil,
        ...top,
        any: places(list, gold),
        all: parts.length > 1 ? allOf(list, distinct) : null,
        parts: lists.some(Boolean) ? lists.map(judged) : [],
      };
    });
  }

  // ---------- kinds of mentions
  function strataOf(corpus, ontology) {
    const [types, pairs] = [new Map(), new Set()];
    for (const { type } of corpus.mentions) types.set(type, (types.get(type) ?? 0) + 1);
    const named = (id) => ontology.concepts.get(id)?.names.length;
    const frequent = [...types].sort(([, a], [, b]) => b - a).slice(0, MOST_TYPES);
    const kept = new Set(frequent.map(([type]) => type));
    return corpus.mentions.map(({ text, type, gold }) => {
      const name = fold(text);
      const matched = (ontology.owners.get(name) ?? []).length;
      const pair = `${name}\0${gold.printed}`;
      const refined = gold.parts.length > 0 && !pairs.has(pair);
      if (refined) pairs.add(pair);
      const nWords = name ? name.split(" ").length : 0;
      const short = length(text) <= 10 && strip(text) === text && nWords < 2;
      return {
        "no name": matched === 0,
        "several concepts": matched > 1,
        "seen name": null,
        "seen concept": null,
        refined,
        abbreviation: short && (text.match(/\p{Uppercase}/gu) ?? []).length >= 2,
        composite: gold.parts.length > 1,
        reachable: ontology.conceptsOf(gold.parts.flat()).some(named),
        nil: !gold.parts.length,
        words: ["1", "1", "2", "3", "4+"][Math.min(4, nWords)],
        frequency: null,
        type: kept.has(type) ? type : "other",
      };
    });
  }

  return { NAMES, CONCEPTS, outcomesOf, strataOf };
});
