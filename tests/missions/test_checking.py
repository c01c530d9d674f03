"""Checks find what small missions are known to need, say what is wrong with bad ones, and give no seed away."""

import json
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from missions.checking import Cancelled, Limits, digest_of
from missions.checking.digest import digest_without_budgets
from missions.checking.front import pareto_front
from missions.checking.luck import _rising
from missions.checking.moves import changed_at_random, moved, near, open_controls, spread_values
from missions.checking.proposing import rounded_up
from missions.choosing import blind_choices
from missions.definition import Budgets, Control
from missions.seeds import evaluation_seeds, fresh_seeds
from missions.verification import Luck
from tests.missions.checked import bare, checked, small


@pytest.fixture(scope="module")
def sound() -> dict:
    return checked(small("candidates"))


def test_the_numbers_of_a_small_mission_of_ten_answers(sound: dict) -> None:
    assert sound["start"]["passed"] is False and sound["start"]["cost"] == 1600
    assert sound["start"]["goals"][0]["mean"] == pytest.approx(0.604767, abs=1e-5)
    assert sound["is_exhausted"] and sound["settings"] == 9 and sound["ran_out"] == []
    # Of the nine settings one passes: 100 steps with groups of 8.
    assert [(one["cost"], one["setup"]["group_size"], one["seeds_met"]) for one in sound["front"]] == [(6400, 8, 30)]
    assert [(row["stars"], row["found"] and row["found"]["cost"]) for row in sound["asked"]["stars"]] == [
        *((3, None), (2, 6400), (1, None))
    ]
    assert sound["asked"]["problems"] == ["No setting that was tried earns three stars."]
    assert [(luck["stars"], luck["passed"], luck["tried"], luck["is_exact"]) for luck in sound["asked"]["luck"]] == [
        *((1, 1, 9, True), (2, 1, 9, True), (3, 0, 8, True))
    ]
    assert sound["asked"]["luck"][0]["share"] == pytest.approx(1 / 9, abs=1e-5)
    assert sound["proposed"]["budgets"] == {"one_star": 20_000, "two_stars": 12_000, "three_stars": 6_400}
    assert sound["proposed"]["problems"] == ["Blind choices earn three stars 11.1% of the time."]
    assert sound["rule"][0].startswith("Three stars, 6,400: the cheapest setting that passes with room to spare takes")
    assert sound["text_problems"] == []


def test_the_numbers_of_a_small_mission_of_every_token() -> None:
    found = checked(small("reasoning"))
    assert (found["start"]["passed"], found["start"]["seeds_met"], found["start"]["margin"]) == (False, 3, -21)
    assert [one[:3] for one in found["tried"]] == [[80, False, 3], [80, True, 30], [112, False, 3], [112, True, 31]]
    assert [one["setup"]["clip"] for one in found["front"]] == ["symmetric", "symmetric"]
    assert found["asked"]["stars"][0]["found"]["fresh"] == [{"passed": True, "seeds_met": 26, "margin": 2}]
    assert found["asked"]["problems"] == [
        "The setting found for three stars passes on 26 of 32 seeds of fresh set 1, and 28 are wanted.",
        "Blind choices earn three stars 25.0% of the time.",
    ]


def test_no_seed_and_nothing_of_a_single_run_is_in_what_is_found(sound: dict) -> None:
    text = json.dumps(sound, allow_nan=False)
    assert not [seed for seeds in (evaluation_seeds(), fresh_seeds(0)) for seed in seeds if str(seed) in text]
    # No list is as long as a set of seeds, so none can hold one value for each.
    assert "values" not in text and sound["settings"] != sound["seed_count"]


def test_the_same_mission_is_found_to_be_the_same() -> None:
    offered = {
        "steps": {"choices": [50, 100]},
        "group_size": {"choices": [2, 3, 4, 8]},
        "beta": {"minimum": 0.0, "maximum": 0.5},
    }
    mission, limits = small(controls=offered), Limits(14, 3, 600.0)
    first, second = checked(mission, limits), checked(mission, limits)
    assert first == second
    assert not first["is_exhausted"] and first["settings"] >= 14


