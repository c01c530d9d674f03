"""The account pages that django-allauth doesn't already do the way this site needs them."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from accounts.forms import AddressForm, ResetPasswordForm


@sensitive_post_parameters("password")
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def change_address(request: HttpRequest) -> HttpResponse:
    """Add, change or remove the e-mail of the account; it takes effect at once."""
    form = AddressForm(request.user, request.POST or None)
    if form.is_valid():
        try:
            form.save()
        except IntegrityError:
            form.add_error("email", "Another account took this e-mail a moment ago.")
        else:
            kept = form.cleaned_data["email"]
            messages.success(request, f"Your e-mail is now {kept}." if kept else "Your e-mail is removed.")
            return redirect("me")
    return render(request, "account/email.html", {"form": form})


@require_safe
def reset_asked_for(request: HttpRequest) -> HttpResponse:
    """Say what happens next; the same whether or not an account has the address."""
    return render(request, "account/password_reset_done.html", {"form": ResetPasswordForm()})
