"""The missions are sound, and the check that says so can say otherwise."""

import io
import shutil
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from missions.choosing import blind_choices
from missions.definition import MissionDefinition, definition_from
from missions.loading import CATALOGUE, read_catalogue
from missions.seeds import evaluation_seeds
from missions.verification import text_problems, upper_bound, verify

MISSIONS = {entry.definition.slug: entry.definition for entry in read_catalogue()}


def changed(slug: str, **changes: object) -> MissionDefinition:
    return definition_from({**MISSIONS[slug].source, **changes})


@pytest.mark.parametrize("slug", [slug for slug, mission in MISSIONS.items() if not mission.is_look])
def test_the_mission_is_sound(slug: str) -> None:
    # Luck is what takes the time; of the longer runs of the reasoning world too few could be drawn to say anything.
    levels = (3,) if MISSIONS[slug].world.name == "candidates" else ()
    report = verify(MISSIONS[slug], evaluation_seeds(), runs=40, star_levels=levels)
    assert report.problems == []
    assert not [warning for warning in report.warnings if "standard errors" in warning]


def test_a_start_that_passes_is_found() -> None:
    mission = changed("silent-groups", goals=[{"metric": "win_rate", "at_least": 0.55}])
    problems = verify(mission, evaluation_seeds(), runs=1).problems
    assert any(problem.startswith("start should fail") for problem in problems)


def test_a_setting_that_earns_too_much_or_too_little_is_found() -> None:
    swapped = dict(MISSIONS["silent-groups"].source["verify"])
    swapped["one_star"], swapped["three_stars"] = swapped["three_stars"], swapped["one_star"]
    problems = verify(changed("silent-groups", verify=swapped), evaluation_seeds(), runs=1).problems
    assert "one_star should earn exactly 1 stars but earns 3" in problems
    assert "three_stars should earn exactly 3 stars but earns 1" in problems


def test_a_thin_margin_is_a_warning() -> None:
    mean = 0.753
    mission = changed("silent-groups", goals=[{"metric": "win_rate", "at_least": mean - 0.002}])
    assert any("standard errors" in warning for warning in verify(mission, evaluation_seeds(), runs=1).warnings)


def test_a_mission_won_by_luck_is_found() -> None:
    mission = changed("silent-groups", budgets={"one_star": 25_600, "two_stars": 24_000, "three_stars": 12_800})
    report = verify(mission, evaluation_seeds(), runs=1_000)
    luck = report.luck[0]
    assert luck.is_exact and luck.tried == 7 * 9
    assert luck.share == pytest.approx(luck.passed / 72)
    assert luck.share > 0.05 and any("three stars" in problem for problem in report.problems)


def test_sampled_luck_agrees_with_the_exact_share() -> None:
    mission = MISSIONS["silent-groups"]
    exact = verify(mission, evaluation_seeds(), runs=54, star_levels=(2,)).luck[0]
    sampled = verify(mission, evaluation_seeds(), runs=53, star_levels=(2,)).luck[0]
    assert exact.is_exact and not sampled.is_exact
    assert sampled.share == pytest.approx(exact.share, abs=0.15)
    assert exact.share < sampled.upper < 0.6


def test_blind_choices_take_the_method_first_and_then_its_own_controls() -> None:
    found, is_everything = blind_choices(MISSIONS["noisy-annotators"])
    assert is_everything
    assert sum(chance for chance, _ in found) == pytest.approx(1)
    by_method = {name: [chance for chance, s in found if s.method == name] for name in ("dpo", "cdpo", "rdpo", "ipo")}
    assert all(sum(chances) == pytest.approx(1 / 4) for chances in by_method.values())
    # Label smoothing has four values and means something to two of the methods.
    assert len(by_method["rdpo"]) == 4 * len(by_method["dpo"]) == 4 * 7 * 11 * 7
    assert all(MISSIONS["noisy-annotators"].check(setup) == {} for _, setup in found)


@pytest.mark.parametrize(
    ("passed", "tried", "bound"),
    # 1 - 0.05 ** (1 / n) when nothing passed; the others from tables of the beta distribution.
    [(0, 100, 0.02951), (1, 20, 0.21611), (5, 100, 0.10225), (20, 20, 1.0)],
)
def test_the_upper_bound_is_the_exact_binomial_one(passed: int, tried: int, bound: float) -> None:
    assert upper_bound(passed, tried) == pytest.approx(bound, abs=1e-4)


def test_texts_can_be_filled_in() -> None:
    assert text_problems(MISSIONS["silent-groups"]) == []


def test_the_command_reports_and_never_shows_a_seed() -> None:
    out = io.StringIO()
    call_command("verify_missions", quick=True, mission="silent-groups", stdout=out)
    text = out.getvalue()
    assert "Silent groups" in text and "three_stars  3*" in text and "1 missions are sound" in text
    assert not [seed for seed in evaluation_seeds() if str(seed) in text]


def test_the_command_fails_when_a_mission_is_not_sound(tmp_path: Path) -> None:
    path = tmp_path / "04-silent-groups.toml"
    shutil.copy(CATALOGUE / path.name, path)
    path.write_text(path.read_text(encoding="utf-8").replace("at_least = 0.745", "at_least = 0.945"), encoding="utf-8")
    out = io.StringIO()
    with pytest.raises(CommandError, match="Not sound: silent-groups"):
        call_command("verify_missions", quick=True, catalogue=tmp_path, stdout=out)
    assert "PROBLEM: three_stars should earn exactly 3 stars but earns 0" in out.getvalue()
