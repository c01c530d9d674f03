"""Dates as they are typed and moved: on the course's clock, through both changes of it each year."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django import forms
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st

from classroom.dates import NoSuchTimeError, in_zone, shifted
from classroom.forms.dates import CourseDateTimeField

ROME = ZoneInfo("Europe/Rome")
# In 2026 summer time in Rome begins on March 29 at 2:00 and ends on October 25 at 3:00.


def clock(at: datetime) -> str:
    return f"{at.astimezone(ROME):%m-%d %H:%M}"


def test_the_hour_on_the_clock_stays_when_it_changes() -> None:
    due = in_zone(datetime(2026, 10, 20, 23, 59), ROME)
    week_later = shifted(due, 7, ROME)
    assert (clock(due), clock(week_later)) == ("10-20 23:59", "10-27 23:59")
    assert week_later - due == timedelta(days=7, hours=1)
    assert shifted(week_later, -7, ROME) == due


@settings(deadline=None)
@given(st.datetimes(datetime(2025, 1, 1), datetime(2027, 12, 1)), st.integers(-400, 400))
def test_moving_keeps_the_order_of_dates_on_the_clock(typed: datetime, days: int) -> None:
    try:
        at = in_zone(typed, ROME)
    except NoSuchTimeError:
        return
    moved = shifted(at, days, ROME).astimezone(ROME)
    expected = typed + timedelta(days=days)
    assert moved.replace(tzinfo=None) - expected in (timedelta(0), timedelta(hours=1))
    if moved.replace(tzinfo=None) != expected:
        assert (expected.month, expected.hour) == (3, 2), "only what falls into the skipped hour comes later"


def test_an_hour_that_is_skipped_is_none_and_of_one_that_comes_twice_the_later_is_meant() -> None:
    with pytest.raises(NoSuchTimeError):
        in_zone(datetime(2026, 3, 29, 2, 30), ROME)
    assert in_zone(datetime(2026, 10, 25, 2, 30), ROME) == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)


def test_a_due_date_lasts_to_the_end_of_its_minute() -> None:
    with timezone.override(ROME):
        assert CourseDateTimeField(to_end=True).clean("2026-10-05T23:59") == datetime(
            2026, 10, 5, 21, 59, 59, tzinfo=UTC
        )
        field = CourseDateTimeField(required=False)
        assert field.clean("") is None
        assert not field.has_changed(datetime(2026, 10, 5, 7, tzinfo=UTC), "2026-10-05T09:00")
        for bad in ("2026-03-29T02:30", "soon", "0001-01-01T00:00", "9999-12-31T23:59", "2026-10-05T09:00+02:00"):
            with pytest.raises(forms.ValidationError):
                field.clean(bad)
