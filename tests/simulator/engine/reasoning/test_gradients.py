"""The gradient of one update by the logits of families and prompts, against finite differences through the softmax."""

import numpy as np
import pytest

from simulator.engine import parse_setup
from simulator.engine.algorithms import PRESETS
from simulator.engine.objective.clip import CLIPPED_HIGH
from simulator.engine.reasoning.run import Run
from simulator.engine.reasoning.training import objective_and_gradient
from simulator.engine.reasoning.workspace import ADVANTAGES, LOG_PROBS, RATIOS, WEIGHTS

STEP = 1e-5


class Update:
    """The batch of a step, and its objective as a function of the logits."""

    def __init__(self, **changes):
        # Logits have moved away from those that sampled, in both directions and beyond the clip's bounds.
        self.run = Run(parse_setup({"world": "reasoning", "learning_rate": 0.1} | changes), 4)
        self.run.train_to(3, measured_from=1)

    def objective(self, logits, minibatch=0):
        run = self.run
        return objective_and_gradient(
            minibatch, 0, False, run.plan, run.world, logits, run.rollout.prompt, run.batch, run.updates
        )

    def tokens(self):
        """Rows of the batch, and of the update that was calculated last."""
        count = self.run.batch.offsets[-1]
        return self.run.batch.tokens[:, :count], self.run.updates.tokens[0, :, :count].copy()


def differences(function, logits, coordinates):
    for place in coordinates:
        ends = []
        for sign in (1, -1):
            moved = logits.copy()
            moved[place] += sign * STEP
            ends.append(function(moved))
        yield (ends[0] - ends[1]) / (2 * STEP)


def largest(gradient, count):
    """The places of the largest entries, shared and prompts' own, and of some that are 0."""
    shared, own = gradient.copy(), gradient.copy()
    shared[4:] = own[:4] = 0.0
    flat = [*np.argsort(-np.abs(shared).ravel())[:count], *np.argsort(-np.abs(own).ravel())[:count]]
    flat += list(np.flatnonzero(gradient == 0.0)[:: gradient.size // 10])
    return [np.unravel_index(k, gradient.shape) for k in flat]


@pytest.mark.parametrize("algorithm", PRESETS)
def test_the_gradient_of_every_algorithm(algorithm):
    # At the others' rate GSPO's narrow interval would hold no response any more.
    update = Update(algorithm=algorithm, learning_rate=0.02 if algorithm == "gspo" else 0.1)
    logits = update.run.learner.logits
    update.objective(logits)
    gradient = update.run.updates.gradient.copy()
    clipped = update.run.updates.clip_states[0, : update.run.batch.offsets[-1]] >= CLIPPED_HIGH
    assert 0.0 < clipped.mean() < 0.9 or algorithm == "reinforce"
    assert np.abs(gradient[:4]).max() > 1e-4 and np.abs(gradient[4:]).max() > 1e-4

    function = update.objective
    if algorithm == "cispo":
        # Its ratio is a weight that no gradient goes through, so the function to differentiate has the weights fixed.
        batch, now = update.tokens()
        weights = batch[WEIGHTS] * batch[ADVANTAGES] * np.minimum(now[RATIOS], 1.28)

        def function(logits):
            update.objective(logits)
            return weights @ update.tokens()[1][LOG_PROBS]

    places = largest(gradient, 25)
    expected = list(differences(function, logits, places))
    assert [gradient[place] for place in places] == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_the_gradient_of_a_minibatch():
    update = Update(minibatches=4, kl="k2", beta=0.3)
    logits = update.run.learner.logits
    update.objective(logits, minibatch=2)
    gradient = update.run.updates.gradient.copy()
    places = largest(gradient, 15)
    expected = list(differences(lambda moved: update.objective(moved, minibatch=2), logits, places))
    assert [gradient[place] for place in places] == pytest.approx(expected, rel=1e-6, abs=1e-9)
    others = {update.run.rollout.prompt[update.run.batch.group[b]] for b in (0, 1, 2, 3, 6, 7)}
    mine = {update.run.rollout.prompt[update.run.batch.group[b]] for b in (4, 5)}
    assert all(not gradient[4 + p].any() for p in others - mine)
    assert all(gradient[4 + p].any() for p in mine)


def test_a_prompt_that_is_in_a_batch_twice_gets_both_gradients():
    # 32 groups of 8 train prompts: each prompt comes up four times in a step.
    update = Update(prompts_per_step=32, train_prompts=8)
    logits = update.run.learner.logits
    update.objective(logits)
    gradient = update.run.updates.gradient.copy()
    places = largest(gradient, 15)
    expected = list(differences(update.objective, logits, places))
    assert [gradient[place] for place in places] == pytest.approx(expected, rel=1e-6, abs=1e-9)
