"""Writing missions: from a copy, a file or nothing to courses that play them, and who sees what on the way."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import User
from classroom.audit import changes_in
from classroom.models import Assignment, Course, Publication, Role
from missions.authoring.fields import fields_of
from missions.authoring.reading import LONGEST_TEXT, read_text
from missions.authoring.writing import with_fields
from missions.checking import digest_of
from missions.definition import parse_toml, parsing
from missions.models import Attempt, Check, Mission, OwnMission, Progress
from missions.own_data import export_of
from missions.queries import definition_of
from missions.seeds import evaluation_seeds
from simulator.worlds import WORLDS
from tests.classroom.factories import add, assign, make_course, make_user
from tests.classroom.test_access import let_create_courses
from tests.missions.helpers import HTMX, form_of, record, train


@pytest.fixture
def author(db: None) -> User:
    user = make_user("author")
    let_create_courses(user)
    return user


@pytest.fixture
def course(author: User) -> Course:
    return make_course(author)


@pytest.fixture
def maya(course: Course) -> User:
    """A student of the course."""
    return add(course, make_user("maya")).user


@pytest.fixture
def pen(author: User) -> Client:
    """The author's browser."""
    return browser(author)


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def copy(pen: Client, slug: str = "first-signal") -> OwnMission:
    """A copy of a built-in mission."""
    response = pen.post("/own-missions/new/", {"copy": "", "mission": slug})
    assert response.status_code == 302
    return OwnMission.objects.latest("pk")


def published(pen: Client, *courses: Course, own: OwnMission | None = None) -> OwnMission:
    own = own or copy(pen)
    keys = [course.public_id for course in courses]
    assert pen.post(f"/own-missions/{own.public_id}/publish/", {"courses": keys}).status_code == 302
    return OwnMission.objects.select_related("mission").get(pk=own.pk)


def fill(pen: Client, own: OwnMission, **typed: str) -> Any:
    """Send the form as its page would, with some fields changed (__ for a dot)."""
    fields = fields_of(parse_toml(own.text)) | {name.replace("__", "."): text for name, text in typed.items()}
    data = {"base": own.text, "version": own.version} | fields
    response = pen.post(f"/own-missions/{own.public_id}/edit/", data)
    own.refresh_from_db()
    return response


def test_form_and_text_write_the_same_and_a_stale_page_overwrites_nothing(pen: Client, missions: list[Mission]) -> None:
    own = copy(pen)
    old = OwnMission.objects.get(pk=own.pk)
    assert fill(pen, own, title="Another signal", start__beta="0.4").status_code == 302
    assert (own.title, own.version) == ("Another signal", 2)
    assert fill(pen, own).status_code == 302
    assert own.version == 2  # Nothing was changed.
    # The page of version 1: both texts are shown, and one press more saves the second.
    response = fill(pen, old, aim="Fewer steps")
    assert response.status_code == 409
    assert "Another signal" in response.content.decode()
    assert (own.version, "Fewer steps" in own.text) == (2, False)
    mine = response.context["text"]
    assert "Fewer steps" in mine
    address = f"/own-missions/{own.public_id}/text/"
    assert pen.post(address, {"text": mine, "version": 1}).status_code == 409
    assert pen.post(address, {"text": mine.replace("\n", "\r\n"), "version": 2}).status_code == 302
    own.refresh_from_db()
    assert (own.text, own.version) == (mine, 3)
    # Sent twice, by a double click: it is saved already.
    assert pen.post(address, {"text": mine, "version": 2}).status_code == 302


def test_a_text_is_kept_whatever_is_wrong(pen: Client, missions: list[Mission]) -> None:
    own = copy(pen)
    address = f"/own-missions/{own.public_id}/text/"
    pen.post(address, {"text": 'title = "Half\naim', "version": 1})
    own.refresh_from_db()
    assert own.text == 'title = "Half\naim'
    page = pen.get(address).content.decode()
    assert "Line 1" in page and 'href="#line-1"' in page
    assert pen.get(f"/own-missions/{own.public_id}/edit/").headers["Location"] == address
    for page in ("preview/", ""):
        assert pen.get(f"/own-missions/{own.public_id}/{page}").status_code in (200, 302)
    assert pen.post(f"/own-missions/{own.public_id}/publish/", {"courses": []}).status_code == 422
    for bad in ("x\0y", "#" * (LONGEST_TEXT + 1)):
        response = pen.post(address, {"text": bad, "version": 2})
        assert response.status_code == 422
        assert bad[-1] in response.content.decode()
    own.refresh_from_db()
    assert own.version == 2


