// Predictions scored as benchlib.evaluate and benchlib.compare do without training mentions: where the gold is in
// each list (outcomes.py), every protocol from that (ranking.py, denominator.py), with intervals.
Benchlib.part("scoring", (Benchlib) => {
  "use strict";
  const { Refused, fold, words, floatRepr } = Benchlib.text;
  const { resampledMeans, interval, paired } = Benchlib.statistics;
  const ORDERS = ["names", "rows", "concepts", "votes"];
  const [NAMES, ROWS, CONCEPTS, VOTES] = [0, 1, 2, 3];
  const NEIGHBOURS = 15; // that vote
  const KS = [1, 3, 5, 10, 64];

  // ---------- protocols: strings as benchlib.scoring.Scoring prints them
  function scoringOf(text) {
    const [match, over, gold, ...more] = text.split("/");
    const chosen = (...values) => values.find((value) => more.includes(value));
    return {
      text, match, over, gold,
      composite: chosen("all-parts", "any-part", "no-composites"),
      among: chosen("reachable", "normalized"),
      refined: more.includes("refined"),
    };
  }
  const PRESETS = [
    ["biosyn-sapbert", "lenient/names/any-of/all-parts", ["recall@1", "recall@5"]],
    ["sapbert-unmerged", "strict/names/any-of", ["recall@1", "recall@5"], ["pessimistic", "optimistic"]],
    ["krissbert", "strict/concepts/any-of", ["recall@1", "recall@5"]],
    ["belb-strict", "unique/concepts/any-of", ["recall@1"]],
    ["belb-standard", "strict/concepts/any-of", ["recall@1"]],
    ["belb-lenient", "lenient/concepts/any-of", ["recall@1"]],
    ["dual-encoder", "strict/concepts/any-of/no-composites", ["recall@1", "mrr", "recall@10"]],
    ["dual-encoder-normalized", "strict/concepts/any-of/no-composites/normalized", ["recall@1", "mrr"]],
    ["cosines", "lenient/names/any-of", ["recall@1", "recall@3", "recall@5"]],
    ["cosines-refined", "lenient/names/any-of/refined", ["recall@1", "recall@3", "recall@5"]],
    ["pel", "strict/concepts/any-of", ["recall@1", "recall@64"]],
    ["biocom", "lenient/votes/any-of/reachable", ["recall@1"]],
  ];
  const GRID = ["strict", "pessimistic", "lenient"].flatMap((match) => ["names", "concepts"].flatMap((over) => (
    ["any-of", "all-of"].map((gold) => `${match}/${over}/${gold}`))));

  // ---------- outcomes: {above, ties, golds, needed}, the first three by ORDERS, of each question to a list
  function places(list, gold) {
    const found = { above: [-1, -1, -1, -1], ties: [0, 0, 0, 0], golds: [0, 0, 0, 0], needed: 1, best: -Infinity };
    const golds = (entry) => entry.owners.reduce((n, concept) => n + gold.has(concept), 0);
    const first = list ? list.given.find((entry) => golds(entry)) : null;
    if (!first) return found;
    found.best = first.score;
    found.above.fill(0);
    const add = (order, comparison, size, hits) => {
      if (comparison > 0) found.above[order] += size;
      if (comparison === 0) [found.ties[order], found.golds[order]] = [found.ties[order] + size, found.golds[order] + hits];
    };
    const seen = new Set();
    for (const entry of list.given) {
      const comparison = Math.sign(entry.score - found.best);
      if (comparison < 0) break;
      const nil = entry.owners.length ? 0 : 1; // takes a place as a concept does
      const fresh = entry.owners.filter((concept) => !seen.has(concept));
      fresh.forEach((concept) => seen.add(concept));
      add(ROWS, comparison, entry.owners.length + nil, golds(entry));
      add(CONCEPTS, comparison, fresh.length + nil, fresh.reduce((n, concept) => n + gold.has(concept), 0));
    }
    for (const entry of list.named) {
      add(NAMES, Math.sign(entry.score - found.best), 1, golds(entry) ? 1 : 0);
    }
    // Sets of concepts by how many of the nearest names have them, then by the best of these.
    const votes = new Map();
    const last = list.named.length > NEIGHBOURS ? list.named[NEIGHBOURS - 1].score : -Infinity;
    for (const entry of list.named) {
      if (entry.score < last) break;
      const label = entry.label;
      if (!votes.has(label)) votes.set(label, { n: 0, score: entry.score, gold: golds(entry) > 0 });
      votes.get(label).n += 1;
    }
    const sets = [...votes.values()];
    const order = (a, b) => Math.sign(a.n - b.n) || Math.sign(a.score - b.score);
    const best = sets.filter((set) => set.gold).reduce((a, b) => (a && order(a, b) >= 0 ? a : b), null);
    if (best) sets.forEach((set) => add(VOTES, order(set, best), 1, set.gold ? 1 : 0));
    else found.above[VOTES] = -1;
    return found;
  }

  // All sets are wanted: as good as the worst of them; those that share its place are needed together.
  function allOf(list, sets) {
    const each = sets.map((set) => places(list, set));
    const worst = Math.min(...each.map((one) => one.best));
    const decisive = each.filter((one) => one.best === worst);
    const golds = ORDERS.map((_, order) => decisive.reduce((n, one) => n + one.golds[order], 0));
    return { ...decisive.at(-1), golds, needed: decisive.length };
  }

  function outcomesOf(predictions, corpus, ontology) {
    const codes = new Map();
    const code = (id) => {
      if (!codes.has(id)) codes.set(id, codes.size);
      return codes.get(id);
    };
    const codesOf = (ids) => ontology.conceptsOf(ids).map(code);
    const { candidates, start, candidate, score } = predictions;
    const owners = candidates.map(({ ids }) => codesOf(ids));
    const names = candidates.map(({ name }) => fold(name));
    const label = (concepts) => [...concepts].sort((a, b) => a - b).join();
    const labels = owners.map(label);

    // The rows of a list that have one name and one score are one, with the concepts of all.
    function merged(given) {
      const rows = new Map();
      given.forEach((entry, i) => {
        const key = entry.name ? `${entry.score}\0${entry.name}` : i;
        if (rows.has(key)) rows.get(key).push(entry);
        else rows.set(key, [entry]);
      });
      if (rows.size === given.length) return given;
      return [...rows.values()].map((several) => {
        if (several.length === 1) return several[0];
        const concepts = [...new Set(several.flatMap((entry) => entry.owners))];
        return { score: several[0].score, owners: concepts, label: label(concepts) };
      });
    }
    function listOf(key, part) {
      const q = predictions.lists.get(`${key}\0${part}`);
      if (q === undefined) return null;
      const given = [];
      for (let i = start[q]; i < start[q + 1]; i++) {
        const c = candidate[i];
        given.push({ score: score[i], owners: owners[c], name: names[c], label: labels[c], candidate: candidates[c] });
      }
      return { given, named: merged(given) };
    }
    return corpus.mentions.map((mention) => {
      const list = listOf(mention.key, 0);
      const tied = list ? list.given.filter((entry) => entry.score === list.given[0].score) : [];
      const known = tied.some(({ candidate: { name, ids } }) => (ids.length ? ids[0] : name) !== "");
      const top = { topScore: known ? tied[0].score : -Infinity, first: list && list.given[0] };
      const parts = mention.gold.parts.map((part) => codesOf(part));
      const nil = !parts.length;
      if (nil) return { mention, nil, ...top };
      const gold = new Set(parts.flat());
      const own = parts.map((part) => new Set(part));
      const distinct = [...new Map(parts.map((part, i) => [part.join(), own[i]])).values()];
      const lists = parts.length > 1 ? parts.map((_, i) => listOf(mention.key, i + 1)) : [];
      return {
        mention, nil, ...top,
        any: places(list, gold),
        all: parts.length > 1 ? allOf(list, distinct) : null,
        parts: lists.some(Boolean) ? lists.map((each, i) => ({ any: places(each, gold), own: places(each, own[i]) })) : [],
      };
    });
  }

  // ---------- credits
  // C(a, n) / C(b, n), both of them small.
  function chance(a, b, n) {
    let ratio = 1;
    for (let i = 0; i < n; i++) ratio *= Math.max(0, a - i) / (b - i);
    return ratio;
  }
  const sure = ({ match, over }) => match === "optimistic" || (match === "lenient" && over === "concepts");
  const orderOf = ({ match, over }) => ORDERS.indexOf(over === "names" && match !== "lenient" ? "rows" : over);

  // The chance that the first k hold the golds wanted of a tie.
  function reached(scoring, k, line) {
    const order = orderOf(scoring);
    const [above, ties, golds, { needed }] = [line.above[order], line.ties[order], line.golds[order], line];
    const left = k - above;
    if (above < 0 || left <= 0) return 0;
    if (scoring.match === "unique") return Number(ties === 1);
    if (left >= ties) return 1;
    if (sure(scoring)) return Number(left >= needed);
    if (scoring.match === "pessimistic") return Number(needed === 1 && left >= ties - golds + 1);
    if (needed === 1) return 1 - chance(ties - golds, ties, left);
    return left >= needed ? chance(left, ties, needed) : 0;
  }

  function recall(outcome, k, scoring) {
    const all = scoring.gold === "all-of";
    if (["all-parts", "any-part"].includes(scoring.composite) && outcome.parts.length) {
      const hits = outcome.parts.map((part) => reached(scoring, k, all ? part.own : part.any));
      if (scoring.composite === "all-parts") return hits.reduce((a, b) => a * b, 1);
      return 1 - hits.reduce((a, b) => a * (1 - b), 1);
    }
    return reached(scoring, k, (all && outcome.all) || outcome.any);
  }

  function reciprocal({ any }, scoring) {
    const order = orderOf(scoring);
    const [above, ties, golds] = [any.above[order], any.ties[order], any.golds[order]];
    if (above < 0 || (scoring.match === "unique" && ties > 1)) return 0;
    if (sure(scoring)) return 1 / (above + 1);
    if (scoring.match === "pessimistic") return 1 / (above + ties - golds + 1);
    let [total, weight] = [0, golds / ties]; // that the first of the golds is at place j of the tie
    for (let j = 1; j <= ties - golds + 1; j++) {
      total += weight / (above + j);
      weight *= (ties - j - golds + 1) / (ties - j);
    }
    return total;
  }

  // ---------- kinds of mentions, without training mentions
  function strataOf(corpus, ontology) {
    const [types, pairs] = [new Map(), new Set()];
    for (const { type } of corpus.mentions) types.set(type, (types.get(type) ?? 0) + 1);
    const kept = new Set([...types].sort(([, a], [, b]) => b - a).slice(0, 24).map(([type]) => type));
    return corpus.mentions.map(({ text, type, gold }) => {
      const name = fold(text);
      const matched = (ontology.owners.get(name) ?? []).length;
      const pair = `${name}\0${gold.printed}`;
      const refined = gold.parts.length > 0 && !pairs.has(pair);
      if (refined) pairs.add(pair);
      const short = [...text].length <= 10 && words(` ${text} `).join("") === text;
      return {
        "no name": matched === 0,
        "several concepts": matched > 1,
        "seen name": null,
        "seen concept": null,
        refined,
        abbreviation: short && (text.match(/\p{Uppercase}/gu) ?? []).length >= 2,
        composite: gold.parts.length > 1,
        reachable: ontology.conceptsOf(gold.parts.flat()).some((id) => ontology.concepts.get(id)?.names.length),
        nil: !gold.parts.length,
        words: ["1", "1", "2", "3", "4+"][Math.min(4, words(text).length)],
        frequency: null,
        type: kept.has(type) ? type : "other",
      };
    });
  }

  // ---------- a number below 2^31 for a document: half of its BLAKE2b of four bytes, which orders the resampling
  const IV = [0x6a09e667f3bcc908n, 0xbb67ae8584caa73bn, 0x3c6ef372fe94f82bn, 0xa54ff53a5f1d36f1n,
    0x510e527fade682d1n, 0x9b05688c2b3e6c1fn, 0x1f83d9abfb41bd6bn, 0x5be0cd19137e2179n];
  const SIGMA = ["0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8", "905724afe1bc683d",
    "2c6a0b834d75fe19", "c51fed4a0763928b", "db7ec13950f4862a", "6fe9b308c2d714a5", "a2847615fb9e3cd0"];
  const MIXED = ["048c", "159d", "26ae", "37bf", "05af", "16bc", "278d", "349e"]
    .map((four) => [...four].map((digit) => parseInt(digit, 16)));

  function blake2b(text) {
    const bytes = new TextEncoder().encode(text);
    const state = [...IV];
    state[0] ^= 0x01010004n;
    const turned = (value, by) => BigInt.asUintN(64, (value >> by) | (value << (64n - by)));
    const n = Math.max(1, Math.ceil(bytes.length / 128));
    for (let block = 0; block < n; block++) {
      const buffer = new Uint8Array(128);
      buffer.set(bytes.subarray(128 * block, 128 * (block + 1)));
      const input = new BigUint64Array(buffer.buffer);
      const v = [...state, ...IV];
      v[12] ^= BigInt(Math.min(bytes.length, 128 * (block + 1)));
      if (block === n - 1) v[14] = BigInt.asUintN(64, ~v[14]);
      for (let round = 0; round < 12; round++) {
        MIXED.forEach(([a, b, c, d], i) => [0, 1].forEach((half) => {
          const word = input[parseInt(SIGMA[round % 10][2 * i + half], 16)];
          v[a] = BigInt.asUintN(64, v[a] + v[b] + word);
          v[d] = turned(v[d] ^ v[a], half ? 16n : 32n);
          v[c] = BigInt.asUintN(64, v[c] + v[d]);
          v[b] = turned(v[b] ^ v[c], half ? 63n : 24n);
        }));
      }
      state.forEach((value, i) => { state[i] = value ^ v[i] ^ v[i + 8]; });
    }
    return new DataView(BigUint64Array.of(state[0]).buffer).getUint32(0) >>> 1;
  }

  function clustersOf(mentions) {
    const [numbers, taken] = [new Map(), new Set()];
    return Int32Array.from(mentions, ({ document }) => {
      if (!numbers.has(document)) {
        let number = blake2b(document);
        while (taken.has(number)) number = (number + 1) % 2 ** 31;
        taken.add(number);
        numbers.set(document, number);
      }
      return numbers.get(document);
    });
  }

  // ---------- tables
  const orNull = (value) => (Number.isFinite(value) ? value : null);

  class Evaluation {
    constructor(predictions, corpus, ontology) {
      Object.assign(this, { predictions, corpus });
      if (!corpus.mentions.length) throw new Refused(`corpus ${corpus.name} has no mentions: there is nothing to score`);
      this.outcomes = outcomesOf(predictions, corpus, ontology);
      this.strata = strataOf(corpus, ontology);
      this.scored = this.outcomes.map((_, i) => i).filter((i) => !this.outcomes[i].nil);
      this.clusters = clustersOf(this.scored.map((i) => corpus.mentions[i]));
      const lengths = predictions.start.map((end, q) => end - (q ? predictions.start[q - 1] : 0));
      this.ofOne = lengths.every((n) => n <= 1) && predictions.candidates.every(({ ids }) => ids.length <= 1);
      const outside = (i) => !corpus.mentions[i].gold.parts.flat().some((id) => ontology.has(id));
      this.counts = {
        n_raw: corpus.mentions.length + [...corpus.dropped.values()].reduce((a, b) => a + b, 0),
        dropped: { ...Object.fromEntries(corpus.dropped), nil: this.outcomes.length - this.scored.length },
        n_scored: this.scored.length,
        gold_outside_ontology: this.scored.filter(outside).length,
        unanswered: this.scored.filter((i) => !this.outcomes[i].first).length,
      };
    }

    // The credits of a measure, and the mask of the mentions that its protocol averages.
    credits(measure, text) {
      const scoring = scoringOf(text);
      const of = measure === "mrr" ? (one) => reciprocal(one, scoring) : (one) => recall(one, +measure.slice(7), scoring);
      const listed = ({ any, parts }) => [any, ...parts.map((part) => part.any)].some((line) => line.above[NAMES] >= 0);
      const counts = (i) => !(scoring.composite === "no-composites" && this.strata[i].composite)
        && !(scoring.among === "reachable" && !this.strata[i].reachable)
        && !(scoring.among === "normalized" && !listed(this.outcomes[i]))
        && !(scoring.refined && !this.strata[i].refined);
      return {
        values: Float64Array.from(this.scored, (i) => of(this.outcomes[i])),
        counted: Uint8Array.from(this.scored, counts),
      };
    }

    // {value, low, high, n} of several credits, all on the same resamples.
    estimates(several) {
      if (!this.scored.length) throw new Refused("no mention to average over");
      const columns = several.flatMap(({ values, counted }) => [values.map((v, i) => v * counted[i]), counted]);
      const means = resampledMeans(columns, this.clusters);
      return several.map((_, i) => {
        const [sum, n] = [columns[2 * i], columns[2 * i + 1]].map((column) => column.reduce((a, b) => a + b, 0));
        const { low, high } = interval(means[2 * i].map((mean, sample) => mean / means[2 * i + 1][sample]));
        return { value: orNull(sum / n), low: orNull(low), high: orNull(high), n };
      });
    }

    // Rows without what needs lists of several concepts, where every list is of one.
    shortened(rows) {
      for (const row of this.ofOne ? rows : []) {
        if (/^recall@(?!1$)/.test(row.measure)) {
          for (const name of ["value", "low", "high", "worst", "best"]) if (name in row) row[name] = null;
          row.note = "lists of one";
        }
        if (row.scoring.includes("/normalized")) row.note = "lists of one: always 100 %";
      }
      return rows;
    }

    published() {
      const asked = PRESETS.filter(([, scoring]) => !scoring.includes("refined")).flatMap(([protocol, scoring, measures, bounds]) => (
        measures.map((measure) => ({ protocol, measure, scoring, bounds }))));
      const found = this.estimates(asked.map(({ measure, scoring }) => this.credits(measure, scoring)));
      return this.shortened(asked.map(({ bounds, ...row }, i) => {
        const edges = (bounds ?? []).map((match) => {
          const { values } = this.credits(row.measure, row.scoring.replace("strict", match));
          return values.reduce((a, b) => a + b, 0) / values.length;
        });
        return { ...row, ...found[i], ...(bounds ? { worst: edges[0], best: edges[1] } : {}) };
      }));
    }

    grid() {
      const asked = GRID.flatMap((scoring) => [
        ...KS.map((k) => ({ measure: `recall@${k}`, scoring })),
        ...(scoring.endsWith("any-of") ? [{ measure: "mrr", scoring }] : []),
      ]);
      const found = this.estimates(asked.map(({ measure, scoring }) => this.credits(measure, scoring)));
      return this.shortened(asked.map((row, i) => ({ ...row, ...found[i] })));
    }

    kinds() {
      const right = this.credits("recall@1", "strict/concepts/any-of").values;
      const listed = this.scored.map((i, at) => Number(this.outcomes[i].any.above[NAMES] >= 0 || right[at] > 0));
      const kinds = this.scored.map((i) => this.strata[i]);
      const asked = [{ kind: "all", is: "", of: () => true }];
      for (const kind of ["no name", "several concepts", "abbreviation", "composite", "reachable"]) {
        for (const is of ["yes", "no"]) asked.push({ kind, is, of: (one) => one[kind] === (is === "yes") });
      }
      for (const kind of ["words", "type"]) {
        for (const is of [...new Set(kinds.map((one) => one[kind]))].sort()) asked.push({ kind, is, of: (one) => one[kind] === is });
      }
      const rows = asked.map((row) => ({ ...row, counted: Uint8Array.from(kinds, row.of) })).filter((row) => row.counted.includes(1));
      const found = this.estimates(rows.map(({ counted }) => ({ values: right, counted })));
      return rows.map(({ kind, is, counted }, i) => {
        const mean = (of) => right.reduce((sum, _, at) => sum + counted[at] * of(at), 0) / found[i].n;
        return {
          kind, is, ...found[i], not_listed: mean((at) => 1 - listed[at]), misranked: mean((at) => listed[at] - right[at]),
        };
      });
    }

    // How well the top score tells NIL mentions from those that can be linked; null without both.
    nil() {
      const among = this.outcomes.filter((one, i) => one.nil || this.strata[i].reachable);
      const n = among.filter((one) => one.nil).length;
      if (!n || n === among.length) return null;
      const sorted = among.sort((a, b) => (a.topScore < b.topScore ? -1 : Number(a.topScore > b.topScore)));
      let [aupr, right, before] = [0, 0, 0];
      sorted.forEach((one, i) => {
        right += one.nil;
        if (i + 1 < sorted.length && sorted[i + 1].topScore === one.topScore) return;
        aupr += ((right - before) / n) * (right / (i + 1));
        before = right;
      });
      const others = this.outcomes.length - among.length;
      return { n: among.length, n_nil: n, n_unlinkable: others, prevalence: n / among.length, aupr };
    }

    // This minus another under the main measure of each published protocol, with p after Holm.
    against(other) {
      const known = new Map();
      const rows = PRESETS.map(([protocol, scoring, [measure]]) => {
        if (!known.has(scoring)) {
          const [a, b] = [this, other].map((one) => one.credits(measure, scoring));
          const both = a.counted.map((counted, i) => counted * b.counted[i]);
          const { difference, ...more } = paired(a.values, b.values, this.clusters, { among: [both, both] });
          known.set(scoring, { value: difference, ...more, n: both.reduce((x, y) => x + y, 0) });
        }
        return { protocol, measure, ...known.get(scoring) };
      });
      const order = rows.map((row, i) => [Number.isNaN(row.p) ? 1 : row.p, i]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
      let running = 0;
      order.forEach(([p, i], rank) => {
        running = Math.max(running, Math.min(1, p * (rows.length - rank)));
        rows[i].p_holm = running;
      });
      for (const row of rows) for (const name in row) if (Number.isNaN(row[name])) row[name] = null;
      return rows.filter((row) => row.protocol !== "cosines-refined");
    }

    // One row a mention, as benchlib.scoring.per_mention; what needs training mentions is empty.
    mentionsCsv() {
      const credits = ["strict/concepts/any-of", "lenient/names/any-of"].map((text) => this.credits("recall@1", text).values);
      const kinds = Object.keys(this.strata[0] ?? {}).filter((name) => name !== "type");
      const lines = [["document", "start", "end", "text", "type", "gold", "answer", "name", "score", "rank", "tied",
        "strict", "lenient", ...kinds]];
      let at = 0;
      this.outcomes.forEach(({ mention, first, nil, any }, i) => {
        const { document, start, end, text, type, gold } = mention;
        const answer = first ? [first.candidate.ids.join("|"), first.candidate.name, floatRepr(first.score)] : ["", "", ""];
        const listed = !nil && any.above[CONCEPTS] >= 0 ? [any.above[CONCEPTS] + 1, any.ties[CONCEPTS]] : ["", ""];
        const worth = nil ? ["", ""] : credits.map((values) => floatRepr(values[at]));
        const of = kinds.map((name) => (name === "refined" ? null : this.strata[i][name]));
        const shown = of.map((value) => ({ true: "True", false: "False", null: "" })[value] ?? value);
        at += !nil;
        const printed = gold.printed || gold.parts.map((part) => part.join("|")).join("+");
        lines.push([document, start, end, text, type, printed, ...answer, ...listed, ...worth, ...shown]);
      });
      const quoted = (cell) => (/[",\r\n]/.test(cell) ? `"${String(cell).replaceAll('"', '""')}"` : String(cell));
      return lines.map((line) => `${line.map(quoted).join(",")}\n`).join("");
    }
  }

  return { Evaluation };
});

if (typeof module !== "undefined") module.exports = globalThis.Benchlib;
