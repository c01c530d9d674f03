"""What a course assigns, under which rules, for when, and for how many points."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from django import forms

from classroom.assigning import Shift, shifts
from classroom.forms import CourseSiteForm
from classroom.forms.dates import CourseDateTimeField
from classroom.models import Assignment, Course
from classroom.scoring import PointsTable, pass_and_stars, per_star, points_by_stars
from missions.models import Mission

TABLE = ("points_no_star", "points_one_star", "points_two_stars", "points_three_stars")
SKIPPED_HOUR = "“{}” would open and be due in an hour that clocks skip on that day."


class AddForm(CourseSiteForm):
    """Missions to assign: some, or all of a chapter."""

    missions = forms.MultipleChoiceField(required=False)
    chapters = forms.MultipleChoiceField(required=False)

    def __init__(self, *args: Any, missions: Sequence[Mission], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.offered = missions
        self.fields["missions"].choices = [(str(m.pk), m.title) for m in missions]  # type: ignore[attr-defined]
        chapters = dict.fromkeys(str(m.chapter or 0) for m in missions)
        self.fields["chapters"].choices = [(c, c) for c in chapters]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        keys, chapters = set(cleaned.get("missions", ())), set(cleaned.get("chapters", ()))
        cleaned["chosen"] = [m for m in self.offered if str(m.pk) in keys or str(m.chapter or 0) in chapters]
        if not cleaned["chosen"] and not self.errors:
            raise forms.ValidationError("Tick a mission, or a whole chapter.")
        return cleaned


class RulesForm(CourseSiteForm, forms.ModelForm):  # type: ignore[type-arg]
    """Rules that hold for everything a course assigns."""

    class Meta:
        model = Course
        fields = ("mission_order", "late_policy", "late_percent", "stuck_after_tries")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._say("mission_order", "Assigned missions open")
        self._say("late_policy", "After the due date")
        self._say("late_percent", "Percent off for each day", "For each day begun after the due date, if you chose it.")
        self._say("stuck_after_tries", "Stuck after so many tries", "In a row without a new star, and active lately.")


class AssignmentForm(CourseSiteForm):
    """Dates and points of one assignment, or of many at once.

    Where the chosen ones differ, a field starts empty, and what is left as it was stays as it is for each of them.
    """

    opens_at = CourseDateTimeField(required=False)
    no_opens_at = forms.BooleanField(required=False)
    due_at = CourseDateTimeField(required=False, to_end=True)
    no_due_at = forms.BooleanField(required=False)
    rule = forms.ChoiceField(widget=forms.RadioSelect)
    per_star = forms.DecimalField(required=False, min_value=0, max_value=9999, decimal_places=2)
    for_pass = forms.DecimalField(required=False, min_value=0, max_value=9999, decimal_places=2)
    more_per_star = forms.DecimalField(required=False, min_value=0, max_value=9999, decimal_places=2)
    points_no_star = forms.DecimalField(required=False, min_value=0, max_value=99_999, decimal_places=2)
    points_one_star = forms.DecimalField(required=False, min_value=0, max_value=99_999, decimal_places=2)
    points_two_stars = forms.DecimalField(required=False, min_value=0, max_value=99_999, decimal_places=2)
    points_three_stars = forms.DecimalField(required=False, min_value=0, max_value=99_999, decimal_places=2)
    place = forms.IntegerField(min_value=1, max_value=1000)

    def __init__(self, *args: Any, chosen: Sequence[Assignment], places: int, **kwargs: Any) -> None:
        self.chosen = chosen
        tables = {points_by_stars(one) for one in chosen}
        initial: dict[str, Any] = {"rule": "keep"}
        if len(tables) == 1:
            initial |= _initial_points(tables.pop())
        dates = {name: {getattr(one, name) for one in chosen} for name in ("opens_at", "due_at")}
        initial |= {name: values.copy().pop() for name, values in dates.items() if len(values) == 1}
        initial["place"] = chosen[0].position
        super().__init__(*args, initial=initial, **kwargs)
        rules = [("per_star", "Points per star"), ("pass_and_stars", "Points for the goal, and more per star")]
        rules.append(("table", "A table"))
        if initial["rule"] == "keep":
            rules.insert(0, ("keep", "Leave the points of each as they are"))
        self.fields["rule"].choices = rules  # type: ignore[attr-defined]
        zone = chosen[0].course.time_zone
        for name, label, none in (("opens_at", "Opens", "at once"), ("due_at", "Due", "no due date")):
            differ = len(dates[name]) > 1
            empty = "They differ; empty leaves each as it is." if differ else f"Empty: {none}."
            self._say(name, label, f"In the course’s time zone, {zone}. {empty}")
            if not differ:
                del self.fields[f"no_{name}"]
        self._say("place", "Place in the course’s order", f"From 1 to {places}.")
        if len(chosen) > 1:
            del self.fields["place"]
        for name, label in (("no_opens_at", "Take the opening dates away"), ("no_due_at", "Take the due dates away")):
            if name in self.fields:
                self._say(name, label)
        for name, label in zip(TABLE, ("No star", "One star", "Two stars", "Three stars"), strict=True):
            self._say(name, label)
        self._say("per_star", "Per star")
        self._say("for_pass", "For reaching the goal")
        self._say("more_per_star", "More per star")

    def points(self) -> PointsTable | None:
        """The points table that was typed, if all of it can be read; None also if points stay as they are."""
        typed = self.cleaned_data
        if typed.get("rule") == "per_star" and typed.get("per_star") is not None:
            return per_star(typed["per_star"])
        if typed.get("rule") == "pass_and_stars" and None not in (typed.get("for_pass"), typed.get("more_per_star")):
            return pass_and_stars(typed["for_pass"], typed["more_per_star"])
        table = [typed.get(name) for name in TABLE]
        if typed.get("rule") == "table" and None not in table:
            return (table[0], table[1], table[2], table[3])  # type: ignore[return-value]
        return None

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        needed = {"per_star": ("per_star",), "pass_and_stars": ("for_pass", "more_per_star"), "table": TABLE}
        for name in needed.get(cleaned.get("rule", ""), ()):
            if name not in self.errors and cleaned.get(name) is None:
                self.add_error(name, "How many points? 0 is fine, too.")
        table = self.points()
        if table is not None and list(table) != sorted(table):
            self.add_error("points_three_stars", "More stars can’t be worth fewer points.")
        for name in ("opens_at", "due_at"):
            if cleaned.get(f"no_{name}") and cleaned.get(name):
                self.add_error(name, "Either a date, or take the dates away.")
        if not self.errors:
            self._check_dates(cleaned)
        return cleaned

    def _check_dates(self, cleaned: dict[str, Any]) -> None:
        changed = self.changes()
        for one in self.chosen:
            opens_at, due_at = (changed.get(name, getattr(one, name)) for name in ("opens_at", "due_at"))
            if opens_at and due_at and due_at <= opens_at:
                self.add_error("due_at", f"“{one.mission.title}” would be due before it opens.")
                return

    def changes(self) -> dict[str, Any]:
        """What to set on all chosen assignments, by fields of the model; the place is no part of it."""
        found: dict[str, Any] = {}
        for name in ("opens_at", "due_at"):
            if self.cleaned_data.get(f"no_{name}"):
                found[name] = None
            elif name in self.changed_data:
                found[name] = self.cleaned_data[name]
        table = self.points()
        return found | (dict(zip(TABLE, table, strict=True)) if table is not None else {})


def _initial_points(table: PointsTable) -> dict[str, Any]:
    """The fields that say a points table, in the shortest of the ways there are."""
    none, one, *_ = table
    shown: dict[str, Any] = {name: _short(points) for name, points in zip(TABLE, table, strict=True)}
    if table == per_star(one):
        return shown | {"rule": "per_star", "per_star": _short(one)}
    if table == pass_and_stars(none, one - none):
        return shown | {"rule": "pass_and_stars", "for_pass": _short(none), "more_per_star": _short(one - none)}
    return shown | {"rule": "table"}


def _short(points: Decimal) -> Decimal:
    """2 instead of 2.00."""
    return points.quantize(Decimal(1)) if points == points.to_integral_value() else points.normalize()


class ShiftForm(CourseSiteForm):
    """By how many days dates move."""

    days = forms.IntegerField(min_value=-3650, max_value=3650)

    def __init__(self, *args: Any, chosen: Iterable[Assignment], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.chosen = chosen
        self._say("days", "Days", "7 for a week later, -7 for a week earlier, 364 for the same weekday next year.")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if "days" not in cleaned:
            return cleaned
        try:
            planned = shifts(self.chosen, cleaned["days"])
        except OverflowError as error:
            raise forms.ValidationError("That is beyond the calendar.") from error
        for one in planned:
            if one.opens_at and one.due_at and one.due_at <= one.opens_at:
                self.add_error("days", SKIPPED_HOUR.format(one.assignment.mission.title))
        cleaned["planned"] = planned
        return cleaned

    @property
    def planned(self) -> list[Shift]:
        planned: list[Shift] = self.cleaned_data["planned"]
        return planned
