"""What a check found, in the words of its page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from missions.checking import RESULT_VERSION
from missions.checking.runs import MOST
from missions.definition import STAR_NAMES, DefinitionError, MissionDefinition, definition_from
from missions.goals import value_text
from missions.models import Check
from missions.outcome import Change, changes_between, lab_link
from simulator.charts.table import fixed

_SHOWN_SEED = 1


@dataclass(frozen=True)
class Setting:
    """A setting that the search tried: what it changes of the start, and how it did on the hidden and fresh seeds."""

    changes: tuple[Change, ...]
    cost: int
    reached: tuple[str, ...]
    runs: str
    margin: str
    is_safe: bool
    fresh: str
    holds: bool
    lab_link: str


@dataclass(frozen=True)
class StarRow:
    """What earns so many stars under some budgets. Without `setting`, `none` says why."""

    stars: int
    budget: int
    setting: Setting | None
    none: str


@dataclass(frozen=True)
class LuckRow:
    """How often blind choices earn at least so many stars."""

    stars: int
    budget: int
    share: str
    how: str


@dataclass(frozen=True)
class Judged:
    """The mission under one set of budgets."""

    budgets: dict[str, int]
    stars: tuple[StarRow, ...]
    luck: tuple[LuckRow, ...]
    problems: tuple[str, ...]
    warnings: tuple[str, ...]


class CheckResult:
    """A finished check. `definition` is what was checked, which need not be what the text says now."""

    def __init__(self, definition: MissionDefinition, found: Mapping[str, Any]) -> None:
        self.definition, self.found = definition, found

    @classmethod
    def of(cls, check: Check) -> "CheckResult | None":
        """Read what a check found; None for one that is not finished, or that an earlier version of the site made."""
        if check.result is None or check.result.get("version") != RESULT_VERSION:
            return None
        try:
            return cls(definition_from(check.source), check.result)
        except DefinitionError:
            return None

    @cached_property
    def start(self) -> Setting:
        return self._setting(self.found["start"])

    @property
    def start_passes(self) -> bool:
        return self.found["start"]["passed"]

    @cached_property
    def asked(self) -> Judged:
        """Under the budgets that the mission had."""
        return self._judged(self.found["asked"])

    @cached_property
    def proposed(self) -> Judged | None:
        """Under the budgets that the check proposes; None where nothing that was tried passes."""
        return self._judged(self.found["proposed"]) if self.found["proposed"] else None

    @property
    def is_as_proposed(self) -> bool:
        """Whether the mission had the budgets that the check proposes."""
        return bool(self.proposed) and self.proposed.budgets == self.asked.budgets

    @cached_property
    def closest(self) -> Setting | None:
        """What came closest, where nothing passes."""
        return self._setting(self.found["closest"]) if self.found["closest"] else None

    @cached_property
    def front(self) -> tuple[Setting, ...]:
        """The settings that pass and that none beats in both cost and safety, by rising cost."""
        return tuple(self._setting(one) for one in self.found["front"])

    @property
    def problems(self) -> tuple[str, ...]:
        """All that has to be put right, about budgets as they were and about texts."""
        return (*self.asked.problems, *(f"{text[:1].upper()}{text[1:]}." for text in self.found["text_problems"] or ()))

    @property
    def is_counted(self) -> bool:
        return self.found["seeds_needed"] is not None

    def _judged(self, part: Mapping[str, Any]) -> Judged:
        measured = {luck["stars"]: luck for luck in part["luck"]}
        budgets = part["budgets"]
        return Judged(
            budgets=budgets,
            stars=tuple(self._star_row(row) for row in part["stars"]),
            luck=tuple(_luck_row(n, budgets[STAR_NAMES[n]], measured.get(n)) for n in (3, 2, 1)),
            problems=tuple(part["problems"]),
            warnings=tuple(part["warnings"]),
        )

    def _star_row(self, row: Mapping[str, Any]) -> StarRow:
        setting = self._setting(row["found"]) if row["found"] else None
        none = "Nothing that was tried reaches the goal at this cost."
        if row["is_earned_cheaper"]:
            none = "All that was tried and passes at this cost is cheap enough for more stars."
        return StarRow(row["stars"], row["budget"], setting, none)

    def _setting(self, one: Mapping[str, Any]) -> Setting:
        start, count = self.definition.start, self.found["seed_count"]
        fresh = one["fresh"]
        held = sum(again["passed"] for again in fresh)
        return Setting(
            changes=changes_between(start.to_dict(), one["setup"]),
            cost=one["cost"],
            reached=tuple(self._reached(goal) for goal in one["goals"]),
            runs=f"{one['seeds_met']} of {count} seeds",
            margin=self._margin(one),
            is_safe=one["is_safe"],
            fresh=f"passes on {held} of {len(fresh)} fresh sets" if fresh else "not tried on fresh seeds",
            holds=held == len(fresh),
            lab_link=lab_link(one["setup"], _SHOWN_SEED),
        )

    def _reached(self, goal: Mapping[str, Any]) -> str:
        metric = self.definition.world.metrics[goal["metric"]]
        if goal["mean"] is None:
            return f"{metric.label}: no number"
        text = f"{metric.label} {value_text(metric, goal['mean'])}"
        return text if goal["half_width"] is None else f"{text} ± {value_text(metric, goal['half_width'], finer=True)}"

    def _margin(self, one: Mapping[str, Any]) -> str:
        margin = one["margin"]
        if self.is_counted:
            way = "more" if margin >= 0 else "fewer"
            return f"{abs(margin):.0f} {'run' if abs(margin) == 1 else 'runs'} {way} than needed"
        side = "inside" if margin >= 0 else "short of"
        if abs(margin) >= MOST:
            return f"more than {MOST:.0f} standard errors {side} the tightest goal"
        return f"{fixed(abs(margin), 1)} standard errors {side} the tightest goal"


def _luck_row(stars: int, budget: int, luck: Mapping[str, Any] | None) -> LuckRow:
    if luck is None:
        return LuckRow(stars, budget, "not measured", "Time was up.")
    share, fit = _percent(luck["share"]), f"{_percent(luck['affordable'])} of all choices fit the budget"
    if luck["is_exact"]:
        return LuckRow(stars, budget, share, f"Exact: {fit}; {luck['passed']:,} of these {luck['tried']:,} pass.")
    how = f"{fit}; of these {luck['tried']:,} were drawn, and {luck['passed']:,} pass."
    if luck["share"] > luck["affordable"] * luck["passed"] / max(luck["tried"], 1) + 1e-5:
        how += " It can’t be less than within a smaller budget."
    return LuckRow(stars, budget, share, f"At most {_percent(luck['upper'])} (95%, one-sided): {how}")


def _percent(share: float) -> str:
    return f"{fixed(100 * share, 0 if share == 1 else 1)}%"


def changes_in_words(changes: Sequence[Change]) -> str:
    """What a setting changes of the start: "steps 50, group size 4"."""
    return ", ".join(f"{change.label} {change.new}" for change in changes) or "the start, as it is"
