// Explore the outcomes: systems ranked under a count of the reader's choice, two of them compared, and the
// mentions that they answer differently. The page has the form, study/book/explorer.py writes the data.
(() => {
  "use strict";
  const { element, ranking, statistics } = Benchlib;
  const { mean } = statistics;
  const STRATA = ["strings", "concepts", "ambiguous", "abbreviations", "composites"]; // by bit
  const ALIKE = 32; // the bit of a mention that published answers align with
  const NIL = 64; // the bit of a mention whose gold is NIL
  const GROUPS = { main: "", further: "", dictionary: "other dictionary", test: "chosen on the test set" };
  const WIDTH = 10; // of a place: above + 1, ties and golds, each in three orders, and the golds needed
  const SHOWN = 100;
  const MINUS = "\u2212";
  const folder = new URL(".", document.currentScript.src);

  // ---------------------------------------------------------------- data
  const [corpora, texts] = [new Map(), new Map()];

  // Called by the script of a corpus.
  const register = (name, text) => texts.set(name, text);

  async function loaded(name) {
    const script = element("script", [], { src: new URL(`explorer-${name}.js`, folder) });
    document.head.append(script);
    await new Promise((ended) => ["load", "error"].forEach((event) => script.addEventListener(event, ended)));
    if (!texts.has(name)) throw new Error(`The outcomes of ${name} could not be loaded.`);
    return unpack(texts.get(name));
  }

  const load = (name) => corpora.get(name) ?? corpora.set(name, loaded(name)).get(name);

  // The head with its arrays: a length in four bytes, JSON, then numbers in planes of bytes, the lowest first.
  async function unpack(text) {
    const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    let at = 4 + new DataView(bytes.buffer).getUint32(0, true);
    const data = JSON.parse(new TextDecoder().decode(bytes.subarray(4, at)));
    for (const [name, size, width] of data.arrays) {
      const numbers = new Uint32Array(size);
      for (let plane = 0; plane < width; plane++, at += size) {
        for (let i = 0; i < size; i++) numbers[i] |= bytes[at + i] << (8 * plane);
      }
      data[name] = numbers;
    }
    data.n = data.bits.length;
    data.any = columnsOf(data.anyOf, data.n);
    const allOf = columnsOf(data.allOf, data.composite.length);
    data.all = data.any.map((places, column) => {
      const all = places.slice();
      data.composite.forEach((mention, i) => (all[mention] = allOf[column][i]));
      return all;
    });
    data.calledFrom = data.calledFrom && columnsOf(data.calledFrom, data.n);
    data.firstListed = new Uint32Array(data.n);
    for (let i = 1; i < data.n; i++) data.firstListed[i] = data.firstListed[i - 1] + data.nListed[i - 1];
    data.nGiven = data.given.length / data.n;
    return data;
  }

  // Numbers of mention after mention as an array for each column.
  function columnsOf(numbers, n) {
    const width = n && numbers.length / n;
    return Array.from({ length: width }, (_, column) => {
      const values = new Uint32Array(n);
      for (let i = 0; i < n; i++) values[i] = numbers[i * width + column];
      return values;
    });
  }

  // ---------------------------------------------------------------- counting
  // The credit of each place of the table.
  function creditOfPlaces(data, count) {
    const order = ranking.orderOf(count);
    return Float64Array.from({ length: data.places.length / WIDTH }, (_, i) => {
      const [above, ties, golds] = [0, 3, 6].map((from) => data.places[i * WIDTH + from + order]);
      const line = { above: above - 1, ties, golds, needed: data.places[i * WIDTH + 9] };
      return ranking.reached(count, count.k, line);
    });
  }

  // The credit of each of the mentions `kept`, averaged over the seeds of a system.
  function credits(data, system, count, kept) {
    const worth = (count.worth ??= creditOfPlaces(data, count));
    const values = new Float64Array(kept.length);
    for (const column of system.columns) {
      const places = data[count.composite === "all" ? "all" : "any"][column];
      const from = count.withNil && data.calledFrom[column]; // the share from which on NIL is answered
      for (let i = 0; i < kept.length; i++) {
        const mention = kept[i];
        if (!from || from[mention] > count.least) values[i] += worth[places[mention]];
        else if (data.bits[mention] & NIL) values[i] += 1;
      }
    }
    for (let i = 0; i < kept.length; i++) values[i] /= system.columns.length;
    return values;
  }

  // The numbers of the mentions that are counted for all of these systems.
  function counted(data, systems, count) {
    let wanted = systems.some((system) => system.aligned) ? ALIKE : 0;
    for (const name of count.only) wanted |= 1 << STRATA.indexOf(name);
    let refused = count.composite === "none" ? 1 << STRATA.indexOf("composites") : 0;
    if (!count.withNil) refused |= NIL;
    const kept = [];
    for (let i = 0; i < data.n; i++) {
      if ((data.bits[i] & wanted) === wanted && !(data.bits[i] & refused)) kept.push(i);
    }
    return Uint32Array.from(kept);
  }

  // The library takes documents in the order of the corpus where NIL mentions count.
  const clustersOf = (data, system, count, kept) =>
    kept.map((i) => data[system.inOrder || count.withNil ? "inOrder" : "byNumber"][i]);

  // ---------------------------------------------------------------- intervals, in a worker
  let worker = null;

  function measure(job, told) {
    worker?.terminate(); // what it may still do is of no use
    worker = Benchlib.worker(["statistics"], (Benchlib) => {
      onmessage = ({ data: { pair, groups } }) => {
        const { paired, bootstraps } = Benchlib.statistics;
        if (pair) postMessage({ pair: paired(pair.a, pair.b, pair.clusters) });
        for (const { keys, columns, clusters } of groups) {
          postMessage({ keys, estimates: bootstraps(columns, clusters) });
        }
        postMessage({ done: true });
      };
    });
    worker.addEventListener("message", (event) => told(event.data));
    worker.postMessage(job);
  }

  // ---------------------------------------------------------------- the page
  const form = document.getElementById("explorer");
  const CONTROLS = form.querySelector(".controls");
  const part = (name) => form.querySelector(`.${name}`);
  const number = (value) => value.toLocaleString("en");
  const percent = (value) => (100 * value).toFixed(1);
  const points = (value) => (value < 0 ? MINUS : "+") + Math.abs(100 * value).toFixed(1);
  const span = (low, high, written) => `[${written(low)}, ${written(high)}]`;
  const signed = (value) => points(value).replace("+", "");

  function choice() {
    const given = new FormData(form);
    const state = Object.fromEntries(given);
    const withNil = state.nil === "counted";
    const lists = { only: given.getAll("only"), rows: ["main", ...given.getAll("rows")] };
    return { ...state, k: Number(state.k), withNil, least: Number(state.least), ...lists };
  }

  function remember() {
    const given = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (value) given.append(name, value);
    history.replaceState(null, "", `#${given}`);
  }

  // The form as the address has it; false where it says nothing of it.
  function recall() {
    const given = new URLSearchParams(location.hash.slice(1));
    if (!given.has("corpus")) return false;
    for (const field of form.elements) {
      if (field.type === "checkbox") field.checked = given.getAll(field.name).includes(field.value);
      else if (field.tagName === "SELECT" && given.has(field.name)) {
        field.dataset.wanted = given.get(field.name);
        field.value = given.get(field.name);
        if (field.selectedIndex < 0) field.selectedIndex = 0;
      } else if (field.tagName === "INPUT") field.value = given.get(field.name) ?? field.defaultValue;
    }
    return true;
  }

  // The systems to compare are those of the corpus and of the rows that are shown. The one that was chosen is
  // kept if it is there, else the first is taken that passes a test, the tests in order.
  function offer(name, systems, ...tests) {
    const select = form.elements[name];
    const before = select.dataset.wanted || select.value;
    delete select.dataset.wanted;
    select.replaceChildren(...systems.map(({ key, label }) => element("option", label, { value: key })));
    const wanted = [({ key }) => key === before, ...tests, () => true];
    const there = wanted.map((test) => systems.find(test)).find(Boolean);
    select.value = there.key;
    return there;
  }

  let [view, asked] = [null, 0];

  async function show() {
    const turn = ++asked;
    const failed = (error) => {
      part("sentence").textContent = error.message;
    };
    const data = await load(form.elements.corpus.value).catch(failed);
    if (!data || turn !== asked) return; // another choice was made meanwhile
    const { nil, least } = form.elements;
    nil.disabled = !data.calledFrom;
    least.disabled = nil.disabled || nil.value !== "counted";
    least.nextElementSibling.value = least.value;
    const count = choice();
    const systems = data.systems.filter(({ group }) => count.rows.includes(group));
    const a = offer("a", systems, ({ key }) => key === "names");
    const isOther = (system) => system !== a;
    const b = offer("b", systems, (of) => isOther(of) && of.aligned && of.group === "main", isOther);
    remember();
    const keptBy = new Map([true, false].map((aligned) => [aligned, counted(data, [{ aligned }], count)]));
    const rows = systems.map((system) => {
      const kept = keptBy.get(system.aligned);
      const values = credits(data, system, count, kept);
      return { system, values, kept, mean: mean(values) };
    });
    rows.sort((one, other) => (other.mean || 0) - (one.mean || 0));
    view = { data, count, a, b, rows, kept: keptBy.get(a.aligned || b.aligned), shown: SHOWN };
    view.pair = [a, b].map((system) => credits(data, system, count, view.kept));
    rank();
    say();
    form.dataset.state = "measuring";
    await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted))); // the dots come first
    if (turn !== asked) return;
    measureAll();
    differ();
  }

  function measureAll() {
    const { data, count, a, rows } = view;
    const [turn, groups] = [asked, {}];
    for (const { system, values, kept } of rows.filter((row) => row.values.length)) {
      const group = (groups[`${system.inOrder} ${system.aligned}`] ??= {
        keys: [],
        columns: [],
        clusters: clustersOf(data, system, count, kept),
      });
      group.keys.push(system.key);
      group.columns.push(values);
    }
    const clusters = clustersOf(data, a, count, view.kept);
    const pair = view.kept.length && { a: view.pair[0], b: view.pair[1], clusters };
    measure({ pair, groups: Object.values(groups) }, (told) => {
      if (turn !== asked) return;
      if (told.pair) say(told.pair);
      else if (told.done) form.dataset.state = "done";
      else told.keys.forEach((key, i) => widen(key, told.estimates[i]));
    });
  }

  // ---------------------------------------------------------------- the ranking: a table with dots in it
  function rank() {
    const { rows, count, a, b } = view;
    const there = rows.filter((row) => row.values.length).map((row) => row.mean);
    const [low, high] = [Math.min(...there), Math.max(...there)];
    view.from = Math.max(0, Math.floor((low - 0.03) * 20) / 20) || 0;
    view.to = Math.min(1, Math.ceil((high + 0.03) * 20) / 20) || 1;
    const caption = `Recall@${count.k} in percent with 95 % intervals. A click on a name compares the system.`;
    const ends = [view.from, view.to].map((end) => element("span", (100 * end).toFixed(0)));
    const heads = [
      element("th", "system", { scope: "col" }),
      element("th", element("span", ends), { scope: "col", class: "axis" }),
      element("th", `@${count.k}`, { scope: "col" }),
      element("th", "n", { scope: "col", class: "n" }),
    ];
    const head = element("thead", element("tr", heads));
    const table = [element("caption", caption), head, element("tbody", rows.map(lineOf))];
    part("ranking").replaceChildren(element("table", table));

    function lineOf({ system, values, mean: value }) {
      const name = element("button", system.label, { type: "button", title: "Compare the first with this" });
      name.addEventListener("click", () => {
        if (system !== a) form.elements.b.value = system.key;
        show();
      });
      const record = element("a", "record", { href: `../data/records/${system.record}.html` });
      const told = [GROUPS[system.group], count.withNil && system.aligned && "no NIL mentions, no scores"];
      const notes = told.filter(Boolean).map((note) => element("span", note, { class: "note" }));
      const dot = element("td", [], { class: "plot", "aria-hidden": "true" });
      if (values.length) {
        dot.append(element("i", [], { class: "interval-line" }), element("i", [], { class: "dot" }));
        dot.lastChild.style.left = place(value);
      }
      const shown = values.length
        ? [percent(value), element("span", "", { class: "interval" })]
        : "no mention left";
      const cells = [
        element("th", [name, " ", record, ...notes], { scope: "row" }),
        dot,
        element("td", shown, { class: "value" }),
        element("td", number(values.length), { class: "n" }),
      ];
      const role = { [a.key]: "first", [b.key]: "second" }[system.key];
      const made = element("tr", cells, { class: role });
      made.classList.toggle("published", system.aligned);
      Object.assign(made.dataset, { key: system.key, mean: value, n: values.length });
      return made;
    }
  }

  const place = (value) => {
    const share = (value - view.from) / (view.to - view.from);
    return `${5 + 90 * Math.min(1, Math.max(0, share))}%`;
  };

  function widen(key, { low, high }) {
    const row = part("ranking").querySelector(`tr[data-key="${CSS.escape(key)}"]`);
    Object.assign(row.dataset, { low, high });
    row.querySelector(".interval").textContent = span(low, high, percent);
    const line = row.querySelector(".interval-line");
    line.style.left = place(low);
    line.style.right = `calc(100% - ${place(high)})`;
  }

  // ---------------------------------------------------------------- one sentence
  function say(found) {
    const { data, count, a, b, kept, pair } = view;
    const sentence = part("sentence");
    const corpus = form.elements.corpus.selectedOptions[0].textContent;
    const chosen = [...form.querySelectorAll("[name=only]:checked")];
    const only = chosen.map((box) => box.parentElement.textContent);
    const documents = new Set(kept.map((i) => data.inOrder[i])).size;
    const of = `${number(kept.length)} mentions${only.length ? ` (${only.join(", ")})` : ""}`;
    const [first, second] = pair.map((values) => mean(values));
    const nil = count.withNil ? `, NIL counted and answered to the least sure ${count.least}\u00a0%` : "";
    let text = `${corpus}, ${of} in ${number(documents)} documents, Recall@${count.k}, ${count.match}${nil}: `;
    if (!kept.length) text += "no mention is left.";
    else {
      const [one, other] = [first, second].map((value) => `${percent(value)}\u00a0%`);
      text += `${a.label} ${one}, ${b.label} ${other}; ${points(first - second)} points`;
      text += found ? ` ${span(found.low, found.high, signed)}, p = ${found.p.toFixed(4)}.` : ".";
    }
    sentence.textContent = text;
    for (const name of ["difference", "low", "high", "p"]) delete sentence.dataset[name];
    if (found) Object.assign(sentence.dataset, found);
  }

  // ---------------------------------------------------------------- the mentions that two answer differently
  // An answer of the first seed by its id; null of a published system.
  function answer({ data, count }, system, mention) {
    if (system.answers < 0) return null;
    const which = data.given[mention * data.nGiven + system.answers];
    const id = data.ids[data.listed[data.firstListed[mention] + which]];
    const nil = count.withNil && data.calledFrom[system.columns[0]][mention] <= count.least;
    return id && nil ? "NIL" : id;
  }

  function groupsOf(seen) {
    const { data, a, b, kept, pair } = seen;
    const groups = new Map();
    const name = (id) => (id && data.names?.[id] ? `${id} ${data.names[id]}` : id);
    kept.forEach((i, at) => {
      const [credit, other] = [pair[0][at], pair[1][at]];
      const [given, against] = [a, b].map((system) => name(answer(seen, system, i)));
      const apart = given !== null && against !== null && given !== against;
      if (credit === other && !apart) return;
      const text = data.texts?.[data.text[i]] ?? "";
      const where = data.documents
        ? `${data.documents[data.document[i]]} ${data.start[i]}\u2013${data.end[i]}`
        : `mention ${i + 1}`;
      const gold = data.bits[i] & NIL ? "NIL" : name(data.golds?.[data.gold[i]] ?? "");
      const key = JSON.stringify([text || where, gold, given, against, credit, other]);
      const search = [text, where, gold, given, against].join(" ").toLowerCase();
      if (!groups.has(key))
        groups.set(key, { text, where, gold, given, against, credit, other, search, n: 0 });
      groups.get(key).n += 1;
    });
    const decides = ({ credit, other }) => Number(credit !== other);
    return [...groups.values()].sort((one, other) => decides(other) - decides(one) || other.n - one.n);
  }

  function differ() {
    view.groups ??= groupsOf(view);
    const { groups, a, b } = view;
    const words = form.elements.q.value.toLowerCase().trim();
    const found = groups.filter(({ search }) => search.includes(words));
    const total = (test) => number(groups.filter(test).reduce((sum, { n }) => sum + n, 0));
    part("counts").textContent =
      `On ${total(({ credit, other }) => credit > other)} mentions ${a.label} is ahead, ` +
      `on ${total(({ credit, other }) => credit < other)} ${b.label}; on ` +
      `${total(({ credit, other }) => credit === other)} they differ and neither is ahead.`;
    const noted = (shown, note) => [shown, element("span", note, { class: "note" })];
    const cell = (given, credit) => {
      const whole = { 0: "wrong", 1: "right" }[credit];
      const mark = whole ?? `${percent(credit)} % right`;
      const shown = given === null ? mark : noted(given || "no answer", mark);
      return element("td", shown, { class: whole });
    };
    const rows = found.slice(0, view.shown).map((group) => {
      const { text, where, gold, given, against, credit, other, n } = group;
      const first = n > 1 ? `${where} and ${n - 1} more` : where;
      const mention = text ? noted(n > 1 ? `${text} × ${n}` : text, first) : first;
      const cells = [element("td", mention), element("td", gold), cell(given, credit), cell(against, other)];
      return element("tr", cells);
    });
    const heads = ["mention", "gold", a.label, b.label].map((text) => element("th", text, { scope: "col" }));
    const table = element("table", [element("thead", element("tr", heads)), element("tbody", rows)]);
    const more = element("button", `Show more of ${number(found.length)} rows`, { type: "button" });
    more.addEventListener("click", () => {
      view.shown += 5 * SHOWN;
      differ();
    });
    part("mentions").replaceChildren(table, ...(found.length > view.shown ? [more] : []));
  }

  // ---------------------------------------------------------------- events
  Benchlib.explorer = { register };
  // A fold that is in the page as it is built would lose its content until it is opened (study/book/light.py).
  const fold = element("details", element("summary", "Choose what is shown"), { class: "controls" });
  fold.open = !matchMedia("(max-width: 600px)").matches;
  part("controls").replaceWith(fold);
  fold.append(...CONTROLS.childNodes);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", (event) => {
    if (event.target.name !== "q") show();
  });
  form.elements.least.addEventListener("input", ({ target }) => {
    target.nextElementSibling.value = target.value;
  });
  form.elements.q.addEventListener("input", () => {
    remember();
    if (view) differ();
  });
  addEventListener("hashchange", () => {
    if (recall()) show();
  });
  recall();
  show();
})();
