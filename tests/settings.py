"""The site's own settings with what tests need: a key of their own, quick passwords, unhashed static files."""

import atexit
import os
import shutil
import tempfile

import environ

# Neither the shell's nor a .env file's settings reach the tests, least of all a real data folder.
environ.Env.read_env = staticmethod(lambda *args, **kwargs: None)
for name in (
    "DEBUG",
    "SITE_URL",
    "EXTRA_HOSTS",
    "SIGN_UP_OPEN",
    "COURSE_CREATORS",
    "EVALUATION_SEED_SALT",
    "DATABASE_URL",
    "EMAIL_URL",
):
    os.environ.pop(name, None)
if "UNIPO_TEST_DIR" not in os.environ:
    # The parallel test processes inherit it from the first, which also clears it away.
    os.environ["UNIPO_TEST_DIR"] = tempfile.mkdtemp(prefix="unipo-test-")
    atexit.register(shutil.rmtree, os.environ["UNIPO_TEST_DIR"], ignore_errors=True)
os.environ["DATA_DIR"] = os.environ["UNIPO_TEST_DIR"]
os.environ["SECRET_KEY"] = "only-for-tests"

if "TEST_DATABASE_URL" in os.environ:
    os.environ["DATABASE_URL"] = os.environ["TEST_DATABASE_URL"]

from unipo_site.settings import *  # noqa: E402, F403
from unipo_site.settings import CACHES, DATA_DIR, DATABASES, STORAGES  # noqa: E402

if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # A file, as in an installation: the browser tests' server runs in its own threads, and only with a file do they
    # get connections of their own and real locks. Nothing has to survive a crash of the tests, so nothing waits for
    # the disk.
    DATABASES["default"]["TEST"] = {"NAME": str(DATA_DIR / "test.sqlite3")}
    DATABASES["default"]["OPTIONS"]["init_command"] = "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;"

# Test processes don't see each other's runs; what is kept is pickled all the same.
CACHES = {**CACHES, "runs": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "runs"}}
# Nothing runs by itself: tests ask for the work that they enqueued.
TASKS = {"default": {"BACKEND": "django_tasks.backends.dummy.DummyBackend"}}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
# Every test client builds the middleware anew; listing all static files each time would take most of the tests' time.
WHITENOISE_AUTOREFRESH = True
WHITENOISE_USE_FINDERS = True
