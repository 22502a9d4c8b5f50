// The states of a setting one at a time, with a slider: each section of an element of the class "steps" is a
// state. Without a script, and on paper, all of them are shown.
(() => {
  "use strict";

  function enhance(box) {
    const states = [...box.querySelectorAll(":scope > section")];
    if (states.length < 2) return;
    const range = Object.assign(document.createElement("input"), {
      type: "range",
      min: 0,
      max: states.length - 1,
    });
    range.value = states.length - 1;
    range.setAttribute("aria-label", box.dataset.axis);
    const show = () => {
      states.forEach((state, i) => state.classList.toggle("passed-over", i !== Number(range.value)));
      const now = states[range.value].querySelector("p").textContent;
      range.setAttribute("aria-valuetext", now);
    };
    range.addEventListener("input", show);
    box.prepend(range);
    show();
  }

  const start = () => document.querySelectorAll(".steps").forEach(enhance);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
