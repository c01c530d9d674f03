"""Golden values: a change here is a change of the engine's version."""

import pytest

from simulator.engine import parse_setup, simulate

# Setup; responses, then means over seeds 0 to 7: win rate, KL, quality, reward-model score,
# entropy, response length; last the win rate of seed 0 alone.
GOLDEN = [
    (
        {"event": "clean", "method": "grpo", "steps": 200, "group_size": 8, "beta": 0.05},
        (12800, 0.846357, 1.502786, 1.271636, 1.368626, 0.351733, 183.0217, 0.858402),
    ),
    (
        {"event": "clean", "method": "grpo", "steps": 57, "group_size": 3, "beta": 0.4},
        (1368, 0.632392, 0.207655, 0.524691, 0.560560, 1.707713, 194.0304, 0.639390),
    ),
    (
        {"event": "clean", "method": "grpo", "steps": 400, "group_size": 2, "beta": 0.0},
        (6400, 0.843530, 1.633237, 1.261019, 1.362388, 0.276910, 180.2255, 0.860752),
    ),
    (
        {"event": "clean", "method": "dr_grpo", "steps": 200, "group_size": 8, "beta": 0.05},
        (12800, 0.811522, 1.127733, 1.177916, 1.262271, 0.661819, 183.0980, 0.838180),
    ),
    (
        {"event": "clean", "method": "rloo", "steps": 200, "group_size": 4, "beta": 0.02},
        (6400, 0.820213, 1.237929, 1.197181, 1.285348, 0.540924, 183.4063, 0.837970),
    ),
    (
        {"event": "clean", "method": "reinforce", "steps": 400, "group_size": 1, "beta": 0.05},
        (3200, 0.837495, 1.518807, 1.261932, 1.342165, 0.302513, 183.0162, 0.852302),
    ),
    (
        {"event": "clean", "method": "online_dpo", "steps": 100, "group_size": 8, "beta": 0.1},
        (6400, 0.747448, 0.743203, 0.919120, 0.992331, 1.070334, 187.5877, 0.758144),
    ),
    (
        {"event": "clean", "method": "raft", "steps": 100, "group_size": 8, "beta": 0.05},
        (6400, 0.804262, 1.299807, 1.130314, 1.224700, 0.770656, 184.3961, 0.808020),
    ),
    (
        {"event": "clean", "method": "best_of_n", "steps": 200, "samples_per_prompt": 16, "beta": 0.05},
        (640, 0.843463, 1.773953, 1.238910, 1.340225, 0.193034, 182.5783, 0.854380),
    ),
    (
        {"event": "clean", "method": "dpo", "steps": 200, "samples_per_prompt": 8, "beta": 0.1},
        (320, 0.788158, 1.401127, 1.017503, 1.082417, 0.384677, 184.3800, 0.813689),
    ),
    (
        {"event": "clean", "method": "dpo", "steps": 200, "samples_per_prompt": 16, "beta": 0.1, "flip_rate": 0.3},
        (640, 0.717599, 0.743219, 0.789844, 0.842749, 1.065617, 189.1085, 0.728220),
    ),
    (
        {
            "event": "clean",
            "method": "cdpo",
            "steps": 400,
            "samples_per_prompt": 16,
            "beta": 0.1,
            "flip_rate": 0.3,
            "label_smoothing": 0.3,
        },
        (640, 0.669276, 0.418736, 0.633973, 0.676781, 1.452913, 191.5605, 0.680678),
    ),
    (
        {
            "event": "clean",
            "method": "rdpo",
            "steps": 200,
            "samples_per_prompt": 16,
            "beta": 0.1,
            "flip_rate": 0.3,
            "label_smoothing": 0.3,
        },
        (640, 0.774688, 1.384560, 0.971845, 1.039057, 0.403410, 186.4438, 0.782787),
    ),
    (
        {"event": "clean", "method": "ipo", "steps": 200, "samples_per_prompt": 16, "beta": 0.05, "flip_rate": 0.2},
        (640, 0.748480, 0.833401, 0.898520, 0.956718, 0.957632, 186.9032, 0.750100),
    ),
    (
        {"event": "length_bias", "method": "grpo", "steps": 200, "group_size": 8, "beta": 0.05},
        (12800, 0.456769, 1.616131, -0.071978, 3.563562, 0.411644, 272.1448, 0.489306),
    ),
    (
        {"event": "length_bias", "method": "grpo", "steps": 200, "group_size": 8, "beta": 0.05, "length_penalty": 2.5},
        (12800, 0.804078, 1.542993, 1.157806, 1.800370, 0.361975, 210.7703, 0.815494),
    ),
    (
        {"event": "reward_hack", "method": "grpo", "steps": 100, "group_size": 8, "beta": 0.02},
        (6400, 0.688910, 0.744638, 0.724406, 1.327579, 1.185568, 186.9141, 0.713213),
    ),
    (
        {"event": "reward_hack", "method": "grpo", "steps": 400, "group_size": 8, "beta": 0.05},
        (25600, 0.533894, 2.211506, 0.197407, 2.340613, 0.177970, 187.1241, 0.609611),
    ),
    (
        {"event": "reward_hack", "method": "dpo", "steps": 200, "samples_per_prompt": 16, "beta": 0.1},
        (640, 0.736661, 1.324698, 0.828468, 1.308814, 0.511787, 186.8645, 0.750213),
    ),
    (
        {"event": "sparse", "method": "grpo", "steps": 100, "group_size": 4, "beta": 0.02},
        (3200, 0.698978, 0.669510, 0.497791, 0.497791, 1.449020, 202.1445, 0.735550),
    ),
    (
        {"event": "sparse", "method": "dpo", "steps": 200, "samples_per_prompt": 32, "beta": 0.1},
        (1280, 0.888626, 2.162403, 0.877089, 0.877089, 0.259354, 204.1811, 0.921513),
    ),
]


@pytest.mark.parametrize(
    ("changes", "expected"), GOLDEN, ids=lambda value: str(value) if isinstance(value, dict) else ""
)
def test_golden_values(changes, expected):
    runs = simulate(parse_setup(changes), range(8))
    responses, win, kl, quality, score, entropy, length, first_win = expected
    assert runs.sampled_responses == responses
    mean = {name: float(values.mean()) for name, values in runs.final.items()}
    # Half a unit of the last decimal that the table has.
    assert mean["win_rate"] == pytest.approx(win, abs=5.01e-7)
    assert mean["kl"] == pytest.approx(kl, abs=5.01e-7)
    assert mean["quality"] == pytest.approx(quality, abs=5.01e-7)
    assert mean["reward_model_score"] == pytest.approx(score, abs=5.01e-7)
    assert mean["entropy"] == pytest.approx(entropy, abs=5.01e-7)
    assert mean["response_length"] == pytest.approx(length, abs=5.01e-5)
    assert runs.final["win_rate"][0] == pytest.approx(first_win, abs=5.01e-7)
