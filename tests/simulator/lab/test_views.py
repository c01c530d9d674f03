"""The lab's pages over HTTP, without a database: nobody signs in here."""

import html
import re
from typing import Any
from urllib.parse import urlencode

import pytest
from django.http import HttpResponse
from django.test import Client

from simulator.charts.table import fixed, signed
from simulator.engine import parse_setup, simulate
from simulator.engine.candidates.events import EVENTS
from simulator.engine.candidates.methods import METHODS
from simulator.lab.link import Place, Run
from simulator.labels.candidates import METRICS

HTMX = {"HX-Request": "true"}


def query(prompt: int = 1, seed: int = 1, previous: Run | None = None, **setup: Any) -> str:
    return Place(Run(parse_setup(setup), seed), {"prompt": prompt}, previous).query()


def get(client: Client, search: str = "", fragment: bool = False) -> HttpResponse:
    return client.get(f"/lab/?{search}", headers=HTMX if fragment else {})


def tiles_of(response: HttpResponse) -> dict[str, str]:
    found = re.findall(r'data-metric="(\w+)">.*?<dd class="v">([^<]+)</dd>', response.content.decode(), re.DOTALL)
    return dict(found)


def differences_of(response: HttpResponse) -> list[str]:
    return re.findall(r'<dd class="d \w*"><b>([^<]+)</b>', response.content.decode())


def lab_of(response: HttpResponse) -> str:
    """The part of a page or fragment that is swapped, without white space at line ends."""
    text = response.content.decode()
    end = text.index('<p id="lab-said"') if text.lstrip().startswith('<div id="lab"') else text.index("</main>")
    part = text[text.index('<div id="lab">') : end]
    return "".join(line.strip() for line in part.splitlines()).removesuffix("</div>" if "</main>" in text else "")


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("method", METHODS)
def test_every_event_and_method(client: Client, event: str, method: str) -> None:
    response = get(client, urlencode({"event": event, "method": method, "steps": 30}))
    assert response.status_code == 200
    final = simulate(parse_setup({"event": event, "method": method, "steps": 30}), [1]).final
    assert tiles_of(response) == {name: fixed(final[name][0], METRICS[name].decimals) for name in METRICS}
    assert not re.search(r"\bnan\b", response.content.decode().lower())


def test_start_page(client: Client) -> None:
    response = get(client)
    assert response.status_code == 200
    assert b'aria-current="page">Lab' in response.content
    assert b"Change one setting." in response.content and not differences_of(response)


def test_the_form_has_only_settings_that_count(client: Client) -> None:
    def fields(search: str) -> list[str]:
        return re.findall(r'<input class="in num" id="(\w+)" name="\1"', get(client, search).content.decode())

    assert fields("") == ["steps", "group_size", "beta", "length_penalty", "seed"]
    assert fields("method=dpo") == ["steps", "samples_per_prompt", "beta", "length_penalty", "seed"]
    assert fields("method=rdpo&event=label_flips") == [
        "steps",
        "samples_per_prompt",
        "beta",
        "length_penalty",
        "label_smoothing",
        "flip_rate",
        "seed",
    ]
    # A link may flip labels in another world; then it has to be visible.
    assert "flip_rate" in fields("method=dpo&flip_rate=0.2")


def test_online_methods_say_that_nothing_is_flipped(client: Client) -> None:
    assert b"nothing is flipped here" in get(client, "event=label_flips").content
    assert b"nothing is flipped here" not in get(client, "event=label_flips&method=dpo").content


def test_differences_are_those_of_two_independent_runs(client: Client) -> None:
    before, after = {"event": "length_bias"}, {"event": "length_bias", "length_penalty": 2.5}
    response = get(client, query(previous=Run(parse_setup(before), 1), **after))
    old, new = (simulate(parse_setup(setup), [1]).final for setup in (before, after))
    assert differences_of(response) == [
        signed(new[name][0] - old[name][0], metric.decimals) for name, metric in METRICS.items()
    ]
    text = html.unescape(response.content.decode())
    assert "length penalty 0" in text and "up by 0.377, to 0.796" in text
    assert "previous setup" in text and 'class="ctl changed"' in text


def test_page_and_fragment_agree(client: Client) -> None:
    search = query(event="reward_hack", steps=60, prompt=7, previous=Run(parse_setup({"event": "reward_hack"}), 1))
    page, fragment = get(client, search), get(client, search, fragment=True)
    assert fragment.status_code == 200 and fragment["HX-Push-Url"] == f"/lab/?{search}"
    assert lab_of(page) == lab_of(fragment)
    assert b"<html" not in fragment.content and b'hx-swap-oob="innerHTML"' in fragment.content


def test_history_restore_gets_the_page(client: Client) -> None:
    response = client.get("/lab/", headers={**HTMX, "HX-History-Restore-Request": "true"})
    assert b"<html" in response.content


def test_the_form_without_scripts_is_sent_to_the_canonical_address(client: Client) -> None:
    sent = {"event": "clean", "method": "dpo", "steps": "100", "group_size": "8", "beta": "0.05", "from": query()}
    response = get(client, urlencode(sent))
    expected = query(method="dpo", steps=100, previous=Run(parse_setup({}), 1))
    assert response.status_code == 302 and response["Location"] == f"/lab/?{expected}"
    assert client.get(response["Location"]).status_code == 200


