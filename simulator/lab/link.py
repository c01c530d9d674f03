"""The lab's address: a setup, a seed, what is looked at and the setup to compare with, to and from a query string.

One address is canonical: it holds every setting that influences the run, in one order, and nothing else. A form sends
more: settings that its other choices make meaningless and, under `from`, the address it was drawn from. `read` sorts
that out by the world's rules and never raises.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode

from simulator.engine import check_setup, parse_setup, read_form
from simulator.engine.randomness import MAX_SEED
from simulator.lab.rules import RULES, Rules, View, rules_of, value_text
from simulator.worlds import Setup

DEFAULT_SEED = 1
OWN_KEYS = ("seed", "previous", "from")
LONGEST_VALUE = 80  # characters of a bad value that are shown again
MOST_KEYS = 60

Pairs = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Run:
    """What the engine needs: a setup and a seed."""

    setup: Setup
    seed: int

    def query(self) -> str:
        """The run as a canonical query string."""
        return urlencode(self.pairs())

    def pairs(self) -> list[tuple[str, str]]:
        active = self.setup.active_fields()
        return [(name, value_text(value)) for name, value in active.items() if name != "world"] + [
            ("seed", str(self.seed))
        ]

    def is_same(self, other: "Run | None") -> bool:
        return other is not None and (self.setup.run_hash, self.seed) == (other.setup.run_hash, other.seed)


@dataclass(frozen=True)
class Place:
    """Everything an address of the lab says. `views` has what is looked at, as far as it was chosen."""

    run: Run
    views: Mapping[str, int] = field(default_factory=dict)
    previous: Run | None = None

    def __post_init__(self) -> None:
        # A view that may not stay open is always part of the place, so that two equal places have one address.
        defaults = {view.name: view.default for view in rules_of(self.run.setup).views if view.default is not None}
        object.__setattr__(self, "views", defaults | dict(self.views))

    def query(self, **views: int | None) -> str:
        """The canonical query string; `prompt=4` gives the same place at another prompt, None leaves it open."""
        return urlencode(self.pairs(**views))

    def pairs(self, **views: int | None) -> list[tuple[str, str]]:
        looked_at = {**self.views, **views}
        pairs = self.run.pairs()
        for view in rules_of(self.run.setup).views:
            value = looked_at.get(view.name)
            if value is not None:
                pairs.append((view.name, str(value)))
        if self.previous is not None:
            pairs.append(("previous", self.previous.query()))
        return pairs

    def runs(self) -> list[tuple[Setup, int]]:
        """The runs that a page of this place needs, the earlier one first."""
        return [(run.setup, run.seed) for run in (self.previous, self.run) if run is not None]


@dataclass
class Reading:
    """What `read` made of a query string.

    `place` is None while a setting is refused; `errors` has a message per field, `typed` what stood there, and `notes`
    are about the address as a whole. `shown` is the last place that worked, if the address knows one.
    """

    rules: Rules
    place: Place | None = None
    typed: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    shown: Place | None = None
    is_form: bool = False

    @property
    def is_good(self) -> bool:
        return not self.errors and not self.notes


def read(pairs: Pairs, world: str = "candidates") -> Reading:
    """Read the keys and values of a query string, in their order; never raises."""
    rules = RULES[world]
    reading = Reading(rules)
    given = _unique(pairs, reading)
    origin = _read_place(given.pop("from"), world) if "from" in given else None
    reading.is_form = any(key == "from" for key, _ in pairs)
    previous = None
    if "previous" in given:
        previous = _read_run(given.pop("previous"), world)
        if previous is None:
            reading.notes.append("The earlier setup in this address can’t be read, so nothing is compared with it.")
    if origin is not None:
        rules.follow(given, origin.run.setup)
        previous = origin.previous
    for key in [key for key in given if not _is_known(key, rules)]:
        reading.notes.append(f"There is no setting called “{_shown(key)}”; it was left out.")
        del given[key]
    reading.typed = {key: _shown(value) for key, value in given.items()}

    setup = _read_setup(given, reading)
    seed = _read_whole("seed", "Seed", given.get("seed"), DEFAULT_SEED, 0, MAX_SEED, reading)
    views = _read_views(given, setup or (previous.setup if previous else None), origin, reading)
    if setup is not None and seed is not None:
        run = Run(setup, seed)
        if origin is not None and not run.is_same(origin.run):
            previous = origin.run
        reading.place = reading.shown = Place(run, views, None if run.is_same(previous) else previous)
    elif origin is not None:
        reading.shown = origin
    elif previous is not None:
        reading.shown = Place(previous, views)
    return reading


def _is_known(key: str, rules: Rules) -> bool:
    return key in rules.fields or key in OWN_KEYS or any(key == view.name for view in rules.views)


def _unique(pairs: Pairs, reading: Reading) -> dict[str, str]:
    """The pairs as a mapping; a key given twice is an error at its field, the last value is shown."""
    given: dict[str, str] = {}
    for key, value in pairs[:MOST_KEYS]:
        if key in given and given[key] != value and _is_known(key, reading.rules):
            reading.errors[key] = "Given twice in this address. Choose one."
        given[key] = value
    if len(pairs) > MOST_KEYS:
        reading.notes.append(f"This address has more than {MOST_KEYS} parts; the rest was left out.")
    return given


def _read_setup(given: Mapping[str, str], reading: Reading) -> Setup | None:
    rules = reading.rules
    if given.get("world", rules.name).strip() != rules.name:
        reading.errors["world"] = f"The settings of this lab belong to the world {rules.name}."
    typed = {key: value for key, value in given.items() if key in rules.fields}
    mapping = read_form({**typed, "world": rules.name})
    errors = check_setup(rules.base(mapping))
    if errors:
        # Which settings count can't be told then, but what no setup may hold can be marked at once.
        errors = check_setup(mapping)
    else:
        # With the deciding choices known it is clear which settings count; the others are dropped, good or bad.
        active = rules.active(mapping)
        kept = {**rules.base(mapping), **{name: value for name, value in mapping.items() if name in active}}
        errors = check_setup(kept)
        if not errors and not _blocked(reading, kept):
            return parse_setup(kept)
    for name, message in errors.items():
        reading.errors.setdefault(name, message)
    return None


def _blocked(reading: Reading, kept: Mapping[str, object]) -> bool:
    """Whether an error found before (a key given twice) concerns a setting of this run."""
    return any(name in kept for name in reading.errors)


def _read_views(
    given: Mapping[str, str], setup: Setup | None, origin: Place | None, reading: Reading
) -> dict[str, int]:
    """What the address looks at, within what the run has."""
    views = {}
    for view in reading.rules.views:
        most = None if setup is None else view.most(setup)
        text = given.get(view.name)
        if (text == "" and view.default is None) or _came_along(view, text, most, origin):
            text = None
        value = _read_whole(view.name, view.label, text, view.default, 1, most, reading)
        if value is not None:
            views[view.name] = value
    return views


def _came_along(view: View, text: str | None, most: int | None, origin: Place | None) -> bool:
    """Whether a view was only carried on by the form and lies beyond a run that the form made shorter."""
    before = None if origin is None else origin.views.get(view.name)
    return before is not None and most is not None and before > most and text == str(before)


def _read_whole(
    name: str, label: str, text: str | None, default: int | None, low: int, high: int | None, reading: Reading
) -> int | None:
    """A whole number from `low` to `high`; without `high`, any is taken for the default."""
    if name in reading.errors:
        return None
    if text is None or high is None:
        return default
    digits = text.strip()
    # isascii: int() also reads digits of other scripts, which would not survive as the same address.
    if digits.isascii() and digits.isdigit() and len(digits) <= 12 and low <= int(digits) <= high:
        return int(digits)
    reading.errors[name] = f"{label} must be a whole number from {low} to {high:,}."
    return None


def _read_place(query: str, world: str) -> Place | None:
    """A place from an address of our own making, or None when it is broken. It has no `from` itself."""
    pairs = _split(query)
    if not pairs or any(key == "from" for key, _ in pairs):
        return None
    reading = read(pairs, world)
    return reading.place if reading.is_good else None


def _read_run(query: str, world: str) -> Run | None:
    pairs = _split(query)
    if not pairs or any(key in ("from", "previous") for key, _ in pairs):
        return None
    reading = read(pairs, world)
    return reading.place.run if reading.place is not None and reading.is_good else None


def _split(query: str) -> Pairs | None:
    try:
        return parse_qsl(query, keep_blank_values=True, strict_parsing=True, max_num_fields=MOST_KEYS)
    except ValueError:
        return None


def _shown(text: str) -> str:
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"
