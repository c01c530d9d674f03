// Keeps the open progress grid up to date: takes over what is new cell by cell, so that focus and place stay.
"use strict";

(() => {
  const grid = () => document.getElementById("grid");
  let isBehind = false;

  document.addEventListener("htmx:configRequest", (event) => {
    const { elt, headers } = event.detail;
    if (elt.id !== "grid-poll") return;
    if (document.hidden) event.preventDefault();
    else headers["If-None-Match"] = grid().dataset.version;
  });

  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) document.getElementById("grid-poll")?.dispatchEvent(new Event("wake"));
  });

  document.addEventListener("htmx:afterRequest", (event) => {
    const { elt, xhr } = event.detail;
    if (elt.id !== "grid-poll" || !elt.isConnected) return;
    if (isBehind && (xhr.status === 200 || xhr.status === 304)) say("Up to date again.");
    if (xhr.status === 200) take(xhr.responseText);
    if (xhr.status === 200 || xhr.status === 304) isBehind = false;
  });

  // Nobody asked for this request, so nobody is interrupted when it fails: the line above the grid says so.
  for (const name of ["htmx:sendError", "htmx:timeout", "htmx:responseError"]) {
    document.addEventListener(name, (event) => {
      const { elt, xhr } = event.detail;
      if (elt.id !== "grid-poll") return;
      event.stopPropagation();
      if (xhr?.status === 404) elt.remove();
      if (!isBehind) say(xhr?.status === 404 ? "This page is not open to you any more." : "Not up to date: the server can’t be reached. The page goes on asking.");
      isBehind = true;
    }, true);
  }

  const say = (text) => (document.getElementById("grid-said").textContent = text);

  const take = (html) => {
    const parsed = new DOMParser().parseFromString(html, "text/html").getElementById("grid");
    const shape = (part) => [...part.querySelectorAll("thead th")].map((cell) => cell.textContent.replace(/\d+/g, "")).join();
    if (!parsed) return;
    if (shape(parsed) !== shape(grid())) return replace(parsed);
    const rows = grid().querySelector("tbody");
    const said = rows ? takeRows(rows, parsed.querySelector("tbody")) : [];
    if (said === null) return location.reload();
    parsed.querySelector("tbody")?.replaceWith(document.createElement("tbody"));
    sync(grid(), parsed, rows);
    if (said.length) say(inWords(said));
  };

  const replace = (parsed) => {
    const now = document.adoptNode(parsed);
    grid().replaceWith(now);
    htmx.process(now);
  };

  // Rows are known by data-key. One that comes empty is as it was. Returns what changed, or null if a row is missing.
  const takeRows = (rows, news) => {
    const known = new Map([...rows.rows].map((row) => [row.dataset.key, row]));
    const focused = document.activeElement;
    const changed = [];
    let place = rows.firstElementChild;
    for (const next of [...news.rows]) {
      let row = known.get(next.dataset.key);
      known.delete(next.dataset.key);
      if (!row && !next.cells.length) return null;
      if (!row) row = document.adoptNode(next);
      else if (next.cells.length) takeCells(row, next, changed);
      if (row === place) place = place.nextElementSibling;
      else rows.insertBefore(row, place);
    }
    for (const row of known.values()) row.remove();
    if (focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
    if (changed.length) {
      for (const cell of rows.querySelectorAll(".fresh")) cell.classList.remove("fresh");
      for (const { cell } of changed) cell.classList.add("fresh");
    }
    return changed;
  };

  const takeCells = (row, next, changed) => {
    for (const [place, cell] of [...row.cells].entries()) {
      const now = next.cells[place];
      const was = cell.className.replace(/ ?fresh/, "");
      if (was === now.className && cell.textContent === now.textContent) continue;
      if (/^s[0-3]/.test(now.className)) changed.push({ cell, row, place });
      cell.className = now.className;
      if (cell.firstElementChild && now.firstElementChild) sync(cell.firstElementChild, now.firstElementChild);
      else cell.replaceChildren(...now.childNodes);
    }
  };

  // Makes `old` like `now`, keeping its elements wherever the two have the same shape; `except` is left alone.
  const sync = (old, now, except) => {
    if (old === except) return;
    for (const { name } of [...old.attributes]) if (!now.hasAttribute(name) && name !== "open") old.removeAttribute(name);
    for (const { name, value } of now.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    const olds = [...old.childNodes];
    const news = [...now.childNodes];
    if (olds.length !== news.length || olds.some((node, place) => node.nodeName !== news[place].nodeName)) {
      old.replaceChildren(...news);
      return;
    }
    for (const [place, node] of olds.entries()) {
      if (node.nodeType === Node.ELEMENT_NODE) sync(node, news[place], except);
      else if (node.data !== news[place].data) node.data = news[place].data;
    }
  };

  const inWords = (changed) => {
    const at = grid().dataset.at;
    if (changed.length > 3) return `${at}: ${changed.length} cells are new.`;
    const heads = grid().querySelectorAll(".missions-head th");
    const each = changed.map(({ cell, row, place }) =>
      `${row.cells[0].textContent}, ${heads[place - 1].textContent.replace(/^M/, "m")}: ${cell.firstElementChild?.getAttribute("aria-label") ?? "open"}`);
    return `${at}: ${each.join("; ")}.`;
  };

  // From a student's name, arrow keys lead through the cells, which are no tab stops of their own.
  document.addEventListener("keydown", (event) => {
    const cell = event.target.closest?.(".class tbody :is(td, th)");
    const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    if (!cell || !steps || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    let row = cell.parentElement;
    let place = cell.cellIndex;
    for (;;) {
      if (steps[0] > 0) row = row.nextElementSibling;
      if (steps[0] < 0) row = row.previousElementSibling;
      place += steps[1];
      const next = row?.cells[place];
      if (!next) return;
      const link = next.querySelector("a");
      if (link) return link.focus();
    }
  });
})();
