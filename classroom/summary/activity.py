"""Activity over time: tries and active students by day or week of the course's time zone, and missions passed.

A day is from midnight to midnight on the course's clocks, 23 or 25 hours long when these are changed.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from statistics import quantiles
from zoneinfo import ZoneInfo

from django.db.models import Count, Field, TextField
from django.db.models.functions import Cast, Substr

from classroom.results import Roll, Row
from classroom.summary.asked import PERIODS
from missions.models import Attempt

DAY = timedelta(days=1)
MOST_PERIODS = {"day": 56, "week": 27}
"""The last eight weeks by day, or half a year by week; what was tried before is a number in a sentence."""
DAYS_UNTIL_WEEKS = 28
"""While all tries are of this many days, they are shown by day unless asked otherwise."""

Tries = Mapping[tuple[int, date], int]
"""How many tries a user made on a day of the course."""


@dataclass(frozen=True)
class Period:
    """A day or a week, by its first day. `passed` are quartiles over all students of how many missions each of them
    had passed by its end."""

    starts: date
    tries: int
    students: int
    passed: tuple[float, float, float]


@dataclass(frozen=True)
class Activity:
    """Periods without a gap up to the present one, which isn't over; `earlier` tries are older than the first."""

    by: str
    periods: tuple[Period, ...]
    earlier: int

    @property
    def tries(self) -> int:
        return self.earlier + sum(period.tries for period in self.periods)


def tries_by_day(roll: Roll, at: datetime) -> Tries:
    """Count the tries of those on the roll at what is assigned to them; in one query.

    The database counts by hours of UTC, of which a day of the course consists, or by minutes where clocks differ from
    UTC by a part of an hour.
    """
    zone = roll.course.zone
    hours, minutes = len("2026-10-25 00"), len("2026-10-25 00:30")
    size = hours if _days_begin_on_the_hour(zone, at) else minutes
    rows = (
        Attempt.objects.filter(user__in=roll.users, mission__in=roll.missions)
        .order_by()
        .annotate(slot=Substr(Cast("created_at", TextField()), 1, size))
        .values_list("user_id", "slot")
        # A field that converts nothing: making integers integers again would take half of the time.
        .annotate(tries=Count("pk", output_field=Field()))
    )
    days: dict[str, date] = {}
    found: Counter[tuple[int, date]] = Counter()
    for user, slot, tries in rows:
        if slot not in days:
            days[slot] = datetime.fromisoformat(slot).replace(tzinfo=UTC).astimezone(zone).date()
        found[user, days[slot]] += tries
    return found


def _days_begin_on_the_hour(zone: ZoneInfo, at: datetime) -> bool:
    """Whether every midnight of the longest time that is drawn is at a full hour of UTC."""
    today = at.astimezone(zone).date()
    longest = max(PERIODS[by] * most for by, most in MOST_PERIODS.items())
    midnights = (midnight(today + DAY - DAY * back, zone) for back in range(longest.days + 8))
    return all(one.astimezone(UTC).minute == 0 for one in midnights)


def midnight(day: date, zone: ZoneInfo) -> datetime:
    """When a day begins on a zone's clocks."""
    return datetime.combine(day, time(0), zone)


def activity_of(tries: Tries, rows: Sequence[Row], zone: ZoneInfo, at: datetime, by: str = "") -> Activity | None:
    """Lay tries of a class's students out in time, by "day" or "week", or by what suits; None without any."""
    users = {row.member.user_id for row in rows}
    own = {key: count for key, count in tries.items() if key[0] in users}
    if not own:
        return None
    today = at.astimezone(zone).date()
    first = min(day for _, day in own)
    by = by or ("day" if today - first < DAY * DAYS_UNTIL_WEEKS else "week")
    step = PERIODS[by]
    # One period before the first try, so that the lines start at zero.
    begins = max(_start(first, by) - step, _start(today, by) - step * (MOST_PERIODS[by] - 1))
    starts = [begins + step * n for n in range((_start(today, by) - begins) // step + 1)]
    counts, active = Counter[date](), dict[date, set[int]]()
    for (user, day), count in own.items():
        start = _start(day, by)
        counts[start] += count
        active.setdefault(start, set()).add(user)
    ends = [midnight(start + step, zone) for start in starts]
    passed = _passed_by(rows, ends)
    periods = tuple(
        Period(start, counts[start], len(active.get(start, ())), quartiles)
        for start, quartiles in zip(starts, passed, strict=True)
    )
    return Activity(by, periods, sum(own.values()) - sum(period.tries for period in periods))


def _start(day: date, by: str) -> date:
    """The first day of the period that a day is in; weeks begin on Monday."""
    return day - DAY * day.weekday() if by == "week" else day


def _passed_by(rows: Sequence[Row], ends: Sequence[datetime]) -> list[tuple[float, float, float]]:
    """Quartiles over students of missions passed before each of these times."""
    # In UTC: moments of one zone are compared by their clocks, which an hour may go through twice.
    moments = [end.astimezone(UTC) for end in ends]
    dates = [sorted(one.passed_at for one in row.tried if one.passed_at) for row in rows]
    return [_quartiles(bisect_left(passed, moment) for passed in dates) for moment in moments]


def _quartiles(counts: Iterable[int]) -> tuple[float, float, float]:
    found = list(counts)
    low, middle, high = quantiles(found, n=4, method="inclusive") if len(found) > 1 else found * 3
    return low, middle, high
