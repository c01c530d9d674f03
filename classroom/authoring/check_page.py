"""The check of an own mission as its author sees it: not asked for, waiting, running, or ended."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.http import QueryDict
from django.utils import timezone

from classroom.authoring.check_picture import check_picture
from classroom.authoring.check_result import CheckResult
from classroom.mission.picture import TriesPicture, levels_of
from missions.authoring.reading import Read, read_text
from missions.checking.digest import digest_of, digest_without_budgets
from missions.checks import checks_before, is_without_worker, latest_check
from missions.definition import STAR_NAMES, Budgets
from missions.models import Check, OwnMission
from missions.seeds import evaluation_seeds


@dataclass(frozen=True)
class CheckPage:
    """What the page shows; `place` is the goal that the picture is drawn against."""

    own: OwnMission
    read: Read
    check: Check | None
    now: datetime
    goal: str

    @property
    def is_open(self) -> bool:
        return self.check is not None and self.check.is_open

    @property
    def before(self) -> int:
        """How many checks come first."""
        return checks_before(self.check) if self.check and self.check.state == Check.State.WAITING else 0

    @property
    def is_without_worker(self) -> bool:
        return self.check is not None and is_without_worker(self.check, self.now)

    @property
    def percent(self) -> int:
        return round(100 * self.check.share_done) if self.check else 0

    @cached_property
    def result(self) -> CheckResult | None:
        return CheckResult.of(self.check) if self.check else None

    @cached_property
    def speaks_of_now(self) -> bool:
        """Whether the check is of the mission as it is, or of it with the budgets that it proposed."""
        if self.check is None or self.read.definition is None:
            return False
        known = {self.check.digest}
        if self.result and self.result.found["proposed"]:
            known.add(self.result.found["proposed"]["digest"])
        return digest_of(self.read.definition, evaluation_seeds()) in known

    @cached_property
    def may_take(self) -> bool:
        """Whether the proposed budgets can be taken: nothing but budgets changed since, and these are others."""
        definition = self.read.definition
        if definition is None or self.result is None or self.result.proposed is None:
            return False
        found = self.result.found
        is_same = digest_without_budgets(definition, evaluation_seeds()) == found["digest_without_budgets"]
        return is_same and definition.budgets.to_dict() != self.result.proposed.budgets

    @cached_property
    def has_taken(self) -> bool:
        """Whether the mission has the proposed budgets by now."""
        return self.speaks_of_now and not self.may_take and self.result is not None and not self.result.is_as_proposed

    @property
    def levels(self) -> tuple[str, ...]:
        return tuple(level.label for level in levels_of(self.result.definition)) if self.result else ()

    @property
    def place(self) -> int:
        is_number = self.goal.isascii() and self.goal.isdigit() and len(self.goal) < 4
        place = int(self.goal) - 1 if is_number else 0
        return place if 0 <= place < len(self.levels) else 0

    @cached_property
    def picture(self) -> TriesPicture | None:
        return check_picture(self.result, self.place) if self.result else None


def check_page(own: OwnMission, asked: QueryDict) -> CheckPage:
    """The latest check of a mission."""
    return CheckPage(own, read_text(own.text, own.slug), latest_check(own), timezone.now(), asked.get("goal", ""))


def proposed_budgets(own: OwnMission, check: Check) -> Budgets | None:
    """The budgets of a check that may be written into the mission; None where it has changed since, or has them."""
    page = CheckPage(own, read_text(own.text, own.slug), check, timezone.now(), "")
    if not page.may_take:
        return None
    assert page.result is not None and page.result.proposed is not None
    return Budgets(*(page.result.proposed.budgets[name] for name in STAR_NAMES.values()))
