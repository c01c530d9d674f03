"""The reasoning lab's pages over HTTP, without a database: nobody signs in here."""

import html
import re
from typing import Any
from urllib.parse import urlencode

import pytest
from django.http import HttpResponse
from django.test import Client

from simulator import runs
from simulator.charts.table import fixed
from simulator.engine import parse_setup, simulate
from simulator.engine.algorithms import ALGORITHMS, PRESETS, choice_of
from simulator.engine.reasoning.vocabulary import CONTEXT_NAMES
from simulator.lab.link import Place, Run
from simulator.worlds import WORLDS

HTMX = {"HX-Request": "true"}
WORLD = WORLDS["reasoning"]
DIVERGES = {
    "optimizer": "sgd",
    "learning_rate": 100,
    "max_grad_norm": 0,
    "num_iterations": 16,
    "kl": "k3",
    "beta": 1,
    "steps": 10,
}


def setup(**chosen: Any) -> Any:
    return parse_setup({"world": "reasoning", **chosen})


def query(previous: Run | None = None, views: dict[str, int] | None = None, **chosen: Any) -> str:
    return Place(Run(setup(**chosen), 1), views or {}, previous).query()


def get(client: Client, search: str = "", **headers: str) -> HttpResponse:
    return client.get(f"/lab/reasoning/?{search}", headers=headers)


def text_of(response: HttpResponse) -> str:
    return html.unescape(response.content.decode())


def tiles_of(response: HttpResponse) -> dict[str, str]:
    found = re.findall(r'data-metric="(\w+)">.*?<dd class="v">([^<]+)</dd>', response.content.decode(), re.DOTALL)
    return dict(found)


@pytest.mark.parametrize("algorithm", PRESETS)
def test_every_algorithm(client: Client, algorithm: str) -> None:
    response = get(client, urlencode({"algorithm": algorithm, "steps": 10}))
    assert response.status_code == 200
    final = simulate(setup(algorithm=algorithm, steps=10), [1]).final
    assert tiles_of(response) == {name: fixed(final[name][0], WORLD.metrics[name].decimals) for name in WORLD.tiles}
    text = text_of(response)
    assert ALGORITHMS[algorithm].sentence in text and not re.search(r"\bNaN\b", text)
    assert 'id="deviations"' not in text
    ids = re.findall(r'\sid="([^"]+)"', text)
    assert len(ids) == len(set(ids)) and not re.search(r"\sstyle=", text)
    # Every chart has its numbers in a table under it, or in one of the two for all.
    assert text.count("data-curves") == 5 + 2 + 1 + 17 and text.count("<caption") == 2 + 1 + 1


def test_five_controls_in_the_open_and_the_rest_in_groups(client: Client) -> None:
    text = text_of(get(client))
    form = text[text.index('<form class="panel lab-side"') : text.index("</form>")]
    in_the_open = form[: form.index("<details")]
    names = re.findall(r'<(?:input class="in num"|select class="in") id="(\w+)"', in_the_open)
    assert names == ["algorithm", "steps", "group_size", "learning_rate", "num_iterations"]
    every = re.findall(r'<(?:input class="in num"|select class="in") id="(\w+)"', form)
    assert set(every) == set(setup().active_fields()) - {"world"} | {"seed"}
    assert len(every) == len(set(every)) and "<details open" not in form


def test_a_choice_shows_its_sentence_and_its_formula(client: Client) -> None:
    for value in ("group_mean", "gae"):
        text = text_of(get(client, f"advantage={value}"))
        choice = choice_of("advantage", value)
        assert choice.sentence in text and choice.equation.mathml() in text


def test_a_choice_without_effect_is_said_beside_the_result_too(client: Client) -> None:
    page = client.get("/lab/reasoning/", {"algorithm": "grpo", "group_size": "1", "steps": "10"})
    result = page.content.decode().split('id="lab-comparison"')[1]
    assert "A group of one has nothing to compare with" in result.split("<section")[0]


def test_what_differs_from_the_algorithm_is_said(client: Client) -> None:
    text = text_of(get(client, "algorithm=grpo&aggregation=per_token&num_iterations=2"))
    words = " ".join(re.sub(r"<[^>]+>", "", text[text.index('id="deviations"') :]).split())
    assert "GRPO, changed: aggregation Mean over tokens instead of Mean per response; epochs per step 2" in words
    back = re.search(r'href="(/lab/reasoning/\?[^"]+)"[^>]*>Back to plain GRPO', text)
    assert back is not None and 'id="deviations"' not in text_of(client.get(back[1]))


def test_choices_that_mean_nothing_say_so(client: Client) -> None:
    assert "nothing is learned" in text_of(get(client, "group_size=1"))
    assert "nothing is learned" not in text_of(get(client, "group_size=1&advantage=ema_baseline"))
    assert "the clip never acts" in text_of(get(client, "num_iterations=1"))
    assert "the penalty has no effect" in text_of(get(client, "kl=k2&beta=0"))


def test_two_runs_are_compared(client: Client) -> None:
    response = get(client, query(Run(setup(algorithm="grpo"), 1), algorithm="dr_grpo"))
    text = " ".join(text_of(response).split())
    before, after = (simulate(setup(algorithm=name), [1]).final["train_accuracy"][0] for name in ("grpo", "dr_grpo"))
    assert "algorithm GRPO" in text and f"by {fixed(abs(after - before))}, to {fixed(after)}." in text
    assert "Aggregation" not in text[text.index("Compared with") : text.index("Train accuracy is")]
    other_world = text_of(get(client, query(Run(setup(world_seed=1), 1))))
    assert "The questions are others" in other_world


