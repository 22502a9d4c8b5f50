// The search page: words and their beginnings, not any letters in a row ("nil" is not in "minilm"); the page that has
// a word more often first, and what stands in code alone last. Sphinx puts this behind its searchtools.js
// (html_search_scorer); study/book/search.py makes the index.
{
  const MOST_OFTEN = 5; // what being named often adds to Sphinx's 5 for a word and 15 for one in a title
  const IN_CODE = 1;
  const beginning = (words) =>
    new RegExp(`(?<![\\p{L}\\p{N}_])(?:${words.map(_escapeRegExp).join("|")})`, "giu");
  const kept = (entries, test) => Object.fromEntries(Object.entries(entries).filter(test));

  // Sphinx's own search over the entries of an index that begin with what is asked for.
  const perform = Search._performSearch;
  const found = (index, query, words, ...rest) => {
    const whole = Search._index;
    const begins = ([key]) => key.search(beginning([query.trim()])) >= 0;
    const asked = ([key]) => [...words].some((word) => key.startsWith(word));
    Search._index = {
      ...index,
      terms: kept(index.terms, asked),
      titleterms: kept(index.titleterms, asked),
      alltitles: kept(index.alltitles, begins),
      indexentries: kept(index.indexentries, begins),
    };
    try {
      return perform(query, words, ...rest);
    } finally {
      Search._index = whole;
    }
  };

  Search._performSearch = (query, words, ...rest) => {
    const index = Search._index;
    const often = ([page, , anchor]) => {
      const number = index.docnames.indexOf(page);
      const times = [...words].map((word) => index.times[word]?.[number] ?? 0);
      return anchor ? 0 : MOST_OFTEN * (1 - 10 / (10 + Math.min(...times)));
    };
    const prose = found(index, query, words, ...rest);
    prose.forEach((result) => { result[4] += often(result); });
    prose.sort((a, b) => a[4] - b[4]);

    const terms = { ...index.terms };
    for (const [word, pages] of Object.entries(index.codeterms))
      terms[word] = [...new Set([].concat(terms[word] ?? [], pages))];
    const pages = new Set(prose.map(([page]) => page));
    const code = found({ ...index, terms }, query, words, ...rest).filter(([page]) => !pages.has(page));
    code.forEach((result) => { result[4] = IN_CODE; });
    return [...code, ...prose]; // shown from the last to the first
  };

  // Sphinx would mark the letters asked for anywhere, in the results and on the page that one leads to.
  const parse = Search._parseQuery;
  Search._parseQuery = (query) => {
    const [whole, words, excluded, , objects] = parse(query);
    localStorage.removeItem("sphinx_highlight_terms");
    return [whole, words, excluded, new Set(), objects];
  };

  // The text around the first word asked for, which is marked: in prose, or else in code.
  const APART = ".stamp, .onlyprint, .bd-header-article, .cite, .prev-next-footer";
  const textOf = (html, anchor, without) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    page.querySelectorAll(without).forEach((element) => element.remove());
    page.querySelectorAll("h1, h2, h3, h4, p, li, dt, dd, td, th, text").forEach((part) => part.append(" "));
    const place = page.getElementById(anchor.slice(1));
    if (place?.matches("dt")) { // a term of the glossary, with what it means
      place.append(place.parentElement.querySelector(`#${CSS.escape(place.id)} ~ dd`)?.textContent ?? "");
    }
    return Search.htmlToText(page.documentElement.outerHTML, anchor).replace(/\s+/g, " ");
  };

  Search.makeSearchSummary = (html, words, anchor) => {
    // Sphinx asks for stems, which end in i where the word ends in y.
    const wanted = new RegExp(beginning([...words]).source.replace(/i(?=[|)])/g, "[iy]"), "giu");
    const prose = textOf(html, anchor, `${APART}, .cell_input`);
    const text = prose.search(wanted) < 0 ? textOf(html, anchor, APART) : prose;
    const from = Math.max(text.search(wanted) - 120, 0);
    const shown = text.slice(from, from + 240);
    const summary = document.createElement("p");
    summary.className = "context";
    summary.append(from ? "…" : "");
    let end = 0;
    for (const match of shown.matchAll(wanted)) {
      const mark = document.createElement("mark");
      mark.textContent = match[0];
      summary.append(shown.slice(end, match.index), mark);
      end = match.index + match[0].length;
    }
    summary.append(shown.slice(end), from + 240 < text.length ? "…" : "");
    return summary;
  };
}
