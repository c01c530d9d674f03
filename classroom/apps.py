from django.apps import AppConfig


class ClassroomConfig(AppConfig):
    name = "classroom"

    def ready(self) -> None:
        from classroom.opening import opened_in_courses
        from missions.opening import add_rule

        add_rule(opened_in_courses)
