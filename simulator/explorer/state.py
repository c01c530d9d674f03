"""What an address of the explorer says beside the run itself: where one looks, and how.

`parse` reads any keys and values and never raises: what can't be is put right with a note. `ExplorerState.pairs` writes
an address in one way only, without what says nothing, so that equal views have equal addresses.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

from simulator.engine.objective.slots import CHOICES
from simulator.engine.reasoning.setup import FIELDS as SETTINGS

Pairs = Sequence[tuple[str, str]]

MOST_METRICS = 4
MOST_OPEN = 64
LONGEST_WORD = 40
LONGEST_RUN = 4000
LARGEST = 1_000_000
BINS = 3
ANSWERS = "abcdefgh"
BEATS = ("off", "prompt", "responses", "rewards", "credit", "adding up", "update")

PLOTS = ("ring", "line")
COLORS = ("push", "objective", "ratio", "advantage", "kl", "probability", "entropy", "clip")
DOMAINS = ("step", "group", "run")
CARDS = ("step", "aggregation", "token")
TABS = ("step", "explore", "why")


@dataclass(frozen=True)
class ExplorerState:
    """One view of a run. Everything counts from 1; None, "" and () leave a choice to the page.

    Attributes:
        s: the optimizer update.
        p: the prompt of that update.
        r, t: a response of the prompt and a token of it; without `r` there is no `t`.
        m: the metrics that are drawn.
        plot: ring or line.
        c: what tokens are colored by.
        dom: over what the colors' scale reaches.
        q: the one bin that is shown, -3 to 3.
        grid: the responses as one table.
        x: responses that are unfolded.
        alg: the algorithm that is explained, if it is not the run's own.
        vs: the algorithm that it is compared with.
        run2: a second run, as a query string of its own.
        cards: which cards are open beside the first.
        term: the term of a formula that is in focus.
        beat: the stage of one update, 1 to 6.
        answer: what was answered to the question of that stage.
        eps, epsh, beta_if: epsilon, epsilon_high and beta, were they these.
        norm, std: aggregation and advantage, were they these.
        tab: the view that a small screen shows.
    """

    s: int | None = None
    p: int | None = None
    r: int | None = None
    t: int | None = None
    m: tuple[str, ...] = ()
    plot: str = PLOTS[0]
    c: str = COLORS[0]
    dom: str = DOMAINS[0]
    q: int | None = None
    grid: bool = False
    x: tuple[int, ...] = ()
    alg: str = ""
    vs: str = ""
    run2: str = ""
    cards: tuple[str, ...] = ()
    term: str = ""
    beat: int = 0
    answer: str = ""
    eps: float | None = None
    epsh: float | None = None
    beta_if: float | None = None
    norm: str = ""
    std: str = ""
    tab: str = TABS[0]

    @property
    def has_what_if(self) -> bool:
        """Whether anything is to be recomputed with other settings."""
        return (self.eps, self.epsh, self.beta_if) != (None, None, None) or bool(self.norm or self.std)

    def pairs(self) -> list[tuple[str, str]]:
        """The address, in one order and without defaults."""
        return [
            (key, _written(value)) for key, default in _DEFAULTS.items() if (value := getattr(self, key)) != default
        ]

    def replace(self, **changes: Any) -> ExplorerState:
        """The same view with some changes. What belongs to something that changes is left open."""
        for key, belongings in _BELONGS.items():
            if key in changes and changes[key] != getattr(self, key):
                changes = {name: _DEFAULTS[name] for name in belongings if name not in changes} | changes
        return replace(self, **changes)


_DEFAULTS = {one.name: one.default for one in fields(ExplorerState)}
KEYS = frozenset(_DEFAULTS)
"""Every key that belongs to the view. No setting of a run is called so."""

OF_AN_UPDATE = ("p", "r", "t", "x", "q", "answer")
"""What of a view belongs to one update: another one leaves it open."""

_BELONGS = {
    "s": OF_AN_UPDATE,
    "p": ("r", "t", "x", "q", "answer"),
    "r": ("t",),
    "c": ("q",),
    "dom": ("q",),
    "alg": ("term",),
    "beat": ("answer",),
}
REPLACES = frozenset({"m", "plot", "c", "dom", "q", "grid", "x", "cards", "term", "tab"})
"""Keys whose change is no step that Back goes back over."""


@dataclass(frozen=True)
class Bounds:
    """What there is in a run: its number of optimizer updates, its metrics, what it may be compared with, and the
    largest beta of its world."""

    updates: int
    metrics: tuple[str, ...]
    algorithms: tuple[str, ...] = ()
    largest_beta: float = float(SETTINGS["beta"].maximum or 0)


@dataclass
class Parsed:
    """What `parse` found: the view, and what had to be put right, in words."""

    state: ExplorerState
    notes: list[str] = field(default_factory=list)


class _Wrong(NamedTuple):
    """A value that can't be, what is taken instead, and why."""

    instead: Any
    note: str


