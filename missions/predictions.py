"""What a student expected of a try, and whether that is how it came out."""

from dataclasses import dataclass

from missions.definition import MissionDefinition
from missions.form import prediction_options
from missions.models import Attempt


@dataclass(frozen=True)
class Judged:
    """A prediction in words, and where the metric ended."""

    chosen: str
    actual: str

    @property
    def is_right(self) -> bool:
        return self.chosen == self.actual


def prediction_of(definition: MissionDefinition, attempt: Attempt) -> Judged | None:
    """The prediction that came with a try; None without one, and where the mission asks something else by now."""
    if attempt.prediction is None:
        return None
    asked = definition.prediction
    options = prediction_options(asked, definition.world)
    if attempt.prediction >= len(options):
        return None
    measured = attempt.evaluation["metrics"].get(asked.metric)
    if measured is None:
        return None
    return Judged(options[attempt.prediction], options[asked.answer(measured["mean"])])
