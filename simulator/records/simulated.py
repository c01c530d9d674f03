"""A simulated run of the token world as a record: trained again, step by step, whenever it is looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from simulator.engine import (
    ENGINE_VERSION,
    CandidateSetup,
    ReasoningSetup,
    Setup,
    SetupError,
    StepRecord,
    inspect_step,
)
from simulator.engine.reasoning.inspection import inspect_steps
from simulator.engine.reasoning.step_record import NO_TOKEN
from simulator.engine.reasoning.vocabulary import CONTEXT_NAMES

from .candidates import CandidateRun
from .record import FloatArray, Header, Prompt, Response, RunRecord, Update

_MODEL = f"synthetic policy, a table of logits (engine {ENGINE_VERSION})"
_CLIPPED = 2  # this and higher: the clip removes the gradient


class SimulatedRun(RunRecord):
    """One seed of a setup. Nothing is stored; `updates` trains the run once and holds one step of it at a time.

    ``inspect`` brings back one step of the run, from 1, for whoever keeps steps or checkpoints of it.
    """

    def __init__(self, setup: Setup, seed: int, inspect: Callable[[int], StepRecord] | None = None) -> None:
        """Raises SetupError, field ``world``, for the ten-answers world; see `record_of`."""
        if not isinstance(setup, ReasoningSetup):
            raise SetupError(
                "world",
                "This record shows the tokens of every response. Answers of the ten-answers world are chosen whole.",
            )
        self.setup, self.seed = setup, seed
        self._inspect = inspect or (lambda step: inspect_step(setup, seed, step))
        self._per_step = setup.num_iterations * setup.minibatches
        self.header = _header(setup, seed)

    def updates(self) -> Iterator[Update]:
        """The updates that were made: fewer than the header says when the run diverged."""
        for record in inspect_steps(self.setup, self.seed):
            for k in range(len(record.objective)):
                yield _update(record, k)

    def update(self, step: int) -> Update:
        record, k = self.step_record(step)
        return _update(record, k)

    def step_record(self, step: int) -> tuple[StepRecord, int]:
        """All that is known of the training step that an update belongs to, and which of its updates it is, from 0.

        Raises LookupError when there is no such update.
        """
        rollout_step, k = divmod(step, self._per_step)
        if 0 <= rollout_step < self.setup.steps:
            record = self._inspect(rollout_step + 1)
            if k < len(record.objective):
                return record, k
        raise LookupError(f"This run has no update {step}.")

    def metrics(self) -> dict[str, tuple[list[int], list[float]]]:
        # Without making an update's tokens, which takes three times as long.
        found: dict[str, tuple[list[int], list[float]]] = {}
        for record in inspect_steps(self.setup, self.seed):
            for k in range(len(record.objective)):
                for name, value in _metrics(record, k).items():
                    steps, values = found.setdefault(name, ([], []))
                    steps.append((record.step - 1) * self._per_step + k)
                    values.append(value)
        return found


def record_of(setup: Setup, seed: int) -> RunRecord:
    """The record of one seed of a setup, of whatever world."""
    return CandidateRun(setup, seed) if isinstance(setup, CandidateSetup) else SimulatedRun(setup, seed)


def _header(setup: ReasoningSetup, seed: int) -> Header:
    return Header(
        algorithm=setup.algorithm,
        task="short arithmetic, simulated",
        dataset=f"{setup.train_prompts} train prompts of world {setup.world_seed}",
        reward_strategy="a verifier of the final answer, and what the setup adds to it",
        total_steps=setup.steps * setup.num_iterations * setup.minibatches,
        model_name=_MODEL,
        reference_model_name=f"{_MODEL}, before training",
        hparams=setup.to_dict()
        | {
            "clip_eps": _clip_eps(setup),
            "kl_coef": 0.0 if setup.kl == "none" else setup.beta,
            "seed": seed,
            "engine_version": ENGINE_VERSION,
        },
    )


def _clip_eps(setup: ReasoningSetup) -> float | list[float] | None:
    """Distances of the bounds from 1. CISPO's weight has no lower bound but 0."""
    if setup.importance_ratio == "none" or setup.clip == "none":
        return None
    if setup.clip == "symmetric":
        return setup.epsilon
    return [1.0 if setup.clip == "cispo" else setup.epsilon, setup.epsilon_high]


