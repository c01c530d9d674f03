"""Drives TRL's own trainers with log-probabilities that the test decides.

Nothing of TRL is copied: a real trainer, made from a real config and a tiny model built in code, prepares the batch and
calculates the loss. Three things come from outside. Responses are given instead of generated. The model that is asked
for log-probabilities is :class:`Policy`, which answers with the tensor it was given. And rewards are handed over in
float64, because TRL rounds them to float32 before it does anything else.
"""

from __future__ import annotations

import atexit
import functools
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from datasets import Dataset
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import DPOConfig, DPOTrainer, GRPOConfig, GRPOTrainer, RLOOConfig, RLOOTrainer

from .batches import EOS, MAX_COMPLETION_LENGTH, Batch

PAD, PROMPT = 12, 13
VOCABULARY = 14

FOLDER = Path(tempfile.mkdtemp(prefix="unipo-parity-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)

OWN = {"output_dir": str(FOLDER), "report_to": "none", "use_cpu": True, "bf16": False}


class Policy(torch.nn.Module):
    """Stands where a language model stands; ``log_probs``, (rows, tokens), is what it says about any input."""

    is_gradient_checkpointing = False

    def __init__(self) -> None:
        super().__init__()
        self.log_probs = torch.zeros(0, 0)

    def forward(self, **inputs: Any) -> SimpleNamespace:
        nothing = torch.zeros_like(self.log_probs)
        return SimpleNamespace(log_probs=self.log_probs, entropy=nothing, mean_logits=nothing, is_top1=nothing > 1)


@functools.cache
def tokenizer() -> PreTrainedTokenizerFast:
    words = {f"t{i}": i for i in range(EOS)} | {"<eos>": EOS, "<pad>": PAD, "<unk>": PROMPT}
    raw = Tokenizer(WordLevel(words, unk_token="<unk>"))
    raw.pre_tokenizer = Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=raw, eos_token="<eos>", pad_token="<pad>", unk_token="<unk>")


@functools.cache
def _model_folder() -> str:
    """A folder with a model of a few hundred parameters: the trainers load their reference model by its path."""
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=8,
        intermediate_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        eos_token_id=EOS,
        pad_token_id=PAD,
        dtype="float64",
    )
    folder = FOLDER / "model"
    LlamaForCausalLM(config).save_pretrained(folder)
    return str(folder)


def _model() -> LlamaForCausalLM:
    return LlamaForCausalLM.from_pretrained(_model_folder(), dtype=torch.float64)


def _own_rewards(batch: Batch) -> Any:
    rewards = torch.tensor(batch.rewards, dtype=torch.float64)[:, None]
    return lambda *arguments: rewards


class Drive:
    """One trainer of a kind that samples groups, and the batch that it was last given."""

    def __init__(self, trainer: Any) -> None:
        self.trainer = trainer
        self.trainer.model = Policy()
        # What the training loop sets for an update of one batch.
        self.trainer.current_gradient_accumulation_steps = 1

    def prepare(self, batch: Batch, float64: bool = True) -> dict[str, Any]:
        """TRL's own preparation of a batch: masks, advantages, old and reference log-probabilities."""
        trainer = self.trainer
        trainer.model.train(batch.group_size > 1)  # TRL refuses to train on groups of one, but evaluates on them
        trainer.num_generations_eval = batch.group_size
        trainer.model.log_probs = batch.padded(batch.old_log_probs)
        if trainer.beta:
            trainer.ref_model = Policy()
            trainer.ref_model.log_probs = batch.padded(batch.ref_log_probs)
        # GRPOTrainer's own way in for responses from elsewhere; RLOOTrainer has none but its generation.
        trainer._generate_single_turn = lambda *_: batch.completions
        trainer.rollout_func = lambda prompts, _: {
            "prompt_ids": [[PROMPT]] * len(prompts),
            "completion_ids": batch.completions,
            "logprobs": None,
        }
        given = [{"prompt": f"t{row // batch.group_size}"} for row in range(batch.rows)]
        trainer.reward_funcs = [lambda **_: batch.rewards.tolist()]
        if not float64:
            return dict(trainer._generate_and_score_completions(given))
        own = trainer._calculate_rewards
        trainer._calculate_rewards = _own_rewards(batch)
        torch.set_default_dtype(torch.float64)  # or G / (G - 1) in the deviation is a float32
        try:
            return dict(trainer._generate_and_score_completions(given))
        finally:
            torch.set_default_dtype(torch.float32)
            trainer._calculate_rewards = own

    def loss(self, batch: Batch, inputs: dict[str, Any]) -> tuple[float, np.ndarray]:
        """J, which is minus TRL's loss, and its derivative by each log-probability, (tokens,)."""
        log_probs = batch.padded(batch.log_probs).requires_grad_()
        self.trainer.model.log_probs = log_probs
        loss = self.trainer.compute_loss(self.trainer.model, inputs)
        (gradient,) = torch.autograd.grad(loss, log_probs)
        assert loss.dtype == gradient.dtype == torch.float64
        padding = gradient[~batch.token_mask()]
        assert not padding.any()
        return -loss.item(), -gradient[batch.token_mask()].numpy()

    def logged(self, name: str) -> float:
        """The last value of a metric that the trainer would log."""
        mode = "train" if self.trainer.model.training else "eval"
        return float(self.trainer._metrics[mode][name][-1])


def _dataset(**columns: str) -> Dataset:
    return Dataset.from_dict({name: [text] for name, text in columns.items()})


def _rewards(completions: Sequence[str], reward: Sequence[float] = (), **columns: Any) -> list[float]:
    raise AssertionError("rewards are handed over")


@functools.cache
def grpo(rows: int, group_size: int, **options: Any) -> Drive:
    """A `GRPOTrainer` with these options of its config."""
    config = GRPOConfig(
        **OWN,
        per_device_train_batch_size=rows,
        per_device_eval_batch_size=rows,
        num_generations=max(group_size, 2),
        # More than one pass over a batch, so that old log-probabilities are kept.
        **{"max_completion_length": MAX_COMPLETION_LENGTH, "num_iterations": 2, **options},
    )
    return Drive(
        GRPOTrainer(_model(), _rewards, config, train_dataset=_dataset(prompt="t0"), processing_class=tokenizer())
    )


@functools.cache
def rloo(rows: int, group_size: int, **options: Any) -> Drive:
    """An `RLOOTrainer` with these options of its config."""
    config = RLOOConfig(
        **OWN,
        per_device_train_batch_size=rows,
        num_generations=group_size,
        max_completion_length=MAX_COMPLETION_LENGTH,
        **options,
    )
    return Drive(
        RLOOTrainer(_model(), _rewards, config, train_dataset=_dataset(prompt="t0"), processing_class=tokenizer())
    )


@functools.cache
def dpo(**options: Any) -> DPOTrainer:
    """A `DPOTrainer` with these options of its config, whose two models are policies."""
    config = DPOConfig(**OWN, **options)
    trainer = DPOTrainer(
        _model(),
        _model(),
        config,
        train_dataset=_dataset(prompt="t0", chosen="t1", rejected="t2"),
        processing_class=tokenizer(),
    )
    trainer.model, trainer.ref_model = Policy(), Policy()
    return trainer
