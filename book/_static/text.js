// Texts and lines of files as Python takes them, so that the pages read and refuse as the library does: its
// benchlib/formats/lines.py, and str, repr and float of Python.
Benchlib.part("text", () => {
  "use strict";

  class Refused extends Error {}

  const BLANK = "\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
  const ENDS = new RegExp(`^[${BLANK}]+|[${BLANK}]+$`, "g");
  const BLANKS = new RegExp(`[${BLANK}]+`);
  const strip = (text) => text.replace(ENDS, "");
  const words = (text) => text.split(BLANKS).filter(Boolean);
  const fold = (name) => words(name.toLowerCase()).join(" ");
  const isLetter = (text) => /^\p{L}$/u.test(text);
  const ASTRAL = /[\ud800-\udbff]/;
  const length = (text) => (ASTRAL.test(text) ? [...text].length : text.length);
  const cut = (text, start, end) =>
    ASTRAL.test(text) ? [...text].slice(start, end).join("") : text.slice(start, end);
  const thousands = (n) => n.toLocaleString("en-US");
  const listed = (items) => items.slice(0, 3).join(", ") + (items.length > 3 ? ", ..." : "");
  const uniqueNonempty = (texts) => [...new Set(texts.map(strip).filter(Boolean))];

  // A whole number that is printed as a decimal one, NaN or an infinity; other decimals are plain numbers.
  class Float {
    constructor(value) {
      this.value = value;
    }
  }

  function floatRepr(value) {
    if (!Number.isFinite(value)) return String(value).replace("Infinity", "inf").replace("NaN", "nan");
    if (Object.is(value, -0)) return "-0.0";
    const [digits, exponent] = value.toExponential().split("e");
    if (value && (exponent < -4 || exponent >= 16)) {
      return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
    }
    return Number.isInteger(value) ? `${value}.0` : String(value);
  }

  // repr() of a value, or ascii().
  function repr(value, ascii = false) {
    if (value === null || value === undefined) return "None";
    if (typeof value === "boolean") return value ? "True" : "False";
    if (value instanceof Float) return floatRepr(value.value);
    if (typeof value === "number") return Number.isInteger(value) ? String(value) : floatRepr(value);
    if (Array.isArray(value)) return `[${value.map((item) => repr(item, ascii)).join(", ")}]`;
    if (value instanceof Map) {
      return `{${[...value].map(([key, item]) => `${repr(key, ascii)}: ${repr(item, ascii)}`).join(", ")}}`;
    }
    if (typeof value !== "string") return String(value);
    const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
    const shown = [...value].map((c) => {
      const code = c.codePointAt(0);
      if (c === quote || c === "\\") return `\\${c}`;
      if ("\n\r\t".includes(c)) return { "\n": "\\n", "\r": "\\r", "\t": "\\t" }[c];
      if (code > 0x7f ? !ascii && !/[\p{C}\p{Z}]/u.test(c) : code >= 0x20 && code < 0x7f) return c;
      const hex = code.toString(16);
      if (code < 0x100) return `\\x${hex.padStart(2, "0")}`;
      return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
    });
    return quote + shown.join("") + quote;
  }
  function tuple(items) {
    const shown = items.map((item) => (Array.isArray(item) ? tuple(item) : repr(item)));
    return `(${shown.join(", ")}${items.length === 1 ? "," : ""})`;
  }

  const SHOWN = 60;
  function lineError(path, line, expected, found) {
    const short = length(found) <= SHOWN ? found : `${cut(found, 0, SHOWN)}...`;
    return new Refused(`${path}:${line}: expected ${expected}, found ${repr(short)}`);
  }

  // ---------- lines
  // Why bytes are not UTF-8, and where, in Python's words.
  function utf8Error(bytes) {
    for (let at = 0; at < bytes.length;) {
      const lead = bytes[at];
      const n = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
      if (n && (lead < 0xc2 || lead > 0xf4)) return `invalid start byte at byte ${at}`;
      for (let i = 1; i <= n; i++) {
        if (at + i >= bytes.length) return `unexpected end of data at byte ${at}`;
        const least = i > 1 ? 0x80 : ({ 0xe0: 0xa0, 0xf0: 0x90 }[lead] ?? 0x80);
        const most = i > 1 ? 0xbf : ({ 0xed: 0x9f, 0xf4: 0x8f }[lead] ?? 0xbf);
        if (bytes[at + i] < least || bytes[at + i] > most) return `invalid continuation byte at byte ${at}`;
      }
      at += n + 1;
    }
    return "";
  }

  function* decoded(path, bytes, first, end) {
    const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const text = (part) => {
      try {
        return strict.decode(part);
      } catch {
        return null;
      }
    };
    const whole = bytes.includes(0) ? null : text(bytes);
    const tidy = (line) => line.replace(/\r+$/, "");
    if (whole !== null) {
      yield { first, lines: whole.split(end).map(tidy) };
      return;
    }
    for (let at = 0, number = first; at <= bytes.length; number++) {
      const next = bytes.indexOf(end.charCodeAt(0), at);
      let line = bytes.subarray(at, next < 0 ? bytes.length : next);
      while (line.at(-1) === 13) line = line.subarray(0, -1);
      if (line.includes(0)) {
        throw lineError(path, number, "UTF-8 text without NUL characters", new TextDecoder().decode(line));
      }
      const error = utf8Error(line);
      if (error) throw new Refused(`${path}:${number}: expected UTF-8, ${error}`);
      yield { first: number, lines: [text(line)] };
      at = (next < 0 ? bytes.length : next) + 1;
    }
  }

  function joined(parts) {
    const whole = new Uint8Array(parts.reduce((n, part) => n + part.length, 0));
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }

  // The lines of a file in blocks, {first: the number of the first of them, lines}, as benchlib.formats.lines
  // has them; `progress` is told the bytes that were read.
  async function* blocksOfLines(file, progress = () => {}) {
    const packed = file.name.toLowerCase().endsWith(".gz");
    const stream = packed ? file.stream().pipeThrough(new DecompressionStream("gzip")) : file.stream();
    const reader = stream.getReader();
    let [number, read] = [1, 0];
    const parts = []; // of a line that has not ended
    const taken = (bytes) => {
      const bom = number === 1 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
      return bom ? bytes.subarray(3) : bytes;
    };
    for (;;) {
      let chunk;
      try {
        chunk = await reader.read();
      } catch (error) {
        if (!packed) throw error;
        throw new Refused(`${file.name}:${number}: expected a whole gzip file, ${error.message}`);
      }
      if (chunk.done) break;
      read += chunk.value.length;
      const last = chunk.value.lastIndexOf(10);
      if (last < 0) {
        parts.push(chunk.value);
        continue;
      }
      const whole = taken(joined([...parts, chunk.value.subarray(0, last)]));
      parts.splice(0, parts.length, chunk.value.subarray(last + 1));
      for (const block of decoded(file.name, whole, number, "\n")) {
        yield block;
        number = block.first + block.lines.length;
      }
      progress(read);
    }
    let rest = taken(joined(parts));
    if (!rest.length) return;
    // A carriage return ends a line only in a file without newlines.
    if (number === 1) while (rest.at(-1) === 13) rest = rest.subarray(0, -1);
    yield* decoded(file.name, rest, number, number > 1 ? "\n" : "\r");
  }

  async function* numberedLines(file, progress) {
    for await (const { first, lines } of blocksOfLines(file, progress)) {
      for (let i = 0; i < lines.length; i++) yield [first + i, lines[i]];
    }
  }

  return {
    Refused,
    strip,
    words,
    fold,
    isLetter,
    length,
    cut,
    thousands,
    listed,
    uniqueNonempty,
    Float,
    floatRepr,
    repr,
    tuple,
    lineError,
    blocksOfLines,
    numberedLines,
  };
});
