"""What an address asks of the summary: which missions, which students, and how they are counted."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict

from classroom.models import Assignment, Membership
from missions.chapters import Chapter, chapter_of

PERIODS = {"day": timedelta(days=1), "week": timedelta(weeks=1)}
MEASURES = {"stars": "stars", "tries": "tries", "responses": "responses of the best pass"}
"""What histograms can count, and how that is called."""


@dataclass(frozen=True)
class Asked:
    """A chapter and a section, "" for all; days or weeks, "" for what suits; and a measure.

    What an address gets wrong is left out: it is nobody's typing.
    """

    chapter: str = ""
    section: str = ""
    by: str = ""
    of: str = "stars"

    @classmethod
    def read(cls, params: QueryDict, chapters: Sequence[Chapter], sections: Sequence[str]) -> "Asked":
        chapter, section, by = (params.get(name, "") for name in ("chapter", "section", "by"))
        of = params.get("of", "")
        return cls(
            chapter=chapter if chapter in [str(one.number) for one in chapters] else "",
            section=section if section in sections else "",
            by=by if by in PERIODS else "",
            of=of if of in MEASURES else "stars",
        )

    def query(self, **changes: Any) -> str:
        """The query of the address that asks for this with some changes; "?" where nothing is asked."""
        asked = replace(self, **changes)
        parts = {"chapter": asked.chapter, "section": asked.section, "by": asked.by}
        parts["of"] = "" if asked.of == "stars" else asked.of
        return f"?{urlencode({name: value for name, value in parts.items() if value})}"


def chapters_of(assignments: Iterable[Assignment]) -> tuple[Chapter, ...]:
    """The chapters of what is assigned, in the course's order."""
    found = {chapter.number: chapter for one in assignments if (chapter := chapter_of(one.mission))}
    return tuple(found.values())


def sections_of(members: Iterable[Membership]) -> tuple[str, ...]:
    return tuple(sorted({member.section for member in members} - {""}))
