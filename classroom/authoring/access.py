"""Own missions are fetched here and nowhere else, together with the right to write missions."""

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.http import Http404

from classroom.models import Membership, Role
from missions.models import OwnMission

# No public id is longer; nothing longer is looked for.
LONGEST_ID = 16


def may_write_missions(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Whether somebody may write missions, and so read what is known to earn stars in the built-in ones.

    Those whom an administrator let create courses may, and whoever they made an instructor. Where anybody may create
    a course, being an instructor says nothing: it must not be a way for students to look up the answers.
    """
    if not user.is_authenticated:
        return False
    if user.has_perm("classroom.add_course"):  # type: ignore[union-attr]
        return True
    teaches = Membership.objects.current().filter(user=user.pk, role__in=(Role.INSTRUCTOR, Role.OWNER))
    return settings.COURSE_CREATORS == "granted" and teaches.exists()


def own_mission_for(user: AbstractBaseUser | AnonymousUser, public_id: str) -> OwnMission:
    """Fetch an own mission for its author, or for an administrator. Raises Http404 for everybody else."""
    if not may_write_missions(user) or len(public_id) > LONGEST_ID:
        raise Http404("No such mission")
    found = OwnMission.objects.select_related("mission").defer("mission__evidence").filter(public_id=public_id)
    if not user.is_superuser:  # type: ignore[union-attr]
        found = found.filter(author=user.pk)
    own = found.first()
    if own is None:
        raise Http404("No such mission")
    return own
