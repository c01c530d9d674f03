// Draws line charts with Chart.js in the site's own tokens. The numbers stand in a table beside every chart.
"use strict";

(() => {
  const DASHES = [[], [9, 4], [2, 4.5], [10, 4, 2, 4]];
  const MARKERS = ["circle", "rect", "triangle", "rectRot"];
  const LABEL_GAP = 15;
  const charts = new Map();

  const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  // light-dark() is resolved only where a color is used, so a probe uses it.
  function palette() {
    const probe = document.createElement("span");
    document.body.append(probe);
    const color = (name) => {
      probe.style.color = `var(${name})`;
      return getComputedStyle(probe).color;
    };
    const found = {
      line: [1, 2, 3, 4].map((n) => color(`--d${n}`)),
      ink: color("--ink"), ink2: color("--ink-2"), grid: color("--grid"),
      strong: color("--line-strong"), surface: color("--surface"),
      sans: token("--sans"), mono: token("--mono"),
    };
    probe.remove();
    return found;
  }

  function dataset(line, colors, several) {
    const color = line.previous && !several ? colors.strong : colors.line[line.style - 1];
    return {
      label: line.previous ? `${line.label}, previous setup` : line.label,
      data: line.points.map(([x, y]) => ({ x, y })),
      borderColor: color,
      backgroundColor: color,
      borderWidth: line.previous ? 1.4 : 2.4,
      borderDash: line.previous ? [4, 4] : DASHES[line.style - 1],
      borderJoinStyle: "round",
      pointStyle: MARKERS[line.style - 1],
      pointRadius: line.points.map((_, i) => (!line.previous && line.markers.includes(i) ? 3.5 : 0)),
      pointHoverRadius: 5,
      order: line.previous ? 1 : 0,
      clip: false,
    };
  }

  function axis(spec, colors, isX) {
    return {
      type: spec.log ? "logarithmic" : "linear",
      min: spec.ticks[0],
      max: spec.ticks[spec.ticks.length - 1],
      afterBuildTicks: (scale) => { scale.ticks = spec.ticks.map((value) => ({ value })); },
      border: { display: isX, color: colors.strong },
      grid: { display: !isX, color: colors.grid, drawTicks: false },
      ticks: {
        color: colors.ink2, font: { family: colors.mono, size: 12 }, padding: 6, maxRotation: 0,
        autoSkip: isX, autoSkipPadding: 8, callback: (_, i) => spec.texts[i],
      },
      title: { display: Boolean(spec.label), text: spec.label, color: colors.ink2, font: { family: colors.sans, size: 12 }, padding: 2 },
    };
  }

  // What a tick there says, else the number.
  const named = (spec, value) => spec.texts[spec.ticks.indexOf(value)] ?? value.toLocaleString("en-US");

  // Where a line ends: its last point that has a value.
  const endOf = (line) => line.points.findLast(([, y]) => y !== null);

  // Names at the lines' ends, ends of earlier runs, and goal lines, which Chart.js doesn't have.
  const marks = (data, colors) => ({
    id: "marks",
    afterDatasetsDraw(chart) {
      const { ctx, chartArea: area, scales: { x, y } } = chart;
      ctx.save();
      // An earlier run that is a part of this one hides behind it; its end shows where it stopped.
      for (const line of data.lines.filter((other) => other.previous && endOf(other))) {
        const [step, value] = endOf(line);
        ctx.strokeStyle = colors.strong;
        ctx.fillStyle = colors.surface;
        ctx.lineWidth = 1.5;
        ctx.beginPath();
        ctx.arc(x.getPixelForValue(step), y.getPixelForValue(value), 4, 0, 2 * Math.PI);
        ctx.fill();
        ctx.stroke();
      }
      for (const [place, goal] of data.goals.entries()) {
        const at = y.getPixelForValue(goal.value);
        ctx.strokeStyle = ctx.fillStyle = colors.ink;
        ctx.lineWidth = 1.5;
        ctx.setLineDash([2, 4]);
        ctx.beginPath();
        ctx.moveTo(area.left, at);
        ctx.lineTo(area.right, at);
        ctx.stroke();
        ctx.setLineDash([]);
        ctx.font = `700 12px ${colors.sans}`;
        // Of two goals one is named at the left and the other at the right: their lines may be close.
        ctx.textAlign = place % 2 ? "right" : "left";
        ctx.fillText(goal.label, place % 2 ? area.right - 6 : area.left + 6, at - area.top < 16 ? at + 14 : at - 5);
        ctx.textAlign = "left";
      }
      // Steps by turns light and dark along the axis, as far as they can be told apart; and the one that is shown.
      const width = x.getPixelForValue(1) - x.getPixelForValue(0);
      for (let step = 0; width > 2 && step < data.rollouts; step += 1) {
        ctx.fillStyle = step % 2 ? colors.strong : colors.grid;
        ctx.fillRect(x.getPixelForValue(step), area.bottom + 1, width, 4);
      }
      if (data.here !== null) {
        const at = x.getPixelForValue(data.here);
        ctx.strokeStyle = colors.ink;
        ctx.lineWidth = 1.5;
        ctx.setLineDash([4, 3]);
        ctx.beginPath();
        ctx.moveTo(at, area.top);
        ctx.lineTo(at, area.bottom);
        ctx.stroke();
        ctx.setLineDash([]);
      }
      const ends = data.lines
        .filter((line) => line.end && endOf(line))
        .map((line) => ({ line, at: y.getPixelForValue(endOf(line)[1]) }))
        .sort((a, b) => a.at - b.at);
      ctx.font = `700 12px ${colors.sans}`;
      ctx.textBaseline = "middle";
      let lowest = -Infinity;
      for (const end of ends) {
        lowest = Math.max(end.at, lowest + LABEL_GAP);
        ctx.fillStyle = colors.line[end.line.style - 1];
        ctx.fillText(end.line.end, area.right + 9, lowest);
      }
      ctx.restore();
    },
  });

  function labelRoom(data, colors) {
    const context = document.createElement("canvas").getContext("2d");
    context.font = `700 12px ${colors.sans}`;
    return Math.max(8, ...data.lines.map((line) => (line.end ? context.measureText(line.end).width + 14 : 0)));
  }

  function draw(figure) {
    const canvas = figure.querySelector("canvas");
    const data = JSON.parse(figure.querySelector('script[type="application/json"]').textContent);
    const colors = palette();
    const several = data.lines.filter((line) => !line.previous).length > 1;
    return new Chart(canvas, {
      type: "line",
      data: { datasets: data.lines.map((line) => dataset(line, colors, several)) },
      options: {
        animation: false,
        responsive: true,
        maintainAspectRatio: false,
        parsing: false,
        layout: { padding: { right: labelRoom(data, colors), top: 6 } },
        interaction: { mode: "nearest", axis: "x", intersect: false },
        scales: { x: axis(data.x, colors, true), y: axis(data.y, colors, false) },
        plugins: {
          legend: { display: false },
          tooltip: {
            backgroundColor: colors.ink, titleColor: colors.surface, bodyColor: colors.surface, usePointStyle: true,
            titleFont: { family: colors.sans }, bodyFont: { family: colors.mono },
            callbacks: {
              title: ([item]) => (item ? `${data.x.label} ${named(data.x, item.parsed.x)}` : ""),
              label: (item) => ` ${item.dataset.label} ${item.parsed.y.toFixed(data.decimals).replace("-", "\u2212")}`,
            },
          },
        },
      },
      plugins: [marks(data, colors)],
    });
  }

  function drawAll() {
    for (const [figure, chart] of charts) {
      if (figure.isConnected) continue;
      chart.destroy();
      charts.delete(figure);
    }
    document.querySelectorAll("[data-curves]").forEach((figure) => {
      if (!charts.has(figure)) charts.set(figure, draw(figure));
    });
  }

  function redrawAll() {
    charts.forEach((chart) => chart.destroy());
    charts.clear();
    drawAll();
  }

  document.addEventListener("DOMContentLoaded", () => {
    drawAll();
    // The first drawing may have measured a fallback font.
    document.fonts.ready.then(redrawAll);
  });
  document.addEventListener("htmx:load", drawAll);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
  new MutationObserver(redrawAll).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
})();