def _update(record: StepRecord, k: int) -> Update:
    setup = record.setup
    first = (record.step - 1) * setup.num_iterations * setup.minibatches
    took_part = np.nonzero(record.clip_states[k, :, 0, 0] != NO_TOKEN)[0]
    return Update(
        step=first + k,
        is_first=k == 0,
        metrics=_metrics(record, k),
        prompts=tuple(
            Prompt(
                record.prompt_texts[b],
                tuple(_response(record, k, int(b), i) for i in range(setup.group_size)),
                filler=bool(record.is_filler[b]),
            )
            for b in took_part
        ),
        sampled_at=first,
        epoch=k // setup.minibatches + 1,
        epochs=setup.num_iterations,
    )


def _metrics(record: StepRecord, k: int) -> dict[str, float]:
    """The step's metrics; those about updates are of this one update, and like them leave masked responses out."""
    states, ratios = record.clip_states[k][~record.is_masked], record.ratios[k][~record.is_masked]
    is_token = states != NO_TOKEN
    states, ratios = states[is_token], ratios[is_token]
    clipped = float((states >= _CLIPPED).mean()) if states.size else np.nan
    objective, rate = float(record.objective[k]), float(record.learning_rates[k])
    return record.metrics | {
        "rollout_step": float(record.step),
        "policy_objective": objective,
        "policy_loss": -objective,
        "grad_norm": float(record.grad_norm[k]),
        "group_reward_std": record.metrics["reward_std"],
        "clip_fraction": clipped,
        "policy_clip_ratio": clipped,
        "importance_sampling_ratio": float(ratios.mean()) if ratios.size else np.nan,
        "ratio_dev": float(abs(ratios - 1.0).mean()) if ratios.size else np.nan,
        "lr": rate,
        "learning_rate": rate,
        "policy_lr": rate,
        # The format has this one in percent.
        "dynamic_sampling_pass_rate": 100.0 * record.metrics["dynamic_sampling_pass_rate"],
    }


def _response(record: StepRecord, k: int, b: int, i: int) -> Response:
    length = int(record.lengths[b, i])
    at, now = (b, i, slice(length)), (k, b, i, slice(length))
    numbers: dict[str, Any] = {
        "log_probs": record.log_probs[now],
        "old_log_probs": record.old_log_probs[at],
        "ref_log_probs": record.ref_log_probs[at],
        "advantages": record.advantages[at],
        "token_kl": record.token_kls[now],
        "token_objective": record.objectives[now],
    }
    if record.values is not None and record.returns is not None and record.token_rewards is not None:
        numbers |= {"values": record.values[at], "returns": record.returns[at], "rewards": record.token_rewards[at]}
    numbers |= {
        "ratio": record.ratios[now],
        "clip_state": record.clip_states[now].astype(np.float64),
        "weight": record.weights[at],
        "push": record.pushes[now],
    }
    advantages: FloatArray = record.advantages[at]
    return Response(
        id=f"rollout{record.step}_p{b}_sample{i}",
        reward=float(record.rewards[b, i]),
        advantage=float(advantages[0]) if (advantages == advantages[0]).all() else np.nan,
        text=" ".join(record.texts[b][i]),
        length=length,
        ids=tuple(record.tokens[at].tolist()),
        strings=record.texts[b][i],
        numbers=numbers,
        correct=bool(record.is_correct[b, i]),
        truncated=bool(record.is_truncated[b, i]),
        masked=bool(record.is_masked[b, i]),
        contexts=tuple(CONTEXT_NAMES[context] for context in record.contexts[at]),
        entropies=record.entropies[at],
        reward_parts={name: float(part[b, i]) for name, part in record.reward_parts.items()},
    )
