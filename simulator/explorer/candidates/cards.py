"""The three cards of the explainer: the objective of a prompt, what a draw or pair counts, the push on an answer."""

from __future__ import annotations

import numpy as np

from simulator.charts.table import fixed, signed
from simulator.explorer.candidates.parts import Card, check, entries, line, strongest
from simulator.explorer.candidates.sight import UPDATE
from simulator.explorer.candidates.subject import Subject
from simulator.explorer.exploration import Exploration
from simulator.explorer.why.terms import number_text

_COUNTS = {"group": "advantage", "best": "target", "pairs": "pair_weight"}


def open_cards(x: Exploration) -> set[str]:
    """Which cards are open: those that the address names, else the answer's; the first one always."""
    return {"step", *(x.state.cards or ("token",))}


def toggle(x: Exploration, card: str) -> str:
    """The address with a card opened or closed."""
    wanted = open_cards(x) ^ {card}
    chosen = () if wanted == {"step", "token"} else tuple(c for c in ("step", "aggregation", "token") if c in wanted)
    return x.link(cards=chosen)


def step_card(x: Exploration, subject: Subject) -> Card:
    """What the update makes larger at the prompt."""
    made = subject.formulas
    record, b = subject.record, subject.sight.b
    value, checks = "", []
    if record is not None:
        value = f"J = {number_text(float(record.objective[b]))}"
        if subject.has_pairs:
            checks.append(check("Objective J of the prompt", subject.value(made.objective), float(record.objective[b])))
        whole = record.metrics["policy_objective"]
        checks.append(
            check(f"J of the step, the sum over its {len(record.prompts)} prompts", subject.value(made.step), whole)
        )
    return Card(
        "step",
        "Objective of the prompt",
        value,
        True,
        lines=(line(x, subject, "Objective", made.objective),),
        more=tuple(line(x, subject, "", one, filled=False) for one in (made.step, *made.definitions)),
        says=tuple(_objective_says(subject)),
        terms=entries(x, subject, made.objective),
        reconciled=tuple(checks),
    )


def _objective_says(subject: Subject) -> list[str]:
    says = []
    if subject.record is not None and not subject.is_own:
        says.append("Calculated on the draws of this step; the run did not train with this.")
    if subject.kind == "pairs":
        loss = "divided by 2 / β, as its weight is" if subject.name == "ipo" else "divided by β"
        if subject.setup.beta:
            says.append(f"The paper’s loss with a minus sign, {loss}: then a first step is as large for every beta.")
        else:
            says.append("With a beta of 0 the loss is a straight line: a pair pulls as hard at any margin.")
        if not subject.has_pairs and subject.record is not None:
            says.append("No two draws of this prompt differ in reward, so there is no pair, and J is 0.")
    elif not subject.setup.beta:
        says.append("Beta is 0, so there is no KL in it.")
    return says


def token_card(x: Exploration, subject: Subject) -> Card:
    """What the update does to the logit of the answer in focus."""
    made, record, sight = subject.formulas, subject.record, subject.sight
    k, b = sight.chosen, sight.b
    title = f"Push on {sight.name(k).lower()}" if k is not None else "Push on an answer"
    value = "" if record is None or k is None else f"g = {signed(float(record.pushes[b, k]), 4)}"
    if "token" not in open_cards(x):
        return Card("token", title, value, False, toggle(x, "token"))
    lines = [line(x, subject, "Push", made.push)]
    slope = made.definition("kl_slope")
    if slope is not None:
        lines.append(line(x, subject, slope.symbol.term.name, slope))
    checks, says = [], []
    shows_update = sight.shows(UPDATE)
    if shows_update:
        lines.append(line(x, subject, "Update", made.update))
    if record is not None and k is not None:
        if subject.has_pairs:
            checks.append(check("Push", subject.value(made.push), float(record.pushes[b, k])))
            if shows_update:
                moved = float(record.learning_rate) * (subject.value(made.push) or 0.0)
                checks.append(check("Change of the logit", moved, float(record.moved[b, k])))
        if shows_update:
            says.append(_after(subject, k))
    return Card(
        "token",
        title,
        value,
        True,
        toggle(x, "token"),
        lines=tuple(lines),
        says=tuple(says),
        terms=entries(x, subject, *(one for one in (made.push, slope, made.update if shows_update else None) if one)),
        reconciled=tuple(checks),
        strongest=strongest(subject) if k is None else (),
    )