def test_a_start_that_passes_is_a_problem() -> None:
    found = checked(small(goals=[{"metric": "win_rate", "at_least": 0.6}]))
    assert found["start"]["passed"]
    assert any(text.startswith("The start should fail but earns 3") for text in found["asked"]["problems"])


def test_a_mission_that_cannot_be_won_is_a_problem_and_has_no_budgets() -> None:
    found = checked(small(goals=[{"metric": "win_rate", "at_least": 0.999}]))
    assert found["asked"]["problems"] == ["No setting that was tried reaches the goal."]
    assert found["front"] == [] and found["proposed"] is None and found["rule"] == []
    assert all(row["found"] is None for row in found["asked"]["stars"])
    assert found["closest"]["setup"]["group_size"] == 8 and found["closest"]["setup"]["steps"] == 100


def test_a_mission_won_by_luck_is_a_problem() -> None:
    easy = small(goals=[{"metric": "win_rate", "at_least": 0.612}])
    luck = {one["stars"]: one for one in checked(easy)["asked"]["luck"]}[3]
    assert luck["share"] == pytest.approx(2 / 9, abs=1e-5)
    assert "Blind choices earn three stars 22.2% of the time." in checked(easy)["asked"]["problems"]


def test_settings_that_its_author_names_are_held_to_what_they_are_said_to_earn() -> None:
    found = checked(small(verify={"three_stars": {"group_size": 8}}))
    assert "[verify] three_stars should earn exactly 3 stars but earns 2." in found["asked"]["problems"]


def test_whoever_listens_hears_how_far_it_is_and_can_end_it() -> None:
    shares: list[float] = []
    checked(small(), tell=lambda share, doing: shares.append(share))
    assert shares == sorted(shares) and shares[0] == 0 and 0.9 < shares[-1] <= 1
    heard = []

    def cancel(share: float, doing: str) -> None:
        heard.append(doing)
        if len(heard) == 5:
            raise Cancelled

    with pytest.raises(Cancelled):
        checked(small(), tell=cancel)
    assert len(heard) == 5 and "Searching" in heard[-1]


@pytest.mark.parametrize("seconds", [0.0, 6.0, 12.0])
def test_a_check_without_time_ends_with_what_it_has_and_says_so(seconds: float) -> None:
    clock = iter(range(10_000))
    found = checked(small(), Limits(40, 10, seconds), clock=lambda: float(next(clock)))
    assert found["ran_out"] and found["settings"] < 9
    assert "Searching" in found["ran_out"]
    assert found["start"]["cost"] == 1600
    json.dumps(found, allow_nan=False)


def test_the_search_finds_what_a_mission_is_known_to_need_without_being_told() -> None:
    mission = bare("never-seen")
    found = checked(mission, Limits(110, 0, 600.0))
    assert min(one["cost"] for one in found["front"]) <= mission.budgets.three


@given(st.lists(st.tuples(st.integers(1, 20), st.integers(0, 8)), max_size=30))
def test_the_front_is_what_nothing_beats(items: list[tuple[int, int]]) -> None:
    front = pareto_front(items, lambda item: item[0], lambda item: item[1])

    def beats(one: tuple[int, int], other: tuple[int, int]) -> bool:
        return one[0] <= other[0] and one[1] >= other[1] and one != other

    assert set(front) == {item for item in items if not any(beats(other, item) for other in items)}
    assert front == sorted(set(front)) and [worth for _, worth in front] == sorted({worth for _, worth in front})


@given(st.floats(1, 1e9))
def test_budgets_are_rounded_up_to_two_digits(value: float) -> None:
    up = rounded_up(value)
    assert value <= up <= max(1.1 * value, value + 1) and len(str(up).rstrip("0")) <= 2


@pytest.mark.parametrize("slug", ["sample-once", "stale-data", "one-answer-per-question"])
def test_every_move_leads_to_what_a_student_can_choose(slug: str) -> None:
    mission, chances = bare(slug), random.Random(5)
    for _ in range(60):
        setup = changed_at_random(mission, mission.start, chances)
        assert setup is None or mission.check(setup) == {}
    for control in open_controls(mission):
        if control.name not in mission.start.active_fields():
            continue
        found = [moved(mission, mission.start, control.name, value) for value in spread_values(control)]
        assert len({setup.run_hash for setup in found if setup}) > 1


