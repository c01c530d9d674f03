"""Eight server processes on one database file: nothing is lost, nothing is doubled, nobody meets a lock."""

from uuid import UUID, uuid4

import pytest

from accounts.models import User
from missions.models import Attempt, Mission, Progress
from missions.progress import rebuild_progress
from tests.processes import process_pool

PROCESSES = 8


def _submit(user_id: int, mission_id: int, token: str, passed: bool, sampled_responses: int) -> tuple[bool, int]:
    """Record one submission; runs in a process of its own. Returns whether it was new, and its number."""
    from tests.missions.helpers import record

    user, mission = User.objects.get(pk=user_id), Mission.objects.get(pk=mission_id)
    recorded = record(user, mission, passed=passed, sampled_responses=sampled_responses, token=UUID(token))
    return recorded.is_new, recorded.attempt.number


@pytest.mark.django_db(transaction=True)
def test_parallel_submissions_are_neither_lost_nor_doubled(
    student: User, other_student: User, missions: list[Mission]
) -> None:
    same = [str(uuid4()) for _ in range(3)]
    # Each of three submissions arrives sixteen times at once, between thirty different ones of two students.
    jobs = [(student.pk, missions[0].pk, token, True, 9000) for token in same for _ in range(16)]
    jobs += [
        (user.pk, missions[place % 2].pk, str(uuid4()), place % 3 == 0, 2500 + 100 * place)
        for place in range(15)
        for user in (student, other_student)
    ]
    jobs = [jobs[(7 * place) % len(jobs)] for place in range(len(jobs))]
    assert len({tuple(job) for job in jobs}) == 33

    with process_pool(PROCESSES) as pool:
        outcomes = [future.result(timeout=60) for future in [pool.submit(_submit, *job) for job in jobs]]

    assert sum(is_new for is_new, _ in outcomes) == 33
    assert Attempt.objects.count() == 33
    assert Attempt.objects.filter(submission_token__in=same).count() == 3
    for user in (student, other_student):
        for mission in missions[:2]:
            numbers = sorted(Attempt.objects.filter(user=user, mission=mission).values_list("number", flat=True))
            assert numbers == list(range(1, len(numbers) + 1))
        best = Progress.objects.get(user=user, mission=missions[0])
        attempts = Attempt.objects.filter(user=user, mission=missions[0])
        assert best.tries == attempts.count()
        assert best.best_stars == max(attempts.values_list("stars", flat=True)) == 3
        assert best.fewest_responses == min(attempts.filter(stars=3).values_list("sampled_responses", flat=True))
        assert Progress.objects.get(user=user, mission=missions[1]).unlocked_at is not None
        assert rebuild_progress(user) is False


def _post(session: str, slug: str, form: dict[str, str]) -> tuple[int, str]:
    """Send one whole request through the site; runs in a process of its own."""
    from django.test import Client

    client = Client()
    client.cookies["sessionid"] = session
    response = client.post(f"/missions/{slug}/train/", form)
    return response.status_code, response.headers.get("Location", "")


@pytest.mark.django_db(transaction=True)
def test_a_double_click_in_eight_processes_is_one_attempt(student: User, missions: list[Mission]) -> None:
    from django.test import Client

    from tests.missions.helpers import form_of

    client = Client()
    client.force_login(student)
    session = client.cookies["sessionid"].value
    form = form_of(missions[0], student, steps="25")
    with process_pool(PROCESSES) as pool:
        futures = [pool.submit(_post, session, missions[0].slug, form) for _ in range(PROCESSES)]
        answers = [future.result(timeout=60) for future in futures]
    assert set(answers) == {(302, f"/missions/{missions[0].slug}/tries/1/")}
    assert Attempt.objects.count() == 1
