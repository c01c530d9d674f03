"""One view of one run: what every panel of the explorer is made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any
from urllib.parse import urlencode

import numpy as np
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from simulator.engine.algorithms import ALGORITHMS
from simulator.engine.candidates.methods import METHODS
from simulator.engine.candidates.setup import FIELDS as ANSWER_FIELDS
from simulator.engine.reasoning.setup import FIELDS, ReasoningSetup
from simulator.explorer.source import Source, source_of
from simulator.explorer.state import Bounds, ExplorerState, Pairs, parse
from simulator.explorer.worth import Spot, worth_a_look
from simulator.lab.link import Run
from simulator.records import Prompt, RunRecord, Update


@dataclass(frozen=True, eq=False)
class Exploration:
    """A run, and where one looks at it.

    Attributes:
        source: the record with its metrics.
        asked: the view as the address says it; links are made from this.
        state: the same with an update and a prompt chosen where the address left them open.
        address: path of the page, and ``base`` the query that names the run there.
        run: setup and seed, or None for a log.
        second: the run beside this one at the same update and prompt, or None.
        notes: what had to be put right in the address, in words.
    """

    source: Source
    asked: ExplorerState
    state: ExplorerState
    address: str
    base: Pairs
    run: Run | None = None
    second: Exploration | None = None
    notes: Sequence[str] = ()
    spots: Sequence[Spot] = field(default_factory=tuple)

    @property
    def record(self) -> RunRecord:
        return self.source.record

    @property
    def steps(self) -> int:
        """How many optimizer updates the run has."""
        return self.source.updates

    @cached_property
    def update(self) -> Update:
        """The update that is shown. Raises LookupError for a run that made none."""
        assert self.state.s is not None
        return self.source.update(self.state.s)

    @property
    def prompt(self) -> Prompt:
        """The prompt that is shown."""
        assert self.state.p is not None
        return self.update.prompts[self.state.p - 1]

    @property
    def world(self) -> str:
        """The name of the run's world; that of a log is the token world's, as far as its tokens go."""
        return "reasoning" if self.run is None else self.run.setup.world

    @property
    def hparams(self) -> Mapping[str, Any]:
        return self.record.header.hparams

    @property
    def algorithm(self) -> str:
        """The algorithm that is explained."""
        return self.state.alg or self.record.header.algorithm

    @property
    def rollout(self) -> int:
        """The training step that the update belongs to, from 1: its responses were sampled in it."""
        assert self.state.s is not None
        return int(self.source.rollouts[self.state.s - 1])

    @property
    def step_count(self) -> int:
        """How many training steps the run has made."""
        return int(self.source.rollouts[-1])

    @property
    def update_in_rollout(self) -> tuple[int, int]:
        """Which of the updates with the same responses this is, from 1, and how many there are."""
        assert self.state.s is not None
        return self.source.place_in_rollout(self.state.s)

    @property
    def when(self) -> str:
        """Which update this is, in words: "Step 12 of 60 · update 2 of 4"."""
        update, updates = self.update_in_rollout
        step = f"Step {self.rollout:,} of {self.step_count:,}"
        return f"{step} · update {update} of {updates}" if updates > 1 else step

    def link(self, **changes: Any) -> str:
        """The address of this page with some changes of the view."""
        state = self.asked
        if ("r" in changes or "t" in changes) and "p" not in changes:
            # A response is one of a prompt of an update: where these were left open, they no longer are.
            state = replace(state, s=self.state.s, p=self.state.p)
        elif "p" in changes and "s" not in changes:
            state = replace(state, s=self.state.s)
        return self._written(state.replace(**changes))

    @property
    def canonical(self) -> str:
        return self._written(self.asked)

    def hidden(self, *without: str) -> list[tuple[str, str]]:
        """The address as hidden fields of a form that sets the given keys itself."""
        return [pair for pair in [*self.base, *self.asked.pairs()] if pair[0] not in without]

    @cached_property
    def _base_query(self) -> str:
        # Every page has a hundred links, and a run dozens of settings.
        return urlencode(self.base)

    def hidden_fields(self, *without: str) -> SafeString:
        """The same as markup."""
        view = [pair for pair in self.asked.pairs() if pair[0] not in without]
        return _hidden(tuple(self.base)) + _hidden(tuple(view))

    def _written(self, state: ExplorerState) -> str:
        query = "&".join(filter(None, (self._base_query, urlencode(state.pairs()))))
        return f"{self.address}?{query}" if query else self.address


def explore(run: Run, pairs: Pairs, address: str, base: Pairs, second: Run | None = None) -> Exploration:
    """The view of a simulated run that `pairs` ask for. Trains what isn't known yet."""
    source = source_of(run.setup, run.seed)
    return _resolved(source, pairs, address, base, run, second)


