"""The ten answers as bars: dashed where the reference policy is, solid where training took it.

`rank_bars(simulation)` averages over the prompts by quality rank; `prompt_bars(simulation, prompt)` shows one prompt.
Both need a simulation that ran with `policy=True` and return a `BarChart`, which templates/charts/bars.html draws.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from simulator.charts.scale import Ticks, place_labels, round_ticks, thin
from simulator.charts.table import Table, fixed
from simulator.engine import Simulation

FloatArray = npt.NDArray[np.float64]

MOST_FRAMES = 41
LABEL_FROM = 0.1  # smaller probabilities carry no number above their bar; the table has them
LABEL_HEIGHT = 13.0
CHARACTER = 7.3  # widest advance of a 12 px character in the figure's fonts
# Native widths and heights in px. The page shows the one that fits its container, so that text never shrinks.
SIZES = (("narrow", 256, 210), ("medium", 440, 240), ("wide", 720, 260))


@dataclass(frozen=True)
class Slot:
    """Pixel geometry of one answer."""

    label: str
    center: float
    reference_x: float
    reference_y: float
    reference_width: float
    reference_height: float
    bar_x: float
    bar_width: float
    bar_y: float
    bar_height: float
    marked_y: float
    marked_height: float
    text: str
    text_x: float
    text_y: float
    has_text: bool


@dataclass(frozen=True)
class Drawing:
    """One native size of the figure. `scale` is px per unit of probability, `zero` the row of probability 0."""

    size: str
    width: int
    height: int
    left: float
    right: float
    zero: float
    scale: float
    label_width: float
    ticks: tuple[tuple[float, str], ...]
    slots: tuple[Slot, ...]
    word_x: float
    pointer_x: float
    pointer_end: float

    @property
    def tick_x(self) -> float:
        return self.left - 6

    @property
    def label_y(self) -> float:
        return self.zero + 17

    @property
    def words_y(self) -> float:
        return self.zero + 36


@dataclass(frozen=True)
class BarChart:
    """Probabilities of ten answers before and after training, best answer first.

    `marked` is the part of each probability that lies on the exploit; `pointer` is the bar the word "exploit" points
    to, or None in a world without one. Frames are `(F, K)` with their steps `(F,)`.
    """

    ident: str
    title: str
    subtitle: str
    reference: FloatArray
    values: FloatArray
    marked: FloatArray
    pointer: int | None
    word: str
    steps: tuple[int, ...]
    frames: FloatArray
    marked_frames: FloatArray
    left_word: str
    right_word: str
    ceiling: float | None = None

    @property
    def last_step(self) -> int:
        return self.steps[-1]

    @property
    def has_frames(self) -> bool:
        return len(self.steps) > 1

    @property
    def last_frame(self) -> int:
        return len(self.steps) - 1

    @property
    def data(self) -> dict[str, Any]:
        """What static/js/bars.js plays: probabilities per frame, four decimals."""
        return {
            "steps": list(self.steps),
            "values": self.frames.round(4).tolist(),
            "marked": self.marked_frames.round(4).tolist() if self.pointer is not None else None,
            "labelFrom": LABEL_FROM,
            "labelHeight": LABEL_HEIGHT,
        }

    @property
    def summary(self) -> str:
        """The figure in words, for its description."""
        best = int(np.argmax(self.values))
        words = [
            f"The best answer goes from {self.reference[0]:.2f} to {self.values[0]:.2f} "
            f"over {self.last_step:,} {'step' if self.last_step == 1 else 'steps'}."
        ]
        if best != 0:
            words.append(f"Most probability, {self.values[best]:.2f}, ends on answer {best + 1}.")
        if self.pointer is not None:
            words.append(f"In all, the exploit ends with {self.marked.sum():.2f}.")
        return " ".join(words)

    @property
    def table(self) -> Table:
        head = ["Answer, best first", "Before", "After"]
        rows: list[list[str]] = []
        for i, (before, after, marked) in enumerate(zip(self.reference, self.values, self.marked, strict=True)):
            row = [str(i + 1), fixed(before), fixed(after)]
            rows.append([*row, fixed(marked)] if self.pointer is not None else row)
        if self.pointer is not None:
            head.append("of it, on the exploit")
        return Table(self.title, tuple(head), tuple(map(tuple, rows)))

    @cached_property
    def drawings(self) -> list[Drawing]:
        highest = max(self.reference.max(), self.frames.max(), self.values.max())
        ticks = round_ticks(0.0, self.ceiling if self.ceiling is not None else float(highest))
        return [_draw(self, ticks, *size) for size in SIZES]


def rank_bars(simulation: Simulation, *, ident: str = "ranks", run: int = 0) -> BarChart:
    """Mean probability of the r-th best answer over all prompts, for the `run`-th seed."""
    world, policy = simulation.world, _policy(simulation, run)
    order = _best_first(world.quality[run])
    sorted_policy = np.take_along_axis(policy, order[None], axis=-1)  # (F, P, K)
    reference = np.take_along_axis(world.reference_probability[run], order, axis=-1).mean(axis=0)
    exploit = None if world.exploit is None else order == world.exploit[run][:, None]  # (P, K)
    marked = np.zeros_like(sorted_policy) if exploit is None else sorted_policy * exploit
    prompts = order.shape[0]
    return _chart(
        simulation,
        sorted_policy.mean(axis=1),
        marked.mean(axis=1),
        reference,
        ident=ident,
        title="Probability by quality rank",
        subtitle=f"mean of {prompts} prompts",
        pointer=None if exploit is None else int(exploit.sum(axis=0).argmax()),
        word="often the exploit",
    )


def prompt_bars(simulation: Simulation, prompt: int, *, ident: str = "answers", run: int = 0) -> BarChart:
    """Probabilities of the ten answers to one prompt (0 is the first), best answer first."""
    world, policy = simulation.world, _policy(simulation, run)[:, prompt]
    order = _best_first(world.quality[run, prompt])
    frames = policy[:, order]
    is_exploit = np.zeros(order.size)
    if world.exploit is not None:
        is_exploit = (order == world.exploit[run, prompt]).astype(np.float64)
    return _chart(
        simulation,
        frames,
        frames * is_exploit,
        world.reference_probability[run, prompt][order],
        ident=ident,
        title=f"Probability of the ten answers to prompt {prompt + 1}",
        subtitle=f"prompt {prompt + 1}",
        pointer=None if world.exploit is None else int(is_exploit.argmax()),
        word="exploit",
        ceiling=1.0,
    )


def best_first(simulation: Simulation, prompt: int, *, run: int = 0) -> npt.NDArray[np.int64]:
    """Indices of one prompt's answers in the order of the bars."""
    return _best_first(simulation.world.quality[run, prompt])


