"""The course's join link: what it looks like on the wall, until when it works, and a new one in its place."""

import segno
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe

from classroom import joining
from classroom.access import Access, Capability, course_page, people_counts
from classroom.forms import sent, status_of
from classroom.forms.people import JoinLinkForm
from classroom.models import JoinLink


def _link(access: Access) -> JoinLink:
    """The course's link; made if there is none, so that the page always has one to show."""
    return joining.current_link(access.course) or joining.rotate(access.course)


@course_page(Capability.CHANGE, "GET", "HEAD", "POST", tab="course_people")
def join_link(request: HttpRequest, access: Access) -> HttpResponse:
    link = _link(access)
    form = JoinLinkForm(sent(request), instance=link)
    if form.is_valid():
        # Only these two: people join while the form is open, and their number must not go back.
        link.save(update_fields=["expires_at", "cap"])
        messages.success(request, "The limits of the link are saved.")
        return redirect("join_link", access.course.public_id)
    if form.errors:
        # What was typed is on the form; what the page says about the link is what is stored.
        link.refresh_from_db(fields=["expires_at", "cap"])
    context = {"form": form, "link": link, "join_address": joining.address_of(link), "shut": joining.why_shut(link)}
    return render(request, "classroom/join_link.html", context, status=status_of(form))


@course_page(Capability.CHANGE, "POST", tab="course_people")
def change_join_link(request: HttpRequest, access: Access, action: str) -> HttpResponse:
    """Close the link, open it again, or put a new code in its place. Sent twice, the second changes nothing more."""
    link = _link(access)
    if action == "rotate":
        # The code on the page says which link is meant, so that a second click doesn't retire the new one, too.
        if request.POST.get("code", link.code) == link.code:
            link = joining.rotate(access.course)
        messages.success(request, f"The new code is {link.shown}. The old one lets nobody in any more.")
    elif action == "close":
        JoinLink.objects.filter(pk=link.pk, closed_at=None).update(closed_at=timezone.now())
        messages.success(request, "The link is closed: nobody can join until you open it again.")
    else:
        JoinLink.objects.filter(pk=link.pk).update(closed_at=None)
        messages.success(request, "The link is open again.")
    return redirect("join_link", access.course.public_id)


@course_page(Capability.SEE, tab="course_people")
def join_poster(request: HttpRequest, access: Access) -> HttpResponse:
    """The code for the wall of a lecture hall, with a picture that phones read, and how many are in by now."""
    counts = people_counts(access.course)
    if request.htmx and not request.htmx.history_restore_request:
        if request.GET.get("shown") == str(counts["students"]):
            return HttpResponse(status=204)
        return render(request, "classroom/parts/poster_count.html", {"counts": counts})
    link = joining.current_link(access.course)
    address = joining.address_of(link) if link else ""
    context = {
        "link": link,
        "shut": joining.why_shut(link) if link else "there is none yet",
        "join_address": address,
        "short_address": address.split("://")[-1].rsplit("/", 2)[0],
        "qr": _qr(address) if link else "",
        "counts": counts,
    }
    return render(request, "classroom/join_poster.html", context)


def _qr(text: str) -> SafeString:
    """A QR code as SVG with classes and no styles. Medium error correction: a projector's beam is never perfect."""
    drawing = segno.make_qr(text, error="m").svg_inline(omitsize=True, border=4, svgclass="qr", lineclass=None)
    return mark_safe(drawing)  # noqa: S308 (numbers and letters of the library's own)
