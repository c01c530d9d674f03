// Plays the ten answers through training. The page is complete without it; it moves what the server drew.
"use strict";

(() => {
  const FRAMES_PER_SECOND = 9;
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)");

  // A label is shown where no taller bar's label is in its way: the rule of charts/scale.py.
  function placeLabels(drawing, values, data) {
    const order = values.map((_, i) => i).sort((a, b) => values[b] - values[a]);
    const shown = [];
    for (const i of order) {
      const text = drawing.texts[i];
      const y = drawing.zero - values[i] * drawing.scale - 6;
      const x = Number(text.getAttribute("x"));
      const free = values[i] >= data.labelFrom &&
        shown.every((other) => Math.abs(x - other.x) >= drawing.labelWidth || Math.abs(y - other.y) >= data.labelHeight);
      if (free) shown.push({ x, y });
      text.setAttribute("visibility", free ? "visible" : "hidden");
      text.setAttribute("y", y.toFixed(1));
      text.textContent = values[i].toFixed(2);
    }
  }

  function setHeights(rects, values, drawing) {
    rects.forEach((rect, i) => {
      rect.setAttribute("y", (drawing.zero - values[i] * drawing.scale).toFixed(1));
      rect.setAttribute("height", (values[i] * drawing.scale).toFixed(1));
    });
  }

  function start(figure) {
    const player = figure.querySelector("[data-player]");
    if (!player || figure.dataset.ready) return;
    figure.dataset.ready = "true";
    const data = JSON.parse(figure.querySelector('script[type="application/json"]').textContent);
    const last = data.steps.length - 1;
    const range = player.querySelector("input");
    const button = player.querySelector("[data-play]");
    const drawings = [...figure.querySelectorAll("svg[data-zero]")].map((svg) => ({
      zero: Number(svg.dataset.zero),
      scale: Number(svg.dataset.scale),
      labelWidth: Number(svg.dataset.labelWidth),
      bars: [...svg.querySelectorAll(".bar")],
      marked: [...svg.querySelectorAll(".bar2")],
      texts: [...svg.querySelectorAll(".value")],
    }));
    let playing = 0;

    const between = (frames, at) => {
      const from = Math.floor(at);
      const to = Math.min(from + 1, last);
      return frames[from].map((value, i) => value + (frames[to][i] - value) * (at - from));
    };

    // `at` may lie between two recorded frames; the words name the one before it.
    function show(at) {
      const values = between(data.values, at);
      for (const drawing of drawings) {
        setHeights(drawing.bars, values, drawing);
        if (data.marked) setHeights(drawing.marked, between(data.marked, at), drawing);
        placeLabels(drawing, values, data);
      }
      const frame = Math.floor(at);
      const step = data.steps[frame];
      figure.querySelectorAll("[data-step]").forEach((element) => (element.textContent = step));
      range.value = frame;
      range.setAttribute("aria-valuetext", `step ${step} of ${data.steps[last]}`);
    }

    function label() {
      const atEnd = Number(range.value) === last;
      const words = calm.matches ? (atEnd ? "To the start" : "To the end") : playing ? "Pause" : "Play";
      button.querySelector("[data-word]").textContent = words;
      button.querySelector('[data-icon="play"]').hidden = Boolean(playing);
      button.querySelector('[data-icon="pause"]').hidden = !playing;
    }

    function pause() {
      cancelAnimationFrame(playing);
      playing = 0;
      label();
    }

    function play() {
      let at = Number(range.value) === last ? 0 : Number(range.value);
      let before = null;
      const tick = (now) => {
        if (!figure.isConnected) return;
        // The first frame only starts the clock: its time may lie before the click.
        at = Math.min(last, at + ((now - (before ?? now)) / 1000) * FRAMES_PER_SECOND);
        before = now;
        show(at);
        if (at < last) playing = requestAnimationFrame(tick);
        else pause();
      };
      playing = requestAnimationFrame(tick);
      label();
    }

    button.addEventListener("click", () => {
      if (playing) return pause();
      if (!calm.matches) return play();
      show(Number(range.value) === last ? 0 : last);
      label();
    });
    range.addEventListener("input", () => {
      const frame = Number(range.value);
      if (playing) pause();
      show(frame);
      label();
    });
    label();
    player.hidden = false;
  }

  const startAll = () => document.querySelectorAll("[data-bars]").forEach(start);
  document.addEventListener("DOMContentLoaded", startAll);
  document.addEventListener("htmx:load", startAll);
})();
