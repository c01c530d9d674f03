"""Writing the demo course: people, assignments, and a term of attempts graded by running each setting."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from uuid import uuid4

from django.db import transaction
from django.utils import timezone
from django.utils.crypto import get_random_string

from accounts.models import User
from classroom import handles as handle_words
from classroom.creating import create_course
from classroom.demo.looks import answers_of, questions_of
from classroom.demo.people import Person, people
from classroom.demo.play import Option, tries
from classroom.memberships import enrol
from classroom.models import Assignment, Course, Membership, MembershipEvent, Role
from missions.answers import Answer
from missions.attempts import Submission, attempt_of
from missions.choosing import blind_choices, drawn_from
from missions.grading import grade
from missions.looking import Question
from missions.models import Attempt, Mission
from missions.progress import missions_in_order, rebuild_progress
from missions.queries import definition_of
from missions.seeds import digest_of, evaluation_seeds

PREFIX = "demo-"
"""How every account of the demo begins, so that it can be found and taken away again."""

NAME = "Reinforcement learning for language models"
TIME_ZONE = "Europe/Rome"
WEEKS = 10
SETTINGS_PER_MISSION = 16
MOST_TRIES_A_SITTING = 5

Say = Callable[[str], None]


class DemoExistsError(Exception):
    """There is a demo already."""


@dataclass(frozen=True)
class Built:
    """The course, and what to sign in with; passwords are not kept anywhere but as hashes."""

    course: Course
    passwords: dict[str, str]
    attempts: int


@dataclass(frozen=True)
class Played:
    """By mission: the settings that the class may try, or the questions that it may be asked."""

    options: Mapping[int, list[Option]]
    questions: Mapping[int, list[Question]]

    def tries(self, mission: Mission, person: Person, seed: int) -> Sequence[Option | Answer]:
        """What one person does at one mission, in order."""
        if mission.pk in self.questions:
            return answers_of(self.questions[mission.pk], person, seed)
        return tries(definition_of(mission), self.options[mission.pk], person, seed)


def demo_users() -> list[User]:
    return list(User.objects.filter(username__startswith=PREFIX))


@transaction.atomic
def remove_demo() -> int:
    """Take the demo's courses and people away, with all they did; return how many people."""
    users = demo_users()
    Course.objects.filter(memberships__role=Role.OWNER, memberships__user__in=users).delete()
    for user in users:
        user.delete()
    return len(users)


def build_demo(count: int, seed: int, say: Say = lambda text: None, missions: Sequence[Mission] | None = None) -> Built:
    """Make a course with `count` students and a term of attempts at `missions`, all unless given, that ends now.

    Raises DemoExistsError when there is one, ValueError for more students than there are names.
    """
    if demo_users():
        raise DemoExistsError
    persons = people(count, seed)
    missions = missions_in_order() if missions is None else missions
    # Outside the transaction: nobody else has to wait while missions train.
    options: dict[int, list[Option]] = {}
    questions: dict[int, list[Question]] = {}
    for place, mission in enumerate(missions, start=1):
        if definition_of(mission).is_look:
            questions[mission.pk] = questions_of(definition_of(mission), seed)
        else:
            options[mission.pk] = _options(mission, seed)
        say(f"Trained the settings of mission {place} of {len(missions)}: {mission.title}")
    with transaction.atomic():
        return _write(persons, missions, Played(options, questions), seed)


def _options(mission: Mission, seed: int) -> list[Option]:
    """What the class may try: the start, what is known to earn stars, and settings chosen blindly."""
    definition, seeds = definition_of(mission), evaluation_seeds()
    choices, _ = blind_choices(definition)
    blind = [setup for _, setup in drawn_from(choices, SETTINGS_PER_MISSION, seed)]
    setups = {setup.run_hash: setup for setup in (definition.start, *definition.verify.values(), *blind)}
    return [Option(setup, grade(definition, setup, seeds)) for setup in setups.values()]