def test_a_file_is_imported_and_exported_as_it_is(pen: Client, missions: list[Mission]) -> None:
    own = copy(pen, "rare-but-right")
    response = pen.get(f"/own-missions/{own.public_id}/export/")
    assert 'filename="01-rare-but-right.toml"' in response.headers["Content-Disposition"]
    file = SimpleUploadedFile("mission.toml", response.content)
    assert pen.post("/own-missions/import/", {"file": file}).status_code == 302
    again = OwnMission.objects.latest("pk")
    assert again.pk != own.pk
    assert parse_toml(again.text) == parse_toml(own.text)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'title = "\xff"', "not written in UTF-8 (at line 1)"),
        (b"\n\n\0", "NUL (at line 3)"),
        (b"#" * (LONGEST_TEXT + 1), "longer than 64 KB"),
        (b"\n[a]\n[a]", "Line 3"),
        (b"a=" + b"[" * 20_000, "nested too deeply"),
        (b"", "empty"),
    ],
)
def test_hostile_files_are_refused_with_the_line(content: bytes, said: str, pen: Client) -> None:
    response = pen.post("/own-missions/import/", {"file": SimpleUploadedFile("m.toml", content), "keep": ""})
    assert response.status_code == 422
    assert said in response.content.decode()
    assert not OwnMission.objects.exists()


def test_a_file_with_mistakes_is_listed_by_line_and_kept_if_asked(pen: Client, missions: list[Mission]) -> None:
    text = 'title = "Mine"\nslug = "x"\n[setup]\nsteps = 0\n'
    response = pen.post("/own-missions/import/", {"text": text})
    assert response.status_code == 422
    page = response.content.decode()
    assert "Line 4: setup.steps" in page and "steps = 0" in page
    assert pen.post("/own-missions/import/", {"text": text, "keep": ""}).status_code == 302
    assert OwnMission.objects.get().text == text.replace('slug = "x"\n', "")


def test_a_preview_trains_and_stores_nothing(pen: Client, author: User, missions: list[Mission]) -> None:
    own = copy(pen)
    address = f"/own-missions/{own.public_id}/preview/"
    page = pen.get(address).content.decode()
    assert "Preview." in page and f'hx-post="{address}train/"' in page and "/missions/own-" not in page
    typed = {"steps": "150", "group_size": "3", "beta": "0", "seed": "1"}
    assert "3,600" in pen.post(f"{address}draft/", typed, **HTMX).content.decode()
    refused = pen.post(f"{address}train/", typed | {"steps": "7"}, **HTMX)
    assert (refused.status_code, refused.headers["HX-Retarget"]) == (422, "#setup-panel")
    passed = pen.post(f"{address}train/", typed, **HTMX).content.decode()
    assert "Three stars" in passed and "What happened here" in passed
    assert pen.post(f"{address}train/", typed).status_code == 200  # Without JavaScript.
    assert not Attempt.objects.exists() and not Progress.objects.exists()
    assert not Mission.objects.filter(source="own").exists()


