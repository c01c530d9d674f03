"""Who may look at a try's run: whoever made it, and whom a rule of another part of the site lets look."""

from collections.abc import Callable

from django.contrib.auth.models import AbstractUser
from django.http import Http404

from missions.models import Attempt

# Of somebody and an attempt of another person: whether they may look at it. Asked one after the other.
Rule = Callable[[AbstractUser, Attempt], bool]
_rules: list[Rule] = []
LARGEST_KEY = 2**63 - 1


def let_look(rule: Rule) -> None:
    """Let those look at a try whom `rule` names, from now on."""
    if rule not in _rules:
        _rules.append(rule)


def attempt_for(user: AbstractUser, pk: int) -> Attempt:
    """Fetch a try for somebody who may look at its run. Raises Http404, whether it is not there or not for them."""
    attempt = Attempt.objects.select_related("mission", "user").filter(pk=pk).first() if pk <= LARGEST_KEY else None
    if attempt is None or not (attempt.user_id == user.pk or any(rule(user, attempt) for rule in _rules)):
        raise Http404("No such try")
    return attempt
