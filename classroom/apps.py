from django.apps import AppConfig


class ClassroomConfig(AppConfig):
    name = "classroom"

    def ready(self) -> None:
        from classroom.audit import start_logging
        from classroom.data import memberships_of
        from classroom.opening import opened_in_courses
        from missions.opening import add_rule
        from missions.own_data import add_export

        add_rule(opened_in_courses)
        add_export("courses", memberships_of)
        start_logging()
