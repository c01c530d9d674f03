"""Who is in a course and how they get there: by hand, with the link, from a roster."""

from datetime import datetime
from typing import Any

from django import forms
from django.core.validators import validate_email
from django.utils import timezone

from classroom.access import Access
from classroom.cells import read_cell
from classroom.forms import CourseSiteForm
from classroom.memberships import roles_to_give
from classroom.models import Invitation, JoinLink, Membership, Role
from classroom.roster.applying import rows_by_hand
from classroom.roster.reading import MOST_BYTES, Row, TooLargeError, UnreadableError, read_roster


class AddPeopleForm(CourseSiteForm):
    """People to add by e-mail or user name, and what they will be."""

    people = forms.CharField(max_length=20_000, widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}))
    role = forms.ChoiceField()

    def __init__(self, *args: Any, access: Access, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._say("people", "E-mails or user names", "One or many, separated by spaces, commas or lines.")
        self._say("role", "As")
        self.fields["role"].choices = [(role.value, role.label) for role in roles_to_give(access)]  # type: ignore[attr-defined]

    def rows(self) -> tuple[Row, ...]:
        return rows_by_hand(self.cleaned_data["people"])

    def clean_people(self) -> str:
        for row in rows_by_hand(self.cleaned_data["people"]):
            if row.email:
                validate_email(row.email)
        return self.cleaned_data["people"]

    def clean_role(self) -> Role:
        return Role(self.cleaned_data["role"])


class MemberForm(CourseSiteForm, forms.ModelForm):  # type: ignore[type-arg]
    """What a roster says of somebody, their role, and which line of the roster they are."""

    role = forms.ChoiceField(required=False)
    invitation = forms.ModelChoiceField(Invitation.objects.none(), required=False)

    class Meta:
        model = Membership
        fields = ("name", "student_number", "section", "login")

    def __init__(self, *args: Any, roles: list[Role], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        member = self.instance
        self._say("name", "Name", "As in the class list: Rossi, Maya. Empty: the user name is shown.")
        self._say("student_number", "Student number")
        self._say("section", "Section")
        self._say("login", "Login in your learning platform", "For grade files, if it isn’t the user name.")
        if member.is_current and roles:
            self.fields["role"].choices = [(role.value, role.label) for role in roles]  # type: ignore[attr-defined]
            self.fields["role"].initial = member.role
        else:
            del self.fields["role"]
        if member.role == Role.STUDENT and member.course.invitations.exists():
            self._say("invitation", "On the roster as", "Somebody expected, who joined under another name.")
            self.fields["invitation"].queryset = member.course.invitations.all()  # type: ignore[attr-defined]
            self.fields["invitation"].empty_label = "nobody who is still expected"  # type: ignore[attr-defined]
        else:
            del self.fields["invitation"]

    def clean(self) -> dict[str, Any]:
        # As a roster is read, so that writing one and reading it back changes nothing.
        cleaned = super().clean() or self.cleaned_data
        return {name: read_cell(value) if isinstance(value, str) else value for name, value in cleaned.items()}


class JoinLinkForm(CourseSiteForm, forms.ModelForm):  # type: ignore[type-arg]
    """Until when a join link lets people in, and how many."""

    class Meta:
        model = JoinLink
        fields = ("expires_at", "cap")
        widgets = {"expires_at": forms.DateTimeInput({"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        zone = self.instance.course.time_zone
        self._say("expires_at", "Works until (optional)", f"In the course’s time zone, {zone}.")
        self._say("cap", "For at most so many people (optional)", f"{self.instance.joined} have joined with it so far.")

    def clean_expires_at(self) -> datetime | None:
        at = self.cleaned_data["expires_at"]
        if at is not None and "expires_at" in self.changed_data and at <= timezone.now():
            raise forms.ValidationError("That is over already. To stop people from joining now, close the link.")
        return at


class RosterForm(CourseSiteForm):
    """A class list to look at: a file, or what was copied out of one."""

    file = forms.FileField(required=False, widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,text/csv"}))
    text = forms.CharField(
        required=False, max_length=MOST_BYTES, widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"})
    )
    ignore_unknown = forms.BooleanField(required=False)
    removes_missing = forms.BooleanField(required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._say("file", "CSV file", "Comma, semicolon or tab, in whatever encoding your spreadsheet writes.")
        self._say("text", "Or paste its rows", "With the headings.")
        self._say("ignore_unknown", "Ignore columns with other headings")
        self._say(
            "removes_missing",
            "Remove students who aren’t in the file",
            "They are listed before anything happens. Without this, nobody is ever removed.",
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        file, text = cleaned.get("file"), cleaned.get("text")
        if self.errors:
            return cleaned
        if not file and not text:
            raise forms.ValidationError("Choose a file or paste rows.")
        if file and file.size > MOST_BYTES:
            raise forms.ValidationError(str(TooLargeError()))
        try:
            data = file.read() if file else text.encode()
            cleaned["roster"] = read_roster(data, cleaned["ignore_unknown"])
        except UnreadableError as why:
            hint = " Rename or delete them, or tick the box to ignore such columns." if why.unknown else ""
            raise forms.ValidationError(f"{why}{hint}") from why
        return cleaned
