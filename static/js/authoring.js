// Writing missions: a link to a line goes to it in the text, unsaved work is not left by accident, and long work says so.
"use strict";

document.addEventListener("click", (event) => {
  const link = event.target.closest('.problems a[href^="#"]');
  if (!link) return;
  const target = document.querySelector(link.hash);
  const text = document.getElementById("text");
  const line = /^#line-(\d+)$/.exec(link.hash);
  if (line && text) {
    event.preventDefault();
    const lines = text.value.split("\n");
    const start = lines.slice(0, line[1] - 1).join("\n").length + (line[1] > 1 ? 1 : 0);
    text.focus();
    text.setSelectionRange(start, start + lines[line[1] - 1].length);
    text.scrollTop = (text.scrollHeight / lines.length) * Math.max(line[1] - 5, 0);
  } else if (target) {
    event.preventDefault();
    for (let box = target.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
    target.focus();
  }
});

for (const form of document.querySelectorAll("[data-unsaved]")) {
  let isChanged = form.dataset.unsaved === "now";
  form.addEventListener("input", () => (isChanged = true));
  form.addEventListener("submit", () => (isChanged = false));
  addEventListener("beforeunload", (event) => isChanged && event.preventDefault());
}

for (const form of document.querySelectorAll("[data-busy]")) {
  form.addEventListener("submit", () => {
    form.querySelector(".busy-note").hidden = false;
    // Not at once: a button that is disabled is not sent.
    setTimeout(() => (form.querySelector("button").disabled = true));
  });
  addEventListener("pageshow", () => {
    form.querySelector(".busy-note").hidden = true;
    form.querySelector("button").disabled = form.querySelector("button").hasAttribute("data-shut");
  });
}

