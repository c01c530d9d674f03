"""A date and time as it is typed on a course page: in the course's time zone, which is active there."""

from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.utils import timezone

from classroom.dates import NoSuchTimeError, in_zone

YEARS = range(2000, 2200)


class CourseDateTimeField(forms.DateTimeField):
    """A date of a course, to the minute. With `to_end` all of that minute is meant: due at 23:59 is due by midnight."""

    widget = forms.DateTimeInput({"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")

    def __init__(self, *, to_end: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.to_end = to_end

    def to_python(self, value: Any) -> datetime | None:
        if value in self.empty_values:
            return None
        if isinstance(value, datetime):
            return value
        try:
            typed = datetime.fromisoformat(str(value).strip())
        except ValueError as error:
            raise forms.ValidationError("This is no date with a time, such as 2026-10-05 23:59.") from error
        if typed.tzinfo is not None or typed.year not in YEARS:
            raise forms.ValidationError("This is no date with a time, such as 2026-10-05 23:59.")
        typed = typed.replace(second=0, microsecond=0)
        if self.to_end:
            typed += timedelta(seconds=59)
        try:
            return in_zone(typed, timezone.get_current_timezone())
        except NoSuchTimeError as error:
            raise forms.ValidationError("Clocks skip this hour on that day. Choose an hour later.") from error
