"""Light, dark or as the system has it, remembered without a script."""

import pytest

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_chosen_theme_is_remembered(client, theme):
    response = client.post("/theme/", {"theme": theme, "next": "/privacy/"})
    assert response["Location"] == "/privacy/"
    cookie = response.cookies["theme"]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    assert f'<html lang="en" data-theme="{theme}">' in client.get("/privacy/").content.decode()


def test_system_is_the_start_and_can_be_gone_back_to(client):
    assert "data-theme" not in client.get("/privacy/").content.decode()
    client.post("/theme/", {"theme": "dark"})
    client.post("/theme/", {"theme": "system"})
    assert "data-theme" not in client.get("/privacy/").content.decode()


def test_the_button_goes_round(client):
    seen = []
    for _ in range(3):
        page = client.get("/privacy/")
        seen.append(page.context["theme"])
        client.post("/theme/", {"theme": page.context["next_theme"]})
    assert sorted(seen) == ["dark", "light", "system"]


def test_nonsense_is_ignored(client):
    assert "theme" not in client.post("/theme/", {"theme": '"><script>'}).cookies
    client.cookies["theme"] = "purple"
    assert "data-theme" not in client.get("/privacy/").content.decode()


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "javascript:alert(1)", ""])
def test_it_stays_on_the_site(client, elsewhere):
    assert client.post("/theme/", {"theme": "dark", "next": elsewhere})["Location"] == "/"