def test_every_change_pushes_the_canonical_address(client: Client) -> None:
    response = get(client, urlencode({"steps": "100", "from": query()}), fragment=True)
    assert response["HX-Push-Url"] == f"/lab/?{query(steps=100, previous=Run(parse_setup({}), 1))}"
    assert b"Trained again: win rate" in response.content


def test_a_refused_value_keeps_form_and_result(client: Client) -> None:
    search = urlencode({"steps": "many", "beta": "0.2", "seed": "1", "from": query(steps=300)})
    response = get(client, search, fragment=True)
    text = response.content.decode()
    assert response.status_code == 422 and response["HX-Push-Url"] == "false"
    assert 'value="many"' in text and 'value="0.2"' in text
    assert 'aria-describedby="steps-help steps-error" aria-invalid="true"' in text
    assert "Steps must be a whole number from 1 to 800." in text
    assert tiles_of(response) == tiles_of(get(client, "steps=300")) and "the last setup that ran" in text
    assert get(client, search).status_code == 400


def test_nothing_to_fall_back_on_is_an_empty_state(client: Client) -> None:
    response = get(client, "steps=0")
    assert response.status_code == 400 and b"No run yet" in response.content and not tiles_of(response)


@pytest.mark.parametrize(
    "search",
    [
        "event=nothing",
        "method=sft",
        "method=",
        "steps=nan",
        "beta=1e400",
        "beta=inf",
        "steps=" + "9" * 3000,
        "group_size=-0",
        "seed=-1",
        "seed=99999999999",
        "prompt=0",
        "prompt=41",
        "steps=1&steps=2",
        "world=nowhere",
        "method=rloo&group_size=1",
        "event=%00&steps=%ff",
    ],
)
@pytest.mark.parametrize("fragment", [False, True])
def test_bad_addresses_get_a_message(client: Client, search: str, fragment: bool) -> None:
    response = get(client, search, fragment)
    assert response.status_code == (422 if fragment else 400)
    assert b'class="err"' in response.content or b"No run yet" in response.content


@pytest.mark.parametrize(
    "search",
    ["colour=red", "previous=broken", "previous=" + "a" * 3000, "&".join(f"k{i}=1" for i in range(900)), "&&="],
)
def test_odd_addresses_still_run(client: Client, search: str) -> None:
    response = get(client, search)
    assert response.status_code == 200 and tiles_of(response)
    assert b"note-warn" in response.content


def test_typed_text_is_escaped(client: Client) -> None:
    text = get(client, urlencode({"steps": '"><script>x', "<b>": "1"})).content.decode()
    assert "<script>x" not in text and "<b>”" not in text


def test_prompts(client: Client) -> None:
    first, last = get(client, "prompt=1"), get(client, "prompt=40")
    assert b"One prompt: number 1<" in first.content and b"prompt=40" in first.content
    assert b"One prompt: number 40<" in last.content and b"prompt=39" in last.content
    refused = get(client, "prompt=41")
    assert b"Prompt must be a whole number from 1 to 40." in refused.content and tiles_of(refused)


def test_the_cost_is_said_in_words(client: Client) -> None:
    text = " ".join(get(client, "steps=200&group_size=8").content.decode().split())
    assert "200 steps × 8 prompts × 8 responses" in text and "12,800" in text


def test_figures_have_tables_and_no_style_attributes(client: Client) -> None:
    text = get(client, query(event="reward_hack")).content.decode()
    assert not re.search(r"\sstyle=", text)
    assert text.count("Show data table") == 3
    assert len(re.findall(r'<svg class="chart"[^>]*role="img"', text)) == 6
    assert len(re.findall(r"<title id=", text)) == len(re.findall(r"<desc id=", text)) == 6
    ids = re.findall(r'\sid="([^"]+)"', text)
    assert len(ids) == len(set(ids))


def test_a_setup_of_the_other_world_is_sent_to_its_lab(client: Client) -> None:
    response = get(client, "world=reasoning&algorithm=ppo")
    assert response.status_code == 302 and response["Location"] == "/lab/reasoning/?world=reasoning&algorithm=ppo"
    assert client.get("/lab/reasoning/?world=candidates&steps=30")["Location"] == "/lab/?world=candidates&steps=30"


def test_only_reading(client: Client) -> None:
    assert client.post("/lab/").status_code == 405
    assert client.head("/lab/").status_code == 200


def test_what_it_assumes(client: Client) -> None:
    text = client.get("/lab/assumptions/").content.decode()
    assert all(html.escape(method.source) in text for method in METHODS.values())
    assert "the 3rd least likely" in text and "82% of" in text


def test_what_it_cannot_tell(client: Client) -> None:
    text = client.get("/lab/limits/").content.decode()
    links = re.findall(r'href="(/lab/\?[^"]+)"', text)
    assert len(links) > 20
    for link in links[:3]:
        assert client.get(html.unescape(link)).status_code == 200
