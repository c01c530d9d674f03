"""The responses to one prompt in one step, token by token, colored by push: data for templates/parts/responses.html.

`responses(record, prompt, epoch)` takes what `simulator.engine.inspect_step` returns. A token's push is the derivative
of the objective by its log-probability: its sign is the direction in which the update moves the token.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simulator.charts.pushes import Swatch, bin_of, bin_width, legend, thousandths
from simulator.charts.table import Table, fixed, signed
from simulator.engine import StepRecord
from simulator.engine.objective.clip import CLIPPED_HIGH, CLIPPED_LOW
from simulator.engine.reasoning.vocabulary import CONTEXT_NAMES, EOS

FloatArray = npt.NDArray[np.float64]

MOST_SHOWN = 8
"""Responses that stand in the open; the others of a larger group are folded away."""
CLIP_WORDS = {CLIPPED_HIGH: "clipped above", CLIPPED_LOW: "clipped below"}
STRENGTHS = ("about zero", "slightly", "clearly", "strongly")


@dataclass(frozen=True)
class Token:
    """One token: what it says, what the policy saw before it, its bin -3 to 3, and whether the clip took its push."""

    text: str
    context: str
    bin: int
    push: str
    words: str
    clip: str


@dataclass(frozen=True)
class Response:
    """One response. `advantage_bar` is from -50 to 50, relative to the largest advantage of the group."""

    name: str
    verdict: str
    icon: str
    reward: str
    advantage: str
    advantage_bar: float
    is_masked: bool
    tokens: tuple[Token, ...]

    @property
    def bar_width(self) -> float:
        return abs(self.advantage_bar)

    @property
    def bar_start(self) -> float:
        """Where the bar begins: 50 is no advantage."""
        return round(50 + min(self.advantage_bar, 0.0), 1)


@dataclass(frozen=True)
class PromptLine:
    """One prompt of a step, to choose from. `number` counts from 1."""

    number: int
    text: str
    right: int
    size: int
    is_silent: bool
    is_filler: bool

    @property
    def words(self) -> str:
        found = f"{self.right} of {self.size} right"
        return f"{found}, fills the batch" if self.is_filler else found


@dataclass(frozen=True)
class ResponsesFigure:
    """A prompt's responses in one epoch of one step. `advantage_label` says what the number beside a response is."""

    prompt: PromptLine
    epoch: int
    summary: str
    advantage_label: str
    shown: tuple[Response, ...]
    more: tuple[Response, ...]
    legend: tuple[Swatch, ...]
    clipped: int
    clip_key: str
    table: Table


def prompt_lines(record: StepRecord) -> tuple[PromptLine, ...]:
    """The prompts of a step in the order of the batch."""
    return tuple(
        PromptLine(
            number=b + 1,
            text=text,
            right=int(record.is_correct[b].sum()),
            size=record.is_correct.shape[1],
            is_silent=bool(np.ptp(record.rewards[b]) == 0),
            is_filler=bool(record.is_filler[b]),
        )
        for b, text in enumerate(record.prompt_texts)
    )


def most_moved_prompt(record: StepRecord, epoch: int) -> int:
    """The number, from 1, of the prompt whose tokens are pushed most in an epoch; the first where none is."""
    strength = np.nansum(np.abs(_pushes(record, epoch)), axis=(1, 2))
    return int(strength.argmax()) + 1


def responses(record: StepRecord, prompt: int, epoch: int) -> ResponsesFigure:
    """The figure for the `prompt`-th prompt, from 1, in an epoch, from 1.

    The color scale is symmetric and the same for all prompts of the epoch.
    """
    b = prompt - 1
    pushes = _pushes(record, epoch)
    width = bin_width(pushes)
    line = prompt_lines(record)[b]
    k = _update(record, b, epoch)
    rows = [_response(record, b, i, k, pushes[b, i], width) for i in range(line.size)]
    return ResponsesFigure(
        prompt=line,
        epoch=epoch,
        summary=_summary(record, line, rows, pushes[b], k),
        advantage_label="mean advantage" if record.values is not None else "advantage",
        shown=tuple(rows[:MOST_SHOWN]),
        more=tuple(rows[MOST_SHOWN:]),
        legend=legend((token.bin for row in rows for token in row.tokens), width),
        clipped=sum(bool(token.clip) for row in rows for token in row.tokens),
        clip_key="weight held at the bound" if record.setup.clip == "cispo" else "clipped: no push by the advantage",
        table=_table(record, b, k, pushes[b]),
    )


def _update(record: StepRecord, b: int, epoch: int) -> int | None:
    """Which update trained a prompt in an epoch, or None where the run had diverged before it."""
    minibatches = record.setup.minibatches
    k = (epoch - 1) * minibatches + b // (record.setup.prompts_per_step // minibatches)
    return k if k < len(record.objective) else None


def _pushes(record: StepRecord, epoch: int) -> FloatArray:
    """Pushes of all tokens in an epoch, (B, G, T); not a number where there is no token or no update."""
    found = np.full(record.advantages.shape, np.nan)
    for b in range(len(record.prompt_texts)):
        k = _update(record, b, epoch)
        if k is not None:
            found[b] = record.pushes[k, b]
    return found