def bounds_of(source: Source, run: Run | None) -> Bounds:
    """What an address may ask of a run."""
    algorithms = METHODS if run is not None and not isinstance(run.setup, ReasoningSetup) else ALGORITHMS
    found = Bounds(source.updates, tuple(source.series), tuple(algorithms))
    if run is None:
        return found
    is_tokens = isinstance(run.setup, ReasoningSetup)
    return replace(found, largest_beta=float((FIELDS if is_tokens else ANSWER_FIELDS)["beta"].maximum or 0))


def _resolved(
    source: Source, pairs: Pairs, address: str, base: Pairs, run: Run | None, second: Run | None
) -> Exploration:
    parsed = parse(pairs, bounds_of(source, run))
    asked, notes = parsed.state, parsed.notes
    spots = worth_a_look(source)
    if not source.updates:
        return Exploration(source, asked, asked, address, base, run, None, tuple(notes), spots)
    state = replace(asked, s=asked.s if asked.s is not None else spots[0].place)
    x = Exploration(source, asked, state, address, base, run, None, (), spots)
    prompts = x.update.prompts
    p = state.p
    if p is not None and p > len(prompts):
        notes.append(f"This update has {len(prompts)} prompts; the last one is shown.")
        p, asked = len(prompts), replace(asked, p=len(prompts))
    if p is None and prompts:
        p = most_moved(x.update)
    r, t = state.r, state.t
    if r is not None and prompts and p is not None:
        r, t = _at_hand(prompts[p - 1], r, t, notes)
        asked = replace(asked, r=r, t=t)
    beside = None
    if second is not None and second.setup.world == x.world:
        at = [("s", str(min(state.s or 1, source_of(second.setup, second.seed).updates)))]
        beside = _resolved(
            source_of(second.setup, second.seed), [*at, *([("p", str(p))] if p else [])], address, base, second, None
        )
    return Exploration(source, asked, replace(state, p=p, r=r, t=t), address, base, run, beside, tuple(notes), spots)


def _at_hand(prompt: Prompt, r: int, t: int | None, notes: list[str]) -> tuple[int, int | None]:
    """The nearest response and token that there are. Where a prompt's answers are fixed one chooses among those, drawn
    or not, and each is one token."""
    what, count = ("answers", len(prompt.answers)) if prompt.answers else ("responses", len(prompt.responses))
    if r > count:
        notes.append(f"This prompt has {count} {what}; the last one is chosen.")
        r = count
    length = 1 if prompt.answers else max(prompt.responses[r - 1].length, 1)
    if t is not None and t > length:
        notes.append(
            "An answer is one token." if prompt.answers else f"R{r} has {length} tokens; the last one is chosen."
        )
        t = length
    return r, t


def most_moved(update: Update) -> int:
    """The prompt, from 1, whose tokens are pushed most; the first where none is."""
    strength = [
        sum(float(np.nansum(np.abs(one.numbers["push"]))) for one in prompt.responses if "push" in one.numbers)
        for prompt in update.prompts
    ]
    return int(np.argmax(strength)) + 1


@lru_cache(maxsize=128)
def _hidden(pairs: tuple[tuple[str, str], ...]) -> SafeString:
    return format_html_join("", '<input type="hidden" name="{}" value="{}">', pairs)
