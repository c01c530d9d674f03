"""The explorer as a page: one address a view, the same panels whole and one by one, and nothing that breaks it."""

import csv
import io
import json
import re
from dataclasses import replace
from urllib.parse import urlencode

import pytest
from django.template.loader import render_to_string
from django.test import Client

from simulator.engine import parse_setup
from simulator.explorer.address import pairs_of
from simulator.explorer.exploration import Exploration, explore
from simulator.explorer.page import Frame, panels, taken_apart
from simulator.explorer.source import source_of
from simulator.explorer.state import KEYS, ExplorerState
from simulator.explorer.worth import worth_a_look
from simulator.lab.link import Run
from simulator.records import open_canonical
from simulator.runs import visible_run

SMALL = {"world": "reasoning", "steps": 10, "group_size": 4, "prompts_per_step": 2, "num_iterations": 2}
HTMX = {"HTTP_HX_REQUEST": "true", "HTTP_HX_BOOSTED": "true"}


def run(**changes: str) -> Run:
    return Run(parse_setup(SMALL | changes), 3)


@pytest.fixture(autouse=True, scope="module")
def _trained() -> None:
    """Pages answer with how far a run is while it takes long; here it is the run itself that is asked for."""
    for found in (run(), run(algorithm="dapo"), Run(parse_setup({"world": "reasoning"}), 1)):
        visible_run(found.setup, found.seed)


def address(found: Run | None = None, **view: str) -> str:
    return f"/runs/?{urlencode([*pairs_of(found or run()), *view.items()])}"


def panel(html: str, name: str) -> str:
    """One panel's markup, without what only says how it is swapped."""
    found = re.search(rf'<section class="[^"]*" id="{name}".*?\n</section>', html, re.DOTALL)
    assert found, name
    return re.sub(r' hx-swap-oob="[^"]+"', "", found[0])


def test_an_address_that_says_more_than_needed_leads_to_the_canonical_one(client: Client) -> None:
    response = client.get(f"{address()}&plot=ring&s=4")
    assert response.status_code == 302
    there = response.headers["Location"]
    assert there.endswith("&s=4")
    assert client.get(there).status_code == 200
    assert "Step 2 of 10 · update 2 of 2" in client.get(there).content.decode()


@pytest.mark.parametrize(
    "view",
    [
        {"s": "7"},
        {"s": "7", "p": "2", "r": "3", "t": "1"},
        {"s": "3", "m": "kl,entropy,grad_norm", "plot": "line"},
        {"run2": urlencode(pairs_of(run(algorithm="dapo")))},
    ],
)
def test_htmx_gets_the_panels_of_the_page(client: Client, view: dict[str, str]) -> None:
    whole = client.get(address(**view))
    parts = client.get(address(**view), **HTMX)
    restored = client.get(address(**view), **HTMX, HTTP_HX_HISTORY_RESTORE_REQUEST="true")
    assert "HX-Request" in whole.headers["Vary"]
    assert "HX-Request" in parts.headers["Vary"]
    assert "<html" not in parts.content.decode()
    for name in ("explore", "step", "why"):
        assert panel(parts.content.decode(), name) == panel(whole.content.decode(), name), name
    assert panel(restored.content.decode(), "explore") == panel(whole.content.decode(), "explore")
    assert "<html" in restored.content.decode()


def test_a_look_at_something_else_can_be_gone_back_from_and_another_color_is_no_step_of_its_own(client: Client) -> None:
    here = {"HTTP_HX_CURRENT_URL": f"http://testserver{address(s='7')}"}
    moved = client.get(address(s="8"), **HTMX, **here)
    assert moved.headers["HX-Push-Url"] == address(s="8")
    colored = client.get(address(s="7", c="ratio"), **HTMX, **here)
    assert colored.headers["HX-Replace-Url"] == address(s="7", c="ratio")


def test_another_token_leaves_the_pictures_of_the_run_alone(client: Client) -> None:
    whole = client.get(address(s="7", p="1", r="1", t="1")).content.decode()
    for before in (address(s="7"), address(s="7", p="2"), address(s="7", p="1", r="2", t="1")):
        here = {"HTTP_HX_CURRENT_URL": f"http://testserver{before}"}
        part = client.get(address(s="7", p="1", r="1", t="1"), **HTMX, **here).content.decode()
        assert 'id="ring"' not in part
        assert panel(part, "step") == panel(whole, "step")
        for name in ("explore-plots", "explore-metrics", "second"):
            # The choices beside the pictures keep the token, so they come along.
            assert f'id="{name}"' in part
            assert part.count(f'id="{name}"') == 1
        for link in re.findall(r'<a class="chip" id="(m-[a-z_]+)" href="([^"]+)"', part):
            assert f'id="{link[0]}" href="{link[1]}"' in whole
    for before in (address(s="8"), address(s="7", c="ratio"), address(run(algorithm="dapo"), s="7"), "/lab/"):
        here = {"HTTP_HX_CURRENT_URL": f"http://testserver{before}"}
        assert 'id="ring"' in client.get(address(s="7", p="1", r="1", t="1"), **HTMX, **here).content.decode()