def test_a_control_that_fills_in_others_brings_them_along() -> None:
    mission = small(
        "reasoning",
        setup={"world": "reasoning", "algorithm": "grpo", "steps": 10, "prompts_per_step": 2, "group_size": 4},
        controls={"algorithm": {"choices": ["grpo", "ppo"]}, "clip": {"locked": "No."}, "steps": {"choices": [10, 14]}},
    )
    found = moved(mission, mission.start.replace(steps=14), "algorithm", "ppo")
    assert found is not None and found.steps == 14
    assert found.advantage == mission.world.filled(mission.start, "ppo").advantage != mission.start.advantage


@pytest.mark.parametrize(
    "control",
    [
        Control("n", choices=tuple(range(40))),
        Control("n", minimum=1, maximum=900),
        Control("n", minimum=0.001, maximum=10.0, spacing="log"),
        Control("n", minimum=-1.0, maximum=1.0, spacing="linear"),
    ],
)
def test_values_that_are_tried_can_be_chosen(control: Control) -> None:
    spread, chances = spread_values(control), random.Random(3)
    assert spread == sorted(set(spread)) and len(spread) <= 10
    assert not any(control.refuse(value, None) for value in spread)
    value = spread[4]
    for _ in range(50):
        value = near(control, value, chances)
        assert not control.refuse(value, None)


def test_the_digest_is_of_what_decides_and_of_nothing_else() -> None:
    seeds, mission = evaluation_seeds(), small()
    assert digest_of(small(story="Another story."), seeds) == digest_of(mission, seeds)
    others = [
        small(goals=[{"metric": "win_rate", "at_least": 0.7}]),
        small(verify={"one_star": {"steps": 50}}),
        small(budgets={"one_star": 3, "two_stars": 2, "three_stars": 1}),
    ]
    assert len({digest_of(other, seeds) for other in (mission, *others)}) == 4
    assert digest_of(mission, seeds[:-1]) != digest_of(mission, seeds)
    cheaper = replace(mission, budgets=Budgets(30, 20, 10))
    assert digest_without_budgets(cheaper, seeds) == digest_without_budgets(mission, seeds)


def test_luck_drawn_for_a_large_budget_serves_the_smaller_ones() -> None:
    mission = small(controls={"steps": {"choices": [25, 50, 75, 100]}, "group_size": {}, "beta": {}})
    assert len(blind_choices(mission)[0]) == 4 * 8 * 9
    luck = {one["stars"]: one for one in checked(mission, Limits(4, 6, 600.0))["asked"]["luck"]}
    assert [luck[stars]["tried"] for stars in (1, 2, 3)] == [6, 6, 6]
    assert luck[3]["share"] <= luck[2]["share"] <= luck[1]["share"]
    assert not luck[1]["is_exact"] and luck[1]["share"] <= luck[1]["upper"] <= luck[1]["affordable"]


def test_a_mission_that_leaves_nothing_open_has_one_setting() -> None:
    found = checked(small(controls={name: {"locked": "No."} for name in ("steps", "group_size")}))
    assert (found["settings"], found["is_exhausted"], found["proposed"]) == (1, True, None)


def test_where_every_draw_is_refused_the_check_still_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("missions.checking.luck.blind_choices", lambda definition, most: ([], False))
    found = checked(small())
    assert found["settings"] > 1 and found["front"]
    assert [luck["share"] for luck in found["asked"]["luck"]] == [0, 0, 0]


def test_a_larger_budget_has_no_less_luck_than_a_smaller_one() -> None:
    drawn = {
        budget: Luck(0, 0.5, 100, passed, 0.5 * passed / 100, False) for budget, passed in ((1, 3), (2, 1), (3, 9))
    }
    assert [round(luck.share, 4) for _, luck in sorted(_rising(drawn).items())] == [0.015, 0.015, 0.045]
    assert all(luck.share <= luck.upper for luck in drawn.values())
