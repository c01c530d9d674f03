"""Updates against finite differences of what they are the gradient of."""

import numpy as np
import pytest

from simulator.engine import parse_setup
from simulator.engine.candidates import methods, metrics, pairs, sampling, training, world

from . import reference

STEP = 1e-5


def slope(function, logits, k):
    """Central difference of a per-column function by the logits of answer ``k``."""
    up, down = logits.copy(), logits.copy()
    up[k] += STEP
    down[k] -= STEP
    return (function(up) - function(down)) / (2 * STEP)


@pytest.fixture(scope="module")
def moved():
    """A world and logits some way from its reference."""
    loaded = world.load_world([11], "clean")
    logits = loaded.reference_logits + np.random.default_rng(1).normal(size=loaded.score.shape)
    return loaded, logits


def test_the_leash_is_the_gradient_of_the_exact_kl(moved):
    loaded, logits = moved
    policy = training.Policy(loaded)
    policy.set_logits(logits)
    change = np.zeros_like(logits)
    policy.subtract_pull(change, logits, 0.7)

    def kl(z):
        log_p = metrics.log_policy(z)
        return (np.exp(log_p) * (log_p - loaded.log_reference)).sum(axis=0)

    for k in range(10):
        assert change[k] == pytest.approx(-0.7 * slope(kl, logits, k), abs=1e-9)


@pytest.mark.parametrize("method", ["grpo", "dr_grpo", "rloo", "reinforce", "raft"])
def test_group_updates_are_gradients_of_weighted_log_probabilities(moved, method):
    loaded, logits = moved
    setup = parse_setup({"method": method, "group_size": 5})
    policy = training.Policy(loaded)
    policy.set_logits(logits)
    hashes = next(iter(sampling.GroupHashes([11], 5, 1)))
    counts = sampling.Counter(40, 5).count(policy.probabilities, hashes).copy()
    push = training.group_push(setup, loaded, loaded.score, policy)
    push(logits, counts)  # REINFORCE: the second update has a baseline that is not zero
    change = push(logits, counts).copy()

    drawn = counts.astype(float)
    mean = (drawn * loaded.score).sum(axis=0) / 5
    deviation = np.sqrt((drawn * (loaded.score - mean) ** 2).sum(axis=0) / 5)
    best = (drawn > 0) & (loaded.score == np.where(drawn > 0, loaded.score, -np.inf).max(axis=0))
    advantage = {
        "grpo": (loaded.score - mean) / (deviation + 1e-6),
        "dr_grpo": loaded.score - mean,
        "rloo": (loaded.score - mean) * 5 / 4,
        "reinforce": loaded.score - 0.2 * mean,
        "raft": best * 5 / (drawn * best).sum(axis=0) * (deviation > 0),
    }[method]

    def surrogate(z):
        return (drawn * advantage * metrics.log_policy(z)).sum(axis=0) / 5

    for k in range(10):
        assert change[k] == pytest.approx(0.5 * slope(surrogate, logits, k), abs=1e-8)


def log_sigmoid(x):
    return -np.logaddexp(0, -x)


# Loss of a pair by its margin, and the factor from minus its derivative to the weight.
LOSSES = {
    "dpo": (lambda x, beta, eps: -log_sigmoid(beta * x), lambda beta: 1 / beta),
    "cdpo": (
        lambda x, beta, eps: -(1 - eps) * log_sigmoid(beta * x) - eps * log_sigmoid(-beta * x),
        lambda beta: 1 / beta,
    ),
    "rdpo": (
        lambda x, beta, eps: (-(1 - eps) * log_sigmoid(beta * x) + eps * log_sigmoid(-beta * x)) / (1 - 2 * eps),
        lambda beta: 1 / beta,
    ),
    "ipo": (lambda x, beta, eps: (x - 1 / (2 * beta)) ** 2, lambda beta: beta / 2),
}


@pytest.mark.parametrize("beta", [0.05, 0.7])
@pytest.mark.parametrize("method", LOSSES)
def test_offline_updates_are_gradients_of_the_pair_loss(moved, method, beta):
    loaded, logits = moved
    setup = parse_setup({"method": method, "beta": beta, "label_smoothing": 0.2, "flip_rate": 0.3})
    draws = sampling.reference_draws(loaded, 8)
    change = pairs.OfflinePairs(setup, setup.training.rule, loaded, loaded.score, draws).change(logits)
    loss, factor = LOSSES[method]
    for prompt in (0, 17, 39):
        listed = reference.offline_data(
            setup.to_dict(), 11, prompt, loaded.score[:, prompt].tolist(), loaded.reference[:, prompt].tolist()
        )[1]

        def mean_loss(z, listed=listed, prompt=prompt):
            log_ratio = metrics.log_policy(z)[:, prompt] - loaded.log_reference[:, prompt]
            margins = np.array([log_ratio[winner] - log_ratio[loser] for winner, loser in listed])
            return loss(margins, beta, 0.2).mean()

        for k in range(10):
            expected = -factor(beta) * slope(mean_loss, logits, k)
            assert change[k, prompt] == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("method", ["dpo", "rdpo", "ipo"])
@pytest.mark.parametrize("beta", [0.01, 0.1, 5])
def test_the_first_update_of_a_pair_does_not_depend_on_beta(method, beta):
    weight = methods.METHODS[method].rule.weight
    smoothing = 0.0
    assert weight(np.zeros(1), beta, smoothing) == pytest.approx(0.5)
