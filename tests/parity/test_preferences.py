"""The preference losses of the ten-answers world against the loss of TRL's `DPOTrainer`.

An answer of that world is one draw, so it is a completion of one token here. The engine divides each gradient by beta
(IPO's by 2 / beta), so that the size of a first step does not depend on it.
"""

import numpy as np
import pytest
import torch

from simulator.engine import parse_setup
from simulator.engine.candidates.pairs import Pairs
from simulator.engine.candidates.world import ANSWERS, load_world

from . import harness

PAIRS = 28
SCALE = {"dpo": lambda beta: 1 / beta, "cdpo": lambda beta: 1 / beta, "rdpo": lambda beta: 1 / beta}
SCALE["ipo"] = lambda beta: beta / 2
LOSS_TYPE = {"dpo": "sigmoid", "cdpo": "sigmoid", "rdpo": "robust", "ipo": "ipo"}


def trl_loss(trainer, log_probs: torch.Tensor, reference: torch.Tensor, winners, losers) -> torch.Tensor:
    """TRL's loss for pairs of answers of one token; log-probabilities are (answers,)."""
    rows = np.concatenate([winners, losers])
    trainer.model.log_probs = log_probs[rows][:, None]
    trainer.ref_model.log_probs = reference[rows][:, None]
    ids = torch.tensor([[harness.PROMPT, int(answer)] for answer in rows])
    mask = torch.tensor([[0, 1]]).expand(len(rows), 2)
    inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids), "completion_mask": mask}
    return trainer.compute_loss(trainer.model, inputs)


@pytest.mark.parametrize(("beta", "smoothing"), [(0.05, 0.1), (0.5, 0.35), (2.0, 0.1)])
@pytest.mark.parametrize("method", ["dpo", "ipo", "rdpo", "cdpo"])
def test_gradient_of_the_logits(agree, method, smoothing, beta):
    setup = parse_setup({"method": method, "beta": beta, "label_smoothing": smoothing})
    world = load_world([3], "clean")
    generator = np.random.default_rng(5)
    logits = world.reference_logits + generator.normal(0, 1.5, world.reference_logits.shape)
    winner, loser = (
        np.stack(column, axis=1) for column in zip(*(_pairs(generator) for _ in range(world.columns)), strict=True)
    )  # (pairs, columns)
    column = np.arange(world.columns)
    change = Pairs(setup, setup.training.rule, world).change(
        logits,
        (winner * world.columns + column).ravel(),
        (loser * world.columns + column).ravel(),
        np.full(winner.size, 1 / PAIRS),
    )

    options = {"label_smoothing": smoothing} if method == "rdpo" else {}
    trainer = harness.dpo(loss_type=LOSS_TYPE[method], beta=beta, **options)
    theirs = np.empty_like(change)
    for c in column:
        leaf = torch.tensor(logits[:, c], requires_grad=True)
        log_probs, reference = leaf.log_softmax(0), torch.tensor(world.log_reference[:, c])
        loss = trl_loss(trainer, log_probs, reference, winner[:, c], loser[:, c])
        if method == "cdpo":  # gone from TRL, but it is its sigmoid loss with some labels the other way round
            flipped = trl_loss(trainer, log_probs, reference, loser[:, c], winner[:, c])
            loss = (1 - smoothing) * loss + smoothing * flipped
        (gradient,) = torch.autograd.grad(loss, leaf)
        theirs[:, c] = -gradient.numpy() * SCALE[method](beta) * setup.training.rate
    assert np.abs(theirs).max() > 0.01
    agree(f"{setup.training.label}, against DPOTrainer: change", change, theirs)


def _pairs(generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    winner = generator.integers(0, ANSWERS, PAIRS)
    return winner, (winner + generator.integers(1, ANSWERS, PAIRS)) % ANSWERS
