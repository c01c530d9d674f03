"""What a course is called and set to, and what a copy of it takes along."""

from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.conf import settings

from classroom.creating import TakeAlong
from classroom.forms import CourseSiteForm
from classroom.models import Course


def time_zone_choices() -> list[str]:
    """Names of time zones for a list to choose from: places, not the old aliases."""
    places = (name for name in available_timezones() if "/" in name and not name.startswith(("Etc/", "posix/")))
    return [*sorted(places), "UTC"]


class CourseForm(CourseSiteForm, forms.ModelForm):  # type: ignore[type-arg]
    """What a course is called, and when its clock strikes."""

    class Meta:
        model = Course
        fields = ("name", "term", "time_zone", "description")
        widgets = {"description": forms.Textarea(attrs={"rows": 3}), "time_zone": forms.TextInput}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._say("name", "Name", "As students know it.")
        self._say("term", "Term (optional)", "For example: fall 2026.")
        self._say("time_zone", "Time zone", "For example Europe/Rome. Due dates are meant and shown in it.")
        self._say("description", "For your students (optional)", "They read it on the course’s page.")
        self.fields["time_zone"].widget.attrs["list"] = "time-zones"
        if not self.instance.pk:
            self.fields["time_zone"].initial = settings.TIME_ZONE

    def time_zones(self) -> list[str]:
        return time_zone_choices()

    def clean_name(self) -> str:
        # Without it a name of spaces, or of control characters alone, would be a link that can't be seen.
        return " ".join(self.cleaned_data["name"].split())


class CourseSettingsForm(CourseForm):
    """The course's name and clock, and what its students see of each other."""

    class Meta(CourseForm.Meta):
        fields = (*CourseForm.Meta.fields, "asks_to_reveal", "has_leaderboard")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._say(
            "asks_to_reveal",
            "Ask students whether a try of theirs may be shown, without a name, in the lecture",
            "Only tries of those who say yes can be shown, whatever is set here.",
        )
        self._say(
            "has_leaderboard",
            "A leaderboard for those who want to be on it",
            "Under names that students choose for it; nobody is on it without asking to be.",
        )


class CopyForm(CourseSiteForm):
    """What a copy of a course is called and takes along."""

    name = forms.CharField(max_length=120)
    term = forms.CharField(max_length=60, required=False)
    assignments = forms.BooleanField(required=False, initial=True)
    weeks = forms.IntegerField(required=False, min_value=-520, max_value=520)
    staff = forms.BooleanField(required=False)
    students = forms.BooleanField(required=False)

    def __init__(self, *args: Any, source: Course, **kwargs: Any) -> None:
        super().__init__(*args, initial={"name": source.name, "assignments": True}, **kwargs)
        self._say("name", "Name of the copy")
        self._say("term", "Term (optional)", f"The one copied is {source.term}." if source.term else "")
        self._say(
            "weeks",
            "Move all dates by so many weeks (optional)",
            "52 for the same weeks next year. Leave it empty to copy without dates.",
        )

    def take_along(self) -> TakeAlong:
        chosen = self.cleaned_data
        return TakeAlong(chosen["assignments"], chosen["weeks"], chosen["staff"], chosen["students"])
