"""A student answers by looking, with the keyboard alone, on a desk and on a phone."""

import re

import pytest
from playwright.sync_api import Page, expect

from accounts.models import User
from missions.answering import question_for
from missions.looking import GENERATORS
from missions.models import Attempt, Mission, Progress
from missions.queries import definition_of

pytestmark = pytest.mark.django_db(transaction=True)


def tab_to(page: Page, element: str) -> None:
    """Press Tab until an element that fits `element` has the focus."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("(element) => document.activeElement.matches(element)", element):
            return
    pytest.fail(f"no Tab leads to {element}")


def answer(page: Page, value: str) -> None:
    tab_to(page, "input[name=answer]")
    page.keyboard.press("Space")
    for _ in range(12):
        if page.evaluate("document.activeElement.value") == value:
            break
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")


def test_a_question_is_answered_by_keyboard(
    page: Page, student: User, missions: list[Mission], sign_in, axe, fits
) -> None:
    looks = [mission for mission in missions if definition_of(mission).is_look]
    for mission in looks:
        Progress.objects.create(user=student, mission=mission, unlocked_at=student.date_joined)
    sign_in(page, student)
    for mission in looks:
        page.goto(f"/missions/{mission.slug}/")
        expect(page.locator("input[name=answer]").first).to_be_visible()
        page.set_viewport_size({"width": 320, "height": 740})
        fits(page)
        page.set_viewport_size({"width": 1280, "height": 800})
        axe(page)

    mission = looks[0]
    page.goto(f"/missions/{mission.slug}/")
    question = question_for(student, mission, definition_of(mission), 0)
    choices = [choice.value for choice in GENERATORS[question.generator].choices(question)]
    answer(page, next(value for value in choices if value != question.answer))
    expect(page.get_by_role("heading", name="Not this one")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/tries/1/$"))
    page.go_back()
    page.reload()
    expect(page.get_by_text("A right answer now earns 2 stars.")).to_be_visible()
    answer(page, question_for(student, mission, definition_of(mission), 1).answer)
    expect(page.get_by_role("heading", name="Two stars")).to_be_visible()
    axe(page, themes=("dark",))
    expect(page.get_by_role("link", name=re.compile("^Play mission 6"))).to_be_visible()
    tab_to(page, "a[href*='/run/?s=']")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/attempts/\d+/run/\?s=\d+&p=\d+$"))
    expect(page.get_by_text("This is the run that the question was about.")).to_be_visible()
    assert Attempt.objects.count() == 2
