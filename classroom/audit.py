"""The log of what instructors and administrators changed in a course.

django-auditlog writes it, whichever page or command makes the change. Who joined, left or got another role is on
record as MembershipEvents anyhow, so memberships are not written twice; `changes_in` reads both.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from auditlog.models import LogEntry
from auditlog.registry import auditlog
from django.db.models import Model
from django.db.models.signals import post_delete, pre_delete
from django.utils import timezone

from accounts.models import User
from classroom.models import (
    Assignment,
    Course,
    Extension,
    JoinLink,
    Membership,
    MembershipEvent,
    Publication,
    UnlockOverride,
)

# Fields that change by themselves or say nothing to a reader.
_UNSAID = {"id", "public_id", "created_at", "granted_at", "course", "joined", "code"}
# What no one but the log knows: which attribute of a deleted user carries the keys of what goes with them.
_KEPT_KEYS = "_audit_keys"


@dataclass(frozen=True)
class Change:
    """Something that was changed: when, by whom ("" when nobody is known), what, and from what to what."""

    at: datetime
    by: str
    what: str
    details: tuple[tuple[str, str, str], ...] = ()


def start_logging() -> None:
    """Log changes of everything that decides what students see and earn."""
    for model, unlogged in (
        (Course, ["created_at"]),
        # How many joined is not a change by an instructor.
        (JoinLink, ["joined", "created_at"]),
        (Assignment, []),
        (Extension, ["granted_at"]),
        (UnlockOverride, ["granted_at"]),
        (Publication, ["published_at", "published_by"]),
    ):
        auditlog.register(model, exclude_fields=unlogged)
    pre_delete.connect(_note_what_goes, sender=User, dispatch_uid="classroom.audit.note")
    post_delete.connect(_forget_person, sender=User, dispatch_uid="classroom.audit.forget")
    post_delete.connect(_forget_course, sender=Course, dispatch_uid="classroom.audit.course")


def changes_in(course: Course, most: int, before: datetime | None = None) -> list[Change]:
    """The latest changes of a course, newest first."""
    entries = LogEntry.objects.filter(additional_data__course=course.public_id).select_related("actor")
    events = MembershipEvent.objects.filter(membership__course=course).select_related("membership__user", "by")
    if before is not None:
        entries, events = entries.filter(timestamp__lt=before), events.filter(at__lt=before)
    found = [_of_entry(entry) for entry in entries.select_related("content_type").order_by("-timestamp", "-pk")[:most]]
    found += [_of_event(event) for event in events.order_by("-at", "-pk")[:most]]
    found.sort(key=lambda change: change.at, reverse=True)
    return found[:most]


def _of_entry(entry: LogEntry) -> Change:
    model: Any = entry.content_type.model_class()
    verb = {LogEntry.Action.CREATE: "added", LogEntry.Action.DELETE: "removed"}.get(entry.action, "changed")
    noun = str(model._meta.verbose_name) if model else "something"
    details = []
    for name, values in (entry.changes or {}).items():
        if name in _UNSAID or not isinstance(values, list):
            continue
        old, new = (_said(value) for value in values)
        if entry.action == LogEntry.Action.UPDATE:
            details.append((name.replace("_", " "), old, new))
    about = (entry.additional_data or {}).get("about", "")
    return Change(
        entry.timestamp, str(entry.actor or ""), f"{noun} {verb}" + (f": {about}" if about else ""), (*details,)
    )


def _said(value: object) -> str:
    """A logged value as a reader wants it: a moment in the page's own time zone."""
    text = "" if value in ("None", None) else str(value)
    try:
        at = datetime.fromisoformat(text) if len(text) > 10 else None
    except ValueError:
        return text
    if at is None:
        return text
    # The log holds moments in UTC, without saying so.
    return f"{timezone.localtime(at if timezone.is_aware(at) else at.replace(tzinfo=UTC)):%b %-d, %Y, %H:%M}"


def _of_event(event: MembershipEvent) -> Change:
    by = "" if event.by is None else str(event.by)
    what = f"{event.membership.display_name} {event.get_kind_display()}"
    via = f" {event.get_via_display()}" if event.via else ""
    return Change(event.at, by, f"{what}{via}, as {event.get_role_display()}")


def _note_what_goes(sender: type[Model], instance: User, **kwargs: Any) -> None:
    setattr(instance, _KEPT_KEYS, list(Membership.objects.filter(user=instance).values_list("pk", flat=True)))


def _forget_person(sender: type[Model], instance: User, **kwargs: Any) -> None:
    """With a person goes what the log says about them, also what their own deletion wrote into it."""
    LogEntry.objects.filter(additional_data__member__in=getattr(instance, _KEPT_KEYS, [])).delete()
    LogEntry.objects.filter(actor=None, actor_email=instance.email).update(actor_email=None)


def _forget_course(sender: type[Model], instance: Course, **kwargs: Any) -> None:
    """With a course goes its log, but for the line that says who erased it."""
    about = LogEntry.objects.filter(additional_data__course=instance.public_id)
    about.exclude(action=LogEntry.Action.DELETE, content_type__model="course").delete()
