// Old addresses. A paper's page was one and is two: what an address names that is not on the summary is on the page
// of the full results, to which the contents of the summary lead. A place in a folded part of a page is unfolded.
(() => {
  "use strict";
  document.addEventListener("DOMContentLoaded", () => {
    const name = decodeURIComponent(location.hash.slice(1));
    if (!name) return;
    const place = document.getElementById(name);
    for (let fold = place?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    if (place) return place.scrollIntoView();
    const page = location.pathname.split("/").pop().replace(/\.html$/, "");
    const results = document.querySelector(`a[href^="${page}_results.html"]`);
    if (results) location.replace(new URL(`${page}_results.html#${name}`, location.href));
  });
})();
