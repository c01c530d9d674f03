"""The check of a mission that somebody writes."""

from django.urls import path

from classroom.views import check

ONE = "own-missions/<slug:public_id>/check/"

urlpatterns = [
    path(ONE, check.check, name="own_mission_check"),
    path(f"{ONE}start/", check.start_check, name="own_mission_check_start"),
    path(f"{ONE}cancel/", check.cancel_check, name="own_mission_check_cancel"),
    path(f"{ONE}take-budgets/", check.take_budgets, name="own_mission_take_budgets"),
]
