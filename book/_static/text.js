// Texts and lines of files as Python takes them, so that the pages read and refuse as the library does: its
// benchlib/formats/lines.py, and str, repr and float of Python.
Benchlib.part("text", () => {
  "use strict";

  class Refused extends Error {
    static at(path, line, expected, found) {
      return new Refused(`${path}:${line}: expected ${expected}, found ${found}`);
    }
  }

  const BLANK = "\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
  const ENDS = new RegExp(`^[${BLANK}]+|[${BLANK}]+$`, "g");
  const BLANKS = new RegExp(`[${BLANK}]+`);
  const strip = (text) => text.replace(ENDS, "");
  const words = (text) => text.split(BLANKS).filter(Boolean);
  const fold = (name) => words(name.normalize("NFC").toLowerCase()).join(" ");
  const ASTRAL = /[\ud800-\udbff]/;
  const length = (text) => (ASTRAL.test(text) ? [...text].length : text.length);
  const cut = (text, start, end) =>
    ASTRAL.test(text) ? [...text].slice(start, end).join("") : text.slice(start, end);

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

  // ---------- files
  // The ending of a name in small letters, without .gz.
  const suffix = (path) => /\.[^.]*$/.exec(path.toLowerCase().replace(/\.gz$/, ""))?.[0] ?? "";

  const SHOWN = 60;
  function lineError(path, line, expected, found) {
    const short = length(found) <= SHOWN ? found : `${cut(found, 0, SHOWN)}...`;
    return Refused.at(path, line, expected, repr(short));
  }

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

  function withoutReturns(bytes) {
    let end = bytes.length;
    while (bytes[end - 1] === 13) end -= 1;
    return bytes.subarray(0, end);
  }

  // The lines in these bytes, numbered.
  function* numbered(path, bytes, first, end) {
    const marked = first === 1 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
    let [number, at] = [first, marked ? 3 : 0];
    for (const ended of new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(at)).split(end)) {
      const line = ended.replace(/\r+$/, "");
      const next = bytes.indexOf(end.charCodeAt(0), at);
      if (line.includes("\0")) throw lineError(path, number, "UTF-8 text without NUL characters", line);
      if (line.includes("\ufffd")) {
        const error = utf8Error(withoutReturns(bytes.subarray(at, next < 0 ? bytes.length : next)));
        if (error) throw new Refused(`${path}:${number}: expected UTF-8, ${error}`);
      }
      yield [number, line];
      [number, at] = [number + 1, next + 1];
    }
  }

  // The lines of a file with their numbers from 1, as benchlib.formats.lines has them; `progress` is told the
  // bytes that were read.
  async function* numberedLines(file, progress = () => {}) {
    const packed = file.name.toLowerCase().endsWith(".gz");
    const stream = packed ? file.stream().pipeThrough(new DecompressionStream("gzip")) : file.stream();
    const reader = stream.getReader();
    let [number, read, rest] = [1, 0, new Uint8Array()]; // of a line that has not ended
    for (;;) {
      let chunk;
      try {
        chunk = await reader.read();
      } catch (error) {
        if (!packed) throw error;
        throw new Refused(`${file.name}:${number}: expected a whole gzip file, ${error.message}`);
      }
      if (chunk.done) break;
      const bytes = new Uint8Array(rest.length + chunk.value.length);
      bytes.set(rest);
      bytes.set(chunk.value, rest.length);
      const last = bytes.lastIndexOf(10);
      const ended = last < 0 ? [] : numbered(file.name, bytes.subarray(0, last), number, "\n");
      for (const line of ended) {
        yield line;
        number += 1;
      }
      rest = bytes.subarray(last + 1);
      progress((read += chunk.value.length));
    }
    // A carriage return ends a line only in a file without newlines.
    if (rest.length && number > 1) yield* numbered(file.name, rest, number, "\n");
    else if (rest.length) yield* numbered(file.name, withoutReturns(rest), number, "\r");
  }

  return { Refused, strip, fold, length, cut, Float, floatRepr, repr, suffix, lineError, numberedLines };
});
