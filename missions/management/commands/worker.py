"""Run what waits in the queue: the checks of missions that people who teach write."""

import logging
import signal
import sys
from types import FrameType
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser
from django.utils.crypto import get_random_string
from django_tasks_db.management.commands.db_worker import Worker

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP)


class StoppingWorker(Worker):
    """A worker that ends as soon as it is told to. A check that it is at goes back into the queue, see missions.tasks.

    The library's own would first end its task, which may take minutes, and be killed before that.
    """

    def configure_signals(self) -> None:
        for number in STOPS:
            signal.signal(number, self.shutdown)

    def shutdown(self, signum: int, frame: FrameType | None) -> None:
        self.running = False
        # Once: whatever is put in order on the way out must not be interrupted as well.
        for number in STOPS:
            signal.signal(number, signal.SIG_IGN)
        sys.exit(0)


class Command(BaseCommand):
    help = "Run the checks that wait, one after the other. A site needs one; more may run beside it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--batch", action="store_true", help="end once nothing waits any more")
        parser.add_argument("--interval", type=float, default=1.0, help="seconds between two looks at the queue")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["verbosity"]:
            for name in ("django_tasks", "django_tasks_db"):
                logging.getLogger(name).setLevel(logging.WARNING)
        worker = StoppingWorker(
            queue_names=["*"],
            excluded_queue_names=[],
            interval=options["interval"],
            batch=options["batch"],
            backend_name="default",
            startup_delay=False,
            max_tasks=None,
            worker_id=get_random_string(32),
        )
        # What was done two weeks ago and longer needs no row any more.
        call_command("prune_db_task_results", queue_name="*", verbosity=0)
        worker.configure_signals()
        worker.run()
