"""Missions that are answered by looking: who is asked what, what an answer earns, and what no page gives away."""

from uuid import uuid4

import pytest
from django.core.management import call_command
from django.test import Client

from accounts.models import User
from missions.answering import question_for
from missions.attempts import next_token
from missions.looking import GENERATORS, Question
from missions.models import Attempt, Mission, Progress
from missions.progress import rebuild_progress
from missions.queries import definition_of

LOOKS = ("one-group-spoke", "what-was-it-paid-for", "held-by-the-clip", "whose-update")


@pytest.fixture
def looks(missions: list[Mission], student: User, other_student: User) -> list[Mission]:
    """The missions to look, open to both students."""
    found = [mission for mission in missions if definition_of(mission).is_look]
    for user in (student, other_student):
        Progress.objects.bulk_create(Progress(user=user, mission=m, unlocked_at=user.date_joined) for m in found)
    return found


def asked(user: User, mission: Mission) -> Question:
    tries = Progress.objects.get(user=user, mission=mission).tries
    return question_for(user, mission, definition_of(mission), tries)


def wrong(question: Question) -> str:
    choices = GENERATORS[question.generator].choices(question)
    return next(choice.value for choice in choices if choice.value != question.answer)


def send(client: Client, user: User, mission: Mission, value: str, **changes: str):
    tries = Progress.objects.get(user=user, mission=mission).tries
    fields = {"token": str(next_token(user, mission, tries)), "answer": value} | changes
    return client.post(f"/missions/{mission.slug}/answer/", fields)


@pytest.mark.parametrize("place", range(4), ids=LOOKS)
def test_a_question_is_asked_answered_and_explained(
    client: Client, student: User, looks: list[Mission], place: int
) -> None:
    mission = looks[place]
    client.force_login(student)
    question = asked(student, mission)
    page = client.get(f"/missions/{mission.slug}/").content.decode()
    generator = GENERATORS[question.generator]
    assert generator.asks in page and page.count('name="answer"') == len(generator.choices(question))
    answer = send(client, student, mission, question.answer)
    attempt = Attempt.objects.get()
    assert answer.status_code == 302 and answer["Location"] == f"/missions/{mission.slug}/tries/1/"
    assert (attempt.passed, attempt.stars, attempt.sampled_responses) == (True, 3, 0)
    shown = client.get(answer["Location"]).content.decode()
    assert all(part in shown for part in ("Three stars", "See it in the explorer", "What happened here"))
    explorer = shown.split('href="/attempts/')[1].split('"')[0].replace("&amp;", "&")
    assert client.get(f"/attempts/{explorer}").status_code == 200


@pytest.mark.parametrize("place", range(4), ids=LOOKS)
def test_nothing_on_the_page_tells_the_run_or_the_answer(
    client: Client, student: User, looks: list[Mission], place: int
) -> None:
    """What is served must be the same whichever answer is right, but for the numbers and words that are looked at."""
    client.force_login(student)
    question = asked(student, looks[place])
    page = client.get(f"/missions/{looks[place].slug}/").content.decode()
    assert str(question.seed) not in page and f"{question.seed:,}" not in page
    assert "checked" not in page and "selected" not in page
    form = page.split('<form class="stack"')[1].split("</form>")[0]
    inputs = [part.split(">")[0] for part in form.split("<input")[1:]]
    assert sum('type="hidden"' in one for one in inputs) == 2, "the token and Django's own"
    radios = [one for one in inputs if 'type="radio"' in one]
    shapes = {
        one.replace(f'value="{c.value}"', "")
        for one in radios
        for c in GENERATORS[question.generator].choices(question)
        if f'value="{c.value}"' in one
    }
    assert len(shapes) == 1, "the right answer's element is like the others"
    assert "/attempts/" not in page and "/runs/" not in page.split("<main")[1].split("</main")[0]


