// Keeps the wall up to date while it is open, says aloud what is revealed, and fills the screen.
"use strict";

(() => {
  const POLL = "wall-poll";
  const wall = () => document.getElementById("wall");

  document.addEventListener("htmx:configRequest", (event) => {
    const { elt, headers } = event.detail;
    if (elt.id !== POLL) return;
    if (document.hidden) event.preventDefault();
    else headers["If-None-Match"] = wall().dataset.version;
  });

  let isOpen = false;
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr, requestConfig } = event.detail;
    if (xhr.status === 304) event.detail.shouldSwap = false;
    else if (xhr.status === 404 && requestConfig.elt.id === POLL) requestConfig.elt.remove();
    isOpen = document.getElementById("wall-table")?.open ?? false;
  });

  document.addEventListener("htmx:afterSettle", () => {
    document.getElementById("wall-table").open = isOpen;
    const said = document.getElementById("wall-said");
    const now = wall().dataset.said ?? "";
    if (said.textContent !== now) said.textContent = now;
  });

  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) document.getElementById(POLL)?.dispatchEvent(new Event("wake"));
  });

  // htmx:load comes for the page and for whatever is swapped in.
  document.addEventListener("htmx:load", () => {
    document.getElementById("wall-full").hidden = !document.fullscreenEnabled;
  });
  document.addEventListener("click", (event) => {
    if (event.target.id !== "wall-full") return;
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen();
  });
})();
