"""The mission page as a browser without scripts uses it, and the fragments htmx asks for."""

import re
from unittest.mock import patch
from uuid import uuid4

import pytest
from django.test import Client

from accounts.models import User
from missions.answering import question_for
from missions.attempts import next_token
from missions.models import Attempt, Draft, Mission, Progress
from missions.queries import definition_of
from missions.seeds import evaluation_seeds
from tests.missions.helpers import HTMX, form_of, record, train


@pytest.fixture
def browser(client: Client, student: User, missions: list[Mission]) -> Client:
    client.force_login(student)
    return client


def text_of(response) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def winning(mission: Mission):
    return definition_of(mission).verify[3]


def test_a_fresh_student_sees_one_open_mission(browser: Client, missions: list[Mission]) -> None:
    page = browser.get("/missions/").content.decode()
    assert page.count('class="stop now"') == 1
    assert page.count('class="stop shut"') == len(missions) - 1
    assert f"/missions/{missions[1].slug}/" not in page
    assert "opens after 11" in page


def test_training_without_scripts_redirects_to_the_try(browser: Client, student: User, missions: list[Mission]) -> None:
    response = train(browser, missions[0], student)
    assert response.status_code == 302
    assert response.headers["Location"] == f"/missions/{missions[0].slug}/tries/1/"
    page = browser.get(response.headers["Location"])
    assert "Not yet:" in text_of(page)
    assert "What happened here" not in text_of(page)


def test_goals_stay_as_the_telling_try_was_graded(browser: Client, student: User, missions: list[Mission]) -> None:
    def goal() -> str:
        panel = browser.get(f"/missions/{missions[0].slug}/").content.decode().partition('id="goal-title"')[2]
        return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", panel.partition("</section>")[0]))

    assert "not tried" in goal()
    record(student, missions[0], passed=False)
    assert "As your latest try, number 1, was graded." in goal() and "not tried" not in goal()
    record(student, missions[0], passed=True, sampled_responses=1)
    record(student, missions[0], passed=True, sampled_responses=10**7)
    record(student, missions[0], passed=False)
    assert "As your best try, number 2, was graded." in goal()
    # Goals may have changed since.
    Mission.objects.filter(pk=missions[0].pk).update(revision=missions[0].revision + 1)
    assert "not tried" in goal()


def test_a_win_shows_stars_debrief_and_the_opened_mission(
    browser: Client, student: User, missions: list[Mission]
) -> None:
    response = train(browser, missions[0], student, winning(missions[0]), htmx=True, prediction="2")
    words = text_of(response)
    assert "Three stars" in words and "Now open" in words and missions[1].title in words
    assert "What happened here" in words
    assert "You predicted" in words
    assert response.headers["HX-Push-Url"] == f"/missions/{missions[0].slug}/tries/1/"
    assert "<html" not in response.content.decode()
    count = re.search(r'<a[^>]*id="star-count".*?</a>', response.content.decode(), re.DOTALL)
    assert count is not None
    assert 'hx-swap-oob="true"' in count[0] and ">3<" in count[0]
    assert browser.get(f"/missions/{missions[1].slug}/").status_code == 200
    assert browser.get(f"/missions/{missions[2].slug}/").status_code == 302


def test_the_page_and_the_fragment_say_the_same(browser: Client, student: User, missions: list[Mission]) -> None:
    fragment = text_of(train(browser, missions[0], student, winning(missions[0]), htmx=True))
    page = text_of(browser.get(f"/missions/{missions[0].slug}/tries/1/"))
    grading = "Mean of 32 hidden seeds, 95% interval."
    around = fragment[fragment.index(grading) - 120 : fragment.index(grading) + 120]
    assert around in page


@pytest.mark.parametrize("htmx", [False, True])
def test_the_same_form_sent_twice_is_one_try(
    htmx: bool, browser: Client, student: User, missions: list[Mission]
) -> None:
    form = form_of(missions[0], student)
    extra = HTMX if htmx else {}
    answers = [browser.post(f"/missions/{missions[0].slug}/train/", form, **extra) for _ in range(3)]
    assert Attempt.objects.count() == 1
    assert len({answer.status_code for answer in answers}) == 1
    assert Progress.objects.get(mission=missions[0]).tries == 1


