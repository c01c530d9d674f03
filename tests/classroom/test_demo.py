"""The demo course: real runs by invented people, who can be taken away again."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from accounts.models import User
from classroom.demo.build import PREFIX, build_demo, remove_demo
from classroom.demo.people import people
from classroom.demo.play import Option, tries
from classroom.management.commands.demo import addresses
from classroom.models import Course
from classroom.results import class_results
from missions.grading import grade
from missions.loading import read_catalogue
from missions.models import Attempt, Mission
from missions.progress import rebuild_progress
from missions.queries import definition_of
from missions.seeds import evaluation_seeds
from simulator.engine import parse_setup

# People far from the demo's who must not be touched by it.
OTHER = "demographer"


def test_every_attempt_is_a_real_run_and_progress_follows(missions: list[Mission], client: Client) -> None:
    User.objects.create_user(OTHER)
    built = build_demo(8, 3, missions=missions[:2]).course
    attempts = list(Attempt.objects.select_related("mission").order_by("?"))
    assert len(attempts) > 8
    for attempt in attempts[:3]:
        verdict = grade(definition_of(attempt.mission), parse_setup(attempt.setup), evaluation_seeds())
        assert (verdict.to_dict(), verdict.stars) == (attempt.evaluation, attempt.stars)
    results = class_results(built)
    assert len(results.rows) == 8
    assert sum(row.tries for row in results.rows) == len(attempts)
    assert any(row.passed for row in results.rows)
    for row in results.rows:
        assert not rebuild_progress(row.member.user)
        made = list(Attempt.objects.filter(user=row.member.user).order_by("mission__position", "number"))
        assert [one.created_at for one in made] == sorted(one.created_at for one in made)
        assert all(row.member.joined_at <= one.created_at <= results.at for one in made)
    # The pages that the command names.
    client.force_login(User.objects.get(username=f"{PREFIX}instructor"))
    for name, address in addresses(built):
        assert client.get(address, follow=True).status_code == 200, name
    # It is made once, and taken away whole.
    with pytest.raises(CommandError, match="--replace"):
        call_command("demo", stdout=StringIO())
    remove_demo()
    assert list(User.objects.values_list("username", flat=True)) == [OTHER]
    assert not Course.objects.exists()
    assert not Attempt.objects.exists()


def test_passwords_are_told_once_and_most_accounts_have_none(missions: list[Mission]) -> None:
    result = build_demo(3, 1, missions=missions[:1])
    assert len(result.passwords) == 3
    for user in User.objects.filter(username__startswith=PREFIX):
        assert user.has_usable_password() == (user.username in result.passwords)
        assert not user.is_staff


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**31))
def test_a_person_stops_at_three_stars_or_when_patience_ends(seed: int, bad_and_good: tuple) -> None:
    definition, options = bad_and_good
    for person in people(3, seed):
        made = tries(definition, options, person, seed)
        assert made
        assert all(option.verdict.stars < 3 for option in made[:-1])


@pytest.fixture(scope="module")
def bad_and_good() -> tuple:
    definition = read_catalogue()[0].definition
    setups = [definition.start, *definition.verify.values()]
    return definition, [Option(setup, grade(definition, setup, range(4))) for setup in setups]
