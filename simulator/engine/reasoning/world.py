"""Worlds: prompts, their states, and the reference policy, as read-only arrays for compiled functions."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .problems import FAMILIES, FAMILY_NAMES, Problem, make_problems
from .reference import log_probabilities, reference_logits
from .texts import texts_of
from .transitions import (
    CRITIC_FEATURES,
    DONE_BAD,
    DONE_OK,
    START,
    STATES,
    contexts,
    critic_features,
    next_states,
)
from .vocabulary import CONTEXT_NAMES, CONTEXTS, EOS, TOKENS

__all__ = [
    "CONTEXTS",
    "CONTEXT_NAMES",
    "DONE_BAD",
    "DONE_OK",
    "EOS",
    "FAMILIES",
    "FAMILY_NAMES",
    "START",
    "STATES",
    "TOKENS",
    "World",
    "load_problems",
    "load_world",
    "prompt_text",
    "token_texts",
]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


class World(NamedTuple):
    """P prompts, train prompts first. Compiled functions take it as it is.

    Attributes:
        train_prompts: how many of the P prompts are trained on; the others are held out.
        world_seed: by which the prompts were drawn.
        n_features: how many values `critic_feature_of` takes.
        prompt_id: `(P,)`.
        family: 0 sums, 1 carries, 2 chains, 3 words, `(P,)`.
        length: steps that the prompt needs, `(P,)`.
        right_guess: which of the four guesses is right, `(P,)`.
        next_state: `(P, 21, 12)`: from a state by a token.
        context_of: what the policy sees of a state, `(P, 21)`.
        critic_feature_of: what the critic sees of a state, `(P, 21)`.
        reference_logits: `(P, 6, 12)`.
        reference_log_probs: `(P, 6, 12)`, in nats; made by the policy's own softmax, so that a policy that has not
            moved is equal to the reference policy to the bit.
    """

    train_prompts: int
    world_seed: int
    n_features: int
    prompt_id: IntArray
    family: IntArray
    length: IntArray
    right_guess: IntArray
    next_state: IntArray
    context_of: IntArray
    critic_feature_of: IntArray
    reference_logits: FloatArray
    reference_log_probs: FloatArray


@lru_cache(maxsize=32)  # about 240 kB each
def load_world(train_prompts: int, world_seed: int) -> World:
    """The world of a setup, from the cache or made now."""
    problems = load_problems(train_prompts, world_seed)
    logits = reference_logits(tuple(problem.prompt_id for problem in problems), world_seed)
    return World(
        train_prompts=train_prompts,
        world_seed=world_seed,
        n_features=CRITIC_FEATURES,
        prompt_id=_integers([problem.prompt_id for problem in problems]),
        family=_integers([problem.family for problem in problems]),
        length=_integers([len(problem.kinds) for problem in problems]),
        right_guess=_integers([problem.right_guess for problem in problems]),
        next_state=_integers([next_states(problem) for problem in problems]),
        context_of=_integers([contexts(problem) for problem in problems]),
        critic_feature_of=_integers([critic_features(problem) for problem in problems]),
        reference_logits=_frozen(logits),
        reference_log_probs=_frozen(log_probabilities(logits)),
    )


@lru_cache(maxsize=32)
def load_problems(train_prompts: int, world_seed: int) -> tuple[Problem, ...]:
    """The prompts of a world in the order of its rows."""
    return make_problems(train_prompts, world_seed)


def prompt_text(world: World, prompt: int) -> str:
    """A row's prompt as a student reads it: "22+4+7+1+1 = ?"."""
    return load_problems(world.train_prompts, world.world_seed)[prompt].text


def token_texts(world: World, prompt: int, tokens: Iterable[int]) -> list[str]:
    """What the tokens of one response to a row's prompt say, in order: "22+4=26", "wait", "answer 26", "<eos>"."""
    problem = load_problems(world.train_prompts, world.world_seed)[prompt]
    return texts_of(problem, world.next_state[prompt], tokens)


def _integers(values: list[int] | list[IntArray]) -> IntArray:
    array = np.array(values, dtype=np.int64)
    array.setflags(write=False)
    return array


def _frozen(array: FloatArray) -> FloatArray:
    array.setflags(write=False)
    return array
