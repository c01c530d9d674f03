"""Golden values of the token world: a change here is a change of the engine's version.

They come from an implementation of its own, in NumPy; nothing here was tuned to them.
"""

import numpy as np
import pytest

from simulator.engine import inspect_step, parse_setup, simulate
from simulator.engine.reasoning.vocabulary import CONTEXT_NAMES

# World 0, seed 0, defaults. In step 1: reward, objective, gradient norm, entropy, share of silent groups.
# In step 10: reward, clip fraction, kl. In step 60: reward, entropy, kl. In the end: accuracy on train and on
# held-out prompts, length of wrong responses, responses sampled.
GOLDEN = {
    "custom": (
        (0.078125, 0.0, 0.040968, 1.458304, 0.625),
        (0.640625, 0.0, 0.128907),
        (1.0, 0.555344, 0.690851),
        (0.958047, 0.902189, 4.981138, 3840),
    ),
    "ppo": (
        (0.078125, 0.07218, 0.017472, 1.458304, 0.625),
        (0.671875, 0.0, 0.125449),
        (1.0, 0.485661, 0.757361),
        (0.975131, 0.896244, 5.098166, 3840),
    ),
    "grpo": (
        (0.078125, 0.0, 0.040968, 1.458304, 0.625),
        (0.640625, 0.00059, 0.124271),
        (1.0, 0.486042, 0.706774),
        (0.970346, 0.9049, 4.284685, 3840),
    ),
    "dr_grpo": (
        (0.078125, 0.001546, 0.004285, 1.458304, 0.625),
        (0.640625, 0.000625, 0.122598),
        (1.0, 0.262942, 0.700628),
        (0.969639, 0.891608, 4.15621, 3840),
    ),
    "dapo": (
        (0.25, 0.04171, 0.070648, 1.477547, 0.0),
        (0.609375, 0.0, 0.100554),
        (0.96875, 0.471906, 0.601715),
        (0.99106, 0.915266, 4.14611, 12544),
    ),
    "rloo": (
        (0.078125, 0.007711, 0.021371, 1.458304, 0.625),
        (0.640625, 0.000625, 0.120977),
        (1.0, 0.357021, 0.705534),
        (0.970369, 0.890614, 4.334223, 3840),
    ),
    "gspo": (
        (0.078125, 0.0, 0.040968, 1.458304, 0.625),
        (0.609375, 0.056757, 0.096054),
        (0.984375, 0.311037, 0.702363),
        (0.952637, 0.891594, 4.352661, 3840),
    ),
    "cispo": (
        (0.078125, -0.092103, 0.049074, 1.458304, 0.625),
        (0.671875, 0.0, 0.125983),
        (1.0, 0.404546, 0.724036),
        (0.965313, 0.898926, 4.26945, 3840),
    ),
    "reinforce": (
        (0.078125, -0.120488, 0.020707, 1.458304, 0.625),
        (0.46875, 0.0, 0.010392),
        (0.796875, 1.026417, 0.307113),
        (0.785131, 0.716131, 5.667735, 3840),
    ),
}


@pytest.mark.parametrize("algorithm", GOLDEN)
def test_golden_values(algorithm):
    run = simulate(parse_setup({"world": "reasoning", "algorithm": algorithm}), [0], history=True)

    def at(step, *names):
        return [run.history[name][0, step - 1] for name in names]

    first, tenth, last, final = GOLDEN[algorithm]
    assert at(1, "reward", "policy_objective", "grad_norm", "entropy", "frac_zero_std") == pytest.approx(
        first, abs=1e-6
    )
    assert at(10, "reward", "clip_fraction", "kl") == pytest.approx(tenth, abs=1e-3)
    # A difference in the last bit of an exponential may tip a sampled token late in training.
    assert at(60, "reward", "entropy", "kl") == pytest.approx(last, abs=2e-2)
    ended = [run.final[name][0] for name in ("train_accuracy", "held_out_accuracy", "wrong_response_length")]
    assert ended == pytest.approx(final[:3], abs=2e-2)
    assert run.sampled_responses[0] == final[3]


# The wrong response of a chain, in the last epoch of step 10: text, context, log-probability of the policy, of the one
# that sampled, of the reference, ratio, advantage, value, return, KL, objective. (No text where a sum is off by one.)
LOG = [
    ("22+4=26", "plain", -0.125012, -0.140890, -0.603448, 1.016005, -0.575353, 0.623322, 0.047969, 0.098188, -0.585544),
    ("26+7=23", "carry", -1.955871, -1.798205, -0.913791, 0.854135, -0.753713, 0.763996, 0.010283, 0.793028, -0.651703),
    (None, "lost", -1.783003, -1.769710, -2.321118, 0.986795, -0.037025, 0.045457, 0.008432, 0.121963, -0.037756),
    ("wait", "lost", -0.926316, -0.923831, -1.247208, 0.997518, -0.038974, 0.045457, 0.006483, 0.046393, -0.039341),
    ("wait", "lost", -0.926316, -0.923831, -1.247208, 0.997518, -0.041025, 0.045457, 0.004432, 0.046393, -0.041387),
    ("wait", "lost", -0.926316, -0.923831, -1.247208, 0.997518, -0.043185, 0.045457, 0.002273, 0.046393, -0.043541),
    (None, "lost", -2.466860, -2.423996, -1.563907, 0.958041, -0.045457, 0.045457, 0.000000, 0.563923, -0.049189),
    ("<eos>", "answered", -0.246153, -0.249462, -0.319369, 1.003315, 0.000000, 0.000000, 0.000000, 0.002616, -0.000026),
]


def test_the_log_of_one_response():
    setup = parse_setup({"world": "reasoning", "algorithm": "ppo", "kl": "k3", "beta": 0.01})
    step = inspect_step(setup, 0, 10)
    b, i = next(
        (b, i)
        for b, i in np.ndindex(step.lengths.shape)
        if not step.is_correct[b, i]
        and 5 <= step.lengths[b, i] <= 9
        and CONTEXT_NAMES.index("lost") in step.contexts[b, i]
    )
    assert step.prompt_texts[b] == "22+4+7+1+1 = ?"
    assert step.rewards[b, i] == 0.0
    assert step.lengths[b, i] == len(LOG)
    for t, (text, context, *numbers) in enumerate(LOG):
        assert text in (None, step.texts[b][i][t])
        assert CONTEXT_NAMES[step.contexts[b, i, t]] == context
        found = [
            step.log_probs[-1, b, i, t],
            step.old_log_probs[b, i, t],
            step.ref_log_probs[b, i, t],
            step.ratios[-1, b, i, t],
            step.advantages[b, i, t],
            step.values[b, i, t],
            step.returns[b, i, t],
            step.token_kls[-1, b, i, t],
            step.objectives[-1, b, i, t],
        ]
        assert found == pytest.approx(numbers, abs=1e-6)
    assert step.weights[b, i, : len(LOG)] == pytest.approx(0.002857, abs=5e-7)
