"""Checking a mission that somebody wrote: does its start fail, what does each star need, and what does luck earn?

    result = check_mission(definition, seeds, fresh, limits_for(definition.world), tell=print)

Pure: a definition and seeds in, plain JSON out; no user, no table. Nothing that comes out tells a seed: only means,
counts and margins. missions.tasks runs it outside of a request, and `manage.py check_mission` on a file.
"""

from missions.checking.check import RESULT_VERSION, check_mission
from missions.checking.digest import digest_of
from missions.checking.limits import FRESH_SETS, Limits, limits_for
from missions.checking.runs import Cancelled

__all__ = ["FRESH_SETS", "RESULT_VERSION", "Cancelled", "Limits", "check_mission", "digest_of", "limits_for"]
