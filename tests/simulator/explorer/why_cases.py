"""Updates to look at with the explainer: a small one that leaves every bound of the clip, and views of trained runs."""

import numpy as np

from simulator.engine import parse_setup
from simulator.engine.algorithms import ALGORITHMS
from simulator.explorer.exploration import Exploration, explore
from simulator.explorer.why.bindings import Bindings
from simulator.explorer.why.computed import computed_of
from simulator.explorer.why.numbers import Numbers, numbers_of
from simulator.explorer.why.subject import Subject, preset
from simulator.lab.link import Run
from simulator.records import Prompt, Response, Update
from tests.simulator.engine.objective.batch import BASELINE, GROUP_SIZE, LENGTHS, LIMIT, VERIFIED, Case

SMALL = {"world": "reasoning", "steps": 10, "prompts_per_step": 2, "group_size": 4, "max_completion_length": 12}


def small_update(case: Case | None = None, without: str = "") -> Update:
    """The engine tests' update as a record, with everything but what the objective makes of it."""
    case = case or Case()
    responses = [
        Response(
            id=f"r{i}",
            reward=float(VERIFIED[i]),
            advantage=np.nan,
            text="",
            length=length,
            ids=(),
            strings=tuple(f"t{t}" for t in range(length)),
            numbers={
                name: np.array(values)
                for name, values in (
                    ("log_probs", case.log_probs[i]),
                    ("old_log_probs", case.old_log_probs[i]),
                    ("ref_log_probs", case.ref_log_probs[i]),
                    ("values", case.values[i]),
                )
                if name != without
            },
            correct=bool(VERIFIED[i]),
            truncated=case.truncated[i],
            masked=None,
            reward_parts={"verified": VERIFIED[i], "overlong": 0.0, "kl": 0.0},
        )
        for i, length in enumerate(LENGTHS)
    ]
    groups = [responses[first : first + GROUP_SIZE] for first in range(0, len(responses), GROUP_SIZE)]
    return Update(0, True, {}, tuple(Prompt(f"prompt {k}", tuple(group)) for k, group in enumerate(groups)))


def subject(**settings: object) -> Subject:
    """An algorithm put together by hand."""
    merged = preset("custom").settings | {"max_completion_length": LIMIT, "group_size": GROUP_SIZE} | settings
    return Subject(ALGORITHMS["custom"], tuple(sorted(merged.items())), is_own=False)


def bindings(numbers: Numbers, what: Subject) -> Bindings:
    return Bindings(numbers, what, computed_of(numbers, what, BASELINE))


def small(what: Subject) -> Bindings:
    return bindings(numbers_of(small_update()), what)


def view(state: dict[str, object], **setup: object) -> Exploration:
    """A view of a trained run."""
    run = Run(parse_setup(SMALL | setup), 3)
    return explore(run, [(name, str(value)) for name, value in state.items()], "/runs/", run.pairs())
