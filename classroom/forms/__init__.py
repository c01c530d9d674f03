"""The forms of the course pages. Their fields look and speak as those of the account pages do."""

from collections.abc import Iterator

from django import forms
from django.http import HttpRequest, QueryDict

from accounts.forms import SiteForm


def sent(request: HttpRequest) -> QueryDict | None:
    """What a form was sent with; None if it is only shown. An empty form that is sent is sent."""
    return request.POST if request.method == "POST" else None


def status_of(form: forms.BaseForm) -> int:
    """The status of a page with a form: 422 if what was sent has to be corrected."""
    return 422 if form.errors else 200


class CourseSiteForm(SiteForm):
    """A form on a course page: checkboxes are drawn after the other fields."""

    def checkboxes(self) -> Iterator[forms.BoundField]:
        return (field for field in self.visible_fields() if isinstance(field.field.widget, forms.CheckboxInput))
