"""All addresses of the site."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path

from unipo_site import views

admin.autodiscover()
# The admin site signs in through the same throttled page as everybody.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

urlpatterns = [
    path("", include("missions.urls")),
    path("", include("classroom.urls")),
    path("lab/", include("simulator.lab.urls")),
    path("runs/", include("simulator.explorer.urls")),
    path("algorithms/", include("simulator.explorer.algorithms_urls")),
    path("evidence/", include("simulator.evidence.urls")),
    path("account/", include("accounts.urls")),
    path("theme/", views.set_theme, name="set_theme"),
    path("privacy/", views.privacy, name="privacy"),
    path("favicon.ico", views.favicon),
    path("healthz", views.health, name="health"),
    path("admin/", admin.site.urls),
]
