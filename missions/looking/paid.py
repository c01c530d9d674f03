"""What is a reward model paying for? To be told from how a run's curves go."""

from dataclasses import dataclass

from missions.looking.chances import Chances
from missions.looking.question import MOST_TRIED, Choice, Material, Question
from simulator.charts.curves import CurveFigure, training_curve
from simulator.charts.table import fixed
from simulator.engine import CandidateSetup
from simulator.runs import trace, visible_run
from simulator.worlds import Setup, world_of

PAYS = {
    "clean": "Quality, with a small error",
    "length_bias": "Length, more than quality",
    "sparse": "Only whether an answer passes: 1 or 0",
    "reward_hack": "Quality, and a bonus that one bad answer earns by mistake",
}
SHOWN = ("win_rate", "reward_model_score", "response_length", "kl")

STEPS, SIZES, BETAS = (200, 300, 400), (4, 8), (0.02, 0.05)

# What sets the four apart, with room between: whatever lies between two bounds is none of them for sure.
LONGER, AS_LONG = 40.0, 15.0
FALLEN, HELD = 0.06, 0.03
PASSES_AT_MOST, SCORES_AT_LEAST = 1.0, 1.2


@dataclass(frozen=True)
class Readings:
    """What the curves say, from the first step to the last, as rounded as they are written."""

    first_score: float
    score: float
    lengthened: float
    best: float
    last: float


class Paid:
    """The base's event is replaced by the one that is asked about; steps, group size and beta differ too."""

    name = "paid"
    is_same = True
    world = "candidates"
    asks = "You see one whole run and nothing of its reward model but the score it gave. What was it paying for?"

    def find(self, base: Setup, chances: Chances) -> Question:
        assert isinstance(base, CandidateSetup)
        event = chances.one_of(tuple(PAYS))
        for _ in range(MOST_TRIED):
            setup = base.replace(
                event=event,
                steps=chances.one_of(STEPS),
                group_size=chances.one_of(SIZES),
                beta=chances.one_of(BETAS),
            )
            question = Question(self.name, setup, chances.seed(), {}, event)
            if self.read(question) == {event}:
                return question
        raise LookupError("no run shows clearly what it was paid for")

    def choices(self, question: Question) -> tuple[Choice, ...]:
        return tuple(Choice(event, label) for event, label in PAYS.items())

    def material(self, question: Question) -> Material:
        return Material("missions/look/paid.html", self.figures(question))

    def figures(self, question: Question) -> list[CurveFigure]:
        run = visible_run(question.setup, question.seed)
        return [training_curve(run, (name,), with_table=True) for name in SHOWN]

    def read(self, question: Question) -> frozenset[str]:
        seen = self._readings(question)
        fell = seen.best - seen.last
        found = set()
        if seen.lengthened >= LONGER:
            found.add("length_bias")
        elif seen.lengthened > AS_LONG:
            return frozenset(PAYS)
        elif fell >= FALLEN:
            found.add("reward_hack")
        elif fell > HELD:
            return frozenset(PAYS)
        elif seen.score <= PASSES_AT_MOST:
            found.add("sparse")
        elif seen.score >= SCORES_AT_LEAST:
            found.add("clean")
        return frozenset(found or PAYS)

    def because(self, question: Question) -> tuple[str, ...]:
        seen = self._readings(question)
        score, best, last = fixed(seen.score, 2), fixed(seen.best, 3), fixed(seen.last, 3)
        return {
            "clean": (
                f"Win rate and score rise together, to {last} and {score}, and neither falls: what is paid is what is "
                "wanted. The small error shows nowhere.",
            ),
            "length_bias": (
                f"Answers grew by {fixed(seen.lengthened, 0)} tokens. Nothing else here makes them longer, and what "
                "grows under a reward is what the reward pays for.",
            ),
            "sparse": (
                f"The score begins at {fixed(seen.first_score, 2)}, about one in ten, ends at {score}, and never goes "
                "beyond 1: it is the share of answers that pass. A score for quality knows no such ceiling.",
            ),
            "reward_hack": (
                f"The score went on rising, to {score}, while the win rate fell from {best} to {last}. Length can’t "
                "have paid: it hardly changed. The policy found an answer that is scored highly and isn’t good.",
            ),
        }[question.answer]

    def state(self, question: Question) -> dict[str, str]:
        return {"m": ",".join(SHOWN)}

    def _readings(self, question: Question) -> Readings:
        run = visible_run(question.setup, question.seed)

        def values(name: str) -> list[float]:
            decimals = world_of(question.setup).label(name).decimals
            return [round(float(one), decimals) for one in trace(run, name).values[0]]

        length, win_rate = values("response_length"), values("win_rate")
        score = values("reward_model_score")
        return Readings(score[0], score[-1], length[-1] - length[0], max(win_rate), win_rate[-1])
