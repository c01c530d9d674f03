"""The account forms: django-allauth's, with this site's words, and fields that tell a screen reader what is wrong."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from allauth.account import forms as allauth
from allauth.account.adapter import get_adapter
from allauth.core import context
from allauth.core.internal import ratelimit
from allauth.core.ratelimit import respond_429
from django import forms
from django.conf import settings
from django.contrib import messages
from django.db import IntegrityError
from django.forms.forms import NON_FIELD_ERRORS
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from accounts import addresses, limits
from accounts.models import User

PASSWORD_HELP = "At least 10 characters. A few unrelated words work well."  # noqa: S105 (a hint, not a password)
CONSOLE = "django.core.mail.backends.console.EmailBackend"


class SiteForm(forms.Form):
    """A form in the site's look. Mixed in before one of django-allauth's forms, or used alone."""

    # Fields that an error about the form as a whole points to.
    blamed: tuple[str, ...] = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            attrs = field.widget.attrs
            # The label says it; a placeholder is gone as soon as one types.
            attrs.pop("placeholder", None)
            if isinstance(field.widget, forms.CheckboxInput):
                continue
            attrs["class"] = "in"
            if attrs.get("autocomplete") in ("username", "email"):
                attrs.update({"autocapitalize": "none", "spellcheck": "false"})

    def full_clean(self) -> None:
        super().full_clean()
        if not self.errors:
            return
        if NON_FIELD_ERRORS in self.errors:
            for name in self.blamed:
                self.fields[name].widget.attrs.update({"aria-invalid": "true", "aria-describedby": "form_error"})
        wrong = next((name for name in self.fields if name in self.errors), None) or next(iter(self.blamed), None)
        if wrong:
            # The keyboard starts where something is to be corrected, and the screen reader reads out why.
            self.fields[wrong].widget.attrs["autofocus"] = True

    def inputs(self) -> Iterator[forms.BoundField]:
        """Yield the fields drawn with the label above; a checkbox has it beside."""
        return (field for field in self.visible_fields() if not isinstance(field.field.widget, forms.CheckboxInput))

    def _say(self, name: str, label: str, help_text: str = "") -> None:
        self.fields[name].label = label
        self.fields[name].help_text = help_text


class SignInForm(SiteForm, allauth.LoginForm):
    blamed = ("password", "login")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._say("login", "User name or e-mail")
        self.fields["login"].widget.attrs["autocomplete"] = "username"
        self._say("password", "Password")
        self._say("remember", "Keep me signed in on this device")
        self.fields["remember"].initial = True

    def clean_login(self) -> str:
        # No account has a longer name, and a database may refuse to look for one: what is left is nobody's, too.
        return User.normalize_username(super().clean_login()[: addresses.LONGEST_NAME + 1])


class SignUpForm(SiteForm, allauth.SignupForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._say("username", "User name", "Whoever runs your course sees it. Letters, digits and . _ + -")
        self._say("email", "E-mail (optional)", "For a link if you forget your password. You may sign in with it, too.")
        self._say("password1", "Password", PASSWORD_HELP)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        self.made_already = self._made_a_moment_ago() if self.has_error("username", "username_taken") else None
        if self.made_already:
            self.errors.clear()
        return cleaned

    def _made_a_moment_ago(self) -> User | None:
        """Return the account if this is the second click on "Create account": same name, same password, just now."""
        user = addresses.account_named(self.data.get(self.add_prefix("username"), ""))
        if not user or timezone.now() - user.date_joined > timedelta(minutes=1):
            return None
        credentials = {"username": user.username, "password": self.cleaned_data.get("password1", "")}
        try:
            return get_adapter().authenticate(context.request, **credentials)
        except forms.ValidationError:
            return None

    def try_save(self, request: HttpRequest) -> tuple[User | None, HttpResponse | None]:
        if self.made_already:
            return self.made_already, None
        address = ratelimit.get_ip(request)
        if limits.SIGN_UPS.wait(address):
            return None, respond_429(request)
        # No transaction around it: it would keep every other writer of a SQLite database waiting while the password
        # is hashed. The account's own row is the last word on its address, so nothing breaks halfway.
        try:
            user, response = super().try_save(request)
            limits.SIGN_UPS.count(address)
            return user, response
        except IntegrityError:
            # Two sign-ups with one name at the very same moment: the later one is told, not crashed.
            messages.warning(
                request, "An account with that name or e-mail was made a moment ago. If it is yours, sign in."
            )
            return None, redirect("account_login")


def _checked_password(user: User, password: str) -> str:
    """Return the password if it is the user's own, guessing being slowed down as at sign-in."""
    if not get_adapter().reauthenticate(user, password):
        raise get_adapter().validation_error("incorrect_password")
    return password


class ChangePasswordForm(SiteForm, allauth.ChangePasswordForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._say("oldpassword", "Current password")
        self._say("password1", "New password", PASSWORD_HELP)
        self._say("password2", "New password, once more")

    def clean_oldpassword(self) -> str:
        return _checked_password(self.user, self.cleaned_data["oldpassword"])


class ResetPasswordForm(SiteForm, allauth.ResetPasswordForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._say("email", "E-mail")

    def clean_email(self) -> str:
        address = super().clean_email().lower()
        wait = limits.RESET_LINKS.wait(address) or limits.RESETS.wait(ratelimit.get_ip(context.request))
        if wait:
            raise forms.ValidationError(f"Links were asked for too often. Try again {wait}.", code="too_often")
        return address

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        limits.RESET_LINKS.count(self.cleaned_data["email"])
        limits.RESETS.count(ratelimit.get_ip(request))
        return super().save(request, **kwargs)

    @property
    def reaches_inboxes(self) -> bool:
        """Say whether this server sends e-mail at all, so that no page promises a link that never comes."""
        return settings.EMAIL_BACKEND != CONSOLE


class ResetPasswordKeyForm(SiteForm, allauth.ResetPasswordKeyForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._say("password1", "New password", PASSWORD_HELP)
        self._say("password2", "New password, once more")


class ReauthenticateForm(SiteForm, allauth.ReauthenticateForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._say("password", "Password")


class AddressForm(SiteForm):
    """Change or remove the account's e-mail. The password is asked for: the address can reset it."""

    email = forms.EmailField(
        label="E-mail",
        required=False,
        help_text="Leave it empty to remove it.",
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    password = forms.CharField(
        label="Password",
        strip=False,
        help_text="Your e-mail can reset your password, so we check that it is you.",
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        self.user = user
        super().__init__(*args, initial={"email": user.email}, **kwargs)

    def clean_email(self) -> str:
        address = self.cleaned_data["email"].lower()
        if address and addresses.is_address_taken(address, by_other_than=self.user):
            raise forms.ValidationError("Another account has this e-mail.")
        return address

    def clean_password(self) -> str:
        return _checked_password(self.user, self.cleaned_data["password"])

    def save(self) -> None:
        addresses.set_address(self.user, self.cleaned_data["email"])
