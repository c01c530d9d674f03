"""Responses token by token: what is colored how, and what is said about it."""

from typing import Any

import numpy as np
import pytest

from simulator.charts.pushes import BINS
from simulator.charts.responses import MOST_SHOWN, ResponsesFigure, most_moved_prompt, prompt_lines, responses
from simulator.engine import StepRecord, inspect_step, parse_setup


def record(step: int = 10, seed: int = 1, **setup: Any) -> StepRecord:
    return inspect_step(parse_setup({"world": "reasoning", **setup}), seed, step)


def tokens(figure: ResponsesFigure) -> list[Any]:
    return [token for response in (*figure.shown, *figure.more) for token in response.tokens]


@pytest.fixture(scope="module")
def ppo() -> StepRecord:
    return record(step=20, algorithm="ppo", num_iterations=8, learning_rate=0.05)


def test_every_token_is_there_in_order(ppo: StepRecord) -> None:
    figure = responses(ppo, 3, 8)
    lengths = [len(response.tokens) for response in figure.shown]
    assert lengths == list(ppo.lengths[2]) and len(figure.table.rows) == sum(lengths)
    assert [token.text for token in figure.shown[0].tokens][:2] == list(ppo.texts[2][0][:2])
    assert all(token.context == row[2] for token, row in zip(tokens(figure), figure.table.rows, strict=True))


def test_bins_have_the_sign_of_the_push_and_one_scale_for_all_prompts(ppo: StepRecord) -> None:
    strongest = {}
    for prompt in range(1, 9):
        figure = responses(ppo, prompt, 1)
        flat = ppo.pushes[0, prompt - 1][np.isfinite(ppo.pushes[0, prompt - 1])]
        for token, push in zip(tokens(figure), flat, strict=True):
            assert token.bin == 0 or np.sign(token.bin) == np.sign(push)
            strongest.setdefault(abs(token.bin), []).append(abs(push))
        assert sum(swatch.count for swatch in figure.legend) == len(flat)
    assert max(strongest[0]) <= min(strongest[1]) and max(strongest[1]) <= min(strongest[BINS])


def test_clipped_tokens_are_marked_and_counted(ppo: StepRecord) -> None:
    first, last = (responses(ppo, 1, epoch) for epoch in (1, 8))
    # Before the first update no ratio has moved.
    assert first.clipped == 0 and "clipped" not in first.summary
    states = ppo.clip_states[7, 0]
    assert last.clipped == int(((states == 2) | (states == 3)).sum()) > 0
    assert f"{last.clipped} of {len(tokens(last))} tokens are clipped" in last.summary
    assert {token.clip for token in tokens(last)} <= {"", "clipped above", "clipped below"}


def test_a_bounded_weight_is_not_called_clipped() -> None:
    found = record(step=20, algorithm="cispo", num_iterations=16, learning_rate=0.1)
    figure = responses(found, most_moved_prompt(found, 16), 16)
    assert figure.clipped and "clipped" not in figure.summary and "held" in figure.clip_key


def test_a_silent_group_says_why_nothing_moves() -> None:
    found = record(step=1, algorithm="dr_grpo")
    silent = next(line for line in prompt_lines(found) if line.is_silent)
    figure = responses(found, silent.number, 1)
    assert "All rewards are equal" in figure.summary and {token.bin for token in tokens(figure)} == {0}


def test_nothing_pushed_anywhere_has_no_scale() -> None:
    figure = responses(record(step=1, group_size=1), 1, 1)
    assert [swatch.range for swatch in figure.legend] == ["", "", "", "0", "", "", ""]


def test_the_most_moved_prompt_is_not_a_silent_one(ppo: StepRecord) -> None:
    found = record(step=30)
    number = most_moved_prompt(found, 4)
    assert not prompt_lines(found)[number - 1].is_silent


def test_minibatches_show_the_update_that_trained_the_prompt() -> None:
    found = record(minibatches=4, num_iterations=2)
    for prompt in (1, 8):
        figure = responses(found, prompt, 2)
        k = 4 + (prompt - 1) // 2
        assert figure.shown[0].tokens[0].push != "none"
        assert np.isfinite(found.pushes[k, prompt - 1, 0, 0])


def test_a_large_group_is_folded() -> None:
    figure = responses(record(step=1, group_size=12), 1, 1)
    assert len(figure.shown) == MOST_SHOWN and len(figure.more) == 4


def test_a_diverged_run_has_no_pushes() -> None:
    setup = {"optimizer": "sgd", "learning_rate": 100, "kl": "k3", "beta": 1, "num_iterations": 16, "max_grad_norm": 0}
    found = record(step=60, **setup)
    assert found.diverged_at
    figure = responses(found, most_moved_prompt(found, 16), 16)
    assert f"diverged in step {found.diverged_at}" in figure.summary
    assert {token.push for token in tokens(figure)} == {"none"}
