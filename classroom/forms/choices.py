"""What a student chooses to show."""

from typing import Any

from django import forms

from classroom.choices import NotPossibleNameError, choose_name
from classroom.forms import CourseSiteForm
from classroom.handles import LONGEST, cleaned
from classroom.models import Membership


class NameForm(CourseSiteForm):
    """A name for the leaderboard, typed or taken from those offered. Saving it is part of checking it."""

    name = forms.CharField(max_length=LONGEST)

    def __init__(self, *args: Any, member: Membership, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.member = member
        self.fields["name"].widget.attrs |= {"autocomplete": "off", "autocapitalize": "words", "spellcheck": "false"}
        self._say("name", "A name of your own", "Not your real one, and nothing that tells who you are.")

    def clean_name(self) -> str:
        name = cleaned(self.cleaned_data["name"])
        try:
            choose_name(self.member, name)
        except NotPossibleNameError as why:
            raise forms.ValidationError(str(why)) from None
        return name
