"""A database for the time of a measurement, beside the installation's and of the same kind."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from django.db import connection
from django.utils.crypto import get_random_string


class NoDatabaseError(Exception):
    """The database server gives this account no database of its own."""


@contextmanager
def throwaway_database() -> Iterator[None]:
    """Let `connection` lead to a new, migrated database inside the block, and to the installation's after it.

    Django makes it as it does for tests: with SQLite a file in a temporary folder, with PostgreSQL a database beside
    the installation's, for which the account needs CREATEDB. Raises NoDatabaseError.
    """
    settings = connection.settings_dict
    own, own_test_name = settings["NAME"], settings["TEST"]["NAME"]
    with TemporaryDirectory(prefix="unipo-benchmark-") as folder:
        if connection.vendor == "sqlite":
            name = str(Path(folder) / "class.sqlite3")
        else:
            name = "unipo_benchmark_" + get_random_string(10, "abcdefghjkmnpqrstuvwxyz")
        settings["TEST"]["NAME"] = name
        try:
            try:
                connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
            except SystemExit as error:
                raise NoDatabaseError from error
            yield
        finally:
            if settings["NAME"] == name:
                connection.creation.destroy_test_db(own, verbosity=0)
            settings["TEST"]["NAME"] = own_test_name


def settle() -> str:
    """Do what a PostgreSQL server does by itself within minutes of so many writes; return the size in words."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
            cursor.execute("SELECT pg_database_size(current_database())")
            size = cursor.fetchone()[0]
    else:
        size = Path(connection.settings_dict["NAME"]).stat().st_size
    return f"{size / 1e6:,.0f} MB"
