"""The rows of the step inspector of the ten-answers world: prompts, answers, draws and pairs, in words and numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simulator.charts.pushes import BINS, bin_of
from simulator.charts.table import fixed, signed
from simulator.engine.candidates.world import ANSWERS
from simulator.explorer.candidates.sight import CREDIT, RESPONSES, REWARDS, UPDATE, Sight, bin_range

MOST_PAIRS = 8
STRONGEST = 5
# The bars of an answer are drawn on this width.
_WIDTH = 100.0


@dataclass(frozen=True)
class PromptRow:
    """One prompt of the step, to choose from."""

    number: int
    name: str
    mean: str
    spread: str
    flag: str
    objective: str
    href: str
    is_shown: bool

    @property
    def option(self) -> str:
        return f"{self.number}: {self.name}{', ' + self.flag if self.flag else ''}"


@dataclass(frozen=True)
class Bars:
    """Where the bars of an answer end, in hundredths of the largest probability of the prompt."""

    reference: float
    before: float
    after: float


@dataclass(frozen=True)
class AnswerRow:
    """One answer. Texts of what the update has not come to yet are empty.

    `facts` are what it is worth: score, quality, length; `tags` what is special about it.
    """

    name: str
    rank: int
    href: str
    css: str
    words: str
    before: str
    after: str
    bars: Bars
    count: str
    reward: str
    advantage: str
    push: str
    facts: tuple[tuple[str, str], ...]
    tags: tuple[str, ...]
    is_exploit: bool
    is_chosen: bool


@dataclass(frozen=True)
class DrawRow:
    """One draw: the answer's number, and in words what it earned and what it pushes."""

    rank: int
    css: str
    words: str


@dataclass(frozen=True)
class PairRow:
    """The pairs of two answers with one label."""

    winner: str
    winner_href: str
    loser: str
    loser_href: str
    number: int
    is_flipped: bool
    margin: str
    implicit: str
    weight: str
    loss: str
    has_chosen: bool


@dataclass(frozen=True)
class Strong:
    """An answer of the step that is pushed hard, with the link to it."""

    text: str
    push: str
    href: str


@dataclass(frozen=True)
class Swatch:
    """One bin of the legend: its range, how many answers of the prompt are in it, and its filter."""

    css: str
    range: str
    count: int
    href: str
    is_only: bool


def prompt_rows(sight: Sight) -> list[PromptRow]:
    """The prompts of the step."""
    record, shows = sight.record, sight.shows(REWARDS)
    return [
        PromptRow(
            number=b + 1,
            name=f"Prompt {prompt + 1}",
            mean=signed(float(record.mean[b]), 2) if shows else "",
            spread=fixed(float(record.deviation[b]), 2) if shows else "",
            flag=_flag(sight, b) if shows else "",
            objective=signed(float(record.objective[b])) if sight.shows(CREDIT) else "",
            href=sight.x.link(p=b + 1),
            is_shown=b == sight.b,
        )
        for b, prompt in enumerate(record.prompts)
    ]


def _flag(sight: Sight, b: int) -> str:
    record = sight.record
    if not record.silent[b]:
        return ""
    return "all rewards equal" if record.baseline is not None else "no signal"


def answer_rows(sight: Sight) -> list[AnswerRow]:
    """The ten answers, best first."""
    return [_answer_row(sight, int(k), sight.highest) for k in sight.order]


def _answer_row(sight: Sight, k: int, highest: float) -> AnswerRow:
    record, b = sight.record, sight.b
    count = int(record.counts[b, k])
    push = float(sight.pushes[k])
    # Nobody knows before the rewards.
    is_exploit = sight.shows(REWARDS) and record.exploit is not None and bool(record.exploit[b] == k)
    facts = [("quality", signed(float(record.quality[b, k]), 2))]
    if sight.shows(REWARDS):
        facts.append(("score", signed(float(record.score[b, k]), 2)))
    facts.append(("tokens", fixed(float(record.length[b, k]), 0)))
    drawn = f"drawn {count} of {sight.size}" if sight.shows(RESPONSES) else ""
    has_reward = bool(count) and sight.shows(REWARDS)
    has_advantage = has_reward and record.advantages is not None and sight.shows(CREDIT)
    advantage = signed(float(record.advantages[b, k]), 2) if has_advantage and record.advantages is not None else ""
    words = [sight.name(k)]
    if sight.shows(CREDIT):
        words.append(sight.push_words(push))
    words.append(f"probability {fixed(sight.before[k])}")
    if sight.shows(UPDATE):
        words[-1] += f", then {fixed(sight.after[k])}"
    if drawn:
        words.append(drawn)
    after = sight.after[k] if sight.shows(UPDATE) else sight.before[k]
    return AnswerRow(
        name=sight.name(k),
        rank=int(sight.ranks[k]),
        href=sight.href(k),
        css=_css(sight, k, push),
        words="; ".join([*words, "fools the reward model"] if is_exploit else words),
        before=fixed(sight.before[k]),
        after=fixed(sight.after[k]) if sight.shows(UPDATE) else "",
        bars=Bars(*(round(float(one) / highest * _WIDTH, 2) for one in (sight.reference[k], sight.before[k], after))),
        count=drawn,
        reward=signed(float(record.signal[b, k]), 2) if has_reward else "",
        advantage=advantage,
        push=signed(push) if sight.shows(CREDIT) else "",
        facts=tuple(facts),
        tags=("fools the reward model",) if is_exploit else (),
        is_exploit=is_exploit,
        is_chosen=sight.chosen == k,
    )


