"""Where an own mission begins, and where it is published."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from classroom.forms import CourseSiteForm
from classroom.models import Course
from missions.authoring.reading import LONGEST_TEXT, Problem, decoded, read_text
from missions.authoring.starting import without_place
from missions.definition import DefinitionError
from missions.models import Mission, OwnMission
from missions.models.own import LONGEST_TITLE

WORLDS = (
    ("candidates", "Ten answers: forty prompts, ten fixed answers each"),
    ("reasoning", "Reasoning: sums and stories, solved token by token"),
)


class EmptyForm(CourseSiteForm):
    """A mission in which everything is still to be said."""

    title = forms.CharField(max_length=LONGEST_TITLE)
    world = forms.ChoiceField(choices=WORLDS)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._say("title", "Title", "As students will see it. You can change it later.")
        self._say("world", "World")

    def clean_title(self) -> str:
        return " ".join(self.cleaned_data["title"].split())


class CopyMissionForm(CourseSiteForm):
    """A copy of a built-in mission, or of one's own."""

    mission = forms.ChoiceField()

    def __init__(self, *args: Any, built_in: Sequence[Mission], own: Sequence[OwnMission], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._say("mission", "Mission to copy")
        groups: list[tuple[str, list[tuple[str, str]]]] = [("Built-in", [(m.slug, str(m)) for m in built_in])]
        if own:
            groups.append(("Your own", [(one.slug, one.title) for one in own]))
        self.fields["mission"].choices = groups  # type: ignore[attr-defined]


class ImportForm(CourseSiteForm):
    """A file, or its text. `problems` says what is wrong with it, line by line; as a draft it can be kept all the same.

    What was sent stays in the field, so that it can be corrected there.
    """

    file = forms.FileField(required=False)
    text = forms.CharField(
        required=False, strip=False, widget=forms.Textarea(attrs={"rows": 14, "spellcheck": "false"})
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.problems: tuple[Problem, ...] = ()
        self._say("file", "A .toml file", f"At most {LONGEST_TEXT // 1024} KB.")
        self._say("text", "Or its text")
        self.fields["text"].widget.attrs["class"] = "in mono"

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if self.errors:
            return cleaned
        try:
            text = self._sent()
        except DefinitionError as error:
            raise forms.ValidationError(f"The file {error.message}.") from error
        self.data = self.data.copy()
        self.data["text"] = text
        self.problems = read_text(text).problems
        if self.problems and ("keep" not in self.data or self.problems[0].where == "file"):
            raise forms.ValidationError("This can’t be played as it is. Nothing was imported yet.")
        cleaned["text"] = without_place(text)
        return cleaned

    def _sent(self) -> str:
        file: UploadedFile | None = self.cleaned_data.get("file")
        if file is not None:
            # One byte more than may be: longer files are refused unread.
            content = file.read(LONGEST_TEXT + 1)
        elif self.cleaned_data["text"].strip():
            content = self.cleaned_data["text"].encode(errors="replace")
        else:
            raise DefinitionError("file", "is missing: choose one, or paste its text")
        return decoded(content).replace("\r\n", "\n").replace("\r", "\n")

    @property
    def can_be_kept(self) -> bool:
        """Whether what is wrong can be corrected later, in the form."""
        return bool(self.problems) and self.problems[0].where != "file"


class PublishForm(CourseSiteForm):
    """The courses to which a mission is published on top of those where it is."""

    courses = forms.MultipleChoiceField(required=False)

    def __init__(self, *args: Any, courses: Sequence[Course], is_published: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.offered, self.is_published = courses, is_published
        self.fields["courses"].choices = [(c.public_id, str(c)) for c in courses]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        chosen = set(cleaned.get("courses", ()))
        cleaned["chosen"] = [course for course in self.offered if course.public_id in chosen]
        if not cleaned["chosen"] and not self.is_published and not self.errors:
            raise forms.ValidationError("Tick a course.")
        return cleaned
