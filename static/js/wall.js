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
    if (event.detail.xhr.status === 304) event.detail.shouldSwap = false;
    isOpen = document.getElementById("wall-table")?.open ?? false;
  });

  // A wall that lags behind says so instead of "live", and nothing else: nobody in the hall asked for the request.
  const behind = (text) => {
    const state = document.getElementById("wall-state");
    state.textContent = text || state.dataset.state;
    wall().classList.toggle("is-behind", Boolean(text));
  };
  for (const name of ["htmx:sendError", "htmx:timeout", "htmx:responseError"]) {
    document.addEventListener(name, (event) => {
      const { elt, xhr } = event.detail;
      if (elt.id !== POLL) return;
      event.stopPropagation();
      if (xhr?.status === 404) elt.remove();
      behind(xhr?.status === 404 ? "not open to you any more" : "not up to date, the server can’t be reached");
    }, true);
  }
  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.elt.id === POLL && event.detail.xhr.status === 304) behind("");
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
