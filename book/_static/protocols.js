// What counts as right, as strings that benchlib.scoring.Scoring prints, and what a mention counts under each
// (benchlib/scoring/presets.py, ranking.py).
Benchlib.part("protocols", (Benchlib) => {
  "use strict";
  const { orderOf, reached, sure } = Benchlib.ranking;
  const KS = [1, 3, 5, 10, 64];

  function scoringOf(text) {
    const [match, over, gold, ...more] = text.split("/");
    const chosen = (...values) => values.find((value) => more.includes(value));
    return {
      text,
      match,
      over,
      gold,
      composite: chosen("all-parts", "any-part", "no-composites"),
      among: chosen("reachable", "normalized"),
      refined: more.includes("refined"),
      withNil: more.includes("with-nil"),
    };
  }
  const REFINED = "cosines-refined"; // needs training mentions, but counts in Holm's correction
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
    [REFINED, "lenient/names/any-of/refined", ["recall@1", "recall@3", "recall@5"]],
    ["pel", "strict/concepts/any-of", ["recall@1", "recall@64"]],
    ["biocom", "lenient/votes/any-of/reachable", ["recall@1"]],
    ["pel-with-nil", "strict/concepts/any-of/reachable/with-nil", ["recall@1", "recall@64"]],
  ];
  const WANTED = ["names/any-of", "names/all-of", "concepts/any-of", "concepts/all-of"];
  const MATCHES = ["strict", "pessimistic", "lenient"];
  const GRID = MATCHES.flatMap((match) => WANTED.map((wanted) => `${match}/${wanted}`));

  // ---------- credits
  // An outcome in the order of a protocol.
  function inOrder({ above, ties, golds, needed }, scoring) {
    const order = orderOf(scoring);
    return { above: above[order], ties: ties[order], golds: golds[order], needed };
  }

  const atK = (scoring, k, line) => reached(scoring, k, inOrder(line, scoring));

  function recall(outcome, k, scoring) {
    const all = scoring.gold === "all-of";
    if (["all-parts", "any-part"].includes(scoring.composite) && outcome.parts.length) {
      const hits = outcome.parts.map((part) => atK(scoring, k, all ? part.own : part.any));
      if (scoring.composite === "all-parts") return hits.reduce((a, b) => a * b, 1);
      return 1 - hits.reduce((a, b) => a * (1 - b), 1);
    }
    return atK(scoring, k, (all && outcome.all) || outcome.any);
  }

  function reciprocal({ any }, scoring) {
    const { above, ties, golds } = inOrder(any, scoring);
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

  return { KS, REFINED, PRESETS, GRID, scoringOf, recall, reciprocal };
});
