"""What a class predicted before it trained, and how often that was right. Pure."""

from dataclasses import dataclass

from classroom.mission.tries import ClassTries
from missions.form import prediction_options


@dataclass(frozen=True)
class Prediction:
    """One range to choose: how many tries it was predicted for, on how many of these and of all it was right."""

    text: str
    predicted: int
    right: int
    ended: int

    @property
    def wrong(self) -> int:
        return self.predicted - self.right


@dataclass(frozen=True)
class Foresight:
    """All predictions of a class; `none` tries came without one."""

    metric: str
    options: tuple[Prediction, ...]
    none: int

    @property
    def made(self) -> int:
        return sum(option.predicted for option in self.options)

    @property
    def right(self) -> int:
        return sum(option.right for option in self.options)

    @property
    def share(self) -> int:
        """The right ones in percent."""
        return round(100 * self.right / self.made) if self.made else 0


def foresight_of(found: ClassTries) -> Foresight:
    """Count predictions by what was predicted; what was asked is what the mission asks now."""
    asked, world = found.definition.prediction, found.definition.world
    judged = [(one.prediction, one.run.predicted) for one in found.tries]
    options = prediction_options(asked, world)
    return Foresight(
        world.metrics[asked.metric].in_sentence,
        tuple(
            Prediction(
                text,
                sum(said == place for said, _ in judged),
                sum(said == place == ended for said, ended in judged),
                sum(said is not None and ended == place for said, ended in judged),
            )
            for place, text in enumerate(options)
        ),
        sum(said is None for said, _ in judged),
    )
