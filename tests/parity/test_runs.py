"""Real steps of real runs: every update that the engine made, against TRL's loss on the same responses."""

import numpy as np
import pytest

from simulator.engine import StepRecord, inspect_step, parse_setup

from . import harness
from .batches import Batch
from .engine_side import trl_options

ALGORITHMS = ["grpo", "dapo", "dr_grpo", "ppo", "rloo", "gspo", "cispo"]
STEPS = (2, 4, 6)

# Large enough steps that the policy leaves the clip interval, and responses that are cut off.
RESTLESS = {"world": "reasoning", "learning_rate": 0.1, "max_completion_length": 12}


def batch_of(record: StepRecord, update: int) -> tuple[Batch, np.ndarray]:
    """The responses that one update trained on, and where their tokens are in arrays (B, G, T)."""
    log_probs = record.log_probs[update]
    tokens = ~np.isnan(log_probs)
    trained = tokens.any(axis=(1, 2))
    batch = Batch(
        group_size=record.setup.group_size,
        offsets=np.concatenate([[0], np.cumsum(record.lengths[trained].ravel())]),
        truncated=record.is_truncated[trained].ravel(),
        rewards=record.rewards[trained].ravel(),
        log_probs=log_probs[tokens],
        old_log_probs=record.old_log_probs[tokens],
        ref_log_probs=record.ref_log_probs[tokens],
    )
    return batch, tokens


@pytest.mark.parametrize("changes", [{}, {"minibatches": 2, "overlong": "filter"}], ids=["whole batch", "minibatches"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_update_of_some_steps(agree, algorithm, changes):
    setup = parse_setup(RESTLESS | {"algorithm": algorithm} | changes)
    options = trl_options(setup.to_dict()) | {"max_completion_length": setup.max_completion_length}
    if options["loss_type"] == "dapo":
        options["loss_type"] = "bnpo"  # the same for a whole batch, and for minibatches what the engine does
    clipped, truncated, pushed = 0, 0, 0.0
    for step in STEPS:
        record = inspect_step(setup, seed=1, step=step)
        assert len(record.objective) == setup.num_iterations * setup.minibatches
        clipped += np.sum(record.clip_states > 1)
        truncated += np.sum(record.is_truncated)
        for update in range(len(record.objective)):
            batch, tokens = batch_of(record, update)
            drive = harness.grpo(batch.rows, batch.group_size, **options)
            inputs = drive.prepare(batch)
            if setup.advantage != "group_mean":  # the one for which TRL's advantages are ours, without an offset
                inputs["advantages"] = batch.padded(record.advantages[tokens])
            objective, pushes = drive.loss(batch, inputs)
            pushed = max(pushed, np.abs(pushes).max())
            agree(f"runs of {algorithm}: objective", float(record.objective[update]), objective)
            agree(f"runs of {algorithm}: push", record.pushes[update][tokens], pushes)
    assert pushed > 1e-3
    assert truncated
    assert clipped > 20