def _response(record: StepRecord, b: int, i: int, k: int | None, pushes: FloatArray, width: float) -> Response:
    length = int(record.lengths[b, i])
    advantages = record.advantages[b, i, :length]
    largest = np.nanmax(np.abs(record.advantages[b]))
    is_right, is_cut = record.is_correct[b, i], record.is_truncated[b, i]
    return Response(
        name=f"R{i + 1}",
        verdict="right" if is_right else "cut off" if is_cut else "wrong",
        icon="check" if is_right else "triangle-alert" if is_cut else "x",
        reward=fixed(record.rewards[b, i], 2),
        advantage=signed(advantages.mean(), 2),
        advantage_bar=round(50 * float(advantages.mean() / largest), 1) if largest else 0.0,
        is_masked=bool(record.is_masked[b, i]),
        tokens=tuple(_token(record, b, i, t, k, pushes[t], width) for t in range(length)),
    )


def _token(record: StepRecord, b: int, i: int, t: int, k: int | None, push: float, width: float) -> Token:
    context = CONTEXT_NAMES[record.contexts[b, i, t]]
    clip = "" if k is None else _clip(record, k, b, i, t)
    bin_ = bin_of(push, width)
    direction = "" if bin_ == 0 else " up" if bin_ > 0 else " down"
    words = f"push{direction} {thousandths(push)} thousandths, {STRENGTHS[abs(bin_)]}, context {context}"
    return Token(
        text=_text(record, b, i, t),
        context=context,
        bin=bin_,
        push=thousandths(push),
        words=f"{words}, {clip}" if clip else words,
        clip=clip,
    )


def _clip(record: StepRecord, k: int, b: int, i: int, t: int) -> str:
    """What the clip does to a token in an update, in words; "" where nothing."""
    words = CLIP_WORDS.get(int(record.clip_states[k, b, i, t]), "")
    return "weight held" if words and record.setup.clip == "cispo" else words


def _text(record: StepRecord, b: int, i: int, t: int) -> str:
    return "⟨end⟩" if record.tokens[b, i, t] == EOS else record.texts[b][i][t]


def _summary(record: StepRecord, line: PromptLine, rows: Sequence[Response], pushes: FloatArray, k: int | None) -> str:
    """What happens to a prompt's responses, in words."""
    start = f"{line.right} of {line.size} responses {'is' if line.right == 1 else 'are'} right."
    if k is None:
        return f"{start} The run diverged in step {record.diverged_at}, and no update was made here."
    if line.is_filler:
        return f"{start} Dynamic sampling found too few mixed groups: this one fills the batch and teaches nothing."
    total = np.nansum(pushes, axis=1)
    if not np.nansum(np.abs(pushes)):
        why = " All rewards are equal, so every advantage is 0." if line.is_silent else ""
        return f"{start}{why} No token is pushed."
    moved = [
        f"{_names(rows, total > 0)} {'is' if (total > 0).sum() == 1 else 'are'} pushed up",
        f"{_names(rows, total < 0)} {'is' if (total < 0).sum() == 1 else 'are'} pushed down",
    ]
    parts = [text for text, some in zip(moved, (total > 0, total < 0), strict=True) if some.any()]
    words = f"{start} {' and '.join(parts)}" if parts else start.removesuffix(".")
    i, t = np.unravel_index(np.nanargmax(np.abs(pushes)), pushes.shape)
    words += f"; the strongest push is on {_text(record, line.number - 1, int(i), int(t))} in {rows[int(i)].name}."
    clipped = sum(bool(token.clip) for row in rows for token in row.tokens)
    if clipped:
        tokens = sum(len(row.tokens) for row in rows)
        done = "held at the bound" if record.setup.clip == "cispo" else "clipped"
        words += f" {clipped} of {tokens} tokens {'is' if clipped == 1 else 'are'} {done}."
    return words


def _names(rows: Sequence[Response], chosen: npt.NDArray[np.bool_]) -> str:
    names = [row.name for row, is_chosen in zip(rows, chosen, strict=True) if is_chosen]
    if len(names) > 4:
        return f"{len(names)} responses"
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def _table(record: StepRecord, b: int, k: int | None, pushes: FloatArray) -> Table:
    """One row a token, response after response."""
    head = ("Token", "Response", "Context", "Reference", "Sampled with", "Now", "Ratio", "Advantage", "Clip", "Push")
    rows = []
    for i, length in enumerate(record.lengths[b]):
        for t in range(int(length)):
            at = (b, i, t)
            new = ("", "", "")
            if k is not None:
                new = (_probability(record.log_probs[k, *at]), fixed(record.ratios[k, *at]), _clip(record, k, *at))
            rows.append(
                (
                    _text(record, *at),
                    f"R{i + 1}",
                    CONTEXT_NAMES[record.contexts[at]],
                    _probability(record.ref_log_probs[at]),
                    _probability(record.old_log_probs[at]),
                    *new[:2],
                    signed(record.advantages[at], 3),
                    new[2],
                    thousandths(pushes[i, t], 3),
                )
            )
    note = "Probabilities by the reference, by the policy that sampled, and now. Push in thousandths."
    return Table(f"Tokens of {len(record.lengths[b])} responses to {record.prompt_texts[b]}", head, tuple(rows), note)


def _probability(log_probability: float) -> str:
    return fixed(np.exp(log_probability))
