// The engine of the pages that score and compare, in parts that a page, a worker and Node load alike, and its
// first part: means with intervals that resample whole clusters, and the paired permutation test.
// The library's benchlib/scoring/statistics.py and comparison.py, in float64 and with the draws of numpy.
globalThis.Benchlib ??= {
  sources: {},

  // Define Benchlib[name] as what `make(Benchlib)` returns; `make` may use nothing else, so that workers can.
  part(name, make) {
    this[name] = make(this);
    this.sources[name] = make;
  },

  // A worker that has these parts and runs `main(Benchlib)`. Its text is in the page: file:// forbids files.
  worker(parts, main) {
    const define = parts.map((name) => `Benchlib.${name} = (${this.sources[name]})(Benchlib);`);
    const text = `const Benchlib = {};\n${define.join("\n")}\n(${main})(Benchlib);`;
    const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    const worker = new Worker(address);
    URL.revokeObjectURL(address);
    return worker;
  },

  // An element of a page; attributes that are undefined or false are left out.
  element(name, content = [], attributes = {}) {
    const made = document.createElement(name);
    made.append(...[content].flat());
    for (const [key, value] of Object.entries(attributes)) {
      if (value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
    }
    return made;
  },
};

Benchlib.part("statistics", () => {
  "use strict";
  const RESAMPLES = 10_000;
  const EXACT = 12; // clusters up to which every swap is tried
  const DETECTED = 1.959963984540054 + 0.8416212335729143; // normal quantiles of 97.5 % and of a power of 80 %

  // numpy.random.SeedSequence(seed).generate_state(8, uint32); `seed` is a whole number below 2^53.
  function seeded(seed) {
    const entropy = seed < 2 ** 32 ? [seed] : [seed >>> 0, Math.floor(seed / 2 ** 32)];
    let constant = 0x43b0d7e5;
    const hash = (value, factor = 0x931e8875) => {
      const mixed = value ^ constant;
      constant = Math.imul(constant, factor);
      const product = Math.imul(mixed, constant);
      return (product ^ (product >>> 16)) >>> 0;
    };
    const mix = (x, y) => {
      const result = (Math.imul(0xca01f9dd, x) - Math.imul(0x4973f715, y)) | 0;
      return (result ^ (result >>> 16)) >>> 0;
    };
    const pool = [0, 1, 2, 3].map((i) => hash(entropy[i] ?? 0));
    for (let from = 0; from < 4; from++) {
      for (let to = 0; to < 4; to++) if (from !== to) pool[to] = mix(pool[to], hash(pool[from]));
    }
    constant = 0x8b51f9dd;
    return Array.from({ length: 8 }, (_, i) => hash(pool[i % 4], 0x58f38ded));
  }

  // Numbers of 128 bits in limbs of 32, the lowest first.
  const [M0, M1, M2, M3] = [0x9fccf645, 0x4385df64, 0x1fc65da4, 0x2360ed05]; // the multiplier of PCG64
  const low = (a, b) => Math.imul(a, b) >>> 0;
  const high = (a, b) => Math.floor((a * (b >>> 16) + Math.floor((a * (b & 0xffff)) / 65536)) / 65536);
  const carry = (sum) => Math.floor(sum / 2 ** 32);

  // numpy.random.default_rng(seed): PCG64 (XSL-RR), of which only whole numbers below n are drawn.
  class Random {
    constructor(seed = 0) {
      const words = seeded(seed).map(BigInt);
      const long = (at) =>
        (words[at + 1] << 96n) | (words[at] << 64n) | (words[at + 3] << 32n) | words[at + 2];
      const limbs = (value) =>
        Uint32Array.from([0n, 32n, 64n, 96n], (by) => Number((value >> by) & 0xffffffffn));
      const increment = BigInt.asUintN(128, (long(4) << 1n) | 1n);
      this.increment = limbs(increment);
      this.state = limbs(BigInt.asUintN(128, increment + long(0)));
      this.ready = new Uint32Array(1024);
      this.at = this.ready.length;
      this.draw(1);
    }

    // Step as often as asked: state = state × multiplier + increment; each gives 64 bits, the lower half first.
    draw(steps) {
      const { ready } = this;
      const [c0, c1, c2, c3] = this.increment;
      let [s0, s1, s2, s3] = this.state;
      for (let i = 0; i < steps; i++) {
        const r0 = low(s0, M0) + c0;
        const r1 = high(s0, M0) + low(s1, M0) + low(s0, M1) + c1 + carry(r0);
        const r2 = high(s1, M0) + high(s0, M1) + low(s2, M0) + low(s1, M1) + low(s0, M2) + c2 + carry(r1);
        const high3 = high(s2, M0) + high(s1, M1) + high(s0, M2);
        const low3 = low(s3, M0) + low(s2, M1) + low(s1, M2) + low(s0, M3);
        s3 = (high3 + low3 + c3 + carry(r2)) >>> 0;
        s2 = r2 >>> 0;
        s1 = r1 >>> 0;
        s0 = r0 >>> 0;
        const by = s3 >>> 26; // the 64 bits are rotated by
        const one = by & 32 ? s1 ^ s3 : s0 ^ s2;
        const other = by & 32 ? s0 ^ s2 : s1 ^ s3;
        const left = 31 - (by & 31); // a shift by 32 does nothing in JavaScript
        ready[2 * i] = (one >>> by) | ((other << 1) << left);
        ready[2 * i + 1] = (other >>> by) | ((one << 1) << left);
      }
      this.state.set([s0, s1, s2, s3]);
    }

    bits() {
      if (this.at === this.ready.length) {
        this.draw(this.ready.length / 2);
        this.at = 0;
      }
      return this.ready[this.at++];
    }

    // integers(0, n) for n below 2^21: Lemire's method.
    below(n) {
      if (n === 1) return 0;
      const threshold = 2 ** 32 % n;
      for (;;) {
        const product = this.bits() * n;
        const whole = Math.floor(product / 2 ** 32);
        if (product - whole * 2 ** 32 >= threshold) return whole;
      }
    }
  }

  // Clusters as numbers from 0 in ascending order, as numpy.unique gives them: {codes, n}.
  function coded(clusters) {
    const sorted = [...new Set(clusters)].sort((a, b) => a - b);
    const place = new Map(sorted.map((cluster, i) => [cluster, i]));
    return { codes: Int32Array.from(clusters, (cluster) => place.get(cluster)), n: sorted.length };
  }

  // Sums by cluster of columns side by side (clusters × columns), over the mentions of a mask; null for all.
  function sums(columns, { codes, n }, counted) {
    const total = new Float64Array(n * columns.length);
    columns.forEach((values, column) => {
      for (let i = 0; i < codes.length; i++) {
        if (!counted || counted[i]) total[codes[i] * columns.length + column] += values ? values[i] : 1;
      }
    });
    return total;
  }

  // Means of columns over each bootstrap sample of clusters; NaN where a sample counts no mention.
  function resampledMeans(columns, clusters, { resamples = RESAMPLES, counted = null } = {}) {
    const groups = coded(clusters);
    const width = columns.length + 1;
    const totals = sums([null, ...columns], groups, counted);
    const means = columns.map(() => new Float64Array(resamples));
    const random = new Random();
    const [times, drawn] = [new Uint32Array(groups.n), new Float64Array(width)];
    for (let sample = 0; sample < resamples; sample++) {
      times.fill(0);
      for (let i = 0; i < groups.n; i++) times[random.below(groups.n)] += 1;
      drawn.fill(0);
      for (let cluster = 0, at = 0; cluster < groups.n; cluster++, at += width) {
        const n = times[cluster];
        if (n) for (let column = 0; column < width; column++) drawn[column] += n * totals[at + column];
      }
      means.forEach((of, column) => {
        of[sample] = drawn[column + 1] / drawn[0];
      });
    }
    return means;
  }

  function mean(values, counted) {
    let [total, n] = [0, 0];
    for (let i = 0; i < values.length; i++) {
      if (!counted || counted[i]) [total, n] = [total + values[i], n + 1];
    }
    return total / n;
  }

  // The 2.5 and 97.5 % points as numpy.percentile has them, samples that are NaN left out.
  function interval(sample) {
    const sorted = sample.filter((value) => !Number.isNaN(value)).sort();
    const point = (q) => {
      const at = q * (sorted.length - 1);
      const [a, b] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
      const share = at - Math.floor(at);
      return share >= 0.5 ? b - (b - a) * (1 - share) : a + (b - a) * share;
    };
    return sorted.length ? { low: point(0.025), high: point(0.975) } : { low: NaN, high: NaN };
  }

  // {mean, low, high} of each column of values, one a mention: percentiles of the bootstrap over clusters.
  // `counted` is a mask of the mentions that the mean is over; without any the numbers are NaN.
  function bootstraps(columns, clusters, options = {}) {
    const samples = resampledMeans(columns, clusters, options);
    return columns.map((values, i) => ({ mean: mean(values, options.counted), ...interval(samples[i]) }));
  }

  // First minus second, as benchlib.scoring.compare; `counted` is a mask of mentions, null for all.
  function paired(first, second, clusters, counted = null) {
    const [a, b] = resampledMeans([first, second], clusters, { counted });
    const resampled = a.map((value, i) => value - b[i]);
    const finite = resampled.filter((value) => !Number.isNaN(value));
    const centre = mean(finite);
    const variance = mean(finite.map((value) => (value - centre) ** 2));
    const total = (values) => values.reduce((sum, value) => sum + value, 0);
    const ahead = first.map((value, i) => (!counted || counted[i] ? value - second[i] : 0));
    const n = counted ? total(counted) : first.length;
    return {
      difference: total(ahead) / n,
      ...interval(resampled),
      p: permutation(sums([ahead], coded(clusters)).map((sum) => (2 * sum) / n)),
      gained: total(ahead.map((value) => Math.max(0, value))),
      lost: total(ahead.map((value) => Math.max(0, -value))),
      detectable: variance > 1e-18 ? DETECTED * Math.sqrt(variance) : NaN,
    };
  }

  // Two-sided p: how often swapping the two in random clusters sets them apart as far as they are; `swung` is
  // by how much a swap of each cluster moves the difference.
  function permutation(swung) {
    const apart = (sign) => Math.abs(swung.reduce((sum, by, cluster) => sum + sign(cluster) * by, 0));
    const observed = apart(() => 1);
    if (Number.isNaN(observed)) return NaN;
    const exact = swung.length <= EXACT;
    const random = new Random();
    const swaps = exact ? 2 ** swung.length : RESAMPLES;
    let reached = exact ? 0 : 1;
    for (let swap = 0; swap < swaps; swap++) {
      const sign = exact ? (cluster) => ((swap >> cluster) & 1 ? -1 : 1) : () => 2 * random.below(2) - 1;
      // Sums of the same numbers in another order may differ in the last bits.
      if (apart(sign) >= observed - 1e-12) reached += 1;
    }
    return reached / (exact ? swaps : swaps + 1);
  }

  return { Random, mean, resampledMeans, interval, bootstraps, paired };
});

if (typeof module !== "undefined") module.exports = globalThis.Benchlib;
