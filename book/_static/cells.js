// JSON and CSV read strictly, as benchlib/formats/json_text.py and delimited.py do, with the words of Python.
Benchlib.part("cells", (Benchlib) => {
  "use strict";
  const { Refused, Float, length, repr, lineError, blocksOfLines } = Benchlib.text;

  // ---------- JSON as Python's json reads it, each key once: objects are Maps
  const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
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
    function string() { // `at` is behind the quote
      const begin = at - 1;
      let [found, escaped] = ["", false];
      for (;;) {
        PLAIN.lastIndex = at;
        PLAIN.test(text);
        found += text.slice(at, PLAIN.lastIndex);
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
          found += String.fromCharCode(parseInt(hex, 16));
          [at, escaped] = [at + 6, true];
        } else {
          if (!(letter in ESCAPES)) fail("Invalid \\escape", at);
          found += ESCAPES[letter];
          at += 2;
        }
      }
      at += 1;
      if (escaped && /\p{Cs}/u.test(found)) lone = true;
      return found;
    }
    function number() {
      NUMBER.lastIndex = at;
      const match = NUMBER.exec(text);
      if (!match) fail("Expecting value", at);
      at = NUMBER.lastIndex;
      const value = Number(match[0]);
      if (match[1] || match[2]) return Number.isFinite(value) && value % 1 ? value : new Float(value);
      if (Number.isSafeInteger(value)) return value || 0;
      const n = match[0].replace("-", "").length;
      if (n > 4300) {
        throw new Refused("Exceeds the limit (4300 digits) for integer string conversion: value has "
          + `${n} digits; use sys.set_int_max_str_digits() to increase the limit`);
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
      const [found, pairs] = [new Map(), []];
      members("}", () => {
        if (text[at] !== '"') fail("Expecting property name enclosed in double quotes", at);
        at += 1;
        const key = string();
        skip();
        if (text[at] !== ":") fail("Expecting ':' delimiter", at);
        at += 1;
        skip();
        found.set(key, value());
        pairs.push(key);
      });
      if (found.size < pairs.length) {
        const times = (key) => pairs.filter((other) => other === key).length;
        const most = pairs.reduce((best, key) => (times(key) > times(best) ? key : best));
        throw new Refused(`the key ${repr(most)} twice in one object`);
      }
      return found;
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
        const found = [];
        members("]", () => found.push(value()));
        return found;
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
    const found = value();
    skip();
    if (at < text.length) fail("Extra data", at);
    if (lone) throw new Refused("a lone surrogate (\\ud800 to \\udfff), which is no character");
    return found;
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
  class Csv {
    constructor(delimiter) {
      Object.assign(this, { delimiter, cells: [], cell: null, state: "start" });
    }

    // The cells of a row that ends with this line, null where it goes on. Throws a text.
    line(text) {
      if (this.state === "start" && !/["\r]/.test(text) && text.length <= LONGEST) {
        return text ? text.split(this.delimiter) : [];
      }
      for (const c of text) this.take(c);
      this.take("\n");
      this.state = this.state === "end" ? "start" : this.state;
      if (this.state !== "start") return null;
      return this.cells.splice(0);
    }

    add(c) {
      if (this.cell.length >= LONGEST) throw `field larger than field limit (${LONGEST})`;
      this.cell += c;
    }

    save(state) {
      this.cells.push(this.cell);
      this.cell = "";
      this.state = state;
    }

    take(c) {
      const ends = c === "\n" || c === "\r";
      if (this.state === "start") {
        this.cell = "";
        if (ends) {
          this.state = "end";
          return;
        }
        this.state = "field";
      }
      if (this.state === "end") {
        const asked = "do you need to open the file in universal-newline mode?";
        if (!ends) throw `new-line character seen in unquoted field - ${asked}`;
      } else if (this.state === "field" || this.state === "within") {
        if (ends) this.save("end");
        else if (c === this.delimiter) this.save("field");
        else if (c === '"' && this.state === "field") this.state = "quoted";
        else {
          this.add(c);
          this.state = "within";
        }
      } else if (this.state === "quoted") {
        if (c === '"') this.state = "quote";
        else this.add(c);
      } else if (c === '"') {
        this.add(c);
        this.state = "quoted";
      } else if (c === this.delimiter) this.save("field");
      else if (ends) this.save("end");
      else throw `'${this.delimiter}' expected after '"'`;
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
      if (csv.state !== "start") throw "unexpected end of data";
    } catch (error) {
      throw typeof error === "string" ? lineError(file.name, number, "cells quoted as in CSV", error) : error;
    }
  }

  return { readJson, dumps, Csv, csvCells };
});

if (typeof module !== "undefined") module.exports = globalThis.Benchlib;
