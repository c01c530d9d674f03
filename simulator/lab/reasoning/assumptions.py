"""What the reasoning world assumes, read from the engine's own constants and worlds."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from simulator.charts.table import Table, fixed
from simulator.engine import ENGINE_VERSION, parse_setup, simulate
from simulator.engine.algorithms import ALGORITHMS
from simulator.engine.fields import Field
from simulator.engine.reasoning.metrics import STEP_METRICS
from simulator.engine.reasoning.problems import FAMILY_NAMES, HELD_OUT_PROMPTS
from simulator.engine.reasoning.reference import SPREAD, family_probabilities
from simulator.engine.reasoning.run import AVERAGED_AT_THE_END, EVALUATED_EVERY
from simulator.engine.reasoning.setup import FIELDS
from simulator.engine.reasoning.transitions import STATES
from simulator.engine.reasoning.vocabulary import CONTEXT_NAMES, FIRST_GUESS, GUESSES, TOKEN_NAMES, TOKENS
from simulator.engine.reasoning.world import load_problems, load_world, prompt_text
from simulator.labels import number
from simulator.labels.reasoning import FAMILIES, METRICS, SETTINGS, TRAINING, TRIES

TOKEN_MEANINGS = {
    "stepA": ("next step, no carry", "Adds without a carry, or reads a story as “more”."),
    "stepB": ("next step, carry", "Adds with a carry, or reads a story as “fewer”."),
    "slip": ("slip", "A step that is off by one: always wrong."),
    "wait": ("wait", "A filler."),
    "hmm": ("hmm", "Another filler."),
    "check": ("check", "After an error that can be seen, goes back to the last right step; else a filler."),
    "answer": ("answer", "States the running total, right or not."),
    "eos": ("end", "Ends the response. Without an answer before it, the response is wrong."),
}
GUESS_MEANING = (
    "four guesses",
    "An answer without working. One of the four is right; which one differs from prompt to prompt.",
)

CONTEXT_MEANINGS = {
    "read": "a story has to be read as “more” or as “fewer”",
    "plain": "the next step needs no carry",
    "carry": "the next step needs a carry",
    "ready": "all steps are done, and the answer is due",
    "lost": "an error was made and can be seen",
    "answered": "an answer or a guess was given, and the response should end",
}


BY_FAMILY = {f"{metric}_{family}" for metric in ("train_accuracy", "held_out_accuracy") for family in FAMILIES}


@dataclass(frozen=True)
class Family:
    """One family of prompts: an example, the steps it takes, and how often the reference policy is right."""

    label: str
    example: str
    steps: str
    train_accuracy: float
    held_out_accuracy: float


def assumptions() -> dict[str, Any]:
    """Everything templates/lab/reasoning/assumptions.html prints."""
    return {
        "engine_version": ENGINE_VERSION,
        "token_count": TOKENS,
        "tokens": [*_tokens()],
        "contexts": [(name, CONTEXT_MEANINGS[name]) for name in CONTEXT_NAMES],
        "states": STATES,
        "families": families(),
        "probabilities": [_probabilities(family) for family in range(len(FAMILY_NAMES))],
        "spread": SPREAD,
        "train_prompts": FIELDS["train_prompts"].default,
        "held_out_prompts": HELD_OUT_PROMPTS,
        "evaluated_every": EVALUATED_EVERY,
        "averaged": AVERAGED_AT_THE_END["kl"],
        "algorithms": [algorithm for algorithm in ALGORITHMS.values() if algorithm.name != "custom"],
        "metrics": [metric for name, metric in METRICS.items() if name not in BY_FAMILY and "pass_at" not in name],
        "tries": TRIES,
        "step_metrics": [(TRAINING[name], meaning) for name, meaning in STEP_METRICS.items() if name in TRAINING],
        "settings": _settings(),
    }


def _tokens() -> list[tuple[str, str]]:
    found = []
    for name in TOKEN_NAMES:
        if name in TOKEN_MEANINGS:
            found.append(TOKEN_MEANINGS[name])
        elif GUESS_MEANING not in found:
            found.append(GUESS_MEANING)
    return found


@cache
def families() -> tuple[Family, ...]:
    """The families of the default world, with the reference policy's exact chances."""
    setup = parse_setup({"world": "reasoning", "steps": int(FIELDS["steps"].minimum)})
    world = load_world(setup.train_prompts, setup.world_seed)
    problems = load_problems(setup.train_prompts, setup.world_seed)
    run = simulate(setup, [0], history=True)
    assert run.evaluations is not None
    found = []
    for family, name in enumerate(FAMILY_NAMES):
        rows = [row for row, problem in enumerate(problems) if problem.family == family]
        counts = sorted({len(problems[row].kinds) for row in rows})
        found.append(
            Family(
                FAMILIES[name],
                prompt_text(world, rows[0]),
                " or ".join(map(str, counts)),
                float(run.evaluations[f"train_accuracy_{name}"][0, 0]),
                float(run.evaluations[f"held_out_accuracy_{name}"][0, 0]),
            )
        )
    return tuple(found)


def _probabilities(family: int) -> Table:
    """The reference policy's token probabilities in a family, before a prompt's own offsets; one row a context."""
    table = family_probabilities()[family]
    guesses = slice(FIRST_GUESS, FIRST_GUESS + GUESSES)
    rows = []
    for context, name in enumerate(CONTEXT_NAMES):
        row = table[context]
        cells = (*row[:FIRST_GUESS], np.sum(row[guesses]), row[-1])
        rows.append((name, *(fixed(value) for value in cells)))
    head = ("Context", *TOKEN_NAMES[:FIRST_GUESS], "guesses", "eos")
    return Table(f"Reference policy, {FAMILIES[FAMILY_NAMES[family]]}", head, tuple(rows))


def _end(field: Field) -> str:
    return f"{int(field.maximum):,}" if field.kind == "integer" else number(field.maximum)


def _settings() -> list[dict[str, str]]:
    return [
        {
            "label": SETTINGS[name].label,
            "name": name,
            "help": SETTINGS[name].help,
            "range": f"{number(field.minimum)} to {_end(field)}",
            "default": number(field.default),
        }
        for name, field in FIELDS.items()
        if name not in ("world", "algorithm") and field.kind in ("integer", "number")
    ]
