"""The six stages of an update: what each shows, and that its question is answered by the step and not before."""

import re

import numpy as np
import pytest
from django.template.loader import render_to_string

from simulator.explorer.beats import KEYS, beats_panel
from simulator.explorer.inspector import step_panel
from simulator.explorer.inspector.sheet import Sheet
from simulator.explorer.inspector.stages import stages

from .inspector_cases import at, run

ALGORITHMS = ("grpo", "dapo", "dr_grpo", "ppo", "reinforce", "gspo", "cispo")


def shown(x):
    """What the step column shows, as text."""
    html = render_to_string("explorer/step.html", {"x": x, "step": step_panel(x)})
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html)), html


def test_each_stage_shows_what_has_happened_by_then():
    found = run(algorithm="grpo")
    # What the column has from which stage on.
    begins = {"R1": 2, "reward 0.00": 3, "Mean reward": 3, "thousandths": 4, "Color by": 4, "w 1/": 5}
    for beat in range(1, 7):
        text, html = shown(at(found, s=8, p=1, beat=beat))
        assert "Prompt 1, " in text
        for words, first in begins.items():
            assert (words in text) == (beat >= first), (beat, words)
        assert ("q-3" in html or "q3" in html) == (beat >= 4)
        assert "What if" not in text and "Token table" not in text
    text, _ = shown(at(found, s=8, p=1))
    assert "What if" in text and "Token table" in text


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_what_is_right_is_what_the_step_says(algorithm):
    found = run(algorithm=algorithm)
    for place in (1, 3, 7, 9):
        x = at(found, s=place)
        sheet, p = Sheet(x.update), x.state.p - 1
        asked = [stage.question for stage in stages(x)]
        assert all(stage.sentence for stage in stages(x))
        prompt = asked[0]
        assert prompt.options[prompt.right] == str(sum(len(one.responses) for one in sheet.prompts))
        right = asked[1]
        assert right.options[right.right] == str(sum(one.correct for one in sheet.prompts[p].responses))

        wrong = [i for i, one in enumerate(sheet.prompts[p].responses) if not one.correct]
        example = re.search(r"R(\d+), for example, ", right.because)
        assert bool(example) == bool(wrong) and (not example or int(example[1]) - 1 in wrong)
        for one, sign, two, said, is_it in re.findall(
            r"says (\d+)([+-])(\d+)=(-?\d+), and it is (-?\d+)", right.because
        ):
            assert int(is_it) == int(one) + int(sign + two) != int(said)

        way = asked[2]
        i = int(re.search(r"R(\d+)", way.text)[1]) - 1
        pushed = np.nansum(sheet.numbers("push")[p, i])
        assert way.options[way.right] == ("up" if pushed > 0 else "down" if pushed < 0 else "not at all")

        more = asked[3]
        one, two = (int(k) - 1 for k in re.findall(r"R(\d+) has", more.text))
        weights = [np.nansum(sheet.numbers("weight")[p, k]) for k in (one, two)]
        is_same = weights[0] == pytest.approx(weights[1])
        assert more.options[more.right] == (
            "both the same" if is_same else f"R{[one, two][int(np.argmax(weights))] + 1}"
        )
        if algorithm in ("grpo", "gspo"):
            assert is_same

        norm, limit = sheet.update.metrics["grad_norm"], found.setup.max_grad_norm
        if norm > 0:
            used = asked[4]
            assert (used.right == 0) == (norm <= limit)
            assert used.options[1] == f"{100 * min(norm / limit, limit / norm):.0f} %" or "." in used.options[1]


def test_what_became_of_a_token_is_read_off_the_next_update_on_it():
    found = run(algorithm="grpo")
    for place in (1, 2, 6):
        x = at(found, s=place)
        sheet, later, p = Sheet(x.update), Sheet(at(found, s=place + 1).update), x.state.p - 1
        pushes = np.nan_to_num(sheet.numbers("push")[p])
        i, t = np.unravel_index(np.abs(pushes).argmax(), pushes.shape)
        change = later.numbers("log_probs")[p, i, t] - sheet.numbers("log_probs")[p, i, t]
        question = stages(x)[5].question
        assert f"in R{i + 1} is pushed" in question.text
        assert question.options[question.right] == ("it rose" if change > 0 else "it fell")
    # After the last update on these responses new ones come, from the policy itself.
    question = stages(at(found, s=4))[5].question
    assert question.options[question.right] == "as likely: ratio 1"
    last = stages(at(found, s=at(found).steps))[5]
    assert last.question is None and "the last one" in last.sentence
    # With minibatches the next update is on other prompts, and only the first of two begins at ratio 1.
    halves = run(algorithm="grpo", minibatches=2, num_iterations=2)
    question = stages(at(halves, s=1, p=1))[5].question
    after = Sheet(at(halves, s=3).update)
    assert question.text.split(" in ")[0] in {after.text(0, i, t) for i in range(4) for t in range(after.lengths[0, i])}


def test_an_answer_is_a_link_and_feedback_comes_after_it():
    found = run(algorithm="grpo")
    x = at(found, s=8, p=1, beat=4)
    panel = beats_panel(x)
    assert not panel["is_answered"] and not any(option.is_right for option in panel["options"])
    html = render_to_string("explorer/beats.html", {"x": x, "beats": panel})
    assert stages(x)[3].question.because not in html and "chip-met" not in html
    right = KEYS[stages(x)[3].question.right]
    for answer in KEYS[: len(panel["options"])]:
        x = at(found, s=8, p=1, beat=4, answer=answer)
        panel = beats_panel(x)
        assert panel["is_right"] == (answer == right) and panel["said"].endswith(stages(x)[3].question.because)
        html = render_to_string("explorer/beats.html", {"x": x, "beats": panel})
        assert html.count("chip-met") == 1 and html.count("chip-miss") == (answer != right)
    assert not beats_panel(at(found, s=8, p=1, beat=4, answer="zz"))["is_answered"]
    # Another stage has another question.
    assert "answer" not in panel["next"].href and "answer" in panel["options"][0].href


def test_links_of_the_stages_name_the_update_and_hide_the_token_until_it_is_weighed():
    x = at(run(algorithm="grpo"), s=8, p=1, r=1, t=1)
    links = [step.href for step in beats_panel(x)["steps"]]
    assert all("s=8&p=1" in link for link in links)
    assert ["r=1&t=1" in link for link in links] == [True, False, False, False, False, True, True]
    assert beats_panel(at(run(algorithm="grpo")))["said"] == ""
