"""The explainer's panel: which formula did this, with the numbers of this step and this token in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.engine import ReasoningSetup
from simulator.engine.algorithms import ALGORITHMS
from simulator.engine.objective.advantage import next_baseline
from simulator.explorer.exploration import Exploration
from simulator.explorer.whatif import recomputed
from simulator.explorer.why.bindings import Bindings
from simulator.explorer.why.cards import Card, aggregation_card, step_card, token_card
from simulator.explorer.why.comparison import compared
from simulator.explorer.why.computed import computed_of
from simulator.explorer.why.lineage import lineage
from simulator.explorer.why.numbers import Numbers, Spot, numbers_of
from simulator.explorer.why.parts import token_said
from simulator.explorer.why.remarks import remarks_of, sources_of
from simulator.explorer.why.subject import Subject, own_algorithm, setting_label, setup_in_force, subject_of
from simulator.explorer.why.terms import LETTERS
from simulator.explorer.why.words import listed

CREDIT = 4
"""The stage of an update at which tokens get their credit. Before it nothing here gives the answer away."""
ADDING_UP = 5
"""The stage at which tokens are weighed and added up. Before it J and weights are not shown."""
EARLY = "Credit is given at stage 4 of the update; until then the formulas stand without numbers."
LATER = "What a token weighs, and J, come at stage 5; until then no token has its numbers here."


def why_panel(x: Exploration) -> dict[str, Any]:
    """What templates/explorer/why.html shows of a view: family, cards, comparison, remarks.

    For runs of the token world; an update that says nothing about its tokens gives the formulas without numbers.
    """
    subject = subject_of(x, x.state.alg)
    is_early = 0 < x.state.beat < CREDIT
    numbers = None if is_early else _numbers(x)
    b = _bindings(x, numbers, subject)
    # A chosen token would tell its weight and J before their stage.
    spot = None if 0 < x.state.beat < ADDING_UP else _spot(x, numbers)
    found: dict[str, Any] = {
        "subject": subject,
        "own": own_algorithm(x),
        "family": _family(x, subject),
        "lineage": lineage(),
        "versus": _versus(x, subject),
        "said": EARLY if is_early else LATER if x.state.beat == CREDIT else token_said(x, subject, b, spot),
        "cards": _cards(x, subject, b, spot),
        "has_token": spot is not None,
        "letters": LETTERS,
        "remarks": remarks_of(subject),
        "sources": sources_of(subject.key),
        "assumed": listed([setting_label(name) for name in subject.assumed]),
        "alone": x.link(vs=""),
        "compared": None,
        "matrix_query": f"?alg={subject.name}",
    }
    if x.state.vs:
        other = subject_of(x, x.state.vs)
        found["compared"] = compared(x, subject, other, b, _bindings(x, numbers, other), spot)
        found["swap"] = x.link(alg=other.name if not other.is_own else "", vs=subject.name)
    return found


def _cards(x: Exploration, subject: Subject, b: Bindings | None, spot: Spot | None) -> list[Card]:
    """The three cards. J and what a token weighs have no numbers before their stage, which asks for the weights."""
    summed = None if 0 < x.state.beat < ADDING_UP else b
    return [
        step_card(x, subject, summed, spot),
        aggregation_card(x, subject, summed, spot),
        token_card(x, subject, b, spot),
    ]


def _numbers(x: Exploration) -> Numbers | None:
    """The update's numbers, with what-if settings already in them."""
    try:
        update = x.update
    except (LookupError, AssertionError):
        return None
    setup = setup_in_force(x)
    ran = x.run.setup if x.run is not None else None
    if setup is not None and isinstance(ran, ReasoningSetup) and setup != ran:
        update = recomputed(update, ran, setup)
    numbers = numbers_of(update)
    return numbers if numbers.lengths.size and numbers.lengths.any() else None


def _bindings(x: Exploration, numbers: Numbers | None, subject: Subject) -> Bindings | None:
    if numbers is None:
        return None
    return Bindings(numbers, subject, computed_of(numbers, subject, moving_baseline(x)))


def moving_baseline(x: Exploration) -> float:
    """The moving average of earlier rewards before this update's responses were sampled, by the engine's own rule; nan
    where the run's mean rewards are not known."""
    series, update = x.source.series.get("reward"), x.state.s
    if series is None or update is None:
        return np.nan
    firsts = np.unique(x.source.rollouts[:update], return_index=True)[1] + 1
    known = dict(zip(series.places.tolist(), series.values.tolist(), strict=True))
    baseline = 0.0
    for place in firsts[:-1]:
        if int(place) not in known:
            return np.nan
        baseline = next_baseline(baseline, known[int(place)])
    return baseline


def _spot(x: Exploration, numbers: Numbers | None) -> Spot | None:
    if numbers is None or x.state.p is None or x.state.r is None or x.state.t is None:
        return None
    row = int(numbers.starts[x.state.p - 1]) + x.state.r - 1
    return Spot(row, x.state.t - 1) if x.state.t <= numbers.lengths[row] else None


def _family(x: Exploration, subject: Subject) -> list[dict[str, Any]]:
    """The nodes of the family tree, each a link that keeps step and token."""
    own = own_algorithm(x)
    return [
        {
            "node": node,
            "href": x.link(alg="" if node.name == own else node.name),
            "is_current": node.name == subject.name,
            "is_own": node.name == own,
            "parent": ALGORITHMS[node.parent].label if node.parent else "",
        }
        for node in lineage().nodes
    ]


def _versus(x: Exploration, subject: Subject) -> list[dict[str, Any]]:
    """What the explained algorithm may be compared with."""
    own = own_algorithm(x)
    names = [name for name in ALGORITHMS if name != "custom" or own == "custom"]
    return [
        {"name": name, "label": ALGORITHMS[name].label, "href": x.link(vs=name), "is_current": x.state.vs == name}
        for name in names
        if name != subject.name
    ]
