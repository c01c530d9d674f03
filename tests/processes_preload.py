"""What the processes of `tests.processes` have in common: the code, loaded once, and no open connection."""

import os

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"

import django

django.setup()

from django.urls import get_resolver  # noqa: E402

# Loads the views and, with them, everything else.
get_resolver().url_patterns  # noqa: B018
