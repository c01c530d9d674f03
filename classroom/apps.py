from django.apps import AppConfig


class ClassroomConfig(AppConfig):
    name = "classroom"

    def ready(self) -> None:
        from classroom.audit import start_logging
        from classroom.data import memberships_of
        from classroom.looking import sees_in_a_course
        from classroom.opening import opened_in_courses, shown_in_courses
        from missions.authoring.personal import own_missions_of
        from missions.opening import add_rule, show_own_missions
        from missions.own_data import add_export
        from missions.viewing import let_look

        add_rule(opened_in_courses)
        show_own_missions(shown_in_courses)
        add_export("courses", memberships_of)
        add_export("own_missions", own_missions_of)
        let_look(sees_in_a_course)
        start_logging()
