"""Own missions, from the first word to the courses that play them."""

from django.urls import path

from classroom.views import authoring, authoring_begin, authoring_preview, authoring_publish

ONE = "own-missions/<slug:public_id>/"

urlpatterns = [
    path("own-missions/", authoring_begin.own_missions, name="own_missions"),
    path("own-missions/new/", authoring_begin.new_own_mission, name="new_own_mission"),
    path("own-missions/import/", authoring_begin.import_own_mission, name="import_own_mission"),
    path("own-missions/format/", authoring_begin.mission_format, name="own_mission_format"),
    path(ONE, authoring.own_mission, name="own_mission"),
    path(f"{ONE}edit/", authoring.edit_form, name="edit_own_mission"),
    path(f"{ONE}text/", authoring.edit_text, name="edit_own_mission_text"),
    path(f"{ONE}export/", authoring.export, name="export_own_mission"),
    path(f"{ONE}delete/", authoring_publish.delete, name="delete_own_mission"),
    path(f"{ONE}publish/", authoring_publish.publish, name="publish_own_mission"),
    path(f"{ONE}unpublish/", authoring_publish.unpublish, name="unpublish_own_mission"),
    path(f"{ONE}retire/", authoring_publish.retire, name="retire_own_mission"),
    path(f"{ONE}preview/", authoring_preview.preview, name="preview_own_mission"),
    path(f"{ONE}preview/draft/", authoring_preview.draft, name="draft_own_mission_preview"),
    path(f"{ONE}preview/train/", authoring_preview.train, name="train_own_mission_preview"),
    path(
        "courses/<slug:public_id>/own-missions/remove/",
        authoring_publish.remove_from_course,
        name="remove_own_mission_from_course",
    ),
]
