// Keeps what a swap would lose in the lab: what was left open, how far the form was scrolled, where the focus was, and a
// number being typed.
"use strict";

(() => {
  const PARTS = ["lab", "step"];
  let open = [];
  let scrolled = 0;
  let focused = "";
  let typing = null;

  document.addEventListener("htmx:beforeSwap", (event) => {
    const part = event.detail.target.id;
    if (!PARTS.includes(part)) return;
    open = [...document.querySelectorAll(`#${part} details[open][id]`)].map((details) => details.id);
    scrolled = document.getElementById("setup").scrollTop;
    const field = document.activeElement;
    focused = field?.closest(`#${part}`) ? field.id : "";
    const isDirty = field?.matches(`#${part} input.num[id]`) && field.value !== field.defaultValue;
    typing = isDirty ? { id: field.id, value: field.value, start: field.selectionStart, end: field.selectionEnd } : null;
  });

  document.addEventListener("htmx:afterSettle", (event) => {
    if (!PARTS.includes(event.detail.target.id)) return;
    for (const id of open) document.getElementById(id)?.setAttribute("open", "");
    document.getElementById("setup").scrollTop = scrolled;
    // htmx could not give the focus back to what was folded away.
    if (focused && document.activeElement === document.body) document.getElementById(focused)?.focus({ preventScroll: true });
    const field = typing && document.getElementById(typing.id);
    if (!field || field.value === typing.value) return;
    field.value = typing.value;
    field.setSelectionRange(typing.start, typing.end);
    // The browser no longer knows that this field was changed by hand.
    field.addEventListener("blur", () => field.dispatchEvent(new Event("change", { bubbles: true })), { once: true });
  });

  // A slider writes into the number field beside it, which is what the form sends.
  document.addEventListener("input", (event) => {
    const field = document.getElementById(event.target.dataset?.for);
    if (field) field.value = event.target.value;
  });
})();
