"""Missions that people who teach write themselves stand in no chapter; their texts, and checks of them."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import missions.models.own


class Migration(migrations.Migration):
    dependencies = [
        ("missions", "0004_passes_index"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Check",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting"),
                            ("running", "running"),
                            ("finished", "finished"),
                            ("cancelled", "cancelled"),
                            ("failed", "failed"),
                            ("lost", "stopped on the way"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("source", models.JSONField()),
                ("digest", models.CharField(max_length=64)),
                ("asked_at", models.DateTimeField()),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                (
                    "heard_at",
                    models.DateTimeField(
                        blank=True, help_text="When the worker last said that it is at it.", null=True
                    ),
                ),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("is_cancel_asked", models.BooleanField(default=False)),
                ("share_done", models.FloatField(default=0, help_text="From 0 to 1.")),
                ("doing", models.CharField(blank=True, max_length=120)),
                ("result", models.JSONField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-asked_at", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="OwnMission",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "public_id",
                    models.CharField(
                        default=missions.models.own.new_public_id, editable=False, max_length=16, unique=True
                    ),
                ),
                ("text", models.TextField()),
                (
                    "title",
                    models.CharField(help_text="As the text says, or said when it last could be read.", max_length=120),
                ),
                ("version", models.PositiveIntegerField(default=1)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("changed_at", models.DateTimeField()),
                ("published_text", models.TextField(blank=True, default="")),
            ],
            options={
                "ordering": ["-changed_at"],
            },
        ),
        migrations.AlterModelOptions(
            name="mission",
            options={
                "ordering": [
                    models.OrderBy(models.F("chapter"), nulls_last=True),
                    models.OrderBy(models.F("position"), nulls_last=True),
                    "title",
                    "pk",
                ]
            },
        ),
        migrations.AlterModelOptions(
            name="progress",
            options={"ordering": ["mission"], "verbose_name_plural": "progress"},
        ),
        migrations.AddField(
            model_name="mission",
            name="source",
            field=models.CharField(
                choices=[("built_in", "built-in"), ("own", "own")], default="built_in", max_length=10
            ),
        ),
        migrations.AlterField(
            model_name="mission",
            name="chapter",
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
        migrations.AlterField(
            model_name="mission",
            name="position",
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
        migrations.AddConstraint(
            model_name="mission",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("chapter__isnull", False), ("position__isnull", False), ("source", "built_in")),
                    models.Q(("chapter", None), ("position", None), ("source", "own")),
                    _connector="OR",
                ),
                name="mission_stands_in_a_chapter_or_is_own",
            ),
        ),
        migrations.AddField(
            model_name="check",
            name="asked_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="ownmission",
            name="author",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="own_missions", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="ownmission",
            name="mission",
            field=models.OneToOneField(
                blank=True,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="own",
                to="missions.mission",
            ),
        ),
        migrations.AddField(
            model_name="check",
            name="own_mission",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="checks", to="missions.ownmission"
            ),
        ),
        migrations.AddConstraint(
            model_name="check",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ["waiting", "running"])),
                fields=("own_mission",),
                name="check_one_open_per_mission",
            ),
        ),
        migrations.AddConstraint(
            model_name="check",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("result__isnull", False), ("state", "finished")),
                    models.Q(models.Q(("state", "finished"), _negated=True), ("result__isnull", True)),
                    _connector="OR",
                ),
                name="check_finished_with_a_result",
            ),
        ),
    ]
