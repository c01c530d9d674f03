"""Settings of UNIPO Missions: everything an operator may change comes from the environment (see .env.example).

Safe by default: DEBUG is off unless asked for, no secret has a default, and one address (SITE_URL) decides which
hosts are served, whether cookies are secure and whether plain HTTP is redirected.
"""

from pathlib import Path
from urllib.parse import urlsplit

import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from unipo_site.secret import read_or_create_secret

BASE_DIR = Path(__file__).resolve().parent.parent

env = environ.Env()
environ.Env.read_env(BASE_DIR / ".env")

# --- this installation -------------------------------------------------------------------------------------------
DEBUG = env.bool("DEBUG", default=False)
DATA_DIR = Path(env.str("DATA_DIR", default=str(BASE_DIR / "var"))).expanduser()
SECRET_KEY = env.str("SECRET_KEY", default="") or read_or_create_secret(DATA_DIR / "secret_key")

SITE_URL = env.str("SITE_URL", default="http://localhost:8000").rstrip("/")
_site = urlsplit(SITE_URL)
if _site.scheme not in ("http", "https") or not _site.hostname:
    raise ImproperlyConfigured(f"SITE_URL must look like https://missions.example.edu, not {SITE_URL!r}.")
IS_HTTPS = _site.scheme == "https"

ALLOWED_HOSTS = [_site.hostname, *env.list("EXTRA_HOSTS", default=[])]
if _site.hostname in ("localhost", "127.0.0.1"):
    ALLOWED_HOSTS += ["localhost", "127.0.0.1", "[::1]"]
CSRF_TRUSTED_ORIGINS = [SITE_URL] if IS_HTTPS else []

# --- security ----------------------------------------------------------------------------------------------------
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = IS_HTTPS
SESSION_COOKIE_AGE = 60 * 60 * 24 * 30
SECURE_SSL_REDIRECT = IS_HTTPS
SECURE_HSTS_SECONDS = env.int("HSTS_SECONDS", default=60 * 60 * 24 * 30) if IS_HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = env.bool("HSTS_INCLUDE_SUBDOMAINS", default=False)
SECURE_HSTS_PRELOAD = False
SECURE_REFERRER_POLICY = "same-origin"
# These two ask for promises about a whole domain that a course server can't make for its university.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
TRUSTED_PROXIES = env.int("TRUSTED_PROXIES", default=0)
if TRUSTED_PROXIES:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "unipo_site.views.csrf_failure"

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

# --- what runs ---------------------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "accounts",
    "classroom",
    "missions",
    "simulator",
    "allauth",
    "allauth.account",
    "auditlog",
    "csp",
    "django_htmx",
    "django_tasks",
    "django_tasks_db",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    # A mission page is 100 kB of markup, and a lecture hall shares one access point. Django pads what it compresses
    # and masks its tokens, so that sizes give nothing away.
    "django.middleware.gzip.GZipMiddleware",
    "unipo_site.middleware.CacheRulesMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "unipo_site.middleware.HtmxRedirectMiddleware",
    "unipo_site.middleware.FormAddressMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    # Knows who changes something, for the log of what instructors and administrators changed.
    "auditlog.middleware.AuditlogMiddleware",
]

# Who changed what is kept; from where they did it is nobody's business, and a header of the visitor's making is not
# stored at all.
AUDITLOG_DISABLE_REMOTE_ADDR = True
AUDITLOG_CID_HEADER = None

ROOT_URLCONF = "unipo_site.urls"
WSGI_APPLICATION = "unipo_site.wsgi.application"
ASGI_APPLICATION = "unipo_site.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "unipo_site.context.site",
                "missions.context.stars",
                "classroom.navigation.courses",
            ],
        },
    },
]

