// A number below 2^31 for each document, half of the four bytes of its BLAKE2b, as benchlib/scoring/coding.py
// has it: resampling takes documents in this order.
Benchlib.part("clusters", () => {
  "use strict";
  const IV =
    `6a09e667f3bcc908 bb67ae8584caa73b 3c6ef372fe94f82b a54ff53a5f1d36f1 510e527fade682d1 9b05688c2b3e6c1f
    1f83d9abfb41bd6b 5be0cd19137e2179`
      .split(/\s+/)
      .map((digits) => BigInt(`0x${digits}`));
  const SIGMA =
    `0123456789abcdef ea489fd61c02b753 b8c052fdae367194 7931dcbe265a40f8 905724afe1bc683d 2c6a0b834d75fe19
    c51fed4a0763928b db7ec13950f4862a 6fe9b308c2d714a5 a2847615fb9e3cd0`.split(/\s+/);
  const MIXED = "048c 159d 26ae 37bf 05af 16bc 278d 349e"
    .split(" ")
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
        MIXED.forEach(([a, b, c, d], i) =>
          [0, 1].forEach((half) => {
            const word = input[parseInt(SIGMA[round % 10][2 * i + half], 16)];
            v[a] = BigInt.asUintN(64, v[a] + v[b] + word);
            v[d] = turned(v[d] ^ v[a], half ? 16n : 32n);
            v[c] = BigInt.asUintN(64, v[c] + v[d]);
            v[b] = turned(v[b] ^ v[c], half ? 63n : 24n);
          }),
        );
      }
      state.forEach((value, i) => {
        state[i] = value ^ v[i] ^ v[i + 8];
      });
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

  return { clustersOf };
});
