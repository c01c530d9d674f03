"""Chapters and the rule of what opens what: pure, over missions as they are loaded and the ids of those passed.

Own missions stand in no chapter and take no part in the rule. Inside a chapter missions open one after the other. The
first of a chapter opens with the account, or once as many missions of an earlier chapter are passed as CHAPTERS says.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from missions.models import Mission

NUMBERS = (
    *("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)


@dataclass(frozen=True)
class Opening:
    """A chapter opens once the first `missions` missions of chapter `chapter` are passed."""

    chapter: int
    missions: int


@dataclass(frozen=True)
class Chapter:
    """What a chapter is called and about, and when it opens; None means from the start."""

    number: int
    title: str
    text: str
    opens_after: Opening | None = None

    @property
    def name(self) -> str:
        if not self.number:
            return self.title
        return f"Chapter {in_words(self.number)}"

    @property
    def heading(self) -> str:
        """The name with the title: Chapter one: ten answers."""
        if not self.title or not self.number:
            return self.name
        return f"{self.name}: {self.title[:1].lower()}{self.title[1:]}"


CHAPTERS: dict[int, Chapter] = {
    chapter.number: chapter
    for chapter in (
        Chapter(1, "Ten answers", "Forty prompts, ten fixed answers each. What does the reward really select?"),
        Chapter(
            2,
            "Every token",
            "Sums and stories, solved token by token by a policy that shares what it learns. Where does the credit go?",
            Opening(chapter=1, missions=6),
        ),
    )
}


NO_CHAPTER = Chapter(0, "Course missions", "Written by somebody who teaches, for their courses.")
"""Where pages list own missions."""


def chapter_of(mission: Mission) -> Chapter:
    """The chapter a mission belongs to; one that has no entry opens once the one before it is done."""
    if mission.chapter is None:
        return NO_CHAPTER
    known = CHAPTERS.get(mission.chapter)
    return known or Chapter(mission.chapter, "", "", Opening(mission.chapter - 1, 0))


def required_for(mission: Mission, missions: Sequence[Mission]) -> list[Mission]:
    """The missions that have to be passed before `mission` opens; none for one that is open from the start."""
    if mission.chapter is None:
        return []
    before = [m for m in missions if m.chapter == mission.chapter and m.position < mission.position]
    if before:
        return [max(before, key=lambda m: m.position)]
    opening = chapter_of(mission).opens_after
    if opening is None:
        return []
    earlier = sorted((m for m in missions if m.chapter == opening.chapter), key=lambda m: m.position)
    return earlier[: opening.missions] if opening.missions else earlier


def is_unlocked(mission: Mission, missions: Sequence[Mission], passed: Collection[int]) -> bool:
    """Whether the passed missions, by id, open `mission`."""
    return not mission.is_own and all(required.pk in passed for required in required_for(mission, missions))


def next_in_chapter(mission: Mission, missions: Sequence[Mission]) -> Mission | None:
    """The mission after `mission` in its chapter, if there is one; `mission` itself may be retired."""
    if mission.chapter is None:
        return None
    later = [m for m in missions if m.chapter == mission.chapter and m.position > mission.position]
    return min(later, key=lambda m: m.position, default=None)


def opened_by(mission: Mission, missions: Sequence[Mission], passed: Collection[int]) -> list[Mission]:
    """The missions that a pass at `mission` opens; `passed` are the ids of all that are passed, this one included."""
    following = next_in_chapter(mission, missions)
    opened = [following] if following else []
    for other in missions:
        required = required_for(other, missions)
        if other.chapter != mission.chapter and mission.pk in {m.pk for m in required}:
            opened += [other] if is_unlocked(other, missions, passed) else []
    return opened


def opening_words(mission: Mission, missions: Sequence[Mission]) -> str:
    """What opens a mission, as it stands after "opens after": mission 3, “Sample once”."""
    required = required_for(mission, missions)
    if len(required) == 1 and required[0].chapter == mission.chapter:
        return f"mission {required[0].position}, “{required[0].title}”"
    return chapter_condition(mission, missions)


def chapter_condition(mission: Mission, missions: Sequence[Mission]) -> str:
    """What opens the first mission of a chapter: the first six missions of chapter one."""
    required = required_for(mission, missions)
    if not required:
        return ""
    count = "mission" if len(required) == 1 else f"{in_words(len(required))} missions"
    return f"the first {count} of chapter {in_words(required[0].chapter)}"


def in_words(count: int) -> str:
    """Write a small number as prose does: twelve, but 21."""
    return NUMBERS[count] if 0 <= count < len(NUMBERS) else str(count)