def test_wrong_answers_cost_a_star_each_but_never_the_last(client: Client, student: User, looks: list[Mission]) -> None:
    mission = looks[0]
    client.force_login(student)
    seen = []
    for worth in (3, 2, 1, 1):
        page = client.get(f"/missions/{mission.slug}/").content.decode()
        assert f"A right answer now earns {worth} star" in page
        question = asked(student, mission)
        seen.append((question.seed, question.place["step"]))
        page = client.get(send(client, student, mission, wrong(question))["Location"]).content.decode()
        assert "Not this one" in page and "What happened here" not in page
    assert len(set(seen)) == 4, "each wrong answer brings another run"
    send(client, student, mission, asked(student, mission).answer)
    progress = Progress.objects.get(user=student, mission=mission)
    assert (progress.best_stars, progress.tries, progress.fewest_responses) == (1, 5, 0)
    send(client, student, mission, wrong(asked(student, mission)))
    progress.refresh_from_db()
    assert (progress.best_stars, progress.tries) == (1, 6), "stars never fall"
    assert not rebuild_progress(student)


def test_a_student_keeps_the_question_and_a_neighbor_has_another(
    client: Client, student: User, other_student: User, looks: list[Mission]
) -> None:
    for mission in looks:
        assert asked(student, mission) == asked(student, mission)
        assert asked(student, mission).seed != asked(other_student, mission).seed
        client.force_login(student)
        first = client.get(f"/missions/{mission.slug}/").content.decode().split('class="panel"')[1]
        client.logout()
        client.force_login(student)
        assert client.get(f"/missions/{mission.slug}/").content.decode().split('class="panel"')[1] == first


def test_the_secret_of_the_installation_decides_the_question(student: User, looks: list[Mission], settings) -> None:
    before = asked(student, looks[2])
    settings.EVALUATION_SEED_SALT = "another"
    assert asked(student, looks[2]).seed != before.seed


def test_an_answer_counts_once(client: Client, student: User, looks: list[Mission]) -> None:
    mission = looks[3]
    client.force_login(student)
    question = asked(student, mission)
    token = str(next_token(student, mission, 0))
    first = send(client, student, mission, wrong(question), token=token)
    again = client.post(f"/missions/{mission.slug}/answer/", {"token": token, "answer": question.answer}, follow=True)
    assert Attempt.objects.count() == 1 and first["Location"] == again.redirect_chain[-1][0]
    assert "You had already answered that question" in again.content.decode()
    for token in (str(uuid4()), "no token", str(next_token(student, mission, 5))):
        stale = client.post(f"/missions/{mission.slug}/answer/", {"token": token, "answer": "grpo"}, follow=True)
        assert "Nothing was counted" in stale.content.decode()
    assert Attempt.objects.count() == 1


@pytest.mark.parametrize("value", ["", "llama", "1\0"])
def test_what_is_no_answer_is_asked_for_again(client: Client, student: User, looks: list[Mission], value: str) -> None:
    client.force_login(student)
    page = send(client, student, looks[0], value)
    assert page.status_code == 422 and "Choose one of the answers." in page.content.decode()
    assert not Attempt.objects.exists()


def test_nothing_is_trained_here_and_nothing_asked_elsewhere(
    client: Client, student: User, missions: list[Mission], looks: list[Mission]
) -> None:
    client.force_login(student)
    for address in ("train", "draft"):
        assert client.post(f"/missions/{looks[0].slug}/{address}/", {"token": str(uuid4())}).status_code == 404
    assert client.post(f"/missions/{missions[0].slug}/answer/", {"token": str(uuid4())}).status_code == 404
    locked = Client()
    locked.force_login(User.objects.create_user("newcomer", "", "four unrelated words"))
    assert locked.get(f"/missions/{looks[0].slug}/")["Location"] == "/missions/"


def test_answers_stand_in_lists_and_in_the_export(client: Client, student: User, looks: list[Mission]) -> None:
    client.force_login(student)
    question = asked(student, looks[2])
    send(client, student, looks[2], wrong(question))
    page = client.get("/me/").content.decode()
    label = Attempt.objects.get().evaluation["right_label"]
    assert "What you answered" in page and f"right was {label}" in page
    assert client.get("/me/export/").json()["attempts"][0]["evaluation"]["right"] == question.answer
    assert client.get("/missions/").status_code == 200
    call_command("rebuild_progress", verbosity=0)


def test_an_answer_of_an_earlier_engine_is_told_and_not_drawn(
    client: Client, student: User, looks: list[Mission]
) -> None:
    client.force_login(student)
    send(client, student, looks[1], asked(student, looks[1]).answer)
    Attempt.objects.update(engine_version="0.1")
    page = client.get(f"/missions/{looks[1].slug}/tries/1/").content.decode()
    assert "engine 0.1 made the runs" in page and "<canvas" not in page.split("What was asked")[1].split("debrief")[0]
