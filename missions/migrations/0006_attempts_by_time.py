"""Index when attempts were made: a class's activity is then read without touching setups or evaluations."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("missions", "0005_own_missions"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(fields=["user", "mission", "created_at"], name="attempt_by_time"),
        ),
    ]
