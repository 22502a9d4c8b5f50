// The chance that the first k candidates hold the golds that are needed (benchlib/scoring/ranking.py): `above`
// candidates rank before a tie of `ties`, `golds` of them gold; `above` is negative where no gold is listed.
Benchlib.part("ranking", () => {
  "use strict";

  // C(a, n) / C(b, n), both of them small.
  function chance(a, b, n) {
    let ratio = 1;
    for (let i = 0; i < n; i++) ratio *= Math.max(0, a - i) / (b - i);
    return ratio;
  }

  // Whether a name of several concepts counts as right for each of them.
  const sure = ({ match, over }) => match === "optimistic" || (match === "lenient" && over === "concepts");

  function reached(scoring, k, { above, ties, golds, needed }) {
    const free = k - above;
    if (above < 0 || free <= 0) return 0;
    if (scoring.match === "unique") return Number(ties === 1);
    if (free >= ties) return 1;
    if (sure(scoring)) return Number(free >= needed);
    if (scoring.match === "pessimistic") return Number(needed === 1 && free >= ties - golds + 1);
    if (needed === 1) return 1 - chance(ties - golds, ties, free);
    return free >= needed ? chance(free, ties, needed) : 0;
  }

  return { reached, sure };
});