def test_a_step_of_the_run(client: Client) -> None:
    text = text_of(get(client, query(views={"step": 12, "prompt": 3, "epoch": 2})))
    assert ">Step 12 of 60<" in text and "Prompt 3:" in text and "2 of 4" in text
    assert "step=11" in text and "step=13" in text and "context " + CONTEXT_NAMES[5] in text
    assert text.count('class="resp"') == 8 and "Show token table" in text
    assert "step-back" not in text_of(get(client, "step=1")) and "step-next" not in text_of(get(client, "step=60"))
    refused = get(client, "step=61")
    assert refused.status_code == 400 and tiles_of(refused)
    assert "Step must be a whole number from 1 to 60." in text_of(refused)


def test_another_step_is_answered_with_that_part_alone(client: Client) -> None:
    search = query(views={"step": 20})
    part = get(client, search, **HTMX, **{"HX-Target": "step"})
    whole = text_of(get(client, search))
    text = text_of(part)
    assert part["HX-Push-Url"] == f"/lab/reasoning/?{search}" and 'id="lab"' not in text and len(text) < len(whole)
    section = text[text.index('<section class="panel" id="step"') : text.index("</section>")]
    assert "".join(section.split()) in "".join(whole.split())
    # What else on the page depends on the step comes along.
    assert 'id="lab-copy" hx-swap-oob="true"' in text and f'data-copy="/lab/reasoning/?{search}"' in text
    explorer = re.search(r'id="lab-explorer" href="([^"]+)"', text)
    assert explorer and client.get(html.unescape(explorer[1])).status_code == 200 and "s=80" in explorer[1]
    assert f'name="from" value="{search}"' in text and "Step 20, prompt" in text


def test_a_run_that_diverges_says_where(client: Client) -> None:
    response = get(client, urlencode(DIVERGES))
    assert response.status_code == 200
    assert "This run diverged in step 1" in text_of(response)
    assert not re.search(r"\bNaN\b", text_of(response))
    after = get(client, query(Run(setup(**DIVERGES), 1)))
    assert "previous setup’s run diverged" in text_of(after)


def test_what_dynamic_sampling_drew(client: Client) -> None:
    text = " ".join(text_of(get(client, "algorithm=dapo")).split())
    drawn = int(simulate(setup(algorithm="dapo"), [1]).sampled_responses[0])
    assert "60 steps × 8 to 32 prompts × 8 responses; dynamic sampling drew" in text and f"{drawn:,}" in text


@pytest.mark.parametrize("search", ["prompts_per_step=6&minibatches=4", "algorithm=%00", "steps=1&steps=2", "clip="])
@pytest.mark.parametrize("headers", [{}, HTMX])
def test_bad_addresses_get_a_message_at_the_field(client: Client, search: str, headers: dict[str, str]) -> None:
    response = get(client, search, **headers)
    assert response.status_code == (422 if headers else 400)
    assert b'class="err"' in response.content and b"No run yet" in response.content


def test_a_refused_setting_opens_its_group(client: Client) -> None:
    text = text_of(get(client, "prompts_per_step=6&minibatches=4"))
    assert '<details class="more" id="group-optimization" open>' in text
    assert "Minibatches must divide the 6 prompts per step evenly" in text


def test_a_long_run_shows_how_far_it_is(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    runs.forget_runs()
    # One stage in each request; the first is before any step.
    monkeypatch.setattr(runs, "AT_A_TIME", 0.0)
    search = query(steps=15)
    page = get(client, search)
    assert page.status_code == 200 and not tiles_of(page) and b"This is a long run of 15 steps" in page.content
    answers = [get(client, search, **HTMX, **{"HX-Trigger": "lab-busy"}) for _ in range(3)]
    bars = [re.findall(r'<progress class="prog" max="(\d+)" value="(\d+)"', text_of(answer)) for answer in answers]
    assert bars == [[("15", "5")], [("15", "10")], []]
    first = answers[0]
    assert first["HX-Retarget"] == "#lab-busy" and "HX-Push-Url" not in first
    assert tiles_of(answers[-1]) and answers[-1]["HX-Push-Url"] == f"/lab/reasoning/?{search}"


def test_what_was_wrong_is_still_said_after_a_long_run(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    runs.forget_runs()
    monkeypatch.setattr(runs, "AT_A_TIME", 0.0)
    search = "steps=10&step=70&colour=red"
    assert f'hx-get="/lab/reasoning/?{search}"' in text_of(get(client, search))
    answers = [text_of(get(client, search, **HTMX)) for _ in range(2)]
    assert "colour" in answers[-1] and "Step must be a whole number from 1 to 10." in answers[-1]
    # A refused setting never waits for the run that stood there before.
    refused = get(client, urlencode({"steps": "x", "from": query(steps=30)}), **HTMX)
    assert refused.status_code == 422 and not tiles_of(refused) and "Steps must be" in text_of(refused)


def test_what_it_assumes(client: Client) -> None:
    text = text_of(client.get("/lab/reasoning/assumptions/"))
    assert all(algorithm.source in text for algorithm in ALGORITHMS.values() if algorithm.source)
    assert all(f"<b>{name}</b>" in text for name in CONTEXT_NAMES)
    # The reference policy of the default world, and its weight on a step with a carry in the hard family.
    assert "0.035" in text and "0.560" not in text
    assert 'href="/lab/limits/#reasoning"' in text and b'id="reasoning"' in client.get("/lab/limits/").content
