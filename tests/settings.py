"""The site's own settings with what tests need: a key of their own, quick passwords, unhashed static files."""

import os
import tempfile

os.environ.setdefault("SECRET_KEY", "only-for-tests")
os.environ.setdefault("DATA_DIR", tempfile.mkdtemp(prefix="unipo-test-"))
for name in ("DEBUG", "SITE_URL", "SIGN_UP_OPEN", "EVALUATION_SEED_SALT"):
    os.environ.pop(name, None)

from unipo_site.settings import *  # noqa: E402, F403
from unipo_site.settings import STORAGES  # noqa: E402

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
WHITENOISE_AUTOREFRESH = True
WHITENOISE_USE_FINDERS = True
