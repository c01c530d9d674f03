"""What single students get on top: more time, or a mission before its turn."""

from datetime import datetime
from typing import Any

from django import forms

from classroom.authoring.publications import published_in
from classroom.cells import read_cell
from classroom.forms import CourseSiteForm
from classroom.forms.dates import CourseDateTimeField
from classroom.models import Course, Extension, Membership
from missions.progress import missions_in_order


def _students(course: Course) -> "forms.ModelChoiceField[Membership]":
    return _StudentField(course.memberships.current().students().by_name(), empty_label="choose")


class _StudentField(forms.ModelChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: Membership) -> str:
        number = f", {obj.student_number}" if obj.student_number else ""
        return f"{obj.display_name}{number}"


class ExtendForm(CourseSiteForm):
    """A later due date for one student and some assignments."""

    due_at = CourseDateTimeField(to_end=True)
    reason = forms.CharField(max_length=200, required=False)
    assignments = forms.MultipleChoiceField()

    def __init__(self, *args: Any, course: Course, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields = {"student": _students(course), **self.fields}
        self.fields["student"].widget.attrs["class"] = "in"
        self.due = [one for one in course.assignments.select_related("mission") if one.due_at is not None]
        self.fields["assignments"].choices = [(str(one.pk), one.mission.title) for one in self.due]  # type: ignore[attr-defined]
        self.fields["assignments"].error_messages["required"] = "Tick at least one mission."
        self._say("student", "Student")
        self._say("assignments", "More time for")
        _say_extension(self, course)

    def clean_reason(self) -> str:
        return read_cell(self.cleaned_data["reason"])


class ExtensionForm(CourseSiteForm, forms.ModelForm):  # type: ignore[type-arg]
    """The date and reason of an extension that there is."""

    due_at = CourseDateTimeField(to_end=True)

    class Meta:
        model = Extension
        fields = ("due_at", "reason")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _say_extension(self, self.instance.assignment.course)

    def clean_reason(self) -> str:
        return read_cell(self.cleaned_data["reason"])

    def clean_due_at(self) -> datetime:
        due_at: datetime = self.cleaned_data["due_at"]
        everybody = self.instance.assignment.due_at
        if everybody is not None and due_at <= everybody:
            raise forms.ValidationError("That is no more time than everybody has. To take it away, delete it.")
        return due_at


def _say_extension(form: CourseSiteForm, course: Course) -> None:
    form._say("due_at", "Due", f"In the course’s time zone, {course.time_zone}.")
    form._say("reason", "Reason (optional)", "The student reads it, too.")


class UnlockForm(CourseSiteForm):
    """A student, and the mission that is opened to them before its turn."""

    mission = forms.ChoiceField()

    def __init__(self, *args: Any, course: Course, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields = {"student": _students(course), **self.fields}
        self.fields["student"].widget.attrs["class"] = "in"
        missions = [*missions_in_order(), *(one.mission for one in published_in(course))]
        self.playable = {str(mission.pk): mission for mission in missions}
        self.fields["mission"].choices = [(key, str(mission)) for key, mission in self.playable.items()]  # type: ignore[attr-defined]
        self._say("student", "Student")
        self._say("mission", "Mission", "Its chapter and number, then its title.")
