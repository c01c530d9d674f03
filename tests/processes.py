"""Real server-like processes on the test database, for races that threads in one process would hide."""

import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context


def process_pool(count: int) -> ProcessPoolExecutor:
    """Return `count` separate Python processes with Django set up on this test's database.

    The test must be transactional, or the processes don't see what it wrote.
    """
    from django.db import connection

    # Not forked from this process, which would share open SQLite connections and corrupt them, but from a server that
    # has only loaded the code.
    context = get_context("forkserver")
    context.set_forkserver_preload(["tests.processes_preload"])
    return ProcessPoolExecutor(
        count,
        mp_context=context,
        initializer=_set_up,
        initargs=(connection.settings_dict["NAME"],),
    )


def _set_up(database: str) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django
    from django.conf import settings

    settings.DATABASES["default"]["NAME"] = database
    # As pytest-django does for the test process: the test client asks for this host.
    settings.ALLOWED_HOSTS = [*settings.ALLOWED_HOSTS, "testserver"]
    django.setup()