def _after(subject: Subject, k: int) -> str:
    record, b = subject.record, subject.sight.b
    assert record is not None
    before, after = float(np.exp(record.log_probs[b, k])), float(np.exp(record.new_log_probs[b, k]))
    rule, kl = float(record.rule_pushes[b, k]), float(record.kl_pushes[b, k])
    parts = f" Of the push, {signed(rule, 4)} is from the draws and {signed(kl, 4)} from the KL." if kl else ""
    return (
        f"The logit moves by {signed(float(record.moved[b, k]), 4)}. With those of the other nine answers, the "
        f"probability goes from {fixed(before, 4)} to {fixed(after, 4)}.{parts}"
    )


def counts_card(x: Exploration, subject: Subject) -> Card:
    """What a draw, an answer or a pair counts: advantage, target or weight."""
    made, name = subject.formulas, _COUNTS[subject.kind]
    title = {"group": "Advantage of a draw", "best": "Target of an answer", "pairs": "Weight of a pair"}[subject.kind]
    definition = made.definition(name)
    assert definition is not None
    number = subject.number(definition.symbol)
    is_known = number is not None and subject.sight.chosen is not None
    value = number_text(number) if is_known and number is not None else ""
    if "aggregation" not in open_cards(x):
        return Card("aggregation", title, value, False, toggle(x, "aggregation"))
    others = [one for one in made.definitions if one is not definition and one.symbol.term.id not in ("kl", "kl_slope")]
    lines = [line(x, subject, definition.symbol.term.name, definition)]
    lines += [line(x, subject, one.symbol.term.name, one) for one in others]
    checks = []
    if is_known and number is not None and not _has_no_target(subject):
        checks.append(check(title.split(" of ")[0], subject.value(definition), number))
    return Card(
        "aggregation",
        title,
        value,
        True,
        toggle(x, "aggregation"),
        lines=tuple(lines),
        says=tuple(_count_says(subject)),
        terms=entries(x, subject, definition, *others),
        reconciled=tuple(checks),
    )


def _has_no_target(subject: Subject) -> bool:
    return subject.kind == "best" and subject.record is not None and bool(subject.record.silent[subject.sight.b])


def _count_says(subject: Subject) -> list[str]:
    sight, k, record = subject.sight, subject.sight.chosen, subject.record
    if record is None or k is None:
        return []
    b = sight.b
    count = int(record.counts[b, k])
    if subject.kind == "group":
        if not count:
            return [f"{sight.name(k)} was not drawn: no draw of it has an advantage."]
        return [
            f"The same for each of the {count} draws of {sight.name(k).lower()}." if count > 1 else "For its one draw."
        ]
    if subject.kind == "best":
        return ["All draws have the same reward: nothing is imitated."] if record.silent[b] else []
    bound = subject.bound or {}
    if "j" not in bound:
        return [f"{sight.name(k)} is in no pair of this prompt."]
    assert record.pairs is not None
    pairs = record.pairs[b]
    e = int(np.searchsorted(np.cumsum(pairs.number), bound["j"]))
    winner, loser = sight.name(int(pairs.winner[e])), sight.name(int(pairs.loser[e]))
    flipped = ", with a flipped label" if pairs.flipped[e] else ""
    return [f"For the pair of it that pulls hardest: {winner.lower()} better than {loser.lower()}{flipped}."]
