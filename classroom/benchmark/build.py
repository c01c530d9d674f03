"""A class as large as is asked for, written in bulk; what its attempts earned is what their runs gave."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import cycle, islice
from uuid import UUID

from django.utils import timezone

from accounts.models import User
from classroom.creating import create_course
from classroom.demo.people import people
from classroom.models import Assignment, Course, Extension, Membership
from missions.attempts import Submission, attempt_of
from missions.grading import Verdict, grade
from missions.loading import load, read_catalogue
from missions.models import Attempt, Mission, Progress
from missions.progress import missions_in_order, standing_of
from missions.queries import definition_of
from missions.seeds import digest_of, evaluation_seeds
from simulator.worlds import Setup

TERM = timedelta(weeks=12)
STUDENTS_AT_ONCE = 10


@dataclass(frozen=True)
class Size:
    """How many students, missions, and attempts of each student at each mission."""

    students: int
    missions: int
    attempts: int


@dataclass(frozen=True)
class Graded:
    """A setting and what it earns at a mission."""

    setup: Setup
    verdict: Verdict


def build_class(size: Size) -> tuple[Course, User]:
    """Write the course with its attempts; return it with its owner. The database has to be empty."""
    now = timezone.now()
    owner = User.objects.create_user("owner")
    course = create_course(
        Course(
            name="Reinforcement learning for language models",
            time_zone="Europe/Rome",
            late_policy=Course.LatePolicy.PERCENT,
            late_percent=10,
            has_leaderboard=True,
        ),
        owner,
    )
    missions = _missions(size.missions)
    members = _members(course, size.students, now - TERM)
    assignments = _assign(course, missions, now)
    Extension.objects.bulk_create(
        [
            Extension(assignment=assignments[place % len(assignments)], membership=member, due_at=now, granted_by=owner)
            for place, member in enumerate(members)
            if place % 10 == 0
        ]
    )
    graded = _graded(missions)
    for first in range(0, len(members), STUDENTS_AT_ONCE):
        some = members[first : first + STUDENTS_AT_ONCE]
        attempts = [one for member in some for one in _attempts(member, missions, graded, size.attempts, now)]
        Attempt.objects.bulk_create(attempts)
        Progress.objects.bulk_create(_progress(attempts, now - TERM))
    return course, owner


def _missions(count: int) -> list[Mission]:
    """Those of the catalogue that are trained, and where it has too few, further rows with the same definitions."""
    load([entry for entry in read_catalogue() if not entry.definition.is_look][:count])
    own = missions_in_order()
    chapters = max(mission.chapter for mission in own)
    copies = []
    for place, mission in enumerate(islice(cycle(own), count - len(own))):
        again = 1 + place // len(own)
        copies.append(
            Mission(
                slug=f"{mission.slug}-{again}",
                chapter=mission.chapter + again * chapters,
                position=mission.position,
                revision=mission.revision,
                title=mission.title,
                definition=mission.definition,
                grading_digest=mission.grading_digest,
                evidence=mission.evidence,
            )
        )
    return [*own, *Mission.objects.bulk_create(copies)]


def _members(course: Course, count: int, joined_at: datetime) -> list[Membership]:
    persons = people(count, seed=1)
    users = User.objects.bulk_create(
        [User(username=p.username, email=f"{p.username}@uni.example", date_joined=joined_at) for p in persons]
    )
    return Membership.objects.bulk_create(
        [
            Membership(
                course=course,
                user=user,
                joined_at=joined_at,
                name=person.name,
                student_number=person.number,
                section=person.section,
                login=person.username,
                may_reveal=True,
                leaderboard_name=f"Otter {user.pk}",
            )
            for user, person in zip(users, persons, strict=True)
        ]
    )


def _assign(course: Course, missions: Sequence[Mission], now: datetime) -> list[Assignment]:
    """Due one after the other over the term, so that tries are on time and late."""
    return Assignment.objects.bulk_create(
        [
            Assignment(
                course=course,
                mission=mission,
                position=place,
                opens_at=now - TERM,
                due_at=now - TERM + TERM * place / len(missions),
                points_three_stars=Decimal(3),
            )
            for place, mission in enumerate(missions, start=1)
        ]
    )


def _graded(missions: Sequence[Mission]) -> dict[int, list[Graded]]:
    """By mission: the start, which fails, and the settings that the catalogue names for stars."""
    seeds = evaluation_seeds()
    known: dict[str, list[Graded]] = {}
    found = {}
    for mission in missions:
        # Copies share their definition, so they share the runs.
        if mission.grading_digest not in known:
            definition = definition_of(mission)
            setups = [definition.start, *definition.verify.values()]
            known[mission.grading_digest] = [Graded(setup, grade(definition, setup, seeds)) for setup in setups]
        found[mission.pk] = known[mission.grading_digest]
    return found


def _attempts(
    member: Membership, missions: Sequence[Mission], graded: dict[int, list[Graded]], count: int, now: datetime
) -> Iterator[Attempt]:
    """`count` tries at each mission: some students find what earns stars soon, some late, some never."""
    chance = random.Random(member.pk)  # noqa: S311
    digest = digest_of(evaluation_seeds())
    skill = chance.random() ** 2
    for place, mission in enumerate(missions):
        fails, *others = graded[mission.pk]
        at = now - TERM + TERM * (place + chance.random()) / (len(missions) + 1)
        for number in range(1, count + 1):
            one = chance.choice(others) if others and chance.random() < skill else fails
            at += timedelta(minutes=chance.uniform(1, 9))
            token = UUID(int=chance.getrandbits(128))
            prediction = chance.randrange(2) if number == 1 else None
            submission = Submission(token, one.setup, chance.randrange(1, 500), prediction)
            yield attempt_of(
                member.user,
                mission,
                number,
                submission,
                one.verdict,
                at=min(at, now),
                duration_ms=100.0,
                seeds_digest=digest,
            )


def _progress(attempts: Sequence[Attempt], unlocked_at: datetime) -> list[Progress]:
    tries: dict[tuple[int, int], list[Attempt]] = {}
    for attempt in attempts:
        tries.setdefault((attempt.user_id, attempt.mission_id), []).append(attempt)
    rows = []
    for (user, mission), made in tries.items():
        row = Progress(user_id=user, mission_id=mission, unlocked_at=unlocked_at)
        standing_of(made).write_to(row)
        rows.append(row)
    return rows
