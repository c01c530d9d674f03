"""The check of a mission in a real browser: asked for, followed while it runs, and its budgets taken."""

import pytest
from playwright.sync_api import expect

from missions import tasks
from missions.checking import Limits
from missions.models import Check
from missions.tasks import run_check
from tests.missions.checked import own_mission

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_check_is_followed_to_its_end_and_its_budgets_taken(page, phone, operator, sign_in, axe, fits, monkeypatch):
    own = own_mission(operator)
    check, heard = tasks.check_mission, []

    def watched(*args):
        """The check, with a look at the page when it is half-way."""
        *others, tell = args

        def told(share, doing):
            tell(share, doing)
            if share > 0.3 and not heard:
                heard.append(doing)
                expect(page.get_by_role("heading", name="Checking")).to_be_visible()
                expect(page.get_by_text("Searching: ")).to_be_visible()
                axe(page, themes=("light",))

        return check(*others, told)

    monkeypatch.setattr(tasks, "check_mission", watched)
    monkeypatch.setattr(tasks, "limits_for", lambda world, seconds: Limits(12, 4, seconds))
    monkeypatch.setattr(tasks, "SAID_EVERY", 0.0)
    sign_in(page, operator)
    page.goto(f"/own-missions/{own.public_id}/check/")
    page.get_by_role("button", name="Check it").click()
    expect(page.get_by_role("heading", name="Waiting for its turn")).to_be_visible()
    page.evaluate("window.isTheSamePage = true")
    run_check.call(Check.objects.get().pk)
    assert heard

    expect(page.get_by_role("heading", name="1 problem found")).to_be_visible()
    assert page.evaluate("window.isTheSamePage")
    expect(page.get_by_role("status")).to_have_text("The check has ended: finished.")
    expect(page.get_by_role("img", name="Settings that were tried")).to_be_visible()
    axe(page)
    sign_in(phone, operator)
    phone.set_viewport_size({"width": 320, "height": 640})
    phone.goto(f"/own-missions/{own.public_id}/check/")
    fits(phone)
    axe(phone, themes=("dark",))

    page.get_by_role("button", name="Take these budgets").click()
    expect(page.get_by_text("The budgets are in the text.")).to_be_visible()
    expect(page.get_by_text("checked as it is")).to_be_visible()
    own.refresh_from_db()
    assert "three_stars = 6400" in own.text