def _best_first(quality: FloatArray) -> npt.NDArray[np.int64]:
    # Stable: equal qualities keep their order, so the same world is always drawn the same way.
    return np.asarray(np.argsort(-quality, axis=-1, kind="stable"))


def _policy(simulation: Simulation, run: int) -> FloatArray:
    """Probabilities at the frames' steps, `(F, P, K)`."""
    if simulation.policy is None:
        raise ValueError("bars need a simulation that ran with policy=True")
    return simulation.policy[run, thin(simulation.steps.size, MOST_FRAMES)]


def _chart(
    simulation: Simulation, frames: FloatArray, marked: FloatArray, reference: FloatArray, **words: Any
) -> BarChart:
    steps = simulation.steps[thin(simulation.steps.size, MOST_FRAMES)]
    sparse = simulation.setup.event == "sparse"
    return BarChart(
        reference=reference,
        values=frames[-1],
        marked=marked[-1],
        steps=tuple(int(step) for step in steps),
        frames=frames,
        marked_frames=marked,
        left_word="the one that passes" if sparse else "best answer",
        right_word="nine that fail" if sparse else "worst answer",
        **words,
    )


def _draw(chart: BarChart, ticks: Ticks, size: str, width: int, height: int) -> Drawing:
    texts = ticks.texts()
    left = max(map(len, texts)) * CHARACTER + 10
    right = width - 4.0
    top = 40.0 if chart.pointer is not None else 20.0
    zero = height - 42.0
    scale = (zero - top) / ticks.high
    pitch = (right - left) / chart.values.size
    bar_width, reference_width = pitch * 0.62, pitch * 0.76
    centers = [left + pitch * (i + 0.5) for i in range(chart.values.size)]
    tops = [zero - float(value) * scale for value in chart.values]
    label_width = 4 * CHARACTER
    # On a narrow figure a number is wider than its bar; it stays inside the plot.
    text_x = [min(max(x, left + label_width / 2), right - label_width / 2 + 1) for x in centers]
    shown = place_labels(text_x, tops, [bool(value >= LABEL_FROM) for value in chart.values], label_width, LABEL_HEIGHT)
    slots = tuple(
        Slot(
            label=str(i + 1),
            center=round(centers[i], 1),
            reference_x=round(centers[i] - reference_width / 2, 1),
            reference_y=round(zero - float(chart.reference[i]) * scale, 1),
            reference_width=round(reference_width, 1),
            reference_height=round(float(chart.reference[i]) * scale, 1),
            bar_x=round(centers[i] - bar_width / 2, 1),
            bar_width=round(bar_width, 1),
            bar_y=round(tops[i], 1),
            bar_height=round(zero - tops[i], 1),
            marked_y=round(zero - float(chart.marked[i]) * scale, 1),
            marked_height=round(float(chart.marked[i]) * scale, 1),
            text=f"{chart.values[i]:.2f}",
            text_x=round(text_x[i], 1),
            text_y=round(tops[i] - 6, 1),
            has_text=shown[i],
        )
        for i in range(chart.values.size)
    )
    pointer_x = centers[chart.pointer] if chart.pointer is not None else 0.0
    half_word = len(chart.word) * CHARACTER / 2
    return Drawing(
        size=size,
        width=width,
        height=height,
        left=round(left, 1),
        right=right,
        zero=zero,
        scale=round(scale, 4),
        label_width=label_width,
        ticks=tuple((round(zero - value * scale, 1), text) for value, text in zip(ticks.values, texts, strict=True)),
        slots=slots,
        word_x=round(min(max(pointer_x, left + half_word), right - half_word), 1),
        pointer_x=round(pointer_x, 1),
        pointer_end=zero,
    )
