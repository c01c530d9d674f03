"""Dates as short as they stay clear."""

from datetime import date, datetime

from django.utils.formats import date_format
from django.utils.timezone import localtime


class ShortDates:
    """Writes dates in the active time zone: today's as a time, this year's as a day, earlier ones with their year.

    One writer for a page knows each day's text once it has written it.
    """

    def __init__(self, now: datetime) -> None:
        self._today = localtime(now).date()
        self._days: dict[date, str] = {}

    def __call__(self, at: datetime | None) -> str:
        if at is None:
            return ""
        local = localtime(at)
        day = local.date()
        if day == self._today:
            return f"{local:%H:%M}"
        if day not in self._days:
            self._days[day] = date_format(day, "M j" if day.year == self._today.year else "M j, Y")
        return self._days[day]
