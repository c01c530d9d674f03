"""A simulated run of the ten-answers world as a record: trained again up to the step that is looked at.

An update is a training step. A response is one draw, and its only token is the answer drawn: an answer is chosen whole.
The log-probability of a token is thus that of its answer, by the policy before the step. Answers are numbered as in
every figure: by their hidden quality, best first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from simulator.engine import ENGINE_VERSION, CandidateSetup
from simulator.engine.candidates.epoch import Epoch
from simulator.engine.candidates.inspection import (
    candidate_metrics,
    inspect_candidate_steps,
    inspect_epoch,
    step_otherwise,
    step_record,
)
from simulator.engine.candidates.step_record import CandidateStepRecord
from simulator.engine.candidates.world import ANSWERS, PROMPTS, STEPS_PER_EPOCH

from .record import Header, Prompt, Response, RunRecord, Update

_MODEL = f"synthetic policy, ten logits a prompt (engine {ENGINE_VERSION})"
_ANSWERS = tuple(f"Answer {k}" for k in range(1, ANSWERS + 1))


class CandidateRun(RunRecord):
    """One seed of a setup of the ten-answers world. The five steps around the one that was looked at last are kept."""

    def __init__(self, setup: CandidateSetup, seed: int) -> None:
        self.setup, self.seed = setup, seed
        self._last: Epoch | None = None
        self._known: dict[CandidateSetup | None, CandidateStepRecord] = {}
        self.header = _header(setup, seed)

    def updates(self) -> Iterator[Update]:
        for record in inspect_candidate_steps(self.setup, self.seed):
            yield _update(record)

    def steps(self) -> list[tuple[int, bool]]:
        online = self.setup.training.online
        return [(step, online or step == 0) for step in range(self.setup.steps)]

    def update(self, step: int) -> Update:
        return _update(self.step_record(step))

    def step_record(self, step: int, other: CandidateSetup | None = None) -> CandidateStepRecord:
        """All that is known of an update; with another setup, as that would have made it, see `step_otherwise`.

        Raises LookupError when there is no such update, SetupError for a setup that draws or pays otherwise.
        """
        if not 0 <= step < self.setup.steps:
            raise LookupError(f"This run has no update {step}.")
        known = self._known.get(other)
        if known is not None and known.step == step + 1:
            return known
        epoch = self._last
        if epoch is None or epoch.number != step // STEPS_PER_EPOCH:
            self._last = epoch = inspect_epoch(self.setup, self.seed, step + 1)
        found = step_record(epoch, step + 1) if other is None else step_otherwise(epoch, step + 1, other)
        # The step of a view is asked for by each of its panels, its comparisons too; no more than those are kept.
        self._known = {key: one for key, one in [*self._known.items()][-3:] if one.step == found.step} | {other: found}
        return found

    def metrics(self) -> dict[str, tuple[list[int], list[float]]]:
        """Exact metrics are those of the policy after the update, and of all forty prompts."""
        numbers = list(range(self.setup.steps))
        return {name: (numbers, values.tolist()) for name, values in candidate_metrics(self.setup, self.seed).items()}


def _header(setup: CandidateSetup, seed: int) -> Header:
    drawn = "fresh groups" if setup.training.online else "draws made once from the reference policy"
    return Header(
        algorithm=setup.method,
        task="choose one of ten fixed answers, simulated",
        dataset=f"{PROMPTS} prompts, {drawn}",
        reward_strategy="the score of a reward model, less a length penalty where the setup has one",
        total_steps=setup.steps,
        model_name=_MODEL,
        reference_model_name=f"{_MODEL}, before training",
        hparams=setup.to_dict()
        | {
            "clip_eps": None,
            "kl_coef": setup.beta if setup.training.leash else 0.0,
            "seed": seed,
            "engine_version": ENGINE_VERSION,
        },
    )


def _update(record: CandidateStepRecord) -> Update:
    setup = record.setup
    online, visit = setup.training.online, int(record.visits[0])
    objective, rate = record.metrics["policy_objective"], record.metrics["lr"]
    return Update(
        step=record.step - 1,
        is_first=online or record.step == 1,
        metrics=record.metrics
        | {
            "policy_loss": -objective,
            "group_reward_std": record.metrics["reward_std"],
            "learning_rate": rate,
            "policy_lr": rate,
            # Exact, and the one part of the objective that the log's own log-probabilities don't give.
            "policy_kl": float(record.kl.sum()),
        }
        | ({"importance_sampling_ratio": 1.0} if online else {}),
        prompts=tuple(
            Prompt(
                f"Prompt {prompt + 1}",
                tuple(_response(record, b, i) for i in range(record.draws.shape[1])),
                answers=_ANSWERS,
            )
            for b, prompt in enumerate(record.prompts)
        ),
        sampled_at=record.step - 1 if online else 0,
        epoch=1 if online else visit + 1,
        epochs=1 if online else -(-setup.steps // STEPS_PER_EPOCH),
    )


def _response(record: CandidateStepRecord, b: int, i: int) -> Response:
    setup, k, n = record.setup, int(record.draws[b, i]), record.draws.shape[1]
    rank = int(np.flatnonzero(record.best_first[b] == k)[0])
    online = setup.training.online
    log_prob, ref_log_prob = record.log_probs[b, k], record.ref_log_probs[b, k]
    numbers: dict[str, Any] = {
        "log_probs": log_prob,
        # Who drew: the policy that the step begins with, or the reference.
        "old_log_probs": log_prob if online else ref_log_prob,
        "ref_log_probs": ref_log_prob,
    }
    if record.advantages is not None:
        numbers |= {"advantages": record.advantages[b, k], "weight": 1.0 / n}
    if record.target is not None:
        numbers["weight"] = record.draw_pushes[b, i]
    if online:
        numbers["ratio"] = 1.0
    numbers["push"] = record.draw_pushes[b, i]
    penalty = record.signal[b, k] - record.score[b, k]
    return Response(
        id=f"step{record.step}_p{record.prompts[b]}_draw{i}",
        reward=float(record.signal[b, k]),
        advantage=np.nan if record.advantages is None else float(record.advantages[b, k]),
        text=_ANSWERS[rank],
        length=1,
        ids=(rank,),
        strings=(_ANSWERS[rank],),
        numbers={name: np.array([value]) for name, value in numbers.items()},
        correct=bool(record.quality[b, k] > 0) if setup.event == "sparse" else None,
        reward_parts={"reward model": float(record.score[b, k])}
        | ({"length penalty": float(penalty)} if setup.length_penalty else {}),
    )