# --- data --------------------------------------------------------------------------------------------------------
DATABASES = {"default": env.db("DATABASE_URL", default=f"sqlite:///{DATA_DIR / 'unipo.sqlite3'}")}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # A class submits at once. WAL lets readers go on beside the writer; IMMEDIATE takes the write lock when a
    # transaction starts, where waiting works, instead of at its first write, where SQLite can only give up.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
else:
    DATABASES["default"]["CONN_MAX_AGE"] = 60
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True

CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    # Long runs that are being trained, a little in each request: all processes share them. Each is about a megabyte.
    "runs": {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": DATA_DIR / "runs",
        "TIMEOUT": 15 * 60,
        "OPTIONS": {"MAX_ENTRIES": 64},
    },
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Long work goes to a worker process, `manage.py worker`, by way of the database.
TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}

# --- accounts ----------------------------------------------------------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
# Django's own backend beside this one would hash every wrong password twice.
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
# Memory-hard, and it takes 0.6 of PBKDF2's time: a lecture hall signs in within minutes, on two cores.
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.ScryptPasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
SIGN_UP_OPEN = env.bool("SIGN_UP_OPEN", default=True)
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "map"
LOGOUT_REDIRECT_URL = "home"
ACCOUNT_ADAPTER = "accounts.adapter.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_UNIQUE_EMAIL = True
ACCOUNT_SESSION_REMEMBER = None  # the sign-in page asks
ACCOUNT_FORMS = {
    "login": "accounts.forms.SignInForm",
    "signup": "accounts.forms.SignUpForm",
    "change_password": "accounts.forms.ChangePasswordForm",
    "reset_password": "accounts.forms.ResetPasswordForm",
    "reset_password_from_key": "accounts.forms.ResetPasswordKeyForm",
    "reauthenticate": "accounts.forms.ReauthenticateForm",
}
ACCOUNT_REAUTHENTICATION_METHODS = ["password"]
ACCOUNT_LOGIN_ON_PASSWORD_RESET = True
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False  # strangers get no mail because somebody typed their address
ACCOUNT_EMAIL_SUBJECT_PREFIX = "UNIPO Missions: "
ACCOUNT_DEFAULT_HTTP_PROTOCOL = _site.scheme
ACCOUNT_RATE_LIMITS = False  # accounts.limits says why
ALLAUTH_TRUSTED_PROXY_COUNT = TRUSTED_PROXIES

EMAIL_CONFIG = env.email("EMAIL_URL", default="consolemail://")
vars().update(EMAIL_CONFIG)
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default=f"UNIPO Missions <noreply@{_site.hostname}>")

# --- courses -----------------------------------------------------------------------------------------------------
# "granted": administrators let accounts create courses, at /admin/. "anyone": everybody who is signed in.
COURSE_CREATORS = env.str("COURSE_CREATORS", default="granted")
if COURSE_CREATORS not in ("granted", "anyone"):
    raise ImproperlyConfigured(f"COURSE_CREATORS must be granted or anyone, not {COURSE_CREATORS!r}.")

# --- grading -----------------------------------------------------------------------------------------------------
# Makes the hidden evaluation seeds this installation's own. Empty: the set the missions were verified on.
EVALUATION_SEED_SALT = env.str("EVALUATION_SEED_SALT", default="")
# A check of a mission that somebody wrote ends after so many seconds with what it has found.
CHECK_SECONDS = env.float("CHECK_SECONDS", default=600.0)

# --- pages -------------------------------------------------------------------------------------------------------
LANGUAGE_CODE = "en-us"
TIME_ZONE = env.str("TIME_ZONE", default="UTC")
USE_I18N = True
USE_TZ = True
USE_THOUSAND_SEPARATOR = False

STATIC_URL = "static/"
STATIC_ROOT = BASE_DIR / "static_root"
# static_vendor is filled from npm packages by `make assets`; nothing of it is committed.
STATICFILES_DIRS = [BASE_DIR / "static", BASE_DIR / "static_vendor"]
ICONS_DIR = BASE_DIR / "static_vendor" / "icons"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", default="INFO")},
}
