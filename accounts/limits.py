"""How often something may happen: wrong passwords per account, sign-ups and reset links per sender.

django-allauth counts in the cache under a lock that every waiting request polls by writing. With the database as the
cache, a lecture hall signing up made 40 writers chase one lock: one request in ten was refused and a few found the
database locked for 20 s. Here a count is one row and one UPDATE, nothing waits, and a right password writes nothing.
"""

from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from math import ceil

from django.db.models import F, QuerySet
from django.utils import timezone

from accounts.models import Tally


@dataclass(frozen=True)
class Limit:
    """At most `most` times in `window`, counted from the first time on."""

    name: str
    most: int
    window: timedelta

    def wait(self, who: str) -> str:
        """Return how long `who` has to wait, in words ("in 5 minutes"), or "" if not at all."""
        start = timezone.now() - self.window
        tally = self._tallies(who).filter(since__gt=start, count__gte=self.most).first()
        if tally is None:
            return ""
        minutes = ceil((tally.since - start).total_seconds() / 60)
        return "in a minute" if minutes <= 1 else f"in {minutes} minutes"

    def count(self, who: str) -> None:
        """Count one more. Requests that are checked before the others count may exceed the limit by a few."""
        now = timezone.now()
        over = now - self.window
        if self._tallies(who).filter(since__gt=over).update(count=F("count") + 1):
            return
        Tally.objects.filter(what=self.name, since__lte=over).delete()
        self._tallies(who).update_or_create(what=self.name, who=_key(who), defaults={"since": now, "count": 1})

    def forget(self, who: str) -> None:
        self._tallies(who).delete()

    def _tallies(self, who: str) -> QuerySet[Tally]:
        return Tally.objects.filter(what=self.name, who=_key(who))


def _key(who: str) -> str:
    # A hash: names and addresses that were typed are nobody's business here, and may be of any length.
    return sha256(who.encode()).hexdigest()


# Per account and not per sender: a hall signs in from one address, and one student must not lock it out.
WRONG_PASSWORDS = Limit("wrong password", 10, timedelta(minutes=5))
# Against a flooded mailbox, and against a flooded site; high enough for the largest hall.
RESET_LINKS = Limit("reset link", 5, timedelta(minutes=15))
RESETS = Limit("reset", 600, timedelta(minutes=10))
SIGN_UPS = Limit("sign-up", 600, timedelta(minutes=10))