def test_a_second_tab_with_other_settings_keeps_them_and_says_so(
    browser: Client, student: User, missions: list[Mission]
) -> None:
    second_tab = form_of(missions[0], student, steps="300")
    train(browser, missions[0], student, steps="75")
    response = browser.post(f"/missions/{missions[0].slug}/train/", second_tab, follow=True)
    assert Attempt.objects.count() == 1
    assert "You had already trained from another page" in text_of(response)
    assert '<option value="300" selected>' in response.content.decode()
    assert Draft.objects.get().fields["steps"] == "300"


def test_loading_a_page_twice_offers_the_same_token(browser: Client, missions: list[Mission]) -> None:
    tokens = {
        re.search(r'name="token" value="([^"]+)"', browser.get(f"/missions/{missions[0].slug}/").content.decode())[1]
        for _ in range(2)
    }
    assert len(tokens) == 1
    assert not Draft.objects.exists() and not Progress.objects.exists()


def test_visiting_is_not_trying(browser: Client, missions: list[Mission]) -> None:
    browser.get(f"/missions/{missions[0].slug}/")
    assert not Progress.objects.exists()


def test_a_draft_survives_a_reload_and_a_new_session(browser: Client, student: User, missions: list[Mission]) -> None:
    slug = missions[0].slug
    answer = browser.post(f"/missions/{slug}/draft/", form_of(missions[0], student, steps="300"), **HTMX)
    assert answer.status_code == 200
    assert "19,200" in text_of(answer)
    other_browser = Client()
    other_browser.force_login(student)
    assert '<option value="300" selected>' in other_browser.get(f"/missions/{slug}/").content.decode()


def test_a_draft_without_scripts_comes_back_to_the_page(
    browser: Client, student: User, missions: list[Mission]
) -> None:
    answer = browser.post(f"/missions/{missions[0].slug}/draft/", form_of(missions[0], student, steps="300"))
    assert answer.headers["Location"] == f"/missions/{missions[0].slug}/"


def test_changing_the_method_shows_its_controls(browser: Client, student: User, missions: list[Mission]) -> None:
    mission = next(m for m in missions if m.slug == "sample-once")
    Progress.objects.create(user=student, mission=mission, unlocked_at=student.date_joined)
    form = form_of(mission, student, method="dpo")
    answer = browser.post(
        f"/missions/{mission.slug}/draft/", form, **HTMX, HTTP_HX_TRIGGER_NAME="method"
    ).content.decode()
    assert 'name="samples_per_prompt"' in answer and 'name="group_size"' not in answer


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"steps": "7"}, "Choose one of 25"),
        ({"beta": "nan"}, "Beta must be a number"),
        ({"seed": "minus one"}, "Your seed must be a whole number"),
        ({"method": "dpo"}, "This control is locked."),
        ({"cheat": "1"}, "no setting called"),
        ({"token": "x"}, "out of date"),
    ],
)
@pytest.mark.parametrize("htmx", [False, True])
def test_what_is_wrong_gets_a_message_and_costs_nothing(
    htmx: bool, changes: dict[str, str], words: str, browser: Client, student: User, missions: list[Mission]
) -> None:
    response = train(browser, missions[0], student, htmx=htmx, **changes)
    assert response.status_code == 422
    assert words in text_of(response)
    assert ("<html" in response.content.decode()) != htmx
    assert not Attempt.objects.exists() and not Progress.objects.exists()


def test_what_was_typed_wrong_stays_in_the_form(browser: Client, student: User, missions: list[Mission]) -> None:
    response = train(browser, missions[0], student, seed="one", steps="300")
    page = response.content.decode()
    assert 'value="one"' in page and '<option value="300" selected>' in page
    assert 'aria-invalid="true"' in page and 'id="seed-error"' in page


def test_a_failed_run_stores_and_charges_nothing_and_keeps_the_settings(
    browser: Client, student: User, missions: list[Mission]
) -> None:
    browser.raise_request_exception = False
    with patch("missions.submitting.grade", side_effect=MemoryError):
        response = train(browser, missions[0], student, htmx=True, steps="300")
    assert response.status_code == 500
    assert not Attempt.objects.exists() and not Progress.objects.exists()
    assert '<option value="300" selected>' in browser.get(f"/missions/{missions[0].slug}/").content.decode()


@pytest.mark.parametrize("address", ["", "tries/1/", "train/", "draft/"])
def test_a_locked_mission_says_what_opens_it(
    address: str, browser: Client, student: User, missions: list[Mission]
) -> None:
    url = f"/missions/{missions[3].slug}/{address}"
    send = browser.post if address in ("train/", "draft/") else browser.get
    response = send(url, follow=True)
    assert response.redirect_chain == [("/missions/", 302)]
    assert f"opens after mission 3, “{missions[2].title}”" in text_of(response)
    fragment = send(url, **HTMX)
    assert (fragment.status_code, fragment.headers["HX-Redirect"]) == (204, "/missions/")
    assert not Attempt.objects.exists() and not Draft.objects.exists()


