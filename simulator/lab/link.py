"""The lab's address: a setup, a seed, a prompt and the setup to compare with, to and from a query string.

One address is canonical: it holds every setting that influences the run, in one order, and nothing else. A form sends
more: the settings of the method it was drawn for and, under `from`, the address it was drawn from. `read` sorts that
out and never raises.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode

from simulator.engine import CandidateSetup, check_setup, parse_setup, read_form
from simulator.engine.candidates.setup import FIELDS
from simulator.engine.candidates.world import PROMPTS
from simulator.engine.randomness import MAX_SEED
from simulator.labels import number

DEFAULT_SEED = 1
OWN_KEYS = ("seed", "prompt", "previous", "from")
LONGEST_VALUE = 80  # characters of a bad value that are shown again
MOST_KEYS = 40

Pairs = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Run:
    """What the engine needs: a setup and a seed."""

    setup: CandidateSetup
    seed: int

    def query(self) -> str:
        """The run as a canonical query string."""
        return urlencode(self.pairs())

    def pairs(self) -> list[tuple[str, str]]:
        active = self.setup.active_fields()
        return [(name, number(value)) for name, value in active.items() if name != "world"] + [("seed", str(self.seed))]

    def is_same(self, other: "Run | None") -> bool:
        return other is not None and (self.setup.run_hash, self.seed) == (other.setup.run_hash, other.seed)


@dataclass(frozen=True)
class Place:
    """Everything an address of the lab says. `prompt` counts from 1."""

    run: Run
    prompt: int = 1
    previous: Run | None = None

    def query(self, **changes: Any) -> str:
        """The canonical query string; `prompt=4` gives the same place at another prompt."""
        pairs = [*self.run.pairs(), ("prompt", str(changes.get("prompt", self.prompt)))]
        if self.previous is not None:
            pairs.append(("previous", self.previous.query()))
        return urlencode(pairs)


@dataclass
class Reading:
    """What `read` made of a query string.

    `place` is None while a setting is refused; `errors` has a message per field, `typed` what stood there, and `notes`
    are about the address as a whole. `shown` is the last place that worked, if the address knows one.
    """

    place: Place | None
    typed: dict[str, str]
    errors: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    shown: Place | None = None
    is_form: bool = False

    @property
    def is_good(self) -> bool:
        return not self.errors and not self.notes


def read(pairs: Pairs) -> Reading:
    """Read the keys and values of a query string, in their order; never raises."""
    reading = Reading(place=None, typed={})
    given = _unique(pairs, reading)
    origin = _read_place(given.pop("from")) if "from" in given else None
    reading.is_form = any(key == "from" for key, _ in pairs)
    previous = None
    if "previous" in given:
        previous = _read_run(given.pop("previous"))
        if previous is None:
            reading.notes.append("The earlier setup in this address can’t be read, so nothing is compared with it.")
    if origin is not None:
        _drop_old_defaults(given, origin.run.setup)
        previous = origin.previous
    for key in [key for key in given if key not in FIELDS and key not in OWN_KEYS]:
        reading.notes.append(f"There is no setting called “{_shown(key)}”; it was left out.")
        del given[key]
    reading.typed = {key: _shown(value) for key, value in given.items()}

    setup = _read_setup(given, reading)
    seed = _read_whole("seed", given.get("seed"), DEFAULT_SEED, 0, MAX_SEED, reading)
    prompt = _read_whole("prompt", given.get("prompt"), 1, 1, PROMPTS, reading)
    if setup is not None and seed is not None:
        run = Run(setup, seed)
        if origin is not None and not run.is_same(origin.run):
            previous = origin.run
        reading.place = reading.shown = Place(run, prompt or 1, None if run.is_same(previous) else previous)
    elif origin is not None:
        reading.shown = origin
    elif previous is not None:
        reading.shown = Place(previous, prompt or 1)
    return reading


def _unique(pairs: Pairs, reading: Reading) -> dict[str, str]:
    """The pairs as a mapping; a key given twice is an error at its field, the last value is shown."""
    given: dict[str, str] = {}
    for key, value in pairs[:MOST_KEYS]:
        if key in given and given[key] != value and (key in FIELDS or key in OWN_KEYS):
            reading.errors[key] = "Given twice in this address. Choose one."
        given[key] = value
    if len(pairs) > MOST_KEYS:
        reading.notes.append(f"This address has more than {MOST_KEYS} parts; the rest was left out.")
    return given


def _drop_old_defaults(given: dict[str, str], before: CandidateSetup) -> None:
    """When the method or the event changes, beta follows the new default unless the student had chosen another."""
    event, method = given.get("event", before.event), given.get("method", before.method)
    if (event, method) == (before.event, before.method):
        return
    default = parse_setup({"event": before.event, "method": before.method}).beta
    if given.get("beta", "").strip() == number(default) and before.beta == default:
        del given["beta"]
    if event != before.event:
        # Flipped labels are the event itself.
        given.pop("flip_rate", None)


def _read_setup(given: Mapping[str, str], reading: Reading) -> CandidateSetup | None:
    mapping = read_form({key: value for key, value in given.items() if key in FIELDS})
    errors = check_setup({key: mapping[key] for key in ("world", "event", "method") if key in mapping})
    if errors:
        # Which settings count can't be told then, but what no setup may hold can be marked at once.
        errors = check_setup(mapping)
    else:
        # With a known method it is clear which settings count; those of another method are dropped, good or bad.
        kept = {**_base(mapping), **{name: value for name, value in mapping.items() if name in _active(mapping)}}
        errors = check_setup(kept)
        if not errors and not _blocked(reading, kept):
            return parse_setup(kept)
    for name, message in errors.items():
        reading.errors.setdefault(name, message)
    return None


def _base(mapping: Mapping[str, Any]) -> dict[str, Any]:
    return {key: mapping[key] for key in ("event", "method") if key in mapping}


def _active(mapping: Mapping[str, Any]) -> set[str]:
    return set(parse_setup(_base(mapping)).active_fields())


def _blocked(reading: Reading, kept: Mapping[str, Any]) -> bool:
    """Whether an error found before (a key given twice) concerns a setting of this run."""
    return any(name in kept for name in reading.errors)


def _read_whole(name: str, text: str | None, default: int, low: int, high: int, reading: Reading) -> int | None:
    if name in reading.errors:
        return None
    if text is None:
        return default
    digits = text.strip()
    # isascii: int() also reads digits of other scripts, which would not survive as the same address.
    if digits.isascii() and digits.isdigit() and len(digits) <= 12 and low <= int(digits) <= high:
        return int(digits)
    reading.errors[name] = f"{name.capitalize()} must be a whole number from {low} to {high:,}."
    return None


def _read_place(query: str) -> Place | None:
    """A place from an address of our own making, or None when it is broken. It has no `from` itself."""
    pairs = _split(query)
    if not pairs or any(key == "from" for key, _ in pairs):
        return None
    reading = read(pairs)
    return reading.place if reading.is_good else None


def _read_run(query: str) -> Run | None:
    pairs = _split(query)
    if not pairs or any(key in ("from", "previous") for key, _ in pairs):
        return None
    reading = read(pairs)
    return reading.place.run if reading.place is not None and reading.is_good else None


def _split(query: str) -> Pairs | None:
    try:
        return parse_qsl(query, keep_blank_values=True, strict_parsing=True, max_num_fields=MOST_KEYS)
    except ValueError:
        return None


def _shown(text: str) -> str:
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"
