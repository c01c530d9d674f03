"""Looking into one step of a run: every prompt, response and token, and what each update did with them.

Nothing is stored while a run trains. A step is brought back by training again up to it, with the same compiled
functions, and keeping what the step's updates calculate.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ..fields import SetupError
from ..objective.advantage import GAE
from ..objective.sampling import is_masked
from ..randomness import MAX_SEED
from .metrics import STEP_METRICS, entropy_and_kl
from .run import Checkpoint, Run
from .setup import ReasoningSetup
from .step_record import NO_TOKEN, DiscardedGroup, StepRecord
from .vocabulary import CONTEXTS, TOKENS
from .workspace import (
    ADVANTAGES,
    LOG_PROBS,
    OBJECTIVES,
    OLD_LOG_PROBS,
    PUSHES,
    RATIOS,
    REF_LOG_PROBS,
    RETURNS,
    REWARD_KLS,
    REWARD_PARTS,
    TOKEN_KLS,
    TOKEN_REWARDS,
    VALUES,
    VERIFIED,
    WEIGHTS,
)
from .world import DONE_OK, prompt_text, token_texts

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


def inspect_step(setup: ReasoningSetup, seed: int, step: int, checkpoints: Iterable[Checkpoint] = ()) -> StepRecord:
    """Train one seed again up to ``step`` (from 1) and return all that the step calculated.

    With ``checkpoints`` of this setup and seed, training goes on from the latest that is early enough.

    Raises:
        SetupError: field ``seed`` or ``step``, when the run has no such step.
    """
    if not 0 <= seed <= MAX_SEED:
        raise SetupError("seed", f"The seed must be a whole number from 0 to {MAX_SEED}.")
    if not 1 <= step <= setup.steps:
        raise SetupError("step", f"The step must be a whole number from 1 to {setup.steps}.")
    run = Run(setup, seed)
    early = [checkpoint for checkpoint in checkpoints if checkpoint.step < step]
    if early:
        run.resume(max(early, key=lambda checkpoint: checkpoint.step))
    run.record(step)
    return _record(run, step)


def inspect_steps(setup: ReasoningSetup, seed: int) -> Iterator[StepRecord]:
    """All steps of one seed in order, each as `inspect_step` gives it, in one training and one step in memory.

    Raises:
        SetupError: field ``seed``, when it can't be one.
    """
    if not 0 <= seed <= MAX_SEED:
        raise SetupError("seed", f"The seed must be a whole number from 0 to {MAX_SEED}.")
    run = Run(setup, seed)
    for step in range(1, setup.steps + 1):
        run.record(step)
        yield _record(run, step)


class _Layout:
    """From the flat arrays of a batch to one place per prompt, response and token."""

    def __init__(self, run: Run) -> None:
        lengths = run.rollout.length[run.batch.group]
        self._is_token = np.arange(lengths.max()) < lengths[..., None]  # (B, G, T)
        self._tokens = int(lengths.sum())
        prompts, minibatches = len(lengths), run.setup.minibatches
        trained_by = np.arange(prompts) // (prompts // minibatches)
        # (K, B): update k is one of minibatch k mod M.
        self._takes_part = trained_by == (np.arange(run.updates_made) % minibatches)[:, None]

    def numbers(self, flat: FloatArray) -> FloatArray:
        """``(F,)`` as ``(B, G, T)``."""
        out = np.full(self._is_token.shape, np.nan)
        out[self._is_token] = flat[: self._tokens]
        return out

    def whole_numbers(self, flat: IntArray) -> IntArray:
        """The same with a mark of its own where there is no token."""
        out = np.full(self._is_token.shape, NO_TOKEN)
        out[self._is_token] = flat[: self._tokens]
        return out

    def by_update(self, flat: npt.NDArray[np.generic], empty: float = np.nan) -> npt.NDArray[Any]:
        """``(K, F)`` as ``(K, B, G, T)``."""
        made = len(self._takes_part)
        out = np.full((made, *self._is_token.shape), empty, flat.dtype)
        out[:, self._is_token] = flat[:made, : self._tokens]
        out[~self._takes_part] = empty
        return out


def _record(run: Run, step: int) -> StepRecord:
    setup, world, batch, rollout, updates = run.setup, run.world, run.batch, run.rollout, run.updates
    group, layout = batch.group, _Layout(run)
    made, first = run.updates_made, (step - 1) * run.updates_per_step
    prompts = rollout.prompt[group]
    texts = tuple(prompt_text(world, int(p)) for p in prompts)
    has_critic = run.plan.advantage == GAE
    kls = updates.tokens[:, TOKEN_KLS]
    if setup.kl_in == "reward":
        kls = np.broadcast_to(batch.tokens[REWARD_KLS], kls.shape)
    return StepRecord(
        setup=setup,
        seed=run.seed,
        step=step,
        diverged_at=run.diverged_at,
        sampled_responses=run.sampled_responses,
        metrics=dict(zip(STEP_METRICS, run.metrics[step - 1].tolist(), strict=True)),
        prompt_rows=prompts,
        prompt_ids=world.prompt_id[prompts],
        families=world.family[prompts],
        visits=rollout.visit[group],
        prompt_texts=texts,
        is_filler=batch.is_filler,
        discarded=_discarded(run),
        lengths=rollout.length[group],
        tokens=layout.whole_numbers(batch.cell % TOKENS),
        contexts=layout.whole_numbers(batch.cell // TOKENS),
        texts=_token_texts(run),
        is_correct=rollout.end[group] == DONE_OK,
        is_truncated=rollout.end[group] < DONE_OK,
        is_masked=_is_masked(run),
        rewards=rollout.rewards[group],
        reward_parts={name: rollout.reward_parts[group, :, i] for i, name in enumerate(REWARD_PARTS)},
        old_log_probs=layout.numbers(batch.tokens[OLD_LOG_PROBS]),
        ref_log_probs=layout.numbers(batch.tokens[REF_LOG_PROBS]),
        entropies=layout.numbers(_entropies(run)),
        advantages=layout.numbers(batch.tokens[ADVANTAGES]),
        weights=layout.numbers(batch.tokens[WEIGHTS]),
        token_rewards=layout.numbers(batch.tokens[TOKEN_REWARDS]) if has_critic else None,
        values=layout.numbers(batch.tokens[VALUES]) if has_critic else None,
        returns=layout.numbers(batch.tokens[RETURNS]) if has_critic else None,
        learning_rates=run.learning_rates[first : first + made],
        objective=updates.objective[:made].copy(),
        grad_norm=updates.grad_norm[:made],
        log_probs=layout.by_update(updates.tokens[:, LOG_PROBS]),
        ratios=layout.by_update(updates.tokens[:, RATIOS]),
        clip_states=layout.by_update(updates.clip_states, NO_TOKEN),
        token_kls=layout.by_update(kls),
        objectives=layout.by_update(updates.tokens[:, OBJECTIVES]),
        pushes=layout.by_update(updates.tokens[:, PUSHES]),
    )


def _entropies(run: Run) -> FloatArray:
    """The sampling policy's entropy before each token of the batch, ``(F,)``."""
    rollout, batch, size = run.rollout, run.batch, run.setup.group_size
    entropies, divergences = np.empty((2, len(batch.group), CONTEXTS))
    for b, group in enumerate(batch.group):
        reference = run.world.reference_log_probs[rollout.prompt[group]]
        entropy_and_kl(rollout.log_policy[group], reference, entropies[b], divergences[b])
    place = np.repeat(np.arange(len(batch.group)), np.diff(batch.offsets[::size]))
    values: FloatArray = entropies[place, batch.cell[: len(place)] // TOKENS]
    return values


def _token_texts(run: Run) -> tuple[tuple[tuple[str, ...], ...], ...]:
    rollout = run.rollout
    return tuple(
        tuple(
            tuple(token_texts(run.world, int(rollout.prompt[group]), rollout.cells[group, i, :length] % TOKENS))
            for i, length in enumerate(rollout.length[group])
        )
        for group in run.batch.group
    )


def _is_masked(run: Run) -> BoolArray:
    truncated = run.rollout.end[run.batch.group] < DONE_OK
    return np.array([[is_masked(run.plan.overlong, bool(one)) for one in row] for row in truncated])


def _discarded(run: Run) -> tuple[DiscardedGroup, ...]:
    rollout, world = run.rollout, run.world
    return tuple(
        DiscardedGroup(
            prompt_row=int(rollout.prompt[group]),
            prompt_id=int(world.prompt_id[rollout.prompt[group]]),
            prompt_text=prompt_text(world, int(rollout.prompt[group])),
            visit=int(rollout.visit[group]),
            verified=int(rollout.reward_parts[group, :, VERIFIED].sum()),
        )
        for group in range(run.groups)
        if group not in run.batch.group
    )
