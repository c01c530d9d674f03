"""Missions that people who teach write themselves, and the checks of them."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.crypto import get_random_string

from missions.models.played import Mission

# Without what reads alike (0 o, 1 i l) and in one case: an address may be read out.
PUBLIC_ID_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
PUBLIC_ID_LENGTH = 10
OWN_SLUG = "own-"
"""How the slug of every own mission begins; no mission of the catalogue may be called so."""

LONGEST_TITLE = 120
# A running check says that it is alive once a second; the longest single run takes some ten seconds.
SILENT_FOR = timedelta(minutes=2)


def new_public_id() -> str:
    """Return an own mission's name in addresses: 49 random bits, so that it tells nothing and can't be counted up."""
    return get_random_string(PUBLIC_ID_LENGTH, PUBLIC_ID_ALPHABET)


class OwnMission(models.Model):
    """The text of a mission that somebody writes, valid or not, and what it was published as.

    `mission` is what students play; it stays as it was published, whatever becomes of the text. `version` grows with
    every change of the text, so that a page that is out of date can't overwrite a newer one.
    """

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="own_missions")
    text = models.TextField()
    title = models.CharField(
        max_length=LONGEST_TITLE, help_text="As the text says, or said when it last could be read."
    )
    version = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField()
    mission = models.OneToOneField(
        Mission, null=True, blank=True, editable=False, on_delete=models.PROTECT, related_name="own"
    )
    published_text = models.TextField(blank=True, default="")

    class Meta:
        ordering = ["-changed_at"]

    def __str__(self) -> str:
        return self.title

    @property
    def slug(self) -> str:
        """What its mission is called in addresses."""
        return f"{OWN_SLUG}{self.public_id}"

    @property
    def is_published_as_it_is(self) -> bool:
        """Whether students play the text as it is now, once it is published to their course."""
        return self.mission_id is not None and self.text == self.published_text


class Check(models.Model):
    """One check of an own mission: what was checked, how far it is, and what it found.

    `source` is the definition as it was, so that the text may change meanwhile; `digest` is of all in it that decides
    what a check finds. `result` is made by missions.checking and holds no hidden seed. Only one check of a mission can
    be open.
    """

    class State(models.TextChoices):
        WAITING = "waiting", "waiting"
        RUNNING = "running", "running"
        FINISHED = "finished", "finished"
        CANCELLED = "cancelled", "cancelled"
        FAILED = "failed", "failed"
        LOST = "lost", "stopped on the way"

    OPEN = (State.WAITING, State.RUNNING)

    own_mission = models.ForeignKey(OwnMission, on_delete=models.CASCADE, related_name="checks")
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    source = models.JSONField()
    digest = models.CharField(max_length=64)
    asked_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    heard_at = models.DateTimeField(null=True, blank=True, help_text="When the worker last said that it is at it.")
    ended_at = models.DateTimeField(null=True, blank=True)
    is_cancel_asked = models.BooleanField(default=False)
    share_done = models.FloatField(default=0, help_text="From 0 to 1.")
    doing = models.CharField(max_length=120, blank=True)
    result = models.JSONField(null=True, blank=True)

    class Meta:
        ordering = ["-asked_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["own_mission"], condition=Q(state__in=["waiting", "running"]), name="check_one_open_per_mission"
            ),
            models.CheckConstraint(
                condition=Q(state="finished", result__isnull=False) | (~Q(state="finished") & Q(result__isnull=True)),
                name="check_finished_with_a_result",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.own_mission}: check {self.state}"

    @property
    def is_open(self) -> bool:
        return self.state in self.OPEN

    def is_silent(self, now: datetime) -> bool:
        """Whether it should be running and its worker has said nothing for long: it was stopped on the way."""
        heard = self.heard_at or self.started_at
        return self.state == self.State.RUNNING and heard is not None and now - heard > SILENT_FOR

    @property
    def seconds(self) -> float:
        """How long it has run, or ran."""
        if self.started_at is None:
            return 0.0
        return ((self.ended_at or timezone.now()) - self.started_at).total_seconds()
