// Predictions scored as benchlib.evaluate and benchlib.compare do without training mentions, with intervals.
Benchlib.part("scoring", (Benchlib) => {
  "use strict";
  const { Refused, floatRepr } = Benchlib.text;
  const { resampledMeans, interval, paired } = Benchlib.statistics;
  const { NAMES, CONCEPTS, outcomesOf, strataOf } = Benchlib.outcomes;
  const { KS, REFINED, PRESETS, GRID, scoringOf, recall, reciprocal } = Benchlib.protocols;
  const { clustersOf } = Benchlib.clusters;

  const total = (column) => column.reduce((a, b) => a + b, 0);
  const orNull = (value) => (Number.isFinite(value) ? value : null);
  const countsNil = ({ scoring }) => scoringOf(scoring).withNil;
  const calledNil = ({ topScore }) => topScore === -Infinity;

  function documentsOf(outcomes) {
    const documents = [...new Set(outcomes.map(({ mention }) => mention.document))];
    return Int32Array.from(outcomes, ({ mention }) => documents.indexOf(mention.document));
  }

  class Evaluation {
    constructor(predictions, corpus, ontology) {
      Object.assign(this, { predictions, corpus });
      if (!corpus.mentions.length) {
        throw new Refused(`corpus ${corpus.name} has no mentions: there is nothing to score`);
      }
      this.outcomes = outcomesOf(predictions, corpus, ontology);
      this.strata = strataOf(corpus, ontology);
      this.scored = this.outcomes.map((_, i) => i).filter((i) => !this.outcomes[i].nil);
      if (!this.scored.length) {
        throw new Refused(`${corpus.name}: expected a mention whose gold is a concept, found none`);
      }
      this.clusters = clustersOf(this.scored.map((i) => corpus.mentions[i]));
      // Without dev only mentions with the answer NIL, or none, are called NIL, where the linker has that answer.
      this.answersNil = predictions.candidates.some(({ name, ids }) => !name && !ids.length);
      this.depth = [...predictions.lists.values()].reduce((most, rows) => Math.max(most, rows.length), 0);
      this.ofOne =
        this.depth <= 1 && predictions.candidates.every(({ ids }) => ontology.conceptsOf(ids).length <= 1);
      const outside = (i) => !corpus.mentions[i].gold.parts.flat().some((id) => ontology.has(id));
      this.counts = {
        n_raw: corpus.mentions.length + total([...corpus.dropped.values()]),
        dropped: { ...Object.fromEntries(corpus.dropped), nil: this.outcomes.length - this.scored.length },
        n_scored: this.scored.length,
        gold_outside_ontology: this.scored.filter(outside).length,
        unanswered: this.scored.filter((i) => !this.outcomes[i].first).length,
      };
    }

    // The credits of a measure, the mask of the mentions that its protocol averages, and their clusters.
    credits(measure, text) {
      const scoring = scoringOf(text);
      const k = Number(measure.slice("recall@".length));
      const of = (outcome) =>
        measure === "mrr" ? reciprocal(outcome, scoring) : recall(outcome, k, scoring);
      const listed = ({ any, parts }) => [{ any }, ...parts].some((part) => part.any.above[NAMES] >= 0);
      const counts = (i) =>
        !(scoring.composite === "no-composites" && this.strata[i].composite) &&
        !(scoring.among === "reachable" && !this.strata[i].reachable) &&
        !(scoring.among === "normalized" && !listed(this.outcomes[i])) &&
        !(scoring.refined && !this.strata[i].refined);
      const worth = (one) =>
        scoring.withNil && (one.nil || calledNil(one)) ? Number(one.nil && calledNil(one)) : of(one);
      const asked = scoring.withNil ? this.outcomes.map((_, i) => i) : this.scored;
      return {
        values: Float64Array.from(asked, (i) => worth(this.outcomes[i])),
        counted: Uint8Array.from(asked, (i) => this.outcomes[i].nil || counts(i)),
        clusters: scoring.withNil ? documentsOf(this.outcomes) : this.clusters,
      };
    }

    // {value, low, high, n} of several credits of the same clusters, all on the same resamples.
    estimates(several, clusters = this.clusters) {
      const columns = several.flatMap(({ values, counted }) => [
        values.map((value, i) => value * counted[i]),
        counted,
      ]);
      const means = resampledMeans(columns, clusters);
      return several.map((_, i) => {
        const [sum, n] = columns.slice(2 * i, 2 * i + 2).map(total);
        const { low, high } = interval(means[2 * i].map((mean, sample) => mean / means[2 * i + 1][sample]));
        return { value: orNull(sum / n), low: orNull(low), high: orNull(high), n };
      });
    }

    // Rows without what needs lists of several concepts, where every list is of one; notes on short lists.
    shortened(rows) {
      for (const row of rows) {
        const k = Number(row.measure.slice("recall@".length));
        if (row.scoring.includes("/votes/") && this.depth > 1 && this.depth < 15)
          row.note = `up to ${this.depth} votes, 15 in the paper`;
        if (k > this.depth && row.n) row.note = `lists of up to ${this.depth}`;
        if (!this.ofOne) continue;
        if (k > 1) {
          for (const name of ["value", "low", "high", "worst", "best"]) if (name in row) row[name] = null;
          row.note = "lists of one";
        }
        if (row.scoring.includes("/normalized")) row.note = "lists of one: always 100 %";
      }
      return rows;
    }

    rows(asked) {
      const credits = asked.map(({ measure, scoring }) => this.credits(measure, scoring));
      const estimates = this.estimates(credits, credits[0].clusters);
      return this.shortened(asked.map((row, i) => ({ ...row, ...estimates[i] })));
    }

    published() {
      const asked = PRESETS.flatMap(([protocol, scoring, measures, bounds]) =>
        measures.map((measure) => {
          const [worst, best] = (bounds ?? []).map((match) => {
            const { values } = this.credits(measure, scoring.replace("strict", match));
            return total(values) / values.length;
          });
          return { protocol, measure, scoring, ...(bounds ? { worst, best } : {}) };
        }),
      ).filter(({ protocol }) => protocol !== REFINED);
      const [plain, withNil] = [false, true].map((nil) => asked.filter((row) => countsNil(row) === nil));
      const note = "needs predictions for a dev with NIL";
      const without = this.nil() ? withNil.map((row) => ({ ...row, n: 0, note })) : [];
      return [...this.rows(plain), ...(this.answersNil ? this.rows(withNil) : this.shortened(without))];
    }

    grid() {
      return this.rows(
        GRID.flatMap((scoring) => {
          const rank = scoring.endsWith("any-of") ? ["mrr"] : [];
          return [...KS.map((k) => `recall@${k}`), ...rank].map((measure) => ({ measure, scoring }));
        }),
      );
    }

    kinds() {
      const right = this.credits("recall@1", "strict/concepts/any-of").values;
      const above = this.scored.map((i) => this.outcomes[i].any.above[NAMES]);
      const listed = right.map((_, at) => Number(above[at] >= 0));
      const kinds = this.scored.map((i) => this.strata[i]);
      const asked = [["all", "", () => true]];
      for (const kind of ["no name", "several concepts", "abbreviation", "composite", "reachable"]) {
        for (const is of ["yes", "no"]) asked.push([kind, is, (strata) => strata[kind] === (is === "yes")]);
      }
      for (const kind of ["words", "type"]) {
        const values = new Set(kinds.map((strata) => strata[kind]));
        for (const is of [...values].sort()) asked.push([kind, is, (strata) => strata[kind] === is]);
      }
      const rows = asked
        .map(([kind, is, of]) => ({ kind, is, counted: Uint8Array.from(kinds, of) }))
        .filter(({ counted }) => counted.includes(1));
      const estimates = this.estimates(rows.map(({ counted }) => ({ values: right, counted })));
      return rows.map(({ kind, is, counted }, i) => {
        const mean = (of) => total(right.map((_, at) => counted[at] * of(at))) / estimates[i].n;
        const [notListed, misranked] = [mean((at) => 1 - listed[at]), mean((at) => listed[at] - right[at])];
        return { kind, is, ...estimates[i], not_listed: notListed, misranked };
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
      const found = { n: among.length, n_nil: n, n_unlinkable: others, prevalence: n / among.length, aupr };
      if (!this.answersNil) return found;
      const called = among.filter(calledNil).map((one) => one.nil);
      const hits = total(called);
      const [precision, f1] = [called.length && hits / called.length, (2 * hits) / (called.length + n)];
      return { ...found, threshold: "-inf", n_called: called.length, precision, recall: hits / n, f1 };
    }

    // This minus another under the main measure of each published protocol, with p after Holm over the
    // different scorings.
    against(other) {
      const known = new Map();
      const both = this.answersNil || other.answersNil;
      const presets = PRESETS.filter(
        ([protocol, scoring]) => protocol !== REFINED && (both || !countsNil({ scoring })),
      );
      for (const [, scoring, [measure]] of presets) {
        if (!known.has(scoring)) {
          const [a, b] = [this, other].map((one) => one.credits(measure, scoring));
          const counted = a.counted.map((of, i) => of * b.counted[i]);
          const { difference, ...more } = paired(a.values, b.values, a.clusters, counted);
          known.set(scoring, { value: difference, ...more, n: total(counted), p_holm: null });
        }
      }
      const tested = [...known.values()].filter((row) => !Number.isNaN(row.p)).sort((a, b) => a.p - b.p);
      let running = 0;
      tested.forEach((row, rank) => {
        running = Math.max(running, Math.min(1, row.p * (tested.length - rank)));
        row.p_holm = running;
      });
      for (const row of known.values()) for (const name in row) if (Number.isNaN(row[name])) row[name] = null;
      return presets.map(([protocol, scoring, [measure]]) => ({ protocol, measure, ...known.get(scoring) }));
    }

    // One row a mention, as benchlib.scoring.per_mention; what needs training mentions is empty.
    mentionsCsv() {
      const protocols = ["strict/concepts/any-of", "lenient/names/any-of"];
      const credits = protocols.map((text) => this.credits("recall@1", text).values);
      const kinds = Object.keys(this.strata[0]).filter((name) => name !== "type");
      let at = 0;
      const rows = this.outcomes.map(({ mention, first, nil, any }, i) => {
        const { document, start, end, text, type, gold } = mention;
        const { ids, name } = first?.candidate ?? { ids: [], name: "" };
        const answer = [ids.join("|"), name, first ? floatRepr(first.score) : ""];
        const above = nil ? -1 : any.above[CONCEPTS];
        const place = above < 0 ? ["", ""] : [above + 1, any.ties[CONCEPTS]];
        const worth = nil ? ["", ""] : credits.map((values) => floatRepr(values[at]));
        const of = kinds.map((kind) => (kind === "refined" ? null : this.strata[i][kind]));
        const shown = of.map((value) => ({ true: "True", false: "False", null: "" })[value] ?? value);
        at += !nil;
        const printed = gold.printed || gold.parts.map((part) => part.join("|")).join("+");
        return [document, start, end, text, type, printed, ...answer, ...place, ...worth, ...shown];
      });
      const head = "document,start,end,text,type,gold,answer,name,score,rank,tied,strict,lenient".split(",");
      const quoted = (cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : String(cell));
      return [[...head, ...kinds], ...rows].map((row) => `${row.map(quoted).join(",")}\n`).join("");
    }
  }

  return { Evaluation };
});
