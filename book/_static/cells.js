// JSON and CSV read strictly, as benchlib/formats/json_text.py and delimited.py do, with the words of Python.
Benchlib.part("cells", (Benchlib) => {
  "use strict";
  const { Refused, Float, length, repr, lineError, blocksOfLines } = Benchlib.text;

  // ---------- JSON as Python's json reads it, each key once: objects are Maps
  const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
  // A string of JSON may not hold control characters: this ends before one.
  // oxlint-disable-next-line no-control-regex
  const PLAIN = /[^"\\\x00-\x1f]*/y;
  const GAP = /[ \t\n\r]*/y;
  const [NAN, INFINITE, MINUS] = [NaN, Infinity, -Infinity].map((value) => new Float(value));
  const WORDS = { null: null, true: true, false: false, NaN: NAN, Infinity: INFINITE, "-Infinity": MINUS };
  const ESCAPES = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
  const DEEPEST = 900;

  function readJson(text) {
    let [at, depth, lone] = [0, 0, false];
    const fail = (what, place) => {
      const n = length(text.slice(0, place));
      throw new Refused(`${what}: line 1 column ${n + 1} (char ${n})`);
    };
    const skip = () => {
      if (text.charCodeAt(at) > 32) return;
      GAP.lastIndex = at;
      GAP.test(text);
      at = GAP.lastIndex;
    };
    function string() {
      // `at` is behind the quote
      const begin = at - 1;
      let [content, escaped] = ["", false];
      for (;;) {
        PLAIN.lastIndex = at;
        PLAIN.test(text);
        content += text.slice(at, PLAIN.lastIndex);
        at = PLAIN.lastIndex;
        const c = text[at];
        if (c === '"') break;
        if (c === undefined) fail("Unterminated string starting at", begin);
        if (c !== "\\") fail("Invalid control character at", at);
        const letter = text[at + 1];
        if (letter === undefined) fail("Unterminated string starting at", begin);
        if (letter === "u") {
          const hex = text.slice(at + 2, at + 6);
          if (!/^[0-9a-fA-F]{4}$/.test(hex) || at + 6 >= text.length) fail("Invalid \\uXXXX escape", at + 1);
          content += String.fromCharCode(parseInt(hex, 16));
          [at, escaped] = [at + 6, true];
        } else {
          if (!(letter in ESCAPES)) fail("Invalid \\escape", at);
          content += ESCAPES[letter];
          at += 2;
        }
      }
      at += 1;
      if (escaped && /\p{Cs}/u.test(content)) lone = true;
      return content;
    }
    function number() {
      NUMBER.lastIndex = at;
      const match = NUMBER.exec(text);
      if (!match) fail("Expecting value", at);
      at = NUMBER.lastIndex;
      const read = Number(match[0]);
      if (match[1] || match[2]) return Number.isFinite(read) && read % 1 ? read : new Float(read);
      if (Number.isSafeInteger(read)) return read || 0;
      const n = match[0].replace("-", "").length;
      if (n > 4300) {
        throw new Refused(
          "Exceeds the limit (4300 digits) for integer string conversion: value has " +
            `${n} digits; use sys.set_int_max_str_digits() to increase the limit`,
        );
      }
      return BigInt(match[0]);
    }
    // Members up to `close`, each read by `member`.
    function members(close, member) {
      if ((depth += 1) > DEEPEST) throw new Refused("nested too deep");
      at += 1;
      skip();
      if (text[at] !== close) {
        for (;;) {
          member();
          skip();
          if (text[at] === close) break;
          if (text[at] !== ",") fail("Expecting ',' delimiter", at);
          at += 1;
          skip();
        }
      }
      at += 1;
      depth -= 1;
    }
    function object() {
      const [byKey, pairs] = [new Map(), []];
      members("}", () => {
        if (text[at] !== '"') fail("Expecting property name enclosed in double quotes", at);
        at += 1;
        const key = string();
        skip();
        if (text[at] !== ":") fail("Expecting ':' delimiter", at);
        at += 1;
        skip();
        byKey.set(key, value());
        pairs.push(key);
      });
      if (byKey.size < pairs.length) {
        const times = (key) => pairs.filter((other) => other === key).length;
        const most = pairs.reduce((best, key) => (times(key) > times(best) ? key : best));
        throw new Refused(`the key ${repr(most)} twice in one object`);
      }
      return byKey;
    }
    function value() {
      const c = text[at];
      if (c >= "0" && c <= "9") return number();
      if (c === '"') {
        at += 1;
        return string();
      }
      if (c === "{") return object();
      if (c === "[") {
        const items = [];
        members("]", () => items.push(value()));
        return items;
      }
      for (const word in WORDS) {
        if (c === word[0] && text.startsWith(word, at)) {
          at += word.length;
          return WORDS[word];
        }
      }
      return number();
    }
    if (text[0] === "\ufeff") fail("Unexpected UTF-8 BOM (decode using utf-8-sig)", 0);
    skip();
    const parsed = value();
    skip();
    if (at < text.length) fail("Extra data", at);
    if (lone) throw new Refused("a lone surrogate (\\ud800 to \\udfff), which is no character");
    return parsed;
  }

  // json.dumps(value, ensure_ascii=False)
  function dumps(value) {
    if (Array.isArray(value)) return `[${value.map(dumps).join(", ")}]`;
    if (value instanceof Map) return `{${[...value].map((pair) => pair.map(dumps).join(": ")).join(", ")}}`;
    if (typeof value === "string") return JSON.stringify(value);
    return Object.keys(WORDS).find((word) => WORDS[word] === value) ?? repr(value);
  }

  // ---------- cells of CSV, quoted as Python's csv reads them
  const LONGEST = 131072;
  const RETURN =
    "new-line character seen in unquoted field - " +
    "do you need to open the file in universal-newline mode?";
  class Csv {
    constructor(delimiter) {
      Object.assign(this, { delimiter, cells: [], cell: "", quoted: false });
    }

    // The cells of a row that ends with this line, null where quotes go on. Throws a text.
    line(text) {
      const { delimiter } = this;
      if (!this.quoted && !text) return [];
      if (!this.quoted && !/["\r]/.test(text) && text.length <= LONGEST) return text.split(delimiter);
      for (let at = 0; ; at++) {
        if (!this.quoted && text[at] === '"') [this.quoted, at] = [true, at + 1];
        while (this.quoted) {
          const quote = text.indexOf('"', at);
          this.add(quote < 0 ? `${text.slice(at)}\n` : text.slice(at, quote));
          if (quote < 0) return null;
          this.quoted = text[quote + 1] === '"'; // twice: one that belongs to the cell
          if (this.quoted) this.add('"');
          at = quote + 1 + this.quoted;
          const ends = [delimiter, "\r", undefined].includes(text[at]);
          if (!this.quoted && !ends) throw `'${delimiter}' expected after '"'`;
        }
        let end = at;
        while (end < text.length && text[end] !== delimiter && text[end] !== "\r") end += 1;
        this.add(text.slice(at, end));
        this.cells.push(this.cell);
        this.cell = "";
        if (text[end] === "\r") throw RETURN;
        if (end >= text.length) return this.cells.splice(0);
        at = end;
      }
    }

    add(piece) {
      this.cell += piece;
      if (this.cell.length > LONGEST) throw `field larger than field limit (${LONGEST})`;
    }
  }

  // The last line and the cells of each row that is not blank.
  async function* csvCells(file, delimiter, progress) {
    const csv = new Csv(delimiter);
    let number = 0;
    try {
      for await (const { first, lines } of blocksOfLines(file, progress)) {
        for (let i = 0; i < lines.length; i++) {
          number = first + i;
          const cells = csv.line(lines[i]);
          if (cells && cells.length) yield [number, cells];
        }
      }
      if (csv.quoted) throw "unexpected end of data";
    } catch (error) {
      throw typeof error === "string" ? lineError(file.name, number, "cells quoted as in CSV", error) : error;
    }
  }

  return { readJson, dumps, Csv, csvCells };
});