def test_an_ended_session_leads_back_to_the_mission(client: Client, student: User, missions: list[Mission]) -> None:
    page = f"http://testserver/missions/{missions[0].slug}/"
    response = client.post(
        f"/missions/{missions[0].slug}/train/",
        form_of(missions[0], student),
        **HTMX,
        HTTP_HX_CURRENT_URL=page,
    )
    assert response.status_code == 204
    assert response.headers["HX-Redirect"] == f"/account/login/?next=%2Fmissions%2F{missions[0].slug}%2F"


@pytest.mark.parametrize("number", [2, 0, 99999999999999999999, 2**31, 2**63])
def test_a_try_that_is_not_there_is_not_found(
    number: int, browser: Client, student: User, missions: list[Mission]
) -> None:
    record(student, missions[0], passed=False)
    assert browser.get(f"/missions/{missions[0].slug}/tries/{number}/").status_code == 404


def test_other_students_tries_are_not_reachable(browser: Client, other_student: User, missions: list[Mission]) -> None:
    record(other_student, missions[0], passed=True)
    assert browser.get(f"/missions/{missions[0].slug}/tries/1/").status_code == 404
    assert browser.get(f"/missions/{missions[0].slug}/?setup=1").status_code == 404


def test_the_start_and_an_earlier_try_can_be_asked_for(browser: Client, student: User, missions: list[Mission]) -> None:
    train(browser, missions[0], student, steps="300")
    slug = missions[0].slug
    assert '<option value="300" selected>' in browser.get(f"/missions/{slug}/").content.decode()
    assert '<option value="50" selected>' in browser.get(f"/missions/{slug}/?setup=start").content.decode()
    assert '<option value="300" selected>' in browser.get(f"/missions/{slug}/?setup=1").content.decode()


def test_no_answer_ever_holds_a_hidden_seed(browser: Client, student: User, missions: list[Mission]) -> None:
    answers = [
        train(browser, missions[0], student, winning(missions[0]), htmx=True),
        browser.get(f"/missions/{missions[0].slug}/tries/1/"),
        browser.get("/me/"),
        browser.get("/me/export/"),
        browser.get("/missions/"),
    ]
    seeds = {str(seed) for seed in evaluation_seeds()}
    for answer in answers:
        assert not seeds & set(re.findall(r"\d+", answer.content.decode()))


def test_every_mission_can_be_walked_through_to_three_stars(
    browser: Client, student: User, missions: list[Mission]
) -> None:
    for mission in missions:
        if definition_of(mission).is_look:
            question = question_for(student, mission, definition_of(mission), tries=0)
            fields = {"token": str(next_token(student, mission, 0)), "answer": question.answer}
            response = browser.post(f"/missions/{mission.slug}/answer/", fields, follow=True)
        else:
            response = train(browser, mission, student, winning(mission), htmx=True)
        assert response.status_code == 200, mission.slug
        assert "Three stars" in text_of(response), mission.slug
    page = text_of(browser.get("/missions/"))
    assert "All passed." in page
    assert "42 of 42 stars" in page and "30 of 30 stars" in page


def test_an_unknown_token_of_another_mission_is_its_own_try(
    browser: Client, student: User, missions: list[Mission]
) -> None:
    token = str(uuid4())
    train(browser, missions[0], student, winning(missions[0]), token=token)
    response = train(browser, missions[1], student, token=token)
    # The token already led to a try, at the first mission: that is where the student is sent.
    assert response.headers["Location"] == f"/missions/{missions[0].slug}/tries/1/"
    assert Attempt.objects.count() == 1


def test_what_is_typed_over_an_earlier_setup_survives_a_reload(
    browser: Client, student: User, missions: list[Mission]
) -> None:
    page = f"http://testserver/missions/{missions[0].slug}/?setup=start"
    form = form_of(missions[0], student, steps="300")
    answer = browser.post(f"/missions/{missions[0].slug}/draft/", form, **HTMX, HTTP_HX_CURRENT_URL=page)
    # The address that would ask for the start again is replaced by one that shows what was typed.
    assert answer.headers["HX-Replace-Url"] == f"/missions/{missions[0].slug}/"
    assert '<option value="300" selected>' in browser.get(answer.headers["HX-Replace-Url"]).content.decode()
