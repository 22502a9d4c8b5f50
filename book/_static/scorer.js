// "Score your file": the form "scorer" of the page and the tables below it. A worker does the work; no file
// leaves the page.
(() => {
  "use strict";
  const { element } = Benchlib;
  const PARTS = Object.keys(Benchlib.sources);

  // What the worker does: it has the parts above and nothing else of this file.
  function work({ text, dictionaries, pubtator, predictions, scoring }) {
    const tell = (stage, share) => postMessage({ stage, share });
    async function score({ files, best }) {
      tell("Reading the dictionary");
      const ontology = await dictionaries.readDictionary(files.dictionary);
      tell("Reading the corpus");
      const corpus = await pubtator.readCorpus(files.corpus, ontology);
      const evaluated = async (file) => {
        const stage = `Reading ${file.name}`;
        const progress = (bytes) => tell(stage, file.name.endsWith(".gz") ? undefined : bytes / file.size);
        const read = await predictions.readPredictions(file, corpus, ontology, best, progress);
        tell("Comparing with the gold");
        return new scoring.Evaluation(read, corpus, ontology);
      };
      const first = await evaluated(files.predictions);
      const second = files.second ? await evaluated(files.second) : null;
      tell("Resampling documents: published protocols");
      const published = first.published();
      tell("Resampling documents: kinds of mentions");
      const kinds = first.kinds();
      tell("Resampling documents: every other protocol");
      const grid = first.grid();
      if (second) tell("Resampling documents: the paired difference");
      return {
        published,
        kinds,
        grid,
        against: second && first.against(second),
        nil: first.nil(),
        counts: first.counts,
        documents: new Set(first.clusters).size,
        warnings: [...first.predictions.warnings, ...(second ? second.predictions.warnings : [])],
        notes: [...ontology.notes, ...corpus.notes(ontology)],
        mentions: new Blob([first.mentionsCsv()], { type: "text/csv" }),
      };
    }
    onmessage = async ({ data }) => {
      try {
        postMessage({ result: await score(data) });
      } catch (error) {
        const refused = error instanceof text.Refused;
        postMessage(refused ? { refused: error.message } : { failed: String(error.stack ?? error) });
      }
    };
  }

  // ---------- tables
  const signed = (text) => text.replace("-", "−");
  const percent = (share) => (share === null || share === undefined ? "" : signed((100 * share).toFixed(2)));
  const whole = (n) => n.toLocaleString("en-US");
  const small = (p) => (p === null ? "" : p < 0.001 ? "< 0.001" : p.toFixed(3));
  function estimate({ value, low, high, note }) {
    if (value === null || value === undefined) return [note ?? "no mention left"];
    const interval = element("span", `[${percent(low)}, ${percent(high)}]`, { class: "interval" });
    return [percent(value), " ", interval];
  }
  const ties = ({ worst, best }) => (Number.isFinite(worst) ? `${percent(worst)} to ${percent(best)}` : "");

  // Columns: the head, the cell of a row, whether it is a number.
  const PROTOCOL = ["Protocol", (row) => row.protocol];
  const MEASURE = ["Measure", (row) => row.measure];
  const SCORE = ["Score", estimate, true];
  const MENTIONS = ["Mentions", (row) => whole(row.n), true];
  const RIGHT = ["Counts as right", (row) => row.scoring];
  const TABLES = {
    published: [
      "Under the published protocols, in percent with 95 % intervals",
      [PROTOCOL, MEASURE, SCORE, ["If ties fall", ties, true], MENTIONS, RIGHT],
    ],
    against: [
      "First minus second, paired, in percentage points with 95 % intervals",
      [
        PROTOCOL,
        MEASURE,
        ["Difference", estimate, true],
        ["p", (row) => small(row.p), true],
        ["p (Holm)", (row) => small(row.p_holm), true],
        ["Gained", (row) => row.gained.toFixed(1), true],
        ["Lost", (row) => row.lost.toFixed(1), true],
        ["Detectable", (row) => percent(row.detectable), true],
        MENTIONS,
      ],
    ],
    kinds: [
      "Strict accuracy by kind of mention, in percent with 95 % intervals",
      [
        ["Kind", (row) => row.kind],
        ["", (row) => row.is],
        SCORE,
        ["Not listed", (row) => percent(row.not_listed), true],
        ["Misranked", (row) => percent(row.misranked), true],
        MENTIONS,
      ],
    ],
    grid: ["Every other protocol, in percent with 95 % intervals", [RIGHT, MEASURE, SCORE, MENTIONS]],
  };

  function table(name, rows) {
    const [caption, columns] = TABLES[name];
    const line = (tag, of) => {
      const cell = ([label, get, right]) => element(tag, of(label, get), { class: right && "text-right" });
      return element("tr", columns.map(cell));
    };
    const head = line("th", (label) => label);
    const body = rows.map((row) => line("td", (_, get) => get(row)));
    const content = [element("caption", caption), element("thead", head), element("tbody", body)];
    const attributes = { class: "table-scroll", tabindex: 0, role: "region", "aria-label": caption };
    return element("div", element("table", content, { id: `scored-${name}` }), attributes);
  }

  function list(title, texts) {
    if (!texts.length) return [];
    const items = texts.map((text) => element("li", text));
    const content = [element("summary", `${whole(texts.length)} ${title}`), element("ul", items)];
    return [element("details", content, { open: texts.length < 6 })];
  }

  function save(blob, name) {
    const address = URL.createObjectURL(blob);
    element("a", [], { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }

  function shown(result, { predictions, corpus }) {
    const { counts, nil } = result;
    const dropped = Object.entries(counts.dropped).filter(([, n]) => n);
    const reasons = dropped.map(([reason, n]) => `${reason} ${whole(n)}`).join(", ");
    const of = `${whole(counts.n_raw)} mentions of ${corpus.name}`;
    const leftOut = reasons && ` (left out: ${reasons})`;
    const told = [
      `${predictions.name}: ${whole(counts.n_scored)} of ${of} are scored${leftOut}.`,
      `${whole(counts.unanswered)} of these have no answer.`,
      `The gold of ${whole(counts.gold_outside_ontology)} is not in the dictionary.`,
      ...(result.documents === 1 ? ["There is one document, so the intervals say nothing."] : []),
    ].join(" ");
    const button = element("button", "Save a row for each mention (CSV)", { type: "button" });
    button.addEventListener("click", () => save(result.mentions, "mentions.csv"));
    const found = ({ precision, recall, f1 }) =>
      ` The answer NIL: precision ${percent(precision)} %, recall ${percent(recall)} %, F1 ${percent(f1)} %.`;
    const nils =
      nil &&
      `NIL by the top score: auPR ${percent(nil.aupr)} %, where chance reaches ${percent(nil.prevalence)} % ` +
        `(${whole(nil.n_nil)} of ${whole(nil.n)} mentions are NIL).${"f1" in nil ? found(nil) : ""}`;
    return [
      element("p", told),
      ...list("warnings", result.warnings),
      ...list("notes", result.notes),
      table("published", result.published),
      ...(result.against ? [table("against", result.against)] : []),
      table("kinds", result.kinds),
      ...(nils ? [element("p", nils)] : []),
      element("p", button),
      element("details", [element("summary", "Every other protocol"), table("grid", result.grid)]),
    ];
  }

  // ---------- the form
  const form = document.getElementById("scorer");
  const results = document.getElementById("scored");
  const [run, cancel, progress, status] = ["[type=submit]", "[name=cancel]", "progress", "output"].map(
    (selector) => form.querySelector(selector),
  );
  let worker = null;

  function stop(text, wrong = false) {
    worker?.terminate();
    worker = null;
    [run.disabled, cancel.disabled, progress.hidden] = [false, true, true];
    status.textContent = text;
    status.classList.toggle("wrong", wrong);
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const files = {};
    for (const input of form.querySelectorAll("[type=file]")) files[input.name] = input.files[0];
    results.replaceChildren();
    stop("");
    const began = performance.now();
    worker = Benchlib.worker(PARTS, work);
    [run.disabled, cancel.disabled, progress.hidden] = [true, false, false];
    worker.addEventListener("error", (error) => stop(`Not scored: ${error.message}`, true));
    worker.addEventListener("message", ({ data }) => {
      if (data.result) {
        results.append(...shown(data.result, files));
        stop(`Scored in ${((performance.now() - began) / 1000).toFixed(1)} s.`);
      } else if (data.stage) {
        if (data.share === undefined) progress.removeAttribute("value");
        else progress.value = data.share;
        if (status.textContent !== `${data.stage} …`) status.textContent = `${data.stage} …`;
      } else stop(`Not scored: ${data.refused ?? data.failed}`, true);
    });
    worker.postMessage({ files, best: form.elements.best.checked });
  });
  cancel.addEventListener("click", () => stop("Cancelled."));
  // A file dropped beside the fields would replace the page.
  for (const name of ["dragover", "drop"]) {
    addEventListener(name, (event) => event.target.type === "file" || event.preventDefault());
  }
})();
