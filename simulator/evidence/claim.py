"""What a claim is made of: a statement, the setups that test it, and the conditions it must meet.

Nobody writes a verdict down. A claim's effects say which outcome the statement needs; whether it came out that way is
decided by their intervals. What the finding's sentences say is a condition as well, so that prose and numbers can't
part unnoticed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal

from simulator.engine import parse_setup
from simulator.evidence.readings import FloatArray, Reading, Runs
from simulator.interval import Interval


class Verdict(Enum):
    """Whether a statement's conditions hold in this world: all, some, or none of them."""

    REPRODUCED = "reproduced"
    PARTLY = "partly"
    NOT = "not"


@dataclass(frozen=True)
class Condition:
    """Where the 95 % interval of an effect must lie; `by` has the effect's unit.

    above: all of it beyond +by. below: all of it beyond −by. within: all of it between −by and +by. unclear: it
    contains zero. any: wherever it likes.
    """

    kind: Literal["above", "below", "within", "unclear", "any"]
    by: float = 0.0

    def holds(self, interval: Interval) -> bool:
        if self.kind == "above":
            return interval.low > self.by
        if self.kind == "below":
            return interval.high < -self.by
        if self.kind == "within":
            return -self.by < interval.low and interval.high < self.by
        return self.kind == "any" or interval.low <= 0 <= interval.high

    @property
    def words(self) -> str:
        """The condition as a table says it."""
        size = f"{self.by:g}"
        return {
            "above": f"more than {size}",
            "below": "less than 0" if not self.by else f"less than −{size}",
            "within": f"within ±{size}",
            "unclear": "interval includes 0",
            "any": "anything",
        }[self.kind]


ABOVE, BELOW, UNCLEAR, ANY = Condition("above"), Condition("below"), Condition("unclear"), Condition("any")


def above(by: float) -> Condition:
    return Condition("above", by)


def below(by: float) -> Condition:
    return Condition("below", by)


def within(by: float) -> Condition:
    return Condition("within", by)


@dataclass(frozen=True)
class Arm:
    """One of the setups compared: its name in effects and placeholders, its label, and the setup.

    `settings` is what makes the setup, without what is left at its default. `columns` names those that its row of the
    table shows; None shows all.
    """

    name: str
    label: str
    setup: Any
    settings: Mapping[str, Any]
    columns: Sequence[str] | None = None

    def shown_columns(self, every: "Sequence[Column]") -> list[str]:
        return [column.name for column in every if column.is_shown and column.name in (self.columns or [column.name])]


def arm(name: str, label: str, /, **settings: Any) -> Arm:
    """Make an arm from settings; what is left out takes its default. Raises SetupError."""
    return Arm(name, label, parse_setup(settings), settings)


@dataclass(frozen=True)
class Column:
    """A quantity read off the runs of an arm, one number per seed; some only serve an effect and aren't shown."""

    name: str
    label: str
    reading: Reading
    decimals: int = 3
    unit: str = ""
    is_shown: bool = True


@dataclass(frozen=True)
class Effect:
    """A difference that a claim is about: `column` of `first` minus that of `second`, seed by seed.

    Without `second` it is the value itself minus the number `reference`; with `value` it is what that function makes of
    the runs of all arms, by name, and `column` lends its unit. `needs` is the outcome under which the
    statement is true here; None for an effect that only the finding speaks of. `says` is the outcome that the finding
    describes, by default what the statement needs; ANY where the finding leaves it to the table.
    """

    name: str
    label: str
    column: str
    first: str = ""
    second: str = ""
    reference: float = 0.0
    needs: Condition | None = None
    says: Condition | None = None
    value: Callable[[Mapping[str, Runs]], FloatArray] | None = None

    @property
    def expected(self) -> Condition | None:
        """What the finding's sentences take for granted."""
        return self.says or self.needs


@dataclass(frozen=True)
class Claim:
    """One entry of the evidence page.

    Texts may break anywhere, and `finding` may hold placeholders, see simulator.evidence.findings. `compared` says what
    the first effect compares. `unmeasured` is what belongs to the subject and isn't measured here. `sample` is the
    number of seeds, the first of `seeds`, on which the test suite measures the claim again; 0 where effects show only
    on many seeds. `missions` are slugs. A claim that stands against common advice is `is_advice`.
    """

    name: str
    theme: str
    statement: str
    compared: str
    arms: Sequence[Arm]
    columns: Sequence[Column]
    effects: Sequence[Effect]
    finding: str
    reason: str
    seeds: Sequence[int]
    limits: str = ""
    unmeasured: str = ""
    source: str = ""
    missions: Sequence[str] = ()
    sample: int = 0
    is_advice: bool = False
    count_noun: str = "seeds"
    by_name: Mapping[str, Arm] = field(init=False, repr=False, compare=False)
    by_column: Mapping[str, Column] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("statement", "compared", "finding", "reason", "limits", "unmeasured"):
            object.__setattr__(self, name, " ".join(getattr(self, name).split()))
        object.__setattr__(self, "by_name", {arm.name: arm for arm in self.arms})
        object.__setattr__(self, "by_column", {column.name: column for column in self.columns})
        names = [effect.name for effect in self.effects]
        if len(self.by_name) < len(self.arms) or len(set(names)) < len(names):
            raise ValueError(f"{self.name}: two arms or two effects have the same name")
        for effect in self.effects:
            arms = set(filter(None, (effect.first, effect.second)))
            if effect.column not in self.by_column or arms - set(self.by_name) or bool(arms) == bool(effect.value):
                raise ValueError(f"{self.name}: {effect.name} compares what isn't there")
        if not any(effect.needs for effect in self.effects):
            raise ValueError(f"{self.name}: nothing decides it")

    @property
    def world(self) -> str:
        return str(self.arms[0].setup.world)


def verdict(claim: Claim, intervals: Mapping[str, Interval]) -> Verdict:
    """Judge a statement by the intervals of its effects, which `intervals` gives by name."""
    kept = [effect.needs.holds(intervals[effect.name]) for effect in claim.effects if effect.needs is not None]
    if all(kept):
        return Verdict.REPRODUCED
    return Verdict.PARTLY if any(kept) else Verdict.NOT


def contradictions(claim: Claim, intervals: Mapping[str, Interval]) -> list[str]:
    """Name the effects that did not come out as the claim's finding says; none when prose and numbers agree."""
    return [
        f"{effect.label}: {intervals[effect.name].mean:.4g} ± {intervals[effect.name].half_width:.2g}, "
        f"but the finding says {effect.expected.words}"
        for effect in claim.effects
        if effect.expected is not None and not effect.expected.holds(intervals[effect.name])
    ]
