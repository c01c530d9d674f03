"""The evidence page over HTTP, without a database: it shows what is in the registry and the results, nothing else."""

import html
import re
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.http import HttpResponse
from django.test import Client

from missions.loading import read_catalogue
from simulator.charts.intervals import WIDTH, interval_mark, reach_of
from simulator.evidence.claim import Verdict
from simulator.evidence.page import advice, chip, counts, entries, themes
from simulator.evidence.registry import BY_NAME, CLAIMS
from simulator.evidence.results import results
from simulator.interval import Interval
from simulator.lab.link import read


@pytest.fixture(scope="module")
def page() -> HttpResponse:
    return Client().get("/evidence/")


def text_of(response: HttpResponse) -> str:
    return html.unescape(response.content.decode())


def test_every_claim_has_a_row_and_a_section(page: HttpResponse) -> None:
    text = text_of(page)
    assert page.status_code == 200
    for entry in entries():
        assert text.count(f'href="#{entry.claim.name}"') == 1 and text.count(f'id="{entry.claim.name}"') == 1
        assert entry.claim.statement in text and entry.finding in text
        assert text.count(entry.headline.value) >= 2
    assert "{" not in "".join(entry.finding for entry in entries())
    assert "no language model is trained or run" in text


def test_verdicts_are_those_of_the_results(page: HttpResponse) -> None:
    assert [entry.claim for entry in entries()] == list(CLAIMS)
    assert sum(count for _, count in counts()) == len(CLAIMS)
    for entry in entries():
        needed = [row.is_met for row in entry.effects if row.is_met is not None]
        expected = Verdict.REPRODUCED if all(needed) else Verdict.PARTLY if any(needed) else Verdict.NOT
        assert entry.verdict == chip(expected)
        for effect, row in zip(entry.claim.effects, entry.effects, strict=True):
            interval = results()[entry.claim.name].effects[effect.name].interval
            assert (row.mark.mean > row.mark.zero) == (interval.mean > 0) or abs(interval.mean) < 1e-3
            assert row.mark.start >= 0 and row.mark.start + row.mark.length <= WIDTH


@pytest.mark.parametrize("verdict", Verdict)
def test_the_filter_is_a_link(client: Client, verdict: Verdict) -> None:
    response = client.get(f"/evidence/?verdict={verdict.value}")
    names = [entry.claim.name for theme in themes(verdict) for entry in theme.entries]
    found = re.findall(r'<article class="claim" id="([\w-]+)"', response.content.decode())
    assert found == names and names
    assert text_of(response).count('class="chip" href') == 1 + len(Verdict)
    (current,) = re.findall(r'<a class="chip" href="([^"]+)" aria-current="true"', response.content.decode())
    assert current == f"/evidence/?verdict={verdict.value}"


def test_an_unknown_verdict_shows_all(client: Client) -> None:
    response = client.get("/evidence/?verdict=<b>")
    assert response.status_code == 200 and response.content.count(b"<article") == len(CLAIMS)
    assert client.post("/evidence/").status_code == 405


def test_links_open_the_very_setup_in_the_lab() -> None:
    for entry in entries():
        for arm, row in zip(entry.claim.arms, entry.arms, strict=True):
            address = urlsplit(row.address)
            reading = read(parse_qsl(address.query, strict_parsing=True), entry.claim.world)
            assert reading.is_good and reading.place is not None
            assert reading.place.run.setup.run_hash == arm.setup.run_hash
            assert reading.place.run.seed == entry.claim.seeds[0]


def test_missions_that_a_claim_names_exist() -> None:
    known = {entry.definition.slug for entry in read_catalogue()}
    assert {slug for claim in CLAIMS for slug in claim.missions} <= known


def test_the_limits_page_shows_the_advice_that_fails(client: Client) -> None:
    text = text_of(client.get("/lab/limits/"))
    shown = advice("candidates")
    assert {"noise", "length", "flips", "groups", "leash"} <= {entry.claim.name for entry in shown}
    assert all(entry.finding in text for entry in shown)
    assert {"dynamic-samples", "clip-higher", "k1-in-loss"} <= {entry.claim.name for entry in advice("reasoning")}
    for entry in (*shown, *advice("reasoning")):
        assert f'href="/evidence/#{entry.claim.name}"' in text and entry.claim.statement in text
        assert entry.verdict.name != Verdict.REPRODUCED.value


def test_an_interval_mark_keeps_to_scale() -> None:
    wide, narrow = Interval(0.5, 0.5), Interval(-0.25, 0.0)
    reach = reach_of([wide, narrow])
    assert reach == 1.0
    first, second = (interval_mark(interval, "", reach) for interval in (wide, narrow))
    assert (first.start, first.mean, first.start + first.length) == (WIDTH / 2, 153.5, WIDTH - 8)
    assert second.mean == pytest.approx(WIDTH / 2 - 24.2, abs=0.1) and second.length == 2
    assert interval_mark(Interval(0, 0), "").mean == WIDTH / 2


def test_anchors_of_the_old_page_still_exist() -> None:
    assert all(BY_NAME[name].is_advice for name in ("noise", "length", "flips", "groups", "leash"))
