"""Sentences about a step of the ten-answers world: what the update did to a prompt, and to one of its answers."""

from __future__ import annotations

import numpy as np

from simulator.charts.table import fixed, signed
from simulator.explorer.candidates.sight import CREDIT, RESPONSES, REWARDS, UPDATE, Sight

_SMALL = 0.0005  # changes that no third decimal shows


def summary(sight: Sight) -> str:
    """What happens at the prompt, as far as the update has come."""
    record, b, n = sight.record, sight.b, sight.size
    online = record.setup.training.online
    if not sight.shows(RESPONSES):
        most = int(sight.before.argmax())
        likeliest = f"{_lower(sight.name(most))} has the most, {_p(sight.before[most])}"
        return f"{sight.prompt_name} has ten fixed answers; {likeliest}."
    drawn = int((record.counts[b] > 0).sum())
    how = "are drawn from the policy" if online else "were drawn from the reference, before training"
    draws = f"{n} answer{'s' if n > 1 else ''} {how}, {_counted(drawn, 'different one')}."
    if not sight.shows(REWARDS):
        return draws
    if record.silent[b]:
        same = f"All {n} draws have the same reward, {signed(float(record.mean[b]), 2)}."
        return f"{same} {_silent(sight)}" if sight.shows(CREDIT) else same
    if not sight.shows(CREDIT):
        rewards = record.signal[b, record.draws[b]]
        low, mean, high = (signed(float(one), 2) for one in (rewards.min(), record.mean[b], rewards.max()))
        return f"The draws’ rewards go from {low} to {high}, on average {mean}."
    if not sight.shows(UPDATE):
        return _credit(sight)
    return _moved(sight)


def _silent(sight: Sight) -> str:
    record, b = sight.record, sight.b
    if record.baseline is not None:
        above = float(record.mean[b] - record.baseline[b])
        usual = f"{fixed(abs(above), 2)} {'above' if above > 0 else 'below'} what was usual here"
        moved = f" {_moved(sight)}" if sight.shows(UPDATE) else ""
        return f"That is {usual}, so the draws still move: the baseline comes from earlier groups.{moved}"
    nothing = "None is better than the others"
    if record.pairs is not None:
        nothing = "There is no pair of a better and a worse one"
    if not record.kl_pushes[b].any():
        return f"{nothing}, so nothing moves."
    return (
        f"{nothing}, so they teach nothing; only the pull to the reference moves the answers, {_strongest_kl(sight)}."
    )


def _strongest_kl(sight: Sight) -> str:
    change = np.abs(sight.after - sight.before)
    k = int(change.argmax())
    return f"{_lower(sight.name(k))} most, from {_p(sight.before[k], 4)} to {_p(sight.after[k], 4)}"


def _credit(sight: Sight) -> str:
    record, b = sight.record, sight.b
    if record.pairs is not None:
        pairs = record.pairs[b]
        flipped = int(pairs.number[pairs.flipped].sum())
        wrong = f"; {flipped} of the labels {'is' if flipped == 1 else 'are'} flipped" if flipped else ""
        made = f"{_counted(pairs.total, 'pair')} of a better and a worse answer"
        return f"The draws make {made}{wrong}. Each pulls its two apart."
    if record.target is not None:
        best = np.flatnonzero(record.target[b] > 0)
        names = " and ".join(_lower(sight.name(int(k))) for k in best)
        return (
            f"The best of the {sight.size} draws is {names}. The update makes that likelier and all others less likely."
        )
    assert record.advantages is not None
    drawn = record.counts[b] > 0
    up = int(record.counts[b][drawn & (record.advantages[b] > 0)].sum())
    usual = "the moving average" if record.baseline is not None else "the mean of the draws"
    count = f"{_counted(up, 'draw')} of {sight.size} {'is' if up == 1 else 'are'}"
    return f"{count} above {usual} and pushed up; the others are pushed down."


def _moved(sight: Sight) -> str:
    change = sight.after - sight.before
    k, down = int(change.argmax()), int(change.argmin())
    first = answer_sentence(sight, k)
    if abs(change[down]) <= _SMALL or down == k:
        return first
    return f"{first} {sight.name(down)} falls most, from {_p(sight.before[down])} to {_p(sight.after[down])}."


def answer_sentence(sight: Sight, k: int) -> str:
    """What the update did to one answer, and why: "Answer 1 was drawn 3 of 8 times, …"."""
    record, b = sight.record, sight.b
    if not sight.shows(RESPONSES):
        return f"{sight.name(k)} has a probability of {_p(sight.before[k])}."
    count = int(record.counts[b, k])
    drawn = f"was drawn {_times(count)} in {sight.size}" if count else f"was not among the {sight.size} draws"
    if not sight.shows(CREDIT):
        return f"{sight.name(k)} {drawn}."
    exploit = " fools the reward model," if record.exploit is not None and record.exploit[b] == k and count else ""
    return f"{sight.name(k)} {drawn},{exploit} {_judged(sight, k)}{_goes(sight, k)}."


def _judged(sight: Sight, k: int) -> str:
    """How the method judges an answer."""
    record, b = sight.record, sight.b
    count = int(record.counts[b, k])
    if record.pairs is not None:
        pairs = record.pairs[b]
        won, lost = (int(pairs.number[side == k].sum()) for side in (pairs.winner, pairs.loser))
        if not won + lost:
            return "is in no pair" + _and(sight)
        return f"is the better one in {won} of its {_counted(won + lost, 'pair')}" + _and(sight)
    if record.target is not None:
        if record.target[b, k] > 0:
            return "is the best of them" + _and(sight)
        return ("is not the best of them" if count else "can’t be imitated") + _and(sight)
    if not count:
        rises = bool(sight.after[k] > sight.before[k])
        return ("takes what others lose" if rises else "makes room for others") + _and(sight)
    assert record.advantages is not None
    way = "above" if record.advantages[b, k] > 0 else "below" if record.advantages[b, k] < 0 else "exactly at"
    usual = "what was usual here" if record.baseline is not None else "the mean of the draws"
    return f"scores {way} {usual}" + _and(sight)


def _and(sight: Sight) -> str:
    return " and " if sight.shows(UPDATE) else ""


def _goes(sight: Sight, k: int) -> str:
    if not sight.shows(UPDATE):
        return ""
    change = sight.after[k] - sight.before[k]
    if abs(change) <= _SMALL:
        return f"stays at {_p(sight.before[k])}"
    return f"{'rises' if change > 0 else 'falls'} from {_p(sight.before[k])} to {_p(sight.after[k])}"


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _lower(name: str) -> str:
    return name[:1].lower() + name[1:]


def _p(probability: float, digits: int = 3) -> str:
    return fixed(float(probability), digits)
