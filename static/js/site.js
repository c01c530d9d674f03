// The site's own behavior: where focus goes after a swap, copied links, and what to say when the server is silent.
"use strict";

const toast = (text) => {
  const box = document.getElementById("toast");
  box.textContent = text;
  box.hidden = false;
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => (box.hidden = true), 8000);
};

// A fragment that changes what the page is about carries data-focus: keyboard and screen reader follow it there.
document.addEventListener("htmx:afterSettle", (event) => {
  const heading = event.detail.elt.closest("[data-focus]") || event.detail.elt.querySelector("[data-focus]");
  if (!heading) return;
  heading.removeAttribute("data-focus");
  heading.focus({ preventScroll: true });
  heading.scrollIntoView({ block: "start", behavior: "auto" });
});

document.addEventListener("htmx:sendError", () =>
  toast("The server can’t be reached. Your settings are still here; try again in a moment."));
document.addEventListener("htmx:timeout", () =>
  toast("The server took too long. Your settings are still here; try again in a moment."));
document.addEventListener("htmx:responseError", (event) => {
  const status = event.detail.xhr.status;
  if (status === 403) toast("This page is out of date. Reload it, then try again; your settings are kept.");
  else if (status === 404) toast("That is not open to you, or not there any more. Reload the page to see where you stand.");
  else toast("Something went wrong on the server. Nothing was charged; try again.");
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy], [data-copy-text]");
  if (!button) return;
  const isLink = "copy" in button.dataset;
  const text = isLink ? new URL(button.dataset.copy, location.href).href : button.dataset.copyText;
  try {
    await navigator.clipboard.writeText(text);
    toast(isLink ? "Link copied." : "Copied.");
  } catch {
    prompt(isLink ? "Copy this link:" : "Copy this:", text);
  }
});
