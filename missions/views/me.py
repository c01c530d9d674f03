"""The student's own page: progress, every attempt, a copy of the data, and the end of the account."""

from allauth.account.adapter import get_adapter
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from missions.own_data import export_of, own_page


@require_safe
@login_required
def me(request: HttpRequest) -> HttpResponse:
    return render(request, "missions/me.html", {"page": own_page(request.user)})


@require_safe
@login_required
def export(request: HttpRequest) -> HttpResponse:
    """Everything that is kept about the student, as one JSON file."""
    response = JsonResponse(export_of(request.user), json_dumps_params={"indent": 2})
    day = timezone.localdate().isoformat()
    response.headers["Content-Disposition"] = f'attachment; filename="unipo-missions-{day}.json"'
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def delete_account(request: HttpRequest) -> HttpResponse:
    """Delete the account and all that belongs to it, once the password confirms it."""
    error = ""
    if request.method == "POST":
        try:
            is_confirmed = get_adapter(request).reauthenticate(request.user, request.POST.get("password", ""))
        except ValidationError as too_many:
            is_confirmed, error = False, " ".join(too_many.messages)
        if is_confirmed:
            user = request.user
            logout(request)
            user.delete()
            messages.success(request, "Your account and everything kept with it are deleted.")
            return redirect("home")
        error = error or "That is not your password. Nothing was deleted."
    return render(request, "missions/delete_account.html", {"error": error}, status=422 if error else 200)
