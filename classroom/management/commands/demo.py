"""Make a course to look around in, with invented students whose attempts are real runs."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from classroom.demo.build import PREFIX, DemoExistsError, build_demo, remove_demo
from classroom.models import Course


def addresses(course: Course) -> list[tuple[str, str]]:
    """The pages to look at, each with what it shows."""
    here = (course.public_id,)
    mission = (*here, course.assignments.select_related("mission")[0].mission.slug)
    return [
        ("the course", reverse("course", args=here)),
        ("who is where", reverse("course_progress", args=here)),
        ("the term so far", reverse("course_summary", args=here)),
        ("one mission", reverse("course_mission", args=mission)),
        ("the wall of the lecture", reverse("course_projector", args=mission)),
        ("grades", reverse("course_grades", args=here)),
    ]


class Command(BaseCommand):
    help = "Build a demo course with invented students and a term of attempts; print how to sign in."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--students", type=int, default=40, help="how many students (default: 40)")
        parser.add_argument("--seed", type=int, default=1, help="another seed makes another class (default: 1)")
        parser.add_argument("--replace", action="store_true", help="take an earlier demo away first")
        parser.add_argument("--remove", action="store_true", help="only take the demo away")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["replace"] or options["remove"]:
            self.stdout.write(f"Removed the demo and its {remove_demo()} people.")
            if options["remove"]:
                return
        if options["students"] < 1:
            raise CommandError("A course needs at least one student.")
        try:
            built = build_demo(options["students"], options["seed"], self.stdout.write)
        except DemoExistsError:
            raise CommandError(
                f"There is a demo already (accounts that begin with {PREFIX}). Another one: --replace; none: --remove."
            ) from None
        except ValueError as error:
            raise CommandError(str(error)) from error
        site = settings.SITE_URL.rstrip("/")
        self.stdout.write("")
        self.stdout.write(f"{built.course}: {options['students']} students, {built.attempts:,} attempts")
        for name, address in addresses(built.course):
            self.stdout.write(f"  {name:<32} {site}{address}")
        self.stdout.write("Sign in as one of these; the passwords are shown only now:")
        for username, password in built.passwords.items():
            self.stdout.write(f"  {username:<32} {password}")
