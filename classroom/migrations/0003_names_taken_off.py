"""A name that an owner took off the leaderboard is remembered, so that it isn't chosen again."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("classroom", "0002_publications")]

    operations = [
        migrations.AddField(
            model_name="membership",
            name="name_taken_off",
            field=models.CharField(
                blank=True,
                help_text="A name that an owner took off the leaderboard; not to be chosen again.",
                max_length=30,
            ),
        ),
    ]
