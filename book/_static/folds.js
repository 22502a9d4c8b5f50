// What a page builds only on demand: the content of closed folds, and the rows of a long table after the first.
// The build keeps both in template elements (study/book/light.py). A fold is built when it opens, the rest of a
// table by its button, by sorting and by filtering (tables.js). An address with #place opens what holds the place;
// a search opens what holds a word that is nowhere else on the page. What is built tells so by an event "unfolded".
window.folds = (() => {
  "use strict";
  const TERMS = (
    localStorage.getItem("sphinx_highlight_terms") ||
    new URLSearchParams(location.search).get("highlight") ||
    ""
  )
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean);
  const templates = (root) => [...root.querySelectorAll("article template")];

  function build(template) {
    const around = template.parentElement;
    template.replaceWith(template.content);
    if (around.matches("details")) addCopyButtons(around);
    if (window.MathJax?.typesetPromise && around.querySelector(".math"))
      window.MathJax.typesetPromise([around]);
    around.dispatchEvent(new Event("unfolded", { bubbles: true }));
  }

  // As the theme's script gives to the code that it finds when the page loads.
  function addCopyButtons(around) {
    const model = document.querySelector("button.copybtn");
    if (!model) return;
    around.querySelectorAll("div.highlight > pre:only-child").forEach((pre) => {
      pre.id = `folded-code-${document.querySelectorAll("button.copybtn").length}`;
      const button = model.cloneNode(true);
      button.dataset.clipboardTarget = `#${pre.id}`;
      pre.after(button);
    });
  }

  function reveal(template) {
    for (
      let fold = template.parentElement.closest("details");
      fold;
      fold = fold.parentElement.closest("details")
    ) {
      fold.open = true;
    }
    if (template.isConnected) build(template);
  }

  function toPlace() {
    const id = decodeURIComponent(location.hash.slice(1));
    const holder = id && templates(document).find((template) => template.content.getElementById(id));
    if (holder) reveal(holder);
    const place = id && document.getElementById(id);
    for (let fold = place && place.closest("details"); fold; fold = fold.parentElement.closest("details")) {
      fold.open = true;
    }
    if (place) place.scrollIntoView();
    // A paper's page was one and is two: what is not on the summary is on the page of the full results.
    const page = location.pathname
      .split("/")
      .pop()
      .replace(/\.html$/, "");
    const results = id && !place && document.querySelector(`a[href^="${page}_results.html"]`);
    if (results) location.replace(new URL(`${page}_results.html#${id}`, location.href));
  }

  function toWords() {
    const shown = document.querySelector("article")?.textContent.toLowerCase() || "";
    TERMS.filter((term) => !shown.includes(term)).forEach((term) =>
      templates(document)
        .filter((template) => template.content.textContent.toLowerCase().includes(term))
        .forEach(reveal),
    );
  }

  const everyRow = () =>
    templates(document)
      .filter((one) => one.parentElement.matches("tbody"))
      .forEach(build);

  function start() {
    // An observer is called before the script that opens a fold goes on; a toggle event comes after.
    new MutationObserver((changes) =>
      changes.forEach(({ target }) => {
        const template = target.open && target.querySelector(":scope > template");
        if (template) build(template);
      }),
    ).observe(document.body, { attributes: true, attributeFilter: ["open"], subtree: true });
    toWords();
    toPlace();
    window.addEventListener("hashchange", toPlace);
    window.addEventListener("beforeprint", everyRow);
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
  return { build };
})();
