"""Addresses of the account pages: those of django-allauth that this site has, and no others.

E-mail is never confirmed by a link and nobody signs in by a code, so those pages don't exist here. The names are
django-allauth's own, since its code looks them up.
"""

from allauth.account import views as allauth
from django.urls import path, re_path

from accounts import views

urlpatterns = [
    path("login/", allauth.login, name="account_login"),
    path("logout/", allauth.logout, name="account_logout"),
    path("signup/", allauth.signup, name="account_signup"),
    path("inactive/", allauth.account_inactive, name="account_inactive"),
    path("reauthenticate/", allauth.reauthenticate, name="account_reauthenticate"),
    path("email/", views.change_address, name="account_email"),
    path("password/change/", allauth.password_change, name="account_change_password"),
    path("password/reset/", allauth.password_reset, name="account_reset_password"),
    path("password/reset/done/", views.reset_asked_for, name="account_reset_password_done"),
    re_path(
        r"^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        allauth.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
]
