"""The exact views that debriefs lead to: they exist, their sentences hold, and their rules find what they say."""

import itertools
from collections.abc import Iterator

import pytest
from django.test import Client

from accounts.models import User
from missions.definition import MissionDefinition, View
from missions.loading import read_catalogue
from missions.models import Mission
from missions.seeing import NothingToSeeError, facts_at, looks_of, place_of, seen_at, unmet
from simulator.engine import parse_setup
from simulator.explorer.source import Source, source_of
from tests.missions.helpers import record

MISSIONS = [entry.definition for entry in read_catalogue()]
TOKENS = {"world": "reasoning", "algorithm": "custom", "steps": 10, "num_iterations": 4, "learning_rate": 0.1}


@pytest.mark.parametrize("mission", MISSIONS, ids=[mission.slug for mission in MISSIONS])
def test_a_debrief_leads_to_views_that_are_there(mission: MissionDefinition, client: Client) -> None:
    assert 2 <= len(mission.views) <= 3
    seen = [seen_at(view) for view in mission.views]
    assert [unmet(view, at["facts"]) for view, at in zip(mission.views, seen, strict=True)] == [[]] * len(seen)
    looks = looks_of(mission, {"views": seen})
    assert all(look.text and "{" not in look.text for look in looks)
    # The address is the canonical one: the page answers without sending anybody on.
    assert client.get(looks[0].address).status_code == 200


def test_the_link_stands_in_the_debrief(client: Client, student: User, missions: list[Mission]) -> None:
    first = missions[0]
    first.evidence = first.evidence | {"views": [seen_at(view) for view in MISSIONS[0].views]}
    first.save()
    record(student, first, passed=True)
    client.force_login(student)
    page = client.get(f"/missions/{first.slug}/").content.decode()
    assert "See it happen" in page
    assert page.count('href="/runs/?world=candidates&amp;event=clean') == len(MISSIONS[0].views)


@pytest.fixture(scope="module")
def source() -> Iterator[Source]:
    yield source_of(parse_setup(TOKENS), 1)


def test_rules_find_steps(source: Source) -> None:
    clipped = [facts_at(source, place) for place in range(1, source.updates + 1)]
    shares = [facts["clipped"] / facts["tokens"] for facts in clipped]
    assert source.updates == 40
    assert place_of(source, "first") == 1 and place_of(source, "last") == 40 and place_of(source, 7) == 7
    assert place_of(source, "first_clipped") == next(n for n, share in enumerate(shares, 1) if share)
    assert place_of(source, "most_clipped") == 1 + max(range(40), key=lambda n: shares[n])
    silent = [facts["silent"] for facts in clipped]
    assert place_of(source, "first_silent") == next(n for n, count in enumerate(silent, 1) if count)
    assert silent[place_of(source, "most_silent") - 1] == max(silent)
    kl = source.series["kl"].values
    assert kl[place_of(source, "highest:kl") - 1] == kl.max() and kl[place_of(source, "lowest:kl") - 1] == kl.min()
    rise = place_of(source, "largest_rise:kl")
    assert kl[rise - 1] - kl[rise - 2] == max(b - a for a, b in itertools.pairwise(kl))


def test_a_rule_that_finds_nothing_says_so(source: Source) -> None:
    fresh = source_of(parse_setup(TOKENS | {"num_iterations": 1, "clip": "none"}), 1)
    for rule in ("first_clipped", "most_clipped"):
        with pytest.raises(NothingToSeeError):
            place_of(fresh, rule)
    with pytest.raises(NothingToSeeError):
        place_of(source, "diverged")


def test_what_a_sentence_takes_for_granted_is_held_against_the_run() -> None:
    view = View(
        parse_setup(TOKENS), 1, "first", {"p": "2"}, "It is so.", expects={"clipped": (1, 9), "responses": (8, 8)}
    )
    seen = seen_at(view)
    assert seen["query"].endswith("seed=1&s=1&p=2")
    assert unmet(view, seen["facts"]) == ["clipped is 0 in step 1, not from 1 to 9"]
