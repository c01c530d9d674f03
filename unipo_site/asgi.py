"""The ASGI application, for operators who prefer an ASGI server."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "unipo_site.settings")

application = get_asgi_application()
