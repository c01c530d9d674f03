"""The pages on which a student joins a course."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from classroom import joining


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def enter_code(request: HttpRequest) -> HttpResponse:
    """A field for the code; what it opens is shown before anything happens."""
    if request.method == "POST":
        code = joining.normalized(request.POST.get("code", ""))
        try:
            joining.open_link(code, request.user)
        except joining.NoEntryError as why:
            context = {"code": request.POST.get("code", "")[:40], "error": str(why)}
            return render(request, "classroom/join.html", context, status=422)
        return redirect("join_with", code)
    return render(request, "classroom/join.html")


@require_http_methods(["GET", "HEAD", "POST"])
def join_with(request: HttpRequest, code: str) -> HttpResponse:
    """The page behind a join link: says which course it is, and lets in on a click.

    Signed out, it asks to sign in or up and comes back here; it then says nothing about the code.
    """
    code = joining.normalized(code)[:12]
    if not code:
        return redirect("join")
    if not request.user.is_authenticated:
        return render(request, "classroom/join_signed_out.html", {"code": code})
    try:
        link = joining.open_link(code, request.user)
        if request.method == "POST":
            enrolled = joining.join(link, request.user)
            if enrolled.is_new:
                messages.success(request, f"You {'are back' if enrolled.is_back else 'are'} in {link.course}.")
            else:
                messages.info(request, f"You are in {link.course} already.")
            return redirect("course", link.course.public_id)
    except joining.NoEntryError as why:
        context = {"code": code, "error": str(why)}
        return render(request, "classroom/join.html", context, status=422)
    is_in = link.course.memberships.current().filter(user=request.user).exists()
    if is_in:
        return redirect("course", link.course.public_id)
    return render(request, "classroom/join_confirm.html", {"link": link, "joined_course": link.course})
