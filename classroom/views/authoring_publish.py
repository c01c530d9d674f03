"""From an own mission to the courses that play it, and back; and the end of one."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from classroom.access import Access, Capability, course_page
from classroom.authoring import publications
from classroom.authoring.overview import standing_of
from classroom.forms import sent
from classroom.forms.authoring import PublishForm
from classroom.memberships import NotPossibleError
from classroom.models import Publication
from classroom.views.authoring import for_own_mission, listed
from missions.authoring.publishing import NotReadyError, Published
from missions.models import OwnMission


@for_own_mission("GET", "HEAD", "POST")
def publish(request: HttpRequest, own: OwnMission) -> HttpResponse:
    """Choose the courses that get it, and make its text what they play."""
    places = publications.places_of(own, request.user)
    there = [place for place in places if place.publication]
    free = [place.course for place in places if not place.publication]
    form = PublishForm(sent(request), courses=free, is_published=bool(there))
    standing = standing_of(own)
    if form.is_valid():
        chosen = form.cleaned_data["chosen"]
        try:
            made = publications.publish_to(own, chosen, request.user)
        except NotReadyError as error:
            form.add_error(None, f"It can’t be played as it is. {error.problems[0]}")
        else:
            messages.success(request, _published(own, made, len(chosen)))
            return redirect("own_mission", own.public_id)
    context = {
        "own": own,
        "standing": standing,
        "form": form,
        "there": there,
        "free": free,
        "problems": listed(standing.read, is_form=True),
    }
    return render(request, "classroom/authoring/publish.html", context, status=422 if form.errors else 200)


@for_own_mission("POST")
def unpublish(request: HttpRequest, own: OwnMission) -> HttpResponse:
    """Take it out of one of the author's courses."""
    places = publications.places_of(own, request.user)
    asked = request.POST.get("course", "")
    place = next((p for p in places if p.publication and p.may_change and p.course.public_id == asked), None)
    if place is None or own.mission is None:
        messages.warning(request, "It isn’t published to a course of yours by that name. Nothing was changed.")
        return redirect("publish_own_mission", own.public_id)
    try:
        publications.unpublish(place.course, own.mission)
        messages.success(request, f"It is no longer shown in {place.course}. Tries and stars stay with the students.")
    except NotPossibleError as error:
        messages.warning(request, str(error))
    return redirect("publish_own_mission", own.public_id)


@for_own_mission("POST")
def retire(request: HttpRequest, own: OwnMission) -> HttpResponse:
    """Take a published mission out of play everywhere."""
    if own.mission is not None:
        publications.retire_everywhere(own)
        messages.success(request, f"“{own.title}” is out of play. Tries and stars stay; publishing it brings it back.")
    return redirect("own_mission", own.public_id)


@for_own_mission("GET", "HEAD", "POST")
def delete(request: HttpRequest, own: OwnMission) -> HttpResponse:
    """Delete a draft. What was published keeps students' scores, so it can only be taken out of play."""
    if request.method == "POST" and own.mission is None:
        own.delete()
        messages.success(request, f"“{own.title}” is deleted.")
        return redirect("own_missions")
    return render(request, "classroom/authoring/delete.html", {"own": own})


@course_page(Capability.CHANGE, "POST", tab="course_assignments")
def remove_from_course(request: HttpRequest, access: Access) -> HttpResponse:
    """Take a mission that somebody published to the course out of it; also when its author is gone."""
    found = Publication.objects.filter(course=access.course, mission__slug=request.POST.get("mission", "")[:60])
    publication = found.select_related("mission").first()
    if publication is None:
        raise Http404("No such mission in this course")
    try:
        publications.unpublish(access.course, publication.mission)
        messages.success(request, f"“{publication.mission.title}” is no longer shown in this course.")
    except NotPossibleError as error:
        messages.warning(request, str(error))
    return redirect("course_assignments", access.course.public_id)


def _published(own: OwnMission, made: Published, added: int) -> str:
    courses = f" It is new in {added} {'course' if added == 1 else 'courses'}." if added else ""
    if made.before is None:
        return f"“{own.title}” is published.{courses}"
    if made.is_changed:
        return f"Revision {made.mission.revision} is what students play now. What they earned before stays.{courses}"
    return f"What students play is as it was.{courses}"
