"""What is played: missions, attempts as they happened, progress as it follows from them, and drafts."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

HASH_HELP = "What decides the numbers of the run, its seeds apart; empty in attempts of an earlier version."
DIGEST_HELP = "Of the hidden seeds that it was graded on; empty when the evaluation may not be used again."
METRIC_HELP = "Metrics on the hidden evaluation seeds, the goals and the budgets as they were when this was graded."


class Mission(models.Model):
    """A mission that can be played; its definition is the parsed TOML, checked by missions.definition.

    Built-in ones are loaded from the catalogue and stand in a chapter. Own ones were written by somebody who teaches,
    see OwnMission; they stand in none, and which people they are shown to follows from missions.opening.
    """

    class Source(models.TextChoices):
        BUILT_IN = "built_in", "built-in"
        OWN = "own", "own"

    source = models.CharField(max_length=10, choices=Source, default=Source.BUILT_IN)
    slug = models.SlugField(max_length=60, unique=True)
    chapter = models.PositiveSmallIntegerField(null=True, blank=True)
    position = models.PositiveSmallIntegerField(null=True, blank=True)
    revision = models.PositiveIntegerField()
    title = models.CharField(max_length=120)
    definition = models.JSONField()
    grading_digest = models.CharField(max_length=64)
    evidence = models.JSONField(default=dict)
    is_retired = models.BooleanField(default=False)

    class Meta:
        ordering = [F("chapter").asc(nulls_last=True), F("position").asc(nulls_last=True), "title", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["chapter", "position"], condition=Q(is_retired=False), name="mission_one_per_place"
            ),
            models.CheckConstraint(
                condition=Q(source="built_in", chapter__isnull=False, position__isnull=False)
                | Q(source="own", chapter=None, position=None),
                name="mission_stands_in_a_chapter_or_is_own",
            ),
        ]

    def __str__(self) -> str:
        return self.title if self.is_own else f"{self.chapter}.{self.position} {self.title}"

    @property
    def is_own(self) -> bool:
        """Whether somebody who teaches wrote it; such a mission stands in no chapter."""
        return self.source == self.Source.OWN

    @property
    def numbered_title(self) -> str:
        """The title as lists of missions show it: with its number, if it has one."""
        return self.title if self.is_own else f"{self.position}. {self.title}"

    @property
    def mark(self) -> str:
        """What stands for it where there is little room: its number, or its title's initials."""
        if not self.is_own:
            return str(self.position)
        return "".join(word[0] for word in self.title.split()[:3]).upper()


class Attempt(models.Model):
    """One graded submission. Never changed after it is written: editing a mission does not move past scores."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="attempts")
    mission = models.ForeignKey(Mission, on_delete=models.PROTECT, related_name="attempts")
    number = models.PositiveIntegerField(help_text="1 for this student's first try at this mission.")
    submission_token = models.UUIDField()
    created_at = models.DateTimeField()
    mission_revision = models.PositiveIntegerField()
    engine_version = models.CharField(max_length=20)
    run_hash = models.CharField(max_length=64, blank=True, default="", help_text=HASH_HELP)
    seeds_digest = models.CharField(max_length=64, blank=True, default="", help_text=DIGEST_HELP)
    setup = models.JSONField()
    display_seed = models.PositiveBigIntegerField()
    prediction = models.PositiveSmallIntegerField(null=True, blank=True)
    evaluation = models.JSONField(help_text=METRIC_HELP)
    sampled_responses = models.PositiveIntegerField()
    passed = models.BooleanField()
    stars = models.PositiveSmallIntegerField()
    duration_ms = models.FloatField()

    class Meta:
        ordering = ["-created_at", "-number"]
        indexes = [
            models.Index(fields=["mission", "run_hash"], name="attempt_by_run"),
            # All that scores ask of attempts, without the setups and evaluations that make the table large.
            models.Index(
                fields=["user", "mission", "stars", "created_at", "number"],
                condition=Q(passed=True),
                name="attempt_passes",
            ),
            # All that activity over time asks of them.
            models.Index(fields=["user", "mission", "created_at"], name="attempt_by_time"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["user", "submission_token"], name="attempt_one_per_token"),
            models.UniqueConstraint(fields=["user", "mission", "number"], name="attempt_numbers_unique"),
            models.CheckConstraint(condition=Q(stars__lte=3), name="attempt_at_most_three_stars"),
            models.CheckConstraint(condition=Q(passed=True) | Q(stars=0), name="attempt_stars_need_a_pass"),
            models.CheckConstraint(condition=Q(number__gte=1), name="attempt_numbers_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.user} · {self.mission} · try {self.number}"


class Progress(models.Model):
    """How far one student is with one mission; follows from the attempts, see missions.progress."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="progress")
    mission = models.ForeignKey(Mission, on_delete=models.PROTECT, related_name="progress")
    unlocked_at = models.DateTimeField(null=True, blank=True)
    passed_at = models.DateTimeField(null=True, blank=True)
    best_stars = models.PositiveSmallIntegerField(default=0)
    fewest_responses = models.PositiveIntegerField(
        null=True, blank=True, help_text="Over the passes with best_stars stars."
    )
    tries = models.PositiveIntegerField(default=0)
    gained_at_try = models.PositiveIntegerField(
        default=0, help_text="Number of the try that brought the best stars, or the pass; 0 before there is one."
    )
    last_tried_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["mission"]
        verbose_name_plural = "progress"
        constraints = [
            models.UniqueConstraint(fields=["user", "mission"], name="progress_one_per_mission"),
            models.CheckConstraint(condition=Q(best_stars__lte=3), name="progress_at_most_three_stars"),
            models.CheckConstraint(
                condition=Q(passed_at__isnull=False, fewest_responses__isnull=False)
                | Q(passed_at__isnull=True, fewest_responses__isnull=True, best_stars=0),
                name="progress_stars_need_a_pass",
            ),
            models.CheckConstraint(condition=Q(gained_at_try__lte=models.F("tries")), name="progress_gained_at_a_try"),
        ]

    def __str__(self) -> str:
        return f"{self.user} · {self.mission}: {self.best_stars} stars"

    @property
    def tries_without_gain(self) -> int:
        """Tries since the last one that passed for the first time or brought a new star."""
        return self.tries - self.gained_at_try


class Draft(models.Model):
    """Settings typed but not yet trained, so that leaving the page loses nothing."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="drafts")
    mission = models.ForeignKey(Mission, on_delete=models.CASCADE, related_name="drafts")
    fields = models.JSONField(default=dict, help_text="Form fields as typed, also those that are not valid yet.")
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "mission"], name="draft_one_per_mission")]

    def __str__(self) -> str:
        return f"{self.user} · {self.mission}: draft"
