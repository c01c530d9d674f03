"""Who is in a course, and the ways in and out."""

from django.urls import path, register_converter

from classroom.views import choices, join_link, people, roster


class ActionConverter:
    """What can be done with a join link; anything else is no address."""

    regex = "rotate|close|open"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(ActionConverter, "link_action")

urlpatterns = [
    path("courses/<slug:public_id>/people/", people.people, name="course_people"),
    path("courses/<slug:public_id>/people/add/", people.add_people, name="add_people"),
    path("courses/<slug:public_id>/people/remove/", people.remove_people, name="remove_people"),
    path("courses/<slug:public_id>/people/expected/", people.change_expected, name="change_expected"),
    path("courses/<slug:public_id>/people/roster/", roster.import_roster, name="import_roster"),
    path("courses/<slug:public_id>/people/roster/confirm/", roster.confirm_roster, name="confirm_roster"),
    path("courses/<slug:public_id>/people/roster.csv", roster.export_roster, name="export_roster"),
    path("courses/<slug:public_id>/people/<int:member>/", people.person, name="course_person"),
    path("courses/<slug:public_id>/people/<int:member>/let-in/", people.let_back_in, name="let_back_in"),
    path("courses/<slug:public_id>/join-link/", join_link.join_link, name="join_link"),
    path("courses/<slug:public_id>/join-link/poster/", join_link.join_poster, name="join_poster"),
    path(
        "courses/<slug:public_id>/join-link/<link_action:action>/",
        join_link.change_join_link,
        name="change_join_link",
    ),
    path("courses/<slug:public_id>/leave/", people.leave_course, name="leave_course"),
    path("courses/<slug:public_id>/choices/", choices.choices, name="course_choices"),
]