def test_who_sees_what_before_and_after_it_is_published(
    pen: Client, author: User, maya: User, course: Course, missions: list[Mission]
) -> None:
    other = make_course(make_user("other_owner"), "Another course")
    people = {
        "author": author,
        "maya": maya,
        "stranger": add(other, make_user("stranger")).user,
        "colleague": add(course, make_user("colleague"), Role.INSTRUCTOR).user,
        "assistant": add(course, make_user("assistant"), Role.ASSISTANT).user,
        "other_instructor": add(other, make_user("other_instructor"), Role.INSTRUCTOR).user,
    }
    clients = {name: browser(user) for name, user in people.items()}

    def seeing(address: str) -> set[str]:
        return {name for name, client in clients.items() if client.get(address).status_code == 200}

    own = copy(pen)
    played, written = f"/missions/{own.slug}/", f"/own-missions/{own.public_id}/"
    assert (seeing(played), seeing(written)) == (set(), {"author"})
    published(pen, course, own=own)
    assert seeing(played) == {"author", "maya", "colleague", "assistant"}
    assert seeing(written) == {"author"}
    assert "First signal" in clients["maya"].get("/missions/").content.decode().partition("Course missions")[2]
    assert "Course missions" not in clients["stranger"].get("/missions/").content.decode()
    assert own.slug in clients["maya"].get(f"/courses/{course.public_id}/").content.decode()
    # It is offered for assignment there, and nowhere else.
    mission = Mission.objects.get(slug=own.slug)
    add_there = f"/courses/{course.public_id}/assignments/add/"
    assert f'value="{mission.pk}"' in clients["colleague"].get(add_there).content.decode()
    offered = clients["other_instructor"].get(f"/courses/{other.public_id}/assignments/add/").content.decode()
    assert f'value="{mission.pk}"' not in offered
    # Assigned for later, its date decides for students, who lose no try that they made before.
    assign(course, [mission], opens_at=timezone.now() + timedelta(days=7))
    assert seeing(played) == {"author", "colleague", "assistant"}
    assert clients["author"].post(f"{written}unpublish/", {"course": course.public_id}).status_code == 302
    assert Publication.objects.exists()  # Refused as long as it is assigned.
    Assignment.objects.all().delete()
    record(maya, mission, passed=True)
    assert (
        clients["colleague"]
        .post(f"/courses/{course.public_id}/own-missions/remove/", {"mission": own.slug})
        .status_code
        == 302
    )
    assert not Publication.objects.exists()
    assert seeing(played) == {"maya"}  # Nobody is shut out from their own tries.


def test_a_changed_text_is_a_new_revision_and_scores_stay(
    pen: Client, maya: User, course: Course, missions: list[Mission]
) -> None:
    own = published(pen, course)
    mission = own.mission
    assert mission is not None and (mission.revision, mission.chapter) == (1, None)
    start = definition_of(mission).start
    setup = start.replace(steps=150, group_size=3, beta=0.0)
    assert train(browser(maya), mission, maya, setup).status_code == 302
    attempt = Attempt.objects.get()
    assert (attempt.mission_revision, attempt.stars) == (1, 3)
    fill(pen, own, budget__three_stars="3000", title="Cheaper still")
    # Until it is published, students play what they played.
    assert Mission.objects.get(pk=mission.pk).revision == 1
    assert "changed since it was published" in pen.get(f"/own-missions/{own.public_id}/").content.decode()
    published(pen, own=own)
    mission.refresh_from_db()
    assert (mission.revision, mission.title) == (2, "Cheaper still")
    assert definition_of(mission).budgets.three == 3000
    assert Progress.objects.get(user=maya, mission=mission).best_stars == 3
    assert train(browser(maya), mission, maya, setup).status_code == 302
    latest = Attempt.objects.latest("number")
    assert (latest.mission_revision, latest.stars) == (2, 2)
    assert Progress.objects.get(user=maya, mission=mission).best_stars == 3
    # The same text again is the same revision.
    published(pen, own=own)
    mission.refresh_from_db()
    assert mission.revision == 2
    changes = [(change.what, change.by, change.details) for change in changes_in(course, 10)]
    assert ("own mission changed: Cheaper still", "author", (("revision", "1", "2"),)) in changes
    assert any(what == "own mission added: First signal" for what, _, _ in changes)


def test_a_copied_course_has_what_was_written_for_it(
    pen: Client, maya: User, course: Course, missions: list[Mission]
) -> None:
    own = published(pen, course)
    copied = {"name": "Next year", "assignments": "on"}
    assert pen.post(f"/courses/{course.public_id}/copy/", copied).status_code == 302
    nia = add(Course.objects.get(name="Next year"), make_user("nia")).user
    assert browser(nia).get(f"/missions/{own.slug}/").status_code == 200


