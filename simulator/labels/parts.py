"""What a label is made of, in every world."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar


@dataclass(frozen=True)
class MetricLabel:
    """How a metric is called, written, drawn and judged.

    `better` is the direction that is good in every setup, or None where it depends on what one wants. `up` and `down`
    are the words for a rise and a fall; a change smaller than `steady` (same unit as the metric) is called steady.
    `style` is the color, dash and marker of its line, 1 to 4. Metrics of the same `scale` share an axis, and goals are
    marked in the chart that they share. A fall of `turn` from the best value of a run is worth a word, and so is a
    rise of `rise` over the last tenth; None means that neither is, being within a run's own noise or no news.
    """

    name: str
    label: str
    decimals: int
    better: Literal["up", "down"] | None
    up: str
    down: str
    steady: float
    help: str
    unit: str = ""
    style: int = 1
    scale: str = ""
    turn: float | None = None
    rise: float | None = None

    @property
    def axis(self) -> str:
        """The label with its unit, for an axis."""
        return f"{self.label} ({self.unit})" if self.unit else self.label

    @property
    def in_sentence(self) -> str:
        """The label as it stands inside a sentence: "win rate", but "KL"."""
        return in_sentence(self.label)


@dataclass(frozen=True)
class SettingLabel:
    name: str
    label: str
    help: str
    is_whole: bool = False

    @property
    def in_sentence(self) -> str:
        return in_sentence(self.label)


@dataclass(frozen=True)
class ChoiceLabel:
    name: str
    label: str
    help: str

    @property
    def in_sentence(self) -> str:
        return in_sentence(self.label)


class _Named(Protocol):
    @property
    def name(self) -> str: ...


Label = TypeVar("Label", bound=_Named)


def by_name(labels: Iterable[Label]) -> dict[str, Label]:
    """Labels under their names, in their order."""
    return {label.name: label for label in labels}


def in_sentence(label: str) -> str:
    """Write a label as it stands inside a sentence: "win rate", but "KL"."""
    # Acronyms and "Dr. GRPO" keep their capitals.
    is_plain_word = re.fullmatch(r"[A-Z][a-z-]+", label.split(" ")[0])
    return label[:1].lower() + label[1:] if is_plain_word else label


def number(value: object) -> str:
    """Write a setting's number exactly, without a trailing ".0", or a truth value: both read back as the same."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)
