"""Writing missions: from an empty page, a copy or a file to a course that plays it."""

import pytest
from django.test import Client

from accounts.models import User
from classroom.models import Course, Publication
from missions.models import Mission, OwnMission
from tests.classroom.factories import make_course, make_user
from tests.classroom.test_access import let_create_courses


@pytest.fixture
def author(db: None) -> User:
    user = make_user("author")
    let_create_courses(user)
    return user


@pytest.fixture
def course(author: User) -> Course:
    return make_course(author)


@pytest.fixture
def pen(author: User) -> Client:
    """The author's browser."""
    client = Client()
    client.force_login(author)
    return client


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def begun(client: Client, missions: list[Mission], slug: str = "first-signal") -> OwnMission:
    """A copy of a built-in mission."""
    response = client.post("/own-missions/new/", {"copy": "", "mission": slug})
    assert response.status_code == 302, response.content.decode()
    return OwnMission.objects.latest("pk")


def test_smoke(pen: Client, missions: list[Mission], course: Course) -> None:
    for slug in ("first-signal", "rare-but-right"):
        own = begun(pen, missions, slug)
        for page in ("", "edit/", "text/", "preview/", "publish/", "delete/", "export/"):
            response = pen.get(f"/own-missions/{own.public_id}/{page}")
            assert response.status_code == 200, (page, response.headers)
    for page in ("", "new/", "import/", "format/"):
        assert pen.get(f"/own-missions/{page}").status_code == 200, page
    assert pen.post(f"/own-missions/{own.public_id}/publish/", {"courses": course.public_id}).status_code == 302
    assert Publication.objects.get().course == course