def test_every_view_of_a_page_has_an_address_of_its_own(client: Client) -> None:
    html = client.get(address(s="7", p="1", r="1", t="1")).content.decode()
    links = {one.replace("&amp;", "&") for one in re.findall(r'href="(/runs/\?[^"]+)"', html)}
    assert len(links) > 30
    for link in sorted(links)[::7]:
        assert client.get(link).status_code in (200, 302), link


@pytest.mark.parametrize(
    "query",
    [
        "s=0",
        "s=99999",
        "s=%00",
        "p=99&r=99&t=99",
        "m=%3Cscript%3E",
        "run2=world%3Dreasoning%26steps%3Dmany",
        "run2=%FF%FE",
        "x=" + "1," * 500,
        "&".join(f"s={n}" for n in range(300)),
        "eps=1e308&epsh=-1",
        "term=" + "a" * 5000,
    ],
)
def test_what_can_t_be_is_said_and_the_page_stands(client: Client, query: str) -> None:
    response = client.get(f"{address()}&{query}", follow=True)
    assert response.status_code == 200
    assert "<script>" not in response.content.decode()


@pytest.mark.parametrize("query", ["world=reasoning&steps=0", "method=dpo&beta=x", "world=reasoning&seed=-1"])
def test_a_setup_that_can_t_run_is_refused_in_words(client: Client, query: str) -> None:
    response = client.get(f"/runs/?{query}")
    assert response.status_code == 400
    assert "No such run" in response.content.decode()
    assert client.get(f"/runs/metrics.csv?{query}").status_code == 404
    assert client.get(f"/runs/log/json/?{query}").status_code == 404


@pytest.mark.parametrize(
    "world", [{"world": "candidates", "steps": 1}, {"world": "candidates", "method": "dpo"}, SMALL]
)
def test_a_run_of_either_world_opens_where_something_happens(client: Client, world: dict[str, object]) -> None:
    found = Run(parse_setup(world), 1)
    x = explore(found, [], "/runs/", pairs_of(found))
    assert x.state.s is not None
    assert x.state.s == x.spots[0].place
    assert client.get(address(found)).status_code == 200


def test_a_run_that_diverged_opens_with_what_there_is_of_it(client: Client) -> None:
    wild = {"optimizer": "sgd", "learning_rate": 100, "max_grad_norm": 0, "num_iterations": 16, "beta": 1, "kl": "k3"}
    found = Run(parse_setup(SMALL | wild), 3)
    source = source_of(found.setup, found.seed)
    assert source.updates < 160
    for headers in ({}, HTMX):
        html = client.get(address(found), **headers).content.decode()
        assert "the last update before the run diverged" in html
    # Nothing at all was made of it: not by this setup, but a page has to stand.
    none = replace(source, steps=source.steps[:0], rollouts=source.rollouts[:0], series={})
    assert worth_a_look(none) == ()
    x = Exploration(none, ExplorerState(), ExplorerState(), "/runs/", pairs_of(found), found)
    context = {"x": x, "frame": Frame("None"), "notes": [], **panels(x)}
    assert "No update." in render_to_string("explorer/page.html", context)
    assert "title" in render_to_string("explorer/fragment.html", context | {"oob": True})


def test_the_metrics_file_has_every_update_and_the_chart_s_numbers(client: Client) -> None:
    content = b"".join(client.get(address().replace("/runs/", "/runs/metrics.csv")).streaming_content)  # type: ignore[attr-defined]
    rows = list(csv.DictReader(io.StringIO(content.decode())))
    source = source_of(run().setup, 3)
    assert len(rows) == source.updates == 20
    assert [row["step"] for row in rows][:3] == ["1", "1", "2"]
    for name in ("reward", "policy_objective", "train_accuracy"):
        series = source.series[name]
        written = {int(row["update"]): float(row[name]) for row in rows if row[name]}
        assert written == dict(zip(series.places.tolist(), series.values.tolist(), strict=True))


@pytest.mark.parametrize("kind", ["json", "jsonl"])
def test_a_run_is_exported_and_reads_back_as_the_same_record(client: Client, tmp_path, kind: str) -> None:  # type: ignore[no-untyped-def]
    response = client.get(f"/runs/log/{kind}/?{urlencode(pairs_of(run()))}")
    path = tmp_path / f"log.{kind}"
    path.write_bytes(b"".join(response.streaming_content))  # type: ignore[attr-defined]
    assert f'filename="unipo-grpo-seed-3.{kind}"' in response.headers["Content-Disposition"]
    if kind == "json":
        json.loads(path.read_text())
    read, made = open_canonical(path), source_of(run().setup, 3).record
    for one, other in zip(read.updates(), made.updates(), strict=True):
        assert one.step == other.step
        assert one.metrics["policy_objective"] == other.metrics["policy_objective"]
        assert one.prompts[0].responses[0].strings == other.prompts[0].responses[0].strings


def test_a_query_is_taken_apart_by_whose_keys_they_are() -> None:
    asked = taken_apart("s=3&steps=10&beta=0.1&beta_if=0.2&seed=1&vs=ppo")
    assert dict(asked.view) == {"s": "3", "beta_if": "0.2", "vs": "ppo"}
    assert not {key for key, _ in asked.run} & KEYS
