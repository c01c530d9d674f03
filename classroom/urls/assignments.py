"""What a course assigns, and what single students get on top."""

from django.urls import path

from classroom.views import assignments, exceptions

urlpatterns = [
    path("courses/<slug:public_id>/assignments/", assignments.assignments, name="course_assignments"),
    path("courses/<slug:public_id>/assignments/add/", assignments.add_assignments, name="add_assignments"),
    path("courses/<slug:public_id>/assignments/rules/", assignments.rules, name="course_rules"),
    path("courses/<slug:public_id>/assignments/move/", assignments.move_assignment, name="move_assignment"),
    path("courses/<slug:public_id>/assignments/choose/", assignments.choose_assignments, name="choose_assignments"),
    path("courses/<slug:public_id>/assignments/edit/", assignments.edit_assignments, name="edit_assignments"),
    path("courses/<slug:public_id>/assignments/shift/", assignments.shift_assignments, name="shift_assignments"),
    path("courses/<slug:public_id>/assignments/remove/", assignments.remove_assignments, name="remove_assignments"),
    path("courses/<slug:public_id>/exceptions/", exceptions.exceptions, name="course_exceptions"),
    path("courses/<slug:public_id>/exceptions/extend/", exceptions.new_extension, name="new_extension"),
    path(
        "courses/<slug:public_id>/exceptions/extensions/<int:extension>/", exceptions.extension, name="course_extension"
    ),
    path(
        "courses/<slug:public_id>/exceptions/extensions/<int:extension>/delete/",
        exceptions.delete_extension,
        name="delete_extension",
    ),
    path("courses/<slug:public_id>/exceptions/unlock/", exceptions.unlock_mission, name="unlock_mission"),
    path(
        "courses/<slug:public_id>/exceptions/unlocks/<int:override>/lock/", exceptions.lock_mission, name="lock_mission"
    ),
]
