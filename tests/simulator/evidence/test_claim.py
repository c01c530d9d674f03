"""How a verdict follows from intervals, and what a claim refuses to be."""

import numpy as np
import pytest

from simulator.evidence.claim import (
    ABOVE,
    BELOW,
    UNCLEAR,
    Claim,
    Column,
    Condition,
    Effect,
    Verdict,
    above,
    arm,
    below,
    contradictions,
    verdict,
    within,
)
from simulator.evidence.findings import fill
from simulator.evidence.measure import Laboratory
from simulator.evidence.readings import along_path, at_step, final
from simulator.interval import Interval


@pytest.mark.parametrize(
    ("condition", "holds", "fails"),
    [
        (ABOVE, (0.5, 0.4), (0.5, 0.5)),
        (above(0.2), (0.5, 0.2), (0.5, 0.4)),
        (BELOW, (-0.5, 0.4), (0.5, 0.1)),
        (below(0.2), (-0.5, 0.2), (-0.5, 0.4)),
        (within(0.1), (-0.02, 0.05), (-0.02, 0.09)),
        (UNCLEAR, (0.1, 0.1), (0.1, 0.09)),
    ],
)
def test_conditions_are_about_the_whole_interval(
    condition: Condition, holds: tuple[float, float], fails: tuple[float, float]
) -> None:
    assert condition.holds(Interval(*holds)) and not condition.holds(Interval(*fails))
    assert condition.words


def claim(**changes: object) -> Claim:
    parts: dict[str, object] = {
        "name": "steps",
        "theme": "Theme",
        "statement": "More steps help\n   more.",
        "compared": "win rate",
        "arms": [arm("short", "20 steps", steps=20), arm("long", "60 steps", steps=60)],
        "columns": [Column("win_rate", "Win rate", final("win_rate")), Column("kl", "KL", final("kl"), 2)],
        "effects": [
            Effect("gain", "60 minus 20", "win_rate", "long", "short", needs=ABOVE),
            Effect("kl", "60 minus 20", "kl", "long", "short", needs=BELOW, says=ABOVE),
        ],
        "finding": "It goes from {short.win_rate} to {long.win_rate}: {gain}, in {gain.of}, KL {kl.size}.",
        "reason": "",
        "seeds": range(8),
    }
    return Claim(**(parts | changes))  # type: ignore[arg-type]


def test_a_verdict_is_computed() -> None:
    def judge(gain: float, kl: float) -> Verdict:
        return verdict(claim(), {"gain": Interval(gain, 0.1), "kl": Interval(kl, 0.1)})

    assert judge(1, -1) is Verdict.REPRODUCED
    assert judge(1, 1) is Verdict.PARTLY
    assert judge(-1, 0.05) is Verdict.NOT


def test_prose_and_numbers_may_not_part() -> None:
    agreeing = {"gain": Interval(1, 0.1), "kl": Interval(1, 0.1)}
    assert not contradictions(claim(), agreeing)
    (found,) = contradictions(claim(), agreeing | {"gain": Interval(0.1, 0.2)})
    assert found == "60 minus 20: 0.1 ± 0.2, but the finding says more than 0"


def test_a_claim_is_measured_on_its_own_seeds_in_pairs() -> None:
    found = Laboratory().measure(claim())
    runs = [Laboratory().runs(each.setup, range(8)).plain.final for each in claim().arms]
    difference = Interval.of(runs[1]["win_rate"] - runs[0]["win_rate"])
    assert found.effects["gain"].interval == difference
    assert (found.effects["gain"].same_sign, found.effects["gain"].count) == (8, 8)
    assert found.arms["long"].sampled_responses == 60 * 8 * 8
    assert fill(claim().finding, claim(), found) == (
        f"It goes from {np.mean(runs[0]['win_rate']):.3f} to {np.mean(runs[1]['win_rate']):.3f}: "
        f"+{difference.mean:.3f}\u00a0±\u00a0{difference.half_width:.3f}, in 8 of 8, "
        f"KL {np.mean(runs[1]['kl'] - runs[0]['kl']):.2f}."
    )


def test_readings_along_a_run() -> None:
    runs = Laboratory().runs(arm("long", "", steps=60).setup, range(3))
    assert at_step("kl", 60)(runs) == pytest.approx(final("kl")(runs))
    middle = float(runs.traced.history["kl"][:, 6].mean())
    kl, win = (runs.traced.history[name][0] for name in ("kl", "win_rate"))
    assert along_path("win_rate", "kl", middle)(runs)[0] == pytest.approx(np.interp(middle, kl, win), abs=1e-3)
    with pytest.raises(LookupError):
        along_path("win_rate", "kl", 9.0)(runs)
    with pytest.raises(LookupError):
        at_step("kl", 33)(runs)


@pytest.mark.parametrize(
    "changes",
    [
        {"effects": [Effect("gain", "", "win_rate", "longer", "short", needs=ABOVE)]},
        {"effects": [Effect("gain", "", "wins", "long", "short", needs=ABOVE)]},
        {"effects": [Effect("gain", "", "win_rate", "long", "short", says=ABOVE)]},
        {"effects": [Effect("gain", "", "win_rate", needs=ABOVE)]},
        {"arms": [arm("long", "a", steps=20), arm("long", "b", steps=60)]},
    ],
)
def test_a_claim_that_compares_nothing_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        claim(**changes)


@pytest.mark.parametrize("text", ["{nobody}", "{gain.wins}", "{long.entropy}"])
def test_a_placeholder_without_a_measurement_is_an_error(text: str) -> None:
    with pytest.raises(LookupError):
        fill(text, claim(), Laboratory().measure(claim(), range(2)))