def parse(pairs: Pairs, bounds: Bounds) -> Parsed:
    """Read the view's keys; others are passed over. A key given twice counts as it was given last."""
    found: dict[str, Any] = {}
    notes: list[str] = []
    for key, text in dict(pairs).items():
        if key not in _READ or text == "":
            continue
        value = _READ[key](text[:LONGEST_RUN], bounds)
        if isinstance(value, _Wrong):
            notes.append(value.note)
            value = value.instead
        found[key] = value
    if found.get("t") is not None and found.get("r") is None:
        notes.append("A token needs its response; none is chosen.")
        del found["t"]
    return Parsed(ExplorerState(**found), notes)


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def _whole(label: str, low: int, default: int | None, most: Callable[[Bounds], int]) -> Callable[[str, Bounds], Any]:
    def read(text: str, bounds: Bounds) -> Any:
        high = most(bounds)
        sign, digits = text[:1] == "-", text.removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(digits) <= 12):
            return _Wrong(default, f"{label} must be a whole number from {low} to {high:,}.")
        value = -int(digits) if sign else int(digits)
        near = min(max(value, low), high)
        if near != value:
            return _Wrong(near, f"There is no {label.lower()} {value:,}; the nearest is {near:,}.")
        return value

    return read


def _number(label: str, low: float, high: float) -> Callable[[str, Bounds], Any]:
    def read(text: str, bounds: Bounds) -> Any:
        try:
            value = float(text) if len(text) <= LONGEST_WORD and "_" not in text else math.nan
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            return _Wrong(None, f"{label} must be a number from {low:g} to {high:g}.")
        near = min(max(value, low), high)
        if near != value:
            return _Wrong(near, f"{label} must be from {low:g} to {high:g}; it is taken as {near:g}.")
        return value + 0.0

    return read


def _setting(name: str) -> Callable[[str, Bounds], Any]:
    """A number that the engine takes for a setting."""
    one = SETTINGS[name]
    return _number(one.label, float(one.minimum or 0), float(one.maximum or 0))


def _choice(label: str, choices: Sequence[str], default: str) -> Callable[[str, Bounds], Any]:
    def read(text: str, bounds: Bounds) -> Any:
        if text in choices:
            return text
        return _Wrong(default, f"There is no {label} “{text[:LONGEST_WORD]}”.")

    return read


def _algorithm(text: str, bounds: Bounds) -> Any:
    return _choice("algorithm", bounds.algorithms, "")(text, bounds)


def _flag(text: str, bounds: Bounds) -> Any:
    return text in ("1", "on", "true")


def _metrics(text: str, bounds: Bounds) -> Any:
    wanted = list(dict.fromkeys(text.split(",")))
    known = tuple(name for name in wanted if name in bounds.metrics)
    unknown = [name for name in wanted if name and name not in bounds.metrics]
    if len(known) > MOST_METRICS:
        return _Wrong(known[:MOST_METRICS], f"{MOST_METRICS} metrics at most; take one away to add another.")
    if unknown:
        return _Wrong(known, f"This run has no metric “{unknown[0][:LONGEST_WORD]}”.")
    return known


def _responses(text: str, bounds: Bounds) -> Any:
    found = text.split(",")
    whole = sorted({int(one) for one in found if one.isascii() and one.isdigit() and 0 < int(one[:6]) <= MOST_OPEN})
    return tuple(whole) if len(whole) == len(found) else _Wrong(tuple(whole), "Some responses to unfold don’t exist.")


def _cards(text: str, bounds: Bounds) -> Any:
    found = text.split(",")
    known = tuple(card for card in CARDS if card in found)
    return known if set(found) <= set(CARDS) else _Wrong(known, "Some cards to open don’t exist.")


def _word(text: str, bounds: Bounds) -> Any:
    is_word = len(text) <= LONGEST_WORD and all(one.isascii() and (one.isalnum() or one in "_-") for one in text)
    return text if is_word else _Wrong("", "Something in this address is no name and was left out.")


def _text(text: str, bounds: Bounds) -> Any:
    return text if text.isprintable() else _Wrong("", "The second run in this address can’t be read.")


_READ: dict[str, Callable[[str, Bounds], Any]] = {
    "s": _whole("Update", 1, None, lambda bounds: bounds.updates),
    "p": _whole("Prompt", 1, None, lambda bounds: LARGEST),
    "r": _whole("Response", 1, None, lambda bounds: LARGEST),
    "t": _whole("Token", 1, None, lambda bounds: LARGEST),
    "m": _metrics,
    "plot": _choice("plot", PLOTS, PLOTS[0]),
    "c": _choice("color", COLORS, COLORS[0]),
    "dom": _choice("scale", DOMAINS, DOMAINS[0]),
    "q": _whole("Bin", -BINS, None, lambda bounds: BINS),
    "grid": _flag,
    "x": _responses,
    "alg": _algorithm,
    "vs": _algorithm,
    "run2": _text,
    "cards": _cards,
    "term": _word,
    "beat": _whole("Stage", 0, 0, lambda bounds: len(BEATS) - 1),
    "answer": _choice("answer", tuple(ANSWERS), ""),
    "eps": _setting("epsilon"),
    "epsh": _setting("epsilon_high"),
    "beta_if": lambda text, bounds: _number("Beta", 0.0, bounds.largest_beta)(text, bounds),
    "norm": _choice("aggregation", tuple(CHOICES["aggregation"]), ""),
    "std": _choice("advantage", tuple(CHOICES["advantage"]), ""),
    "tab": _choice("view", TABS, TABS[0]),
}
