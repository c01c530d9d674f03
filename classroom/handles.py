"""Names for the leaderboard: which may be chosen, and some to choose from. Pure."""

import random
import re
import unicodedata
from collections.abc import Collection, Iterable

SHORTEST, LONGEST = 3, 30
NEVER_WITHIN = 4
"""A part of somebody's name with at least so many characters may not even be a part of a longer word."""

_ALLOWED = re.compile(r"[^\W_](?:[^\W_]|[ .'’_-])*")
_WORD = re.compile(r"[^\W_]+")

FIRST = (
    *("Amber", "Brave", "Bright", "Calm", "Candid", "Cheerful", "Clever", "Copper", "Curious", "Daring", "Eager"),
    *("Early", "Fearless", "Fluent", "Gentle", "Golden", "Grateful", "Happy", "Hidden", "Humble", "Indigo", "Jolly"),
    *("Keen", "Late", "Lively", "Lucky", "Mellow", "Merry", "Nimble", "Northern", "Patient", "Polite", "Quick"),
    *("Quiet", "Rapid", "Sandy", "Serene", "Silver", "Sleepy", "Steady", "Stormy", "Sunny", "Swift", "Tidy", "Witty"),
)
SECOND = (
    *("Badger", "Beaver", "Bison", "Condor", "Cormorant", "Coyote", "Cricket", "Dolphin", "Falcon", "Ferret"),
    *("Firefly", "Gazelle", "Gecko", "Gibbon", "Heron", "Ibex", "Jackdaw", "Kestrel", "Kingfisher", "Lemur", "Lynx"),
    *("Magpie", "Manatee", "Marmot", "Narwhal", "Newt", "Nightjar", "Ocelot", "Octopus", "Osprey", "Otter", "Panda"),
    *("Pelican", "Penguin", "Plover", "Puffin", "Quokka", "Raccoon", "Sparrow", "Starling", "Stoat", "Tapir"),
    *("Toucan", "Turtle", "Walrus", "Wombat", "Yak", "Zebra"),
)


def cleaned(typed: str) -> str:
    """A typed name in one line, in the one way to write each character."""
    return " ".join(unicodedata.normalize("NFKC", typed).split())


def folded(text: str) -> str:
    """A text without what makes no difference to a reader: case, accents, spaces, hyphens and dots."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in plain if character.isalnum())


def problem_with(name: str, taken: Collection[str], real_names: Iterable[str]) -> str:
    """Why a cleaned name can't be chosen, in words, or "".

    `taken` are others' names on the leaderboard; `real_names` whatever would tell whose it is, or pretend to be
    somebody's: names, user names, e-mail addresses (of which only the part before the @ counts), numbers.
    """
    if not SHORTEST <= len(name) <= LONGEST:
        return f"Choose {SHORTEST} to {LONGEST} characters."
    if not _ALLOWED.fullmatch(name) or not folded(name):
        return "Choose letters and digits; spaces, hyphens, dots and apostrophes may be between them."
    if _tells(name, _parts(real_names)):
        return "That has a part of your name or account, or the name of somebody who teaches. Choose another one."
    if folded(name) in {folded(other) for other in taken}:
        return "Somebody on the leaderboard has that name, or one that looks like it."
    return ""


def suggestions(taken: Collection[str], real_names: Iterable[str], count: int = 4) -> list[str]:
    """Some names to choose from, drawn anew each time, that could all be chosen now."""
    gone, parts = {folded(other) for other in taken}, _parts(real_names)
    found: list[str] = []
    for place in random.sample(range(len(FIRST) * len(SECOND)), len(FIRST) * len(SECOND)):
        name = f"{FIRST[place // len(SECOND)]} {SECOND[place % len(SECOND)]}"
        if folded(name) not in gone and not _tells(name, parts):
            found.append(name)
        if len(found) == count:
            break
    return found


def _parts(real_names: Iterable[str]) -> set[str]:
    """The words of names, and each as a whole, folded."""
    found: set[str] = set()
    for text in real_names:
        own = text.partition("@")[0]
        found |= {folded(own), *(folded(part) for part in _WORD.findall(own))}
    return {part for part in found if len(part) > 1}


def _tells(name: str, parts: set[str]) -> bool:
    whole, words = folded(name), {folded(word) for word in _WORD.findall(name)}
    return any(part in words or part == whole or (len(part) >= NEVER_WITHIN and part in whole) for part in parts)