def test_what_a_check_found_is_said_where_it_is_published_as_long_as_it_is_of_that_text(
    pen: Client, missions: list[Mission]
) -> None:
    own = copy(pen)
    definition = read_text(own.text).definition
    assert definition is not None

    def said() -> str:
        return pen.get(f"/own-missions/{own.public_id}/publish/").content.decode()

    assert "No check has gone through this text" in said()
    asked = {"digest": digest_of(definition, evaluation_seeds()), "problems": ["Luck earns a star."]}
    check = Check.objects.create(
        own_mission=own,
        state=Check.State.FINISHED,
        source=dict(definition.source),
        digest=asked["digest"],
        asked_at=timezone.now(),
        result={"asked": asked, "proposed": None, "text_problems": None},
    )
    assert "Luck earns a star." in said()
    fill(pen, own, lesson="Another one.")
    assert "Luck earns a star." in said()
    assert "with 1 finding" in pen.get("/own-missions/").content.decode()
    fill(pen, own, goal__0__bound="0.79")
    assert "No check has gone through this text" in said()
    # Budgets that it proposed, and that were taken since, it has checked, too.
    fill(pen, own, goal__0__bound="0.795", budget__three_stars="3000")
    proposed = read_text(own.text).definition
    assert proposed is not None
    check.result["proposed"] = {"digest": digest_of(proposed, evaluation_seeds()), "problems": []}
    check.save()
    assert "No check has gone" not in said() and "The check found" not in said()


def test_what_is_out_of_play_comes_back_and_only_drafts_are_deleted(
    pen: Client, maya: User, course: Course, missions: list[Mission]
) -> None:
    own = published(pen, course)
    assert own.mission is not None
    record(maya, own.mission, passed=True)
    here = f"/own-missions/{own.public_id}/"
    pen.post(f"{here}delete/")
    assert OwnMission.objects.filter(pk=own.pk).exists()
    pen.post(f"{here}retire/")
    assert Mission.objects.get(pk=own.mission_id).is_retired
    # What she did there is kept where she finds it.
    assert browser(maya).get(f"/missions/{own.slug}/").headers["Location"] == "/me/"
    assert browser(maya).get("/me/").status_code == 200
    assert "out of play" in pen.get(here).content.decode()
    published(pen, course, own=own)
    assert browser(maya).get(f"/missions/{own.slug}/").status_code == 200
    draft = copy(pen)
    assert pen.post(f"/own-missions/{draft.public_id}/delete/").status_code == 302
    assert not OwnMission.objects.filter(pk=draft.pk).exists()


def test_missions_are_the_author_s_data_and_outlive_the_account_where_they_are_played(
    pen: Client, author: User, maya: User, course: Course, missions: list[Mission]
) -> None:
    colleague = add(course, make_user("colleague"), Role.INSTRUCTOR).user
    own = published(pen, course)
    assert own.mission is not None
    record(maya, own.mission, passed=True)
    exported = json.loads(json.dumps(export_of(author)))["own_missions"]
    assert [(one["title"], one["published_as"]) for one in exported] == [("First signal", own.slug)]
    assert export_of(maya)["own_missions"] == []
    author.delete()
    assert not OwnMission.objects.exists()
    assert browser(maya).get(f"/missions/{own.slug}/").status_code == 200
    page = browser(colleague).get(f"/courses/{course.public_id}/assignments/").content.decode()
    assert "First signal" in page
    address = f"/courses/{course.public_id}/own-missions/remove/"
    assert browser(colleague).post(address, {"mission": own.slug}).status_code == 302
    assert not Publication.objects.exists()
    assert Attempt.objects.filter(user=maya).exists()


def test_where_anybody_may_create_a_course_that_opens_no_answers(
    settings: Any, maya: User, missions: list[Mission]
) -> None:
    settings.COURSE_CREATORS = "anyone"
    make_course(maya, "My own course")
    client = browser(maya)
    for address in ("", "new/", "import/", "format/"):
        assert client.get(f"/own-missions/{address}").status_code == 404
    assert client.post("/own-missions/new/", {"copy": "", "mission": "first-signal"}).status_code == 404
    assert "own-missions" not in client.get("/courses/").content.decode()
    let_create_courses(User.objects.get(pk=maya.pk))
    client = browser(User.objects.get(pk=maya.pk))
    assert "[verify]" in copy(client).text


