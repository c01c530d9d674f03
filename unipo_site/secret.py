"""The signing key of an installation: made once, kept in the data folder, never shipped."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.core.management.utils import get_random_secret_key


def read_or_create_secret(path: Path) -> str:
    """Return the key kept in `path`, making a random one (mode 0600) on first use.

    Several processes may start at once, so the file is created exclusively: whoever loses the race reads the
    winner's key. Raises ImproperlyConfigured when the folder can't be written or the file is empty.
    """
    try:
        if path.exists():
            return _checked(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        # Written whole under another name and then linked: a reader never sees half a key.
        # The name is random, not the process number: two containers on one volume may both be process 1.
        descriptor, draft = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)
        try:
            with os.fdopen(descriptor, "w") as file:
                file.write(get_random_secret_key())
            with suppress(FileExistsError):
                os.link(draft, path)
        finally:
            os.unlink(draft)
        return _checked(path)
    except OSError as error:
        raise ImproperlyConfigured(
            f"Set SECRET_KEY, or make {path.parent} writable so that a key can be kept there ({error})."
        ) from error


def _checked(path: Path) -> str:
    key = path.read_text().strip()
    if not key:
        raise ImproperlyConfigured(f"{path} is empty. Remove it, or set SECRET_KEY.")
    return key
