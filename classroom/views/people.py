"""Who is in a course."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from classroom.access import Access, Capability, course_page, members_of


@course_page(Capability.SEE, tab="course_people")
def people(request: HttpRequest, access: Access) -> HttpResponse:
    return render(request, "classroom/people.html", {"members": members_of(access.course).current().by_name()})
