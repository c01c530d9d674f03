"""A record as a UNIPO canonical log, JSON or JSONL: one entry per optimizer update.

Beside the format's own names an entry holds ``correct``, ``truncated`` and ``masked`` of a response, and ``ratio``,
``clip_state``, ``weight`` and ``push`` of a token. A token's ``token_kl`` is the estimate that the run charged, or k3
where it charged none (Schulman, "Approximating KL divergence", 2020). What is not a number is null.
"""

from __future__ import annotations

import json
import math
import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from .record import Header, Prompt, Response, RunRecord, Update

SUFFIXES = (".json", ".jsonl")


def write_canonical(record: RunRecord, path: Path, progress: Callable[[int], None] = lambda step: None) -> int:
    """Write all updates of a record, one at a time; return how many.

    The file appears whole or not at all, in place of an older one. ``progress`` is called with the number of updates
    written so far.

    Raises:
        ValueError: the path's ending is none of `SUFFIXES`.
        OSError: it cannot be written.
    """
    if path.suffix not in SUFFIXES:
        raise ValueError("A canonical log's name must end with .json or .jsonl.")
    written = 0
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with unfinished.open("x", encoding="utf-8") as out:
            for written, text in canonical_text(record, is_lines=path.suffix == ".jsonl"):
                out.write(text)
                progress(written)
            out.flush()
            os.fsync(out.fileno())
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    return written


def canonical_text(record: RunRecord, *, is_lines: bool) -> Iterator[tuple[int, str]]:
    """A log piece by piece, one update at a time in memory: how many updates it then has, and the text to add."""
    written = 0
    header = _header(record.header)
    yield 0, _json({"type": "header"} | header) if is_lines else f'{{"header": {_json(header)},\n"entries": ['
    is_charged = record.header.hparams.get("kl") != "none"
    for update in record.updates():
        before = "\n" if is_lines or not written else ",\n"
        written += 1
        yield written, before + _json(({"type": "step"} if is_lines else {}) | _entry(update, is_charged))
    yield written, "\n" if is_lines else "\n]}\n"


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False, ensure_ascii=False)


def _header(header: Header) -> dict[str, Any]:
    return {
        "algorithm": header.algorithm,
        "task": header.task,
        "dataset": header.dataset,
        "reward_strategy": header.reward_strategy,
        "totalSteps": header.total_steps,
        "model_name": header.model_name,
        "reference_model_name": header.reference_model_name,
        "hparams": header.hparams,
    }


def _entry(update: Update, is_charged: bool) -> dict[str, Any]:
    return {
        "step": update.step,
        "is_first_step_after_rollout_phase": update.is_first,
        "metrics": {name: _number(value) for name, value in update.metrics.items()},
        "batch": {
            "promptsInBatch": len(update.prompts),
            "responsesPerPrompt": max((len(prompt.responses) for prompt in update.prompts), default=0),
            "rolloutCollectedAtStep": update.sampled_at,
            "reuseEpoch": {"current": update.epoch, "total": update.epochs},
        },
        "prompts": [_prompt(prompt, is_charged) for prompt in update.prompts],
    }


def _prompt(prompt: Prompt, is_charged: bool) -> dict[str, Any]:
    return {"prompt": prompt.text, "responses": [_response(response, is_charged) for response in prompt.responses]}


def _response(response: Response, is_charged: bool) -> dict[str, Any]:
    tokens: dict[str, Any] = {"ids": list(response.ids), "strings": list(response.strings)}
    known = response.numbers
    if not is_charged and {"token_kl", "log_probs", "ref_log_probs"} <= known.keys():
        log_ratio = known["ref_log_probs"] - known["log_probs"]
        known = known | {"token_kl": np.expm1(log_ratio) - log_ratio}
    for name, values in known.items():
        numbers = [_number(value) for value in values.tolist()]
        tokens[name] = [None if v is None else int(v) for v in numbers] if name == "clip_state" else numbers
    marks = {"correct": response.correct, "truncated": response.truncated, "masked": response.masked}
    return {
        "id": response.id,
        "reward": _number(response.reward),
        "advantage": _number(response.advantage),
        "response_text": response.text,
        "response_length": response.length,
        **{name: mark for name, mark in marks.items() if mark is not None},
        "tokens": {name: values for name, values in tokens.items() if values},
    }


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
