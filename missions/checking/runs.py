"""Graded settings, each run once; before every run somebody may cancel, hears how far it is, and time is kept."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property

from missions.definition import MissionDefinition
from missions.grading import Verdict, judged
from missions.verification import SAFE_MARGIN, SAFE_SHARE, margin_of
from simulator.engine import simulate
from simulator.worlds import Setup

Tell = Callable[[float, str], None]
"""Hears the share that is done, from 0 to 1, and what is being done, in words. May raise, which ends the check."""

MOST = 99.0
"""Margins beyond this many standard errors or runs are all alike: where a metric doesn't vary they have no end."""
ENOUGH = 4.0
"""Standard errors beyond which a setting counts as no safer."""


class Cancelled(Exception):
    """Somebody asked for the check to end."""


class TimeIsUp(Exception):
    """A part of the check has had its time; what it found so far stands."""


@dataclass(frozen=True)
class Graded:
    """A setting as a set of seeds judges it; all goals hold on `seeds_met` of its runs."""

    setup: Setup
    verdict: Verdict
    seeds_met: int

    @property
    def cost(self) -> int:
        """Responses that a run samples."""
        return self.verdict.sampled_responses

    @cached_property
    def passed(self) -> bool:
        return self.verdict.passed

    @property
    def is_counted(self) -> bool:
        """Whether runs are counted, and not means compared."""
        return self.verdict.seeds_needed is not None

    @cached_property
    def margin(self) -> float:
        """How far on the passing side: in runs under the rule of seeds, else standard errors to the tightest goal."""
        margin = margin_of(self.verdict)
        return -MOST if math.isnan(margin) else max(-MOST, min(MOST, margin))

    @cached_property
    def strength(self) -> float:
        """What the search climbs and the front compares: the margin, as long as more of it means safer."""
        return self.margin if self.is_counted else min(self.margin, ENOUGH)

    @cached_property
    def shortfall(self) -> float:
        """How far the goal missed most is missed, as a share of its bound: from 0 where none is, down to -1."""
        shares = (goal.goal.margin(goal.interval.mean) / max(abs(goal.goal.bound), 1e-9) for goal in self.verdict.goals)
        return max(-1.0, min(0.0, *(share if share > -1 else -1.0 for share in shares)))

    @cached_property
    def is_safe(self) -> bool:
        """Whether it passes with room to spare, as missions.verification wants it of settings that are named."""
        if self.is_counted:
            assert self.verdict.seeds_needed is not None
            return self.seeds_met >= max(self.verdict.seeds_needed, math.ceil(SAFE_SHARE * self.verdict.seed_count))
        return self.passed and self.margin >= SAFE_MARGIN


class Runs:
    """All runs of one check. Set 0 are the hidden seeds, the others are fresh.

    `tried` is all that the hidden seeds have graded, in that order, and `ran_out` names the stages that time cut short.
    The check is divided into stages, each with its part of the way and of the time; see `stage`.
    """

    def __init__(
        self,
        definition: MissionDefinition,
        seed_sets: Sequence[Sequence[int]],
        seconds: float,
        tell: Tell,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.definition = definition
        self.sets = len(seed_sets)
        self.ran_out: list[str] = []
        self.tried: list[Graded] = []
        self._seed_sets, self._tell, self._clock = seed_sets, tell, clock
        self._seconds, self._began = seconds, clock()
        self._graded: list[dict[str, Graded]] = [{} for _ in seed_sets]
        self._doing, self._from, self._to, self._end = "", 0.0, 0.0, seconds
        self._planned, self._made, self._is_time_up = 1, 0, False

    @property
    def passing(self) -> int:
        """How many of `tried` pass."""
        return sum(one.passed for one in self.tried)

    @contextmanager
    def stage(self, doing: str, to: float, planned: int, until: float = 1.0) -> Iterator[None]:
        """Do something that takes about `planned` runs and brings the check from where it is to the share `to`.

        Once the share `until` of the check's time has passed, this stage ends, and its name is kept in `ran_out`.
        """
        self._doing, self._from, self._to = doing, self._to, to
        self._planned, self._made, self._end = max(planned, 1), 0, until * self._seconds
        self._tell(self._from, doing)
        self._is_time_up = False
        with suppress(TimeIsUp):
            yield
        if self._is_time_up:
            self.ran_out.append(doing)

    def step(self, note: str = "") -> None:
        """Before a run: say how far it is. Raises TimeIsUp."""
        share = self._from + (self._to - self._from) * min(1.0, self._made / self._planned)
        self._tell(share, f"{self._doing}{note}")
        if self._clock() - self._began >= self._end:
            self._is_time_up = True
            raise TimeIsUp
        self._made += 1

    def on(self, setup: Setup, number: int = 0, note: str = "", key: str = "") -> Graded:
        """Grade a setting on a set of seeds. Raises TimeIsUp, or what `tell` raises, before a run that is new.

        `key` is its run hash where that is at hand.
        """
        key = key or setup.run_hash
        found = self._graded[number].get(key)
        if found is None:
            self.step(note)
            run = simulate(setup, self._seed_sets[number])
            verdict = judged(self.definition, run)
            found = Graded(setup, verdict, int(self.definition.seeds_passed(run.final).sum()))
            self._graded[number][key] = found
            if number == 0:
                self.tried.append(found)
        return found

    def known(self, setup: Setup) -> Graded | None:
        """What the hidden seeds said of a setting, if they were asked."""
        return self._graded[0].get(setup.run_hash)

    def knows(self, key: str) -> bool:
        """Whether the hidden seeds have graded the setting of this run hash."""
        return key in self._graded[0]

    def proved(self, setup: Setup) -> list[Graded]:
        """What the fresh sets said of a setting, as far as they were asked."""
        return [graded[setup.run_hash] for graded in self._graded[1:] if setup.run_hash in graded]
