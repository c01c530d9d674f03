"""The six stages of a step in the ten-answers world: what each does, and a question on what comes next."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simulator.charts.table import fixed, signed
from simulator.engine.candidates.world import PROMPTS
from simulator.explorer.beats import Question, Stage
from simulator.explorer.candidates.sight import Sight, sight_of
from simulator.explorer.exploration import Exploration

MOST_OPTIONS = 4
_ROUNDING = 1e-12
_WAYS = ("up", "down", "not at all")


def stages(x: Exploration) -> Sequence[Stage]:
    """The stages of the shown step at the shown prompt."""
    sight = sight_of(x)
    return (_prompt(sight), _draws(sight), _rewards(sight), _credit(sight), _adding_up(sight), _update(sight))


def _prompt(sight: Sight) -> Stage:
    record, size, count = sight.record, sight.size, len(sight.record.prompts)
    visit = int(record.visits[sight.b]) + 1
    sentence = (
        f"The step visits {count} of the {PROMPTS} prompts. {sight.prompt_name} comes up for the {_nth(visit)} time."
    )
    online = record.setup.training.online
    right = size * count if online else 0
    options = sorted({0, size, size * count, PROMPTS * size})
    because = f"{count} prompts, {size} draw{'s' if size > 1 else ''} of each: {right}."
    if not online:
        because = f"Its {size} draws of each prompt were made once, before training, and are used again in every visit."
    return Stage(
        sentence,
        Question("How many answers does this step draw in all?", _texts(options), options.index(right), because),
    )


def _draws(sight: Sight) -> Stage:
    record, b = sight.record, sight.b
    drawn = np.flatnonzero(record.counts[b])
    most = int(record.counts[b].argmax())
    how = "The policy draws" if record.setup.training.online else "The reference policy drew"
    often = int(record.counts[b, most])
    times = f"; {sight.name(most).lower()} came {often} times" if often > 1 else ""
    sentence = f"{how} {sight.size} times from the ten answers{times}."
    signals = record.signal[b, drawn]
    if len(drawn) < 2 or np.ptp(signals) == 0 or (signals == signals.max()).sum() > 1:
        return Stage(sentence)
    best = int(drawn[signals.argmax()])
    # The most often drawn ones, and the best of all among them.
    others = [int(k) for k in drawn[np.argsort(-record.counts[b, drawn], kind="stable")] if k != best]
    options = sorted([best, *others[: MOST_OPTIONS - 1]], key=lambda k: sight.ranks[k])
    reward = signed(float(record.signal[b, best]), 2)
    because = f"{sight.name(best)} is paid {reward}, more than any other draw. Answers are numbered by their quality"
    is_first = best == int(drawn[np.argmin(sight.ranks[drawn])])
    because += (
        ", and here the reward agrees." if is_first else ", which training never sees; the reward ranks them otherwise."
    )
    return Stage(
        sentence,
        Question(
            "Which of them is paid most?",
            tuple(sight.name(k) for k in options),
            options.index(best),
            because,
        ),
    )


def _rewards(sight: Sight) -> Stage:
    record, b = sight.record, sight.b
    rewards = record.signal[b, record.draws[b]]
    low, mean, high = (signed(float(one), 2) for one in (rewards.min(), record.mean[b], rewards.max()))
    sentence = f"Every draw is paid: from {low} to {high}, on average {mean}."
    if record.silent[b]:
        sentence = f"Every draw is paid the same, {mean}."
    drawn = np.flatnonzero(record.counts[b])
    k = int(drawn[np.abs(record.rule_pushes[b, drawn]).argmax()])
    push = float(record.rule_pushes[b, k])
    right = 2 if abs(push) <= _ROUNDING else int(push < 0)
    because = f"What the draws push its logit by is {signed(push)}. {_reason(sight, k)}"
    return Stage(sentence, Question(f"Which way do the draws push {sight.name(k).lower()}?", _WAYS, right, because))


def _reason(sight: Sight, k: int) -> str:
    """Why the draws push a drawn answer as they do."""
    record, b = sight.record, sight.b
    if sight.is_silent:
        return "With equal rewards none is better than another."
    reward = signed(float(record.signal[b, k]), 2)
    if record.baseline is not None:
        return f"Its reward is {reward}, and usual here was {signed(float(record.baseline[b]), 2)}."
    if record.pairs is not None:
        pairs = record.pairs[b]
        won, lost = (int(pairs.number[side == k].sum()) for side in (pairs.winner, pairs.loser))
        return f"It is the better one in {won} of its {won + lost} pairs."
    if record.target is not None:
        is_best = "It is the best of the draws" if record.target[b, k] > 0 else "It is not the best of the draws"
        return f"{is_best}, and only that is imitated."
    return f"Its reward is {reward}, the mean {signed(float(record.mean[b]), 2)}."


def _credit(sight: Sight) -> Stage:
    record, b = sight.record, sight.b
    up, down = (int((sign * sight.pushes > _ROUNDING).sum()) for sign in (1, -1))
    sentence = f"{up} of the ten answers {'is' if up == 1 else 'are'} pushed up and {down} down."
    if record.pairs is not None:
        sentence = (
            f"{record.pairs[b].total} pairs of draws pull their answers apart: {sentence[0].lower()}{sentence[1:]}"
        )
    total = float(sight.pushes.sum())
    return Stage(
        sentence,
        Question(
            "Added up over all ten answers, what do the pushes come to?",
            ("less than 0", "0", "more than 0"),
            1,
            f"{fixed(abs(total), 6)}: the ten shares add up to 1, so what one answer wins the others lose.",
        ),
    )


def _adding_up(sight: Sight) -> Stage:
    record, b = sight.record, sight.b
    whole, part = record.metrics["policy_objective"], float(record.objective[b])
    every = f"those of all {len(record.prompts)} prompts to {signed(whole)}"
    sentence = f"The prompt’s terms add up to J = {signed(part)}, and {every}."
    change = sight.after - sight.before
    k = int(np.abs(change).argmax())
    values = [float(one) for one in (sight.before[k] - change[k], sight.before[k], sight.after[k])]
    options = sorted({fixed(one) for one in values if 0 <= one <= 1})
    if fixed(values[1]) == fixed(values[2]) or len(options) < 2:
        return Stage(sentence)
    push = signed(float(sight.pushes[k]))
    because = f"The push on its logit is {push}, so its share goes from {fixed(values[1])} to {fixed(values[2])}."
    question = f"{sight.name(k)} has {fixed(values[1])} before the update. What does it have after it?"
    return Stage(sentence, Question(question, tuple(options), options.index(fixed(values[2])), because))


def _update(sight: Sight) -> Stage:
    record, b = sight.record, sight.b
    k = int(np.abs(record.moved[b]).argmax())
    rate, moved = f"{record.learning_rate:g}", signed(float(record.moved[b, k]))
    sentence = f"Each logit moves by {rate} times its push: that of {sight.name(k).lower()} by {moved}."
    rest = PROMPTS - len(record.prompts)
    return Stage(
        sentence,
        Question(
            f"And what does this step do to the {rest} prompts that it does not visit?",
            ("it moves them the same way", "it moves them a little", "nothing"),
            2,
            "Each prompt has ten logits of its own and shares none. In a language model prompts share all weights.",
        ),
    )


def _texts(numbers: Sequence[int]) -> tuple[str, ...]:
    return tuple(f"{number:,}" for number in numbers)


def _nth(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return {1: "first", 2: "second", 3: "third"}.get(number, f"{number}{ending}")