def _css(sight: Sight, k: int, push: float) -> str:
    if not sight.shows(CREDIT):
        return "tok q0"
    bin_, only = sight.bin(push), sight.x.state.q
    css = "tok off" if only is not None and bin_ != only else f"tok q{bin_}"
    return f"{css} sel" if sight.chosen == k else css


def draw_rows(sight: Sight) -> list[DrawRow]:
    """The draws in their order."""
    record, b = sight.record, sight.b
    found = []
    for i, k in enumerate(map(int, record.draws[b])):
        push = float(record.draw_pushes[b, i])
        words = [f"Draw {i + 1}: {sight.name(k)}"]
        if sight.shows(REWARDS):
            words.append(f"reward {signed(float(record.signal[b, k]), 2)}")
        if sight.shows(CREDIT):
            if record.advantages is not None:
                words.append(f"advantage {signed(float(record.advantages[b, k]), 2)}")
            words.append(f"push {signed(push)}")
        css = f"tok q{bin_of(push, sight.draw_width)}" if sight.shows(CREDIT) else "tok q0"
        found.append(
            DrawRow(
                rank=int(sight.ranks[k]),
                css=f"{css} sel" if sight.chosen == k else css,
                words="; ".join(words),
            )
        )
    return found


def pair_rows(sight: Sight) -> list[PairRow]:
    """The pairs, those that pull hardest first."""
    pairs, beta, method = sight.pairs, sight.record.setup.beta, sight.record.setup.method
    if pairs is None:
        return []
    hardest = np.argsort(-np.abs(pairs.weight) * pairs.number, kind="stable")
    found = []
    for e in map(int, hardest):
        winner, loser = int(pairs.winner[e]), int(pairs.loser[e])
        found.append(
            PairRow(
                winner=sight.name(winner),
                winner_href=sight.href(winner),
                loser=sight.name(loser),
                loser_href=sight.href(loser),
                number=int(pairs.number[e]),
                is_flipped=bool(pairs.flipped[e]),
                margin=signed(float(pairs.margin[e]), 2),
                implicit=signed(beta * float(pairs.margin[e])),
                weight=fixed(float(pairs.weight[e])),
                loss=fixed(loss_of_pair(method, beta, float(pairs.value[e]))) if beta else "",
                has_chosen=sight.chosen in (winner, loser),
            )
        )
    return found


def loss_of_pair(method: str, beta: float, value: float) -> float:
    """A pair's loss as its paper has it, from what the pair puts into the objective."""
    return -value * (2 / beta if method == "ipo" else beta)


def strongest(sight: Sight) -> tuple[list[Strong], list[Strong]]:
    """The answers of the whole step that are pushed most, up and down."""
    record = sight.record
    flat = record.pushes.ravel()
    order = np.argsort(-flat, kind="stable")

    def strong(place: int) -> Strong:
        b, k = divmod(place, ANSWERS)
        rank = int(np.flatnonzero(record.best_first[b] == k)[0]) + 1
        text = f"Answer {rank} to prompt {record.prompts[b] + 1}"
        return Strong(text, signed(float(flat[place])), sight.x.link(p=b + 1, r=rank, t=1))

    up = [strong(int(place)) for place in order[:STRONGEST] if flat[place] > 0]
    down = [strong(int(place)) for place in order[::-1][:STRONGEST] if flat[place] < 0]
    return up, down


def swatches(sight: Sight) -> list[Swatch]:
    """The seven bins."""
    bins, only = [sight.bin(float(push)) for push in sight.pushes], sight.x.state.q
    return [
        Swatch(
            css=f"tok q{bin_}",
            range=bin_range(bin_, sight.width),
            count=bins.count(bin_),
            href=sight.x.link(q=None if only == bin_ else bin_),
            is_only=only == bin_,
        )
        for bin_ in range(-BINS, BINS + 1)
    ]