def test_the_measured_tables_must_not_take_long(pen: Client, course: Course, missions: list[Mission]) -> None:
    own = copy(pen, "rare-but-right")
    text = own.text.replace('title = "Other bounds, learning', 'title = "Changed, learning')
    text = text.replace("values = [0.2, 0.28, 0.8]", "values = [0.2, 0.28, 0.3, 0.35, 0.8]")
    own.text, _ = text, pen.post(f"/own-missions/{own.public_id}/text/", {"text": text, "version": 1})
    response = pen.post(f"/own-missions/{own.public_id}/publish/", {"courses": course.public_id})
    assert response.status_code == 422
    assert "to measure; 700,000 are the most" in response.content.decode()
    # Its page before the goal is met needs the start only.
    assert pen.get(f"/own-missions/{own.public_id}/preview/").status_code == 200


def test_the_page_about_the_format_names_every_part(pen: Client) -> None:
    page = pen.get("/own-missions/format/").content.decode()
    for part in parsing._KNOWN:
        assert f"<code>{part}</code>" in page or f"[{part}]" in page, part
    for world in WORLDS.values():
        for name in (*world.metrics, *world.training, *world.settings):
            assert name == "seed" or f"<code>{name}</code>" in page, name


def test_a_view_that_leads_nowhere_is_a_problem_and_no_crash(
    pen: Client, course: Course, missions: list[Mission]
) -> None:
    pen.post("/own-missions/new/", {"title": "Nothing to see", "world": "candidates"})
    own = OwnMission.objects.get()
    words = dict.fromkeys(("aim", "lesson", "story", "symptom", "debrief", "hint.0", "hint.1"), "Words.")
    text = with_fields(own.text, words | {"goal.0.bound": "0.6", "prediction.cuts": "0.6", "start.steps": "25"})
    text += '\n[[views]]\nsetup = {}\nseed = 1\nstep = "diverged"\ntext = "Here."\n'
    assert read_text(text).problems == ()
    pen.post(f"/own-missions/{own.public_id}/text/", {"text": text, "version": 1})
    response = pen.post(f"/own-missions/{own.public_id}/publish/", {"courses": course.public_id})
    assert response.status_code == 422
    assert "diverge" in response.content.decode()


def test_queries_do_not_grow_with_missions(pen: Client, maya: User, course: Course, missions: list[Mission]) -> None:
    client = browser(maya)

    def counts() -> list[int]:
        found = []
        for reader, address in (
            (pen, "/own-missions/"),
            (client, "/missions/"),
            (client, f"/courses/{course.public_id}/"),
            (pen, f"/courses/{course.public_id}/assignments/"),
        ):
            with CaptureQueriesContext(connection) as queries:
                assert reader.get(address).status_code == 200
            found.append(len(queries))
        return found

    published(pen, course)
    counts()
    before = counts()
    for _ in range(3):
        published(pen, course)
    assert counts() == before
    assert before[0] <= 8


def test_pages_about_a_class_show_own_missions(
    pen: Client, maya: User, course: Course, missions: list[Mission]
) -> None:
    own = published(pen, course)
    assert own.mission is not None
    assign(course, [missions[0], own.mission])
    record(maya, own.mission, passed=True)
    here = f"/courses/{course.public_id}/"
    member = course.memberships.get(user=maya).pk
    pages = ("progress/", "grades/", f"students/{member}/", f"missions/{own.slug}/", f"missions/{own.slug}/wall/")
    for page in (*pages, f"students/{member}/missions/{own.slug}/", "assignments/", "exceptions/unlock/"):
        response = pen.get(f"{here}{page}")
        assert response.status_code == 200, page
        assert "None." not in response.content.decode(), page
    assert form_of(own.mission, maya)["steps"] == "50"