def _write(persons: list[Person], missions: Sequence[Mission], played: Played, seed: int) -> Built:
    now = timezone.now()
    began = now - timedelta(weeks=WEEKS)
    passwords = {}

    def account(username: str, **fields: str) -> User:
        user = User(username=username, date_joined=began, **fields)
        user.set_unusable_password()
        return user

    staff = [account(f"{PREFIX}instructor"), account(f"{PREFIX}assistant")]
    students = [account(person.username) for person in persons]
    for user in (*staff, students[0]):
        passwords[user.username] = get_random_string(14)
        user.set_password(passwords[user.username])
    User.objects.bulk_create([*staff, *students])
    course = Course(
        name=NAME,
        term=f"Demo, {began:%B} to {now:%B %Y}",
        description="Invented people; every result is a real run of the simulation.",
        time_zone=TIME_ZONE,
        late_policy=Course.LatePolicy.PERCENT,
        has_leaderboard=True,
    )
    create_course(course, staff[0])
    enrol(course, staff[1], Role.ASSISTANT, MembershipEvent.Via.HAND, by=staff[0])
    for person, user in zip(persons, students, strict=True):
        details = {"name": person.name, "student_number": person.number, "section": person.section}
        enrol(course, user, Role.STUDENT, MembershipEvent.Via.ROSTER, by=staff[0], details=details)
    Membership.objects.filter(course=course).update(joined_at=began)
    _choose(course, seed)
    Course.objects.filter(pk=course.pk).update(created_at=began)
    _assign(course, missions, began)
    made = 0
    for place, (person, user) in enumerate(zip(persons, students, strict=True)):
        attempts = _term(person, user, missions, played, began, now, seed * 1000 + place)
        Attempt.objects.bulk_create(attempts)
        rebuild_progress(user)
        made += len(attempts)
    return Built(course, passwords, made)


def _choose(course: Course, seed: int) -> None:
    """What the students let others see: most agreed that a try may be shown, and some are on the leaderboard."""
    chance = random.Random(f"choices {seed}")  # noqa: S311
    members = list(course.memberships.students().order_by("pk"))
    handles = [f"{first} {second}" for first, second in zip(handle_words.FIRST, handle_words.SECOND, strict=False)]
    chance.shuffle(handles)
    for member in members:
        member.may_reveal = chance.random() < 0.6
        if handles and chance.random() < 0.4:
            member.leaderboard_name = handles.pop()
    Membership.objects.bulk_update(members, ["may_reveal", "leaderboard_name"])


def _assign(course: Course, missions: Sequence[Mission], began: datetime) -> None:
    """Two missions a week and some weeks' grace; the last ones are not due yet."""
    zone = course.zone
    for place, mission in enumerate(missions):
        week = 1 + place // 2
        opens = datetime.combine((began + timedelta(weeks=week - 1)).astimezone(zone).date(), time(8), zone)
        Assignment.objects.create(
            course=course, mission=mission, position=place + 1, opens_at=opens, due_at=opens + timedelta(weeks=2)
        )


def _term(
    person: Person,
    user: User,
    missions: Sequence[Mission],
    offered: Played,
    began: datetime,
    now: datetime,
    seed: int,
) -> list[Attempt]:
    """All attempts of one student: missions in their order as far as they open, in sittings spread over the term."""
    chance = random.Random(seed)  # noqa: S311
    digest = digest_of(evaluation_seeds())
    played: list[tuple[Mission, int, Option | Answer]] = []
    for mission in missions:
        made = offered.tries(mission, person, chance.randrange(2**32))
        played += [(mission, number, one) for number, one in enumerate(made, start=1)]
        if not any((one.verdict if isinstance(one, Option) else one).passed for one in made):
            # The trail ends here for them, until they come back to it.
            break
    attempts = []
    times = _times(len(played), began, began + (now - began) * person.reach, chance)
    for at, (mission, number, option) in zip(times, played, strict=True):
        if isinstance(option, Answer):
            asked = option.question
            answered = Submission(uuid4(), asked.setup, asked.seed, None)
            attempts.append(
                attempt_of(user, mission, number, answered, option, at=at, duration_ms=0.0, seeds_digest="")
            )
            continue
        cuts = definition_of(mission).prediction.cuts
        guess = chance.randrange(len(cuts) + 1) if number == 1 and chance.random() < 0.7 else None
        submission = Submission(uuid4(), option.setup, chance.randrange(1, 500), guess)
        attempts.append(
            attempt_of(user, mission, number, submission, option.verdict, at=at, duration_ms=0.0, seeds_digest=digest)
        )
    return attempts


def _times(count: int, first: datetime, last: datetime, chance: random.Random) -> list[datetime]:
    """When tries are made: some minutes apart within a sitting, sittings at random moments, in order."""
    sizes = []
    while sum(sizes) < count:
        sizes.append(min(chance.randint(1, MOST_TRIES_A_SITTING), count - sum(sizes)))
    starts = sorted(first + (last - first) * chance.random() for _ in sizes)
    times: list[datetime] = []
    for size, start in zip(sizes, starts, strict=True):
        for _ in range(size):
            start = max(start, times[-1]) if times else start
            start += timedelta(minutes=chance.uniform(1.5, 9))
            times.append(min(start, last))
    return times
