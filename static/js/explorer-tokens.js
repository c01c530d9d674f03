// Arrow keys among tokens: one tab stop a response. Without this, every token is an ordinary link.
"use strict";

(() => {
  const rows = () => [...document.querySelectorAll("#tokens [data-rove]")].filter((row) => row.querySelector(".tok"));
  const cells = (row) => [...row.querySelectorAll("a.tok")];

  const stop = (row, cell) => cells(row).forEach((one) => (one.tabIndex = one === cell ? 0 : -1));

  const settle = () => {
    for (const row of rows()) {
      const here = cells(row);
      stop(row, here.find((one) => one === document.activeElement) ?? here.find((one) => one.ariaCurrent) ?? here[0]);
    }
    const chosen = document.querySelector("#tokens.grid-scroll .sel");
    const box = chosen?.closest(".grid-scroll");
    if (box) box.scrollLeft += chosen.getBoundingClientRect().left - box.getBoundingClientRect().left - box.clientWidth / 2;
  };

  document.addEventListener("focusin", (event) => {
    const row = event.target.closest?.("#tokens [data-rove]");
    if (row && event.target.matches("a.tok")) stop(row, event.target);
  });

  document.addEventListener("keydown", (event) => {
    const row = event.target.closest?.("#tokens [data-rove]");
    if (!row || event.altKey || event.metaKey || event.shiftKey) return;
    const all = rows();
    const at = all.indexOf(row);
    const place = cells(row).indexOf(event.target);
    const first = event.ctrlKey && event.key === "Home" ? 0 : at;
    const last = event.ctrlKey && event.key === "End" ? all.length - 1 : at;
    // In a column of answers, up and down lead from one to the next.
    const isColumn = row.dataset.rove === "column";
    const to = {
      ArrowLeft: [at, place - 1],
      ArrowRight: [at, place + 1],
      ArrowUp: isColumn ? [at, place - 1] : [at - 1, place],
      ArrowDown: isColumn ? [at, place + 1] : [at + 1, place],
      Home: [first, 0],
      End: [last, Infinity],
    }[event.key];
    if (!to || (event.ctrlKey && event.key.startsWith("Arrow"))) return;
    event.preventDefault();
    const target = all[to[0]] && cells(all[to[0]]);
    if (!target || to[1] < 0) return;
    target[Math.min(to[1], target.length - 1)].focus();
  });

  // What a badge stands for is outlined wherever its letter is, here and in the formulas.
  for (const [name, is_on] of [["mouseover", true], ["focusin", true], ["mouseout", false], ["focusout", false]]) {
    document.addEventListener(name, (event) => {
      const key = event.target.closest?.("[data-key]")?.dataset.key;
      if (key) document.querySelectorAll(`[data-key="${CSS.escape(key)}"]`).forEach((one) => one.classList.toggle("twin", is_on));
    });
  }

  document.addEventListener("htmx:afterSettle", settle);
  settle();
})();
