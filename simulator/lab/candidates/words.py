"""What a run did, in words: against the run before it, and answer by answer."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simulator.charts.bars import best_first
from simulator.charts.table import fixed, signed
from simulator.engine import Simulation
from simulator.lab.changes import Comparison, changes
from simulator.lab.link import Run
from simulator.labels.candidates import METRICS

FloatArray = npt.NDArray[np.float64]

# Smaller changes are real, since both runs share their draws, but not worth a sentence.
WORTH_SAYING = {"win_rate": 0.002, "response_length": 5.0, "reward_model_score": 0.05, "kl": 0.1}


@dataclass(frozen=True)
class Mass:
    """Probability on one kind of answer, averaged over prompts, before and after training."""

    label: str
    before: float
    after: float

    @property
    def change(self) -> float:
        return self.after - self.before


@dataclass(frozen=True)
class AnswerRow:
    """One of the ten answers to a prompt. `tags` says what is special about it."""

    rank: int
    quality: float
    length: float
    score: float
    before: float
    after: float
    tags: tuple[str, ...]
    is_exploit: bool


def compare(before: Run, old: Simulation, after: Run, new: Simulation) -> Comparison:
    """What changed between two runs and what it did."""
    return Comparison(changes(before, after), list(_effects(old, new)), _warning(before, after))


def _warning(before: Run, after: Run) -> str:
    if before.seed != after.seed:
        return (
            "The seed is another, so the world and every draw are too: what you see is not your setting’s doing alone."
        )
    if before.setup.event != after.setup.event:
        return "The event is another, so the answers are judged differently, though they are drawn from the same seed."
    return ""


def _effects(old: Simulation, new: Simulation) -> Iterator[str]:
    change = {name: float(new.final[name][0] - old.final[name][0]) for name in METRICS}
    win, reached = change["win_rate"], fixed(new.final["win_rate"][0])
    if abs(win) < METRICS["win_rate"].steady:
        yield f"The win rate stays at {reached}."
    else:
        yield f"The win rate is {'up' if win > 0 else 'down'} by {fixed(abs(win))}, to {reached}."
    score = change["reward_model_score"]
    if abs(score) > WORTH_SAYING["reward_model_score"] and abs(win) > WORTH_SAYING["win_rate"] and score * win < 0:
        verb = "fell" if score < 0 else "rose"
        yield f"The reward model’s own score {verb} by {fixed(abs(score), 2)}: it and true quality part ways here."
    length = change["response_length"]
    if abs(length) >= WORTH_SAYING["response_length"]:
        yield f"Answers are {fixed(abs(length), 0)} tokens {'longer' if length > 0 else 'shorter'}."
    if abs(change["kl"]) >= WORTH_SAYING["kl"]:
        word = "further from" if change["kl"] > 0 else "closer to"
        yield f"The policy ends {word} the reference (KL {signed(change['kl'], 2)})."
    responses = new.sampled_responses - old.sampled_responses
    if responses:
        yield f"It sampled {abs(responses):,} {'more' if responses > 0 else 'fewer'} responses."


def masses(simulation: Simulation) -> list[Mass]:
    """Where the probability of all prompts stood before and stands after training."""
    world = simulation.world
    kinds = {
        "best answer": world.quality[0].argmax(axis=-1),
        "reward model’s favorite": world.reward_model_score[0].argmax(axis=-1),
        "longest answer": world.length[0].argmax(axis=-1),
    }
    if np.array_equal(kinds["best answer"], kinds["reward model’s favorite"]):
        del kinds["reward model’s favorite"]
    if world.exploit is not None:
        kinds["exploit"] = world.exploit[0]
    before, after = world.reference_probability[0], _final_policy(simulation)
    return [Mass(label, _mean_at(before, index), _mean_at(after, index)) for label, index in kinds.items()]


def mass_sentence(found: list[Mass]) -> str:
    """The kind of answer that gained most, in one sentence."""
    most = max(found, key=lambda mass: mass.change)
    if most.change < 0.005:
        return "No kind of answer gained: the policy is still about the reference."
    return f"The largest gain is on the {most.label}: {fixed(most.before)} before, {fixed(most.after)} after."


def answer_rows(simulation: Simulation, prompt: int) -> list[AnswerRow]:
    """The ten answers to one prompt (0 is the first), best first, in the order of the bars."""
    world = simulation.world
    quality, score = world.quality[0, prompt], world.reward_model_score[0, prompt]
    length, before = world.length[0, prompt], world.reference_probability[0, prompt]
    after = _final_policy(simulation)[prompt]
    exploit = -1 if world.exploit is None else int(world.exploit[0, prompt])
    tags = {
        "best": int(quality.argmax()),
        "exploit": exploit,
        "favorite": int(score.argmax()),
        "longest": int(length.argmax()),
    }
    return [
        AnswerRow(
            rank=rank,
            quality=float(quality[k]),
            length=float(length[k]),
            score=float(score[k]),
            before=float(before[k]),
            after=float(after[k]),
            tags=tuple(tag for tag, index in tags.items() if index == k),
            is_exploit=int(k) == exploit,
        )
        for rank, k in enumerate(best_first(simulation, prompt), start=1)
    ]


def prompt_sentence(rows: list[AnswerRow]) -> str:
    """Where one prompt's probability went."""
    top = max(rows, key=lambda row: row.after)
    names = {
        "best": "the best",
        "exploit": "the exploit",
        "favorite": "the reward model’s favorite",
        "longest": "the longest",
    }
    known = [names[tag] for tag in top.tags]
    who = f"Answer {top.rank}, {' and '.join(known)}," if known else f"Answer {top.rank}"
    sentence = f"{who} ends with the most probability: {fixed(top.before)} before, {fixed(top.after)} after."
    if top.rank != 1:
        sentence += f" The best answer goes from {fixed(rows[0].before)} to {fixed(rows[0].after)}."
    return sentence


def _final_policy(simulation: Simulation) -> FloatArray:
    assert simulation.policy is not None
    return simulation.policy[0, -1]


def _mean_at(probabilities: FloatArray, index: npt.NDArray[np.int64]) -> float:
    return float(np.take_along_axis(probabilities, index[:, None], axis=-1).mean())
