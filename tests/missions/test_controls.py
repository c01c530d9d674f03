"""Controls offer lists, whole numbers, and ranges of any numbers, even or by their logarithm."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from missions.choosing import blind_choices
from missions.definition import Control, DefinitionError, definition_from
from missions.loading import read_catalogue
from missions.submission import read_fields

SOURCE = next(e.definition.source for e in read_catalogue() if e.definition.slug == "first-signal")
chance = st.floats(0, 1, exclude_max=True)


def with_beta(**offer: object):
    # The proven settings have to stay possible.
    kept = {"one_star": {}, "two_stars": {}, "three_stars": {}}
    return definition_from({**SOURCE, "controls": {**SOURCE["controls"], "beta": offer}, "verify": kept})


@given(chance)
def test_a_blind_choice_can_be_chosen(drawn: float) -> None:
    for control in (
        Control("a", choices=(1, 5, 9)),
        Control("b", minimum=2, maximum=7),
        Control("c", minimum=0.0, maximum=1.2, spacing="linear"),
        Control("d", minimum=0.003, maximum=1.0, spacing="log"),
        Control("e", choices=(False, True)),
    ):
        assert control.refuse(control.draw(drawn), None) == ""


def test_a_logarithm_spreads_factors_evenly() -> None:
    control = Control("lr", minimum=0.01, maximum=1.0, spacing="log")
    assert [control.draw(x) for x in (0, 0.5, 0.999999)] == [0.01, 0.1, 1.0]
    assert Control("b", minimum=0.0, maximum=1.0, spacing="linear").draw(0.25) == 0.25


def test_a_range_of_numbers_is_read_refused_and_graded() -> None:
    mission = with_beta(minimum=0, maximum=1.2)
    assert read_fields(mission, {"beta": "0.77"}).errors == {}
    assert read_fields(mission, {"beta": "1.3"}).errors == {"beta": "Must be a number from 0 to 1.2."}
    other = with_beta(minimum=0, maximum=1.0)
    assert mission.grading_digest != other.grading_digest
    assert (
        with_beta(minimum=0.01, maximum=1.2, spacing="log").grading_digest
        != with_beta(minimum=0.01, maximum=1.2).grading_digest
    )


@pytest.mark.parametrize(
    "offer",
    [
        {"minimum": 0, "maximum": 1, "spacing": "log"},
        {"minimum": 0, "maximum": 1, "spacing": "odd"},
        {"minimum": 1.0, "maximum": 0.5},
        {"spacing": "log"},
        {"minimum": 0.1, "maximum": 9.0},
        {"choices": [[0.1]]},
    ],
)
def test_a_range_that_cannot_be_offered_is_refused(offer: dict[str, object]) -> None:
    with pytest.raises(DefinitionError) as refusal:
        with_beta(**offer)
    assert refusal.value.where.startswith("controls.beta")


def test_luck_is_drawn_where_it_cannot_be_listed() -> None:
    found, is_everything = blind_choices(with_beta(minimum=0.01, maximum=1.2, spacing="log"))
    assert not is_everything
    assert sum(share for share, _ in found) == pytest.approx(1)
    below = sum(share for share, setup in found if setup.beta < 0.1095)
    assert below == pytest.approx(0.5, abs=0.05)
    again, _ = blind_choices(with_beta(minimum=0.01, maximum=1.2, spacing="log"))
    assert again == found
