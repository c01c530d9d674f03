"""Keep with progress which try brought the best stars and when the last one was, so that a class is read in one query."""

from typing import Any

from django.conf import settings
from django.db import migrations, models


def fill(apps: Any, schema_editor: Any) -> None:
    """Read both off the attempts that are there."""
    progress_model, attempt_model = apps.get_model("missions", "Progress"), apps.get_model("missions", "Attempt")
    for row in progress_model.objects.filter(tries__gt=0).iterator():
        gained, best = 0, -1
        attempts = attempt_model.objects.filter(user_id=row.user_id, mission_id=row.mission_id).order_by("number")
        for number, attempt in enumerate(attempts.only("passed", "stars", "created_at"), start=1):
            if attempt.passed and attempt.stars > best:
                gained, best = number, attempt.stars
            row.last_tried_at = attempt.created_at
        row.gained_at_try = min(gained, row.tries)
        row.save(update_fields=["gained_at_try", "last_tried_at"])


class Migration(migrations.Migration):
    dependencies = [
        ("missions", "0002_graded_once"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="progress",
            name="gained_at_try",
            field=models.PositiveIntegerField(
                default=0,
                help_text="Number of the try that brought the best stars, or the pass; 0 before there is one.",
            ),
        ),
        migrations.AddField(
            model_name="progress",
            name="last_tried_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
        migrations.AddConstraint(
            model_name="progress",
            constraint=models.CheckConstraint(
                condition=models.Q(gained_at_try__lte=models.F("tries")), name="progress_gained_at_a_try"
            ),
        ),
    ]
