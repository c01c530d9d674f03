// The explorer works without this. Here: the slider and the ring lead to an update, swaps keep what was open and where
// the focus was, and arrow keys walk through the updates.
"use strict";

(() => {
  let open = [];
  let focused = "";
  let timer = 0;

  const go = (place) => {
    const field = document.getElementById("s");
    if (!field) return;
    field.value = Math.min(Math.max(place, 1), Number(field.max));
    field.form.requestSubmit();
  };

  document.addEventListener("input", (event) => {
    if (event.target.id !== "s-slider") return;
    document.getElementById("s").value = event.target.value;
    clearTimeout(timer);
    timer = setTimeout(() => go(Number(event.target.value)), 150);
  });
  // Choices take effect at once; without scripts there is a button.
  document.addEventListener("change", (event) => {
    if (event.target.matches("#explorer form[data-at-once] select, #explorer form[data-at-once] input")) event.target.form.requestSubmit();
  });

  // The ring is a picture of what the strip and the slider lead to, and another way to them.
  document.addEventListener("click", (event) => {
    const ring = event.target.closest("svg[data-ring]");
    if (!ring) return;
    const box = ring.getBoundingClientRect();
    const x = event.clientX - box.left - box.width / 2;
    const y = event.clientY - box.top - box.height / 2;
    if (Math.hypot(x, y) < box.width * 0.14) return;
    const updates = Number(ring.dataset.ring);
    const start = Number(ring.dataset.start);
    const angle = (Math.atan2(x, -y) + 2 * Math.PI) % (2 * Math.PI);
    const share = (angle - start) / (2 * Math.PI - 2 * start);
    go(1 + Math.round(Math.min(Math.max(share, 0), 1) * (updates - 1)));
  });

  document.addEventListener("keydown", (event) => {
    const strip = event.target.closest?.(".strip");
    if (!strip || event.ctrlKey || event.metaKey || event.altKey) return;
    const by = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    const page = { PageUp: "go-previous-step", PageDown: "go-next-step" }[event.key];
    if (by === undefined && !page) return;
    event.preventDefault();
    if (page) return document.getElementById(page)?.click();
    focused = "here";
    const here = Number(document.getElementById("s").defaultValue);
    go(Number.isFinite(by) ? here + by * (event.shiftKey ? 10 : 1) : by < 0 ? 1 : Infinity);
  });

  document.addEventListener("htmx:beforeRequest", (event) => {
    const root = document.getElementById("explorer");
    if (!root?.contains(event.target)) return;
    root.setAttribute("aria-busy", "true");
  });
  document.addEventListener("htmx:beforeSwap", () => {
    const root = document.getElementById("explorer");
    if (!root) return;
    open = [...root.querySelectorAll("details[id]")].map((one) => [one.id, one.open]);
    if (focused !== "here") focused = root.contains(document.activeElement) ? document.activeElement.id : "";
    scrolled = ["explore", "step", "why"].map((id) => document.getElementById(id)?.scrollTop);
  });
  let scrolled = [];
  document.addEventListener("htmx:afterSettle", () => {
    const root = document.getElementById("explorer");
    if (!root) return;
    root.removeAttribute("aria-busy");
    for (const [id, was] of open) {
      const one = document.getElementById(id);
      if (one) one.open = was;
    }
    ["explore", "step", "why"].forEach((id, i) => {
      const column = document.getElementById(id);
      if (column && scrolled[i]) column.scrollTop = scrolled[i];
    });
    const tab = document.querySelector("#tabs [aria-current]")?.id.slice(4);
    if (tab) document.getElementById("views").dataset.tab = tab;
    const target = focused === "here" ? document.querySelector(".strip [aria-current]") : document.getElementById(focused);
    focused = "";
    if (target && document.activeElement !== target) target.focus({ preventScroll: true });
  });
  document.addEventListener("htmx:responseError", () => document.getElementById("explorer")?.removeAttribute("aria-busy"));
})();
