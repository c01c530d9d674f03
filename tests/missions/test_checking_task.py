"""A check on its way: through the queue and a worker, called off, stopped, lost, failed, and never run twice."""

import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from accounts.models import User
from missions import tasks
from missions.checking import Limits
from missions.checks import NotAskedError, ask, call_off, checks_before, is_without_worker, latest_check
from missions.management.commands.worker import STOPS
from missions.models import Check, OwnMission
from missions.models.own import SILENT_FOR
from missions.seeds import evaluation_seeds
from missions.tasks import run_check, settle
from tests.missions.checked import own_mission

QUEUE = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "limits_for", lambda world, seconds: Limits(12, 4, seconds))
    monkeypatch.setattr(tasks, "FRESH_SETS", {"candidates": 1, "reasoning": 1})
    monkeypatch.setattr(tasks, "SAID_EVERY", 0.0)


@pytest.fixture
def own(student: User) -> OwnMission:
    return own_mission(student)


@pytest.fixture
def _signals() -> Iterator[None]:
    before = [signal.getsignal(number) for number in STOPS]
    yield
    for number, handler in zip(STOPS, before, strict=True):
        signal.signal(number, handler)


@pytest.mark.django_db(transaction=True)
def test_a_worker_takes_a_check_from_the_queue_and_keeps_what_it_finds(
    own: OwnMission, student: User, settings: Any, _signals: None
) -> None:
    settings.TASKS = QUEUE
    check = ask(own, student)
    assert check.state == "waiting" and ask(own, student) == check
    assert DBTaskResult.objects.get().args_kwargs == {"args": [check.pk], "kwargs": {}}
    # The text may change meanwhile: what is checked is the mission as it was.
    OwnMission.objects.update(text="nothing of a mission", version=2)
    call_command("worker", batch=True, interval=0.01)
    check.refresh_from_db()
    assert (check.state, check.share_done, check.doing) == ("finished", 1.0, "")
    assert check.result is not None and check.result["start"]["cost"] == 1600
    assert check.started_at <= check.heard_at <= check.ended_at
    assert DBTaskResult.objects.get().status == "SUCCESSFUL"
    stored = f"{check.result}{check.source}{DBTaskResult.objects.values().get()}"
    assert not [seed for seed in evaluation_seeds() if str(seed) in stored]


@pytest.mark.django_db(transaction=True)
def test_of_many_workers_one_runs_a_check(own: OwnMission, student: User, monkeypatch: pytest.MonkeyPatch) -> None:
    check = ask(own, student)

    def take(_: int) -> bool:
        try:
            return tasks._take(check.pk)
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(take, range(24))) == 1
    monkeypatch.setattr(tasks, "check_mission", lambda *args: pytest.fail("it is another worker's"))
    run_check.call(check.pk)
    check.refresh_from_db()
    assert check.state == "running"


@pytest.mark.django_db
def test_a_check_can_be_called_off(own: OwnMission, student: User, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = ask(own, student)
    call_off(waiting)
    run_check.call(waiting.pk)
    waiting.refresh_from_db()
    assert (waiting.state, waiting.started_at) == ("cancelled", None)

    running, ran = ask(own, student), []
    grade = tasks.check_mission

    def called_off_on_the_way(*args: Any) -> dict[str, Any]:
        *others, tell = args

        def told(share: float, doing: str) -> None:
            ran.append(doing)
            if len(ran) == 4:
                call_off(running)
            tell(share, doing)

        return grade(*others, told)

    monkeypatch.setattr(tasks, "check_mission", called_off_on_the_way)
    run_check.call(running.pk)
    running.refresh_from_db()
    assert (running.state, running.result, len(ran)) == ("cancelled", None, 4)
    assert 0 < running.share_done < 1 and running.ended_at is not None
    call_off(running)
    assert ask(own, student).pk not in (waiting.pk, running.pk)


@pytest.mark.django_db
@pytest.mark.parametrize("source", [{}, [], {"setup": {"steps": 10**30}}, {"title": {"$where": 1}}, "text", None])
def test_a_source_that_is_no_mission_fails_and_stops_nobody(own: OwnMission, student: User, source: Any) -> None:
    check = ask(own, student)
    Check.objects.filter(pk=check.pk).update(source=source if source is not None else "")
    run_check.call(check.pk)
    check.refresh_from_db()
    assert (check.state, check.result) == ("failed", None)
    assert ask(own, student) != check


@pytest.mark.django_db
def test_a_worker_that_is_told_to_stop_puts_the_check_back(
    own: OwnMission, student: User, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.TASKS = QUEUE
    check = ask(own, student)

    def stopped(*args: Any) -> None:
        args[-1](0.5, "Searching")
        raise SystemExit(0)

    with monkeypatch.context() as patch:
        patch.setattr(tasks, "check_mission", stopped)
        run_check.call(check.pk)
    check.refresh_from_db()
    assert (check.state, check.started_at, check.share_done) == ("waiting", None, 0)
    assert DBTaskResult.objects.filter(status="READY").count() == 2
    run_check.call(check.pk)
    check.refresh_from_db()
    assert check.state == "finished"


@pytest.mark.django_db
def test_a_check_whose_worker_was_killed_is_lost_to_whoever_looks(
    own: OwnMission, student: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = ask(own, student)
    grade = tasks.check_mission

    def heard_no_more(*args: Any) -> dict[str, Any]:
        now = timezone.now()
        assert settle(Check.objects.get(pk=check.pk), now).state == "running"
        assert settle(Check.objects.get(pk=check.pk), now + SILENT_FOR / 2).state == "running"
        assert settle(Check.objects.get(pk=check.pk), now + 2 * SILENT_FOR).state == "lost"
        # It lives after all: what it finds is nobody's any more.
        return grade(*args)

    monkeypatch.setattr(tasks, "check_mission", heard_no_more)
    run_check.call(check.pk)
    check.refresh_from_db()
    assert (check.state, check.result) == ("lost", None)
    assert ask(own, student) != check


@pytest.mark.django_db
def test_checks_wait_in_line_and_say_when_nobody_works(own: OwnMission, student: User, other_student: User) -> None:
    first, second = ask(own, student), ask(own_mission(other_student), other_student)
    assert (checks_before(first), checks_before(second)) == (0, 1)
    soon, late = first.asked_at + timedelta(seconds=1), timezone.now() + timedelta(seconds=30)
    assert not is_without_worker(first, soon) and is_without_worker(first, late)
    Check.objects.filter(pk=first.pk).update(state="running", started_at=late, heard_at=late)
    assert not is_without_worker(second, late + timedelta(seconds=20))
    assert is_without_worker(second, late + timedelta(seconds=90))


@pytest.mark.django_db
def test_an_author_has_one_check_at_a_time_and_few_are_kept(own: OwnMission, student: User) -> None:
    check, another = ask(own, student), own_mission(student)
    with pytest.raises(NotAskedError, match="Silent groups"):
        ask(another, student)
    # One that is lost stands in nobody's way.
    long_ago = timezone.now() - 2 * SILENT_FOR
    Check.objects.filter(pk=check.pk).update(state="running", started_at=long_ago, heard_at=long_ago)
    for _ in range(7):
        call_off(ask(another, student))
    assert another.checks.count() == 5
    assert latest_check(own).state == "lost"
    OwnMission.objects.filter(pk=own.pk).update(text="title = 'Half a mission'")
    own.refresh_from_db()
    with pytest.raises(NotAskedError, match="can’t be played"):
        ask(own, student)
