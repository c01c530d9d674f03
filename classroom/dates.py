"""Dates of a course: meant, typed and shown in its time zone, whatever summer time does in between."""

from datetime import UTC, datetime, timedelta, tzinfo


class NoSuchTimeError(ValueError):
    """A time that no clock shows: the hour that is left out when summer time begins."""


def shifted(at: datetime, days: int, zone: tzinfo) -> datetime:
    """The same hour on the clock so many days later, or earlier. Raises OverflowError beyond the calendar.

    What would fall into the hour that is left out when summer time begins comes an hour later.
    """
    return (at.astimezone(zone) + timedelta(days=days)).astimezone(UTC)


def in_zone(typed: datetime, zone: tzinfo) -> datetime:
    """A date as typed, without a zone, in the course's zone. Raises NoSuchTimeError.

    Of an hour that comes twice, when summer time ends, the later one is meant: nobody is late by a misreading.
    """
    at = typed.replace(tzinfo=zone, fold=1)
    if at.astimezone(UTC).astimezone(zone).replace(tzinfo=None, fold=0) != typed:
        raise NoSuchTimeError
    # In UTC: dates in one zone are compared by their clocks, which fails in the hour that comes twice.
    return at.astimezone(UTC)
