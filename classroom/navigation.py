"""The tabs of a course and the entry in the site's head."""

from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.functional import SimpleLazyObject

from classroom.access import Access, Capability, courses_of


@dataclass(frozen=True)
class Tab:
    """A part of a course; `name` is its address's, and what the views under it give course_page as `tab`.

    `switch` is the course's field without which there is no such part.
    """

    name: str
    label: str
    capability: Capability
    switch: str = ""


# A tab whose address doesn't exist is left out.
TABS = (
    Tab("course_progress", "Progress", Capability.SEE),
    Tab("course_summary", "Summary", Capability.SEE),
    Tab("course_assignments", "Assignments", Capability.SEE),
    Tab("course_people", "People", Capability.SEE),
    Tab("course_grades", "Grades", Capability.SEE),
    Tab("course_leaderboard", "Leaderboard", Capability.SEE, "has_leaderboard"),
    Tab("course_settings", "Settings", Capability.CHANGE),
)


def tabs_for(access: Access) -> list[tuple[Tab, str]]:
    """The tabs somebody may open, with their addresses."""
    tabs = []
    for tab in TABS:
        if access.capability < tab.capability or (tab.switch and not getattr(access.course, tab.switch)):
            continue
        try:
            tabs.append((tab, reverse(tab.name, args=[access.course.public_id])))
        except NoReverseMatch:
            continue
    return tabs


def courses(request: HttpRequest) -> dict[str, object]:
    """For every template: whether the visitor has courses, and of the course that is open, `access` and its tabs."""
    found: dict[str, object] = {
        # Lazy: a fragment without the site's head asks the database nothing.
        "has_courses": SimpleLazyObject(lambda: courses_of(request.user).exists())
    }
    access = getattr(request, "course_access", None)
    if access is not None:
        if access.membership is not None:
            found["has_courses"] = True
        found |= {"access": access, "course": access.course, "course_tabs": _marked_tabs(request, access)}
    return found


def _marked_tabs(request: HttpRequest, access: Access) -> list[dict[str, str]]:
    """The tabs with what aria-current says: "page" on the tab's own page, "true" on a page below it."""
    here = request.course_tab  # type: ignore[attr-defined]
    return [
        {
            "label": tab.label,
            "address": address,
            "current": "" if tab.name != here else "page" if request.path == address else "true",
        }
        for tab, address in tabs_for(access)
    ]
