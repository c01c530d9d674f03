"""Index the passes by what scores ask of them: a class's grades are then read without touching setups or evaluations."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("missions", "0003_tries_without_gain"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(
                condition=models.Q(("passed", True)),
                fields=["user", "mission", "stars", "created_at", "number"],
                name="attempt_passes",
            ),
        ),
    ]
