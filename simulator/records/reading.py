"""Reading a UNIPO canonical log, JSON or JSONL. Nothing in the file is trusted.

A log of lines is read one line at a time, whenever it is looked at; a JSON log is held in memory, so it may be less
large. Of optional things that other programs write, these are understood: ``prob`` in place of ``log_probs``, and
``blueprint.prompts`` for entries without prompts of their own. Names that are not known are passed over.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from .record import TOKEN_NUMBERS, FloatArray, Header, Prompt, Response, RunRecord, Update

MAX_JSON_BYTES = 64 * 2**20
MAX_LINE_BYTES = 32 * 2**20
MAX_LINES = 1_000_000

_MANY = 2**53  # whole numbers up to here are exact in any JSON reader


class RecordError(ValueError):
    """A file that is no canonical log; the message says where and why, for example
    ``run.jsonl, line 3, prompts[0].responses[1].reward: must be a number.``"""


def open_canonical(path: Path) -> CanonicalRun:
    """Open a log; what it holds decides between JSON and JSONL, not its name. Entries of JSONL are checked when read.

    Raises:
        RecordError: it can't be read, or is not a log.
    """
    return CanonicalRun(path)


class CanonicalRun(RunRecord):
    """A log of a run. Every method may raise RecordError."""

    def __init__(self, path: Path) -> None:
        self._path, self._entries, self._blueprint = path, None, None
        first = next(self._lines(), b"")
        # Only JSONL has a whole object in its first line that isn't the whole log.
        header = self._whole_object(first)
        if header is not None and "entries" not in header:
            where = f"{path.name}, line 1"
        else:
            whole = self._read_json()
            where = f"{path.name}, header"
            header, entries = whole.get("header"), whole.get("entries")
            if not isinstance(header, dict) or not isinstance(entries, list):
                raise RecordError(f"{path.name}: a log is an object with header and entries, or lines of objects.")
            self._entries, self._blueprint = entries, _object(whole, "blueprint", path.name).get("prompts")
        self.header = _header(header, where)

    def updates(self) -> Iterator[Update]:
        last = None
        for where, entry in self._where_and_entry():
            update = _update(entry, self._blueprint, where)
            if last is not None and update.step <= last:
                _fail(f"{where}, step", f"must be larger than {last}, the one before")
            last = update.step
            yield update

    def _where_and_entry(self) -> Iterator[tuple[str, Any]]:
        if self._entries is not None:
            for i, entry in enumerate(self._entries):
                yield f"{self._path.name}, entries[{i}]", entry
            return
        for number, line in enumerate(self._lines(), 1):
            if number > 1 and line.strip():
                where = f"{self._path.name}, line {number}"
                yield where, _parse(line, where)

    def _lines(self) -> Iterator[bytes]:
        try:
            with self._path.open("rb") as file:
                for number in range(1, MAX_LINES + 2):
                    line = file.readline(MAX_LINE_BYTES + 1)
                    if not line:
                        return
                    if number > MAX_LINES:
                        raise RecordError(f"{self._path.name}: a log has at most {MAX_LINES} lines.")
                    if len(line) > MAX_LINE_BYTES and number > 1:
                        where = f"{self._path.name}, line {number}"
                        _fail(where, f"must not be longer than {MAX_LINE_BYTES // 2**20} MB")
                    yield line
        except OSError as error:
            raise RecordError(f"{self._path.name} cannot be read: {error.strerror}.") from None

    def _whole_object(self, line: bytes) -> dict[str, Any] | None:
        try:
            found = _parse(line, self._path.name)
        except RecordError:
            return None
        return found if isinstance(found, dict) else None

    def _read_json(self) -> dict[str, Any]:
        try:
            with self._path.open("rb") as file:
                text = file.read(MAX_JSON_BYTES + 1)
        except OSError as error:
            raise RecordError(f"{self._path.name} cannot be read: {error.strerror}.") from None
        if len(text) > MAX_JSON_BYTES:
            _fail(self._path.name, f"must not be larger than {MAX_JSON_BYTES // 2**20} MB as JSON; JSONL may be")
        whole = _parse(text, self._path.name)
        if not isinstance(whole, dict):
            _fail(self._path.name, "must be an object with header and entries, or lines of objects")
        return whole


def _fail(where: str, why: str) -> NoReturn:
    raise RecordError(f"{where}: {why}.")


def _parse(text: bytes, where: str) -> Any:
    def refuse(name: str) -> NoReturn:
        raise RecordError(f"{where}: {name} is not a JSON number.")

    try:
        found = json.loads(text.decode("utf-8-sig"), parse_constant=refuse)
        if b"\\ud" in text.lower():
            # Half of a surrogate pair can be escaped, but nobody can show it.
            json.dumps(found, ensure_ascii=False).encode("utf-8")
        return found
    except json.JSONDecodeError as error:
        at = f"{where}, line {error.lineno}" if error.lineno > 1 else where
        raise RecordError(f"{at}, column {error.colno}: not valid JSON: {error.msg}.") from None
    except RecordError:
        raise
    except UnicodeError:
        raise RecordError(f"{where}: not UTF-8 text.") from None
    except (ValueError, RecursionError):
        raise RecordError(f"{where}: not valid JSON: a number is too long or the nesting too deep.") from None


def _header(found: dict[str, Any], where: str) -> Header:
    algorithm = _text(found, "algorithm", where)
    if not algorithm:
        _fail(f"{where}, algorithm", "must be there")
    names = ("task", "dataset", "reward_strategy", "model_name", "reference_model_name")
    return Header(
        algorithm=algorithm,
        total_steps=_whole(found, "totalSteps", where),
        hparams=_object(found, "hparams", where),
        **{name: _text(found, name, where) for name in names},
    )


def _update(entry: Any, blueprint: Any, where: str) -> Update:
    if not isinstance(entry, dict):
        _fail(where, "must be an object")
    step = _whole(entry, "step", where)
    if step is None:
        _fail(f"{where}, step", "must be there")
    metrics, batch = _object(entry, "metrics", where), _object(entry, "batch", where)
    reuse = _object(batch, "reuseEpoch", f"{where}, batch")
    prompts = _list(entry if entry.get("prompts") is not None else {"prompts": blueprint}, "prompts", where)
    return Update(
        step=step,
        is_first=bool(_mark(entry, "is_first_step_after_rollout_phase", where)),
        metrics={name: _number(value, f"{where}, metrics.{name[:40]}") for name, value in metrics.items()},
        prompts=tuple(_prompt(prompt, f"{where}, prompts[{i}]") for i, prompt in enumerate(prompts)),
        sampled_at=_whole(batch, "rolloutCollectedAtStep", f"{where}, batch"),
        epoch=_whole(reuse, "current", f"{where}, batch.reuseEpoch"),
        epochs=_whole(reuse, "total", f"{where}, batch.reuseEpoch"),
    )


def _prompt(found: Any, where: str) -> Prompt:
    if not isinstance(found, dict):
        _fail(where, "must be an object")
    responses = _list(found, "responses", where)
    return Prompt(
        _text(found, "prompt", where),
        tuple(_response(response, f"{where}.responses[{i}]") for i, response in enumerate(responses)),
    )


def _response(found: Any, where: str) -> Response:
    if not isinstance(found, dict):
        _fail(where, "must be an object")
    tokens, inside = _object(found, "tokens", where), f"{where}.tokens"
    ids, strings = _list(tokens, "ids", inside), _list(tokens, "strings", inside)
    if not all(type(one) is int and abs(one) <= _MANY for one in ids):
        _fail(f"{inside}.ids", "must be whole numbers")
    if not all(isinstance(one, str) for one in strings):
        _fail(f"{inside}.strings", "must be texts")
    numbers = {name: _numbers(tokens, name, inside) for name in TOKEN_NUMBERS if tokens.get(name)}
    if "log_probs" not in numbers and tokens.get("prob"):
        prob = _numbers(tokens, "prob", inside)
        numbers["log_probs"] = np.log(prob, out=np.full(len(prob), np.nan), where=prob > 0)
    lengths = {len(ids), len(strings), *map(len, numbers.values())} - {0}
    if len(lengths) > 1:
        _fail(inside, "the arrays must be equally long")
    length = _whole(found, "response_length", where)
    return Response(
        id=_text(found, "id", where),
        reward=_number(found.get("reward"), f"{where}.reward"),
        advantage=_number(found.get("advantage"), f"{where}.advantage"),
        text=_text(found, "response_text", where),
        length=length if length is not None else max(lengths, default=0),
        ids=tuple(ids),
        strings=tuple(strings),
        numbers=numbers,
        correct=_mark(found, "correct", where),
        truncated=_mark(found, "truncated", where),
        masked=_mark(found, "masked", where),
    )


def _numbers(tokens: dict[str, Any], name: str, where: str) -> FloatArray:
    return np.array([_number(value, f"{where}.{name}[{t}]") for t, value in enumerate(_list(tokens, name, where))])


def _number(value: Any, where: str) -> float:
    """A finite number; null is nan."""
    if value is None:
        return math.nan
    if type(value) not in (int, float) or not abs(value) < 1e300:
        _fail(where, "must be a number or null")
    return float(value)


def _whole(found: dict[str, Any], name: str, where: str) -> int | None:
    value = found.get(name)
    if value is not None and not (type(value) is int and 0 <= value <= _MANY):
        _fail(f"{where}, {name}", "must be a whole number")
    return value


def _text(found: dict[str, Any], name: str, where: str) -> str:
    value = found.get(name)
    if value is not None and not isinstance(value, str):
        _fail(f"{where}, {name}", "must be a text")
    return value or ""


def _mark(found: dict[str, Any], name: str, where: str) -> bool | None:
    value = found.get(name)
    if value is not None and not isinstance(value, bool):
        _fail(f"{where}, {name}", "must be true or false")
    return value


def _list(found: dict[str, Any], name: str, where: str) -> list[Any]:
    value = found.get(name)
    if value is not None and not isinstance(value, list):
        _fail(f"{where}, {name}", "must be an array")
    return value or []


def _object(found: dict[str, Any], name: str, where: str) -> dict[str, Any]:
    value = found.get(name)
    if value is not None and not isinstance(value, dict):
        _fail(f"{where}, {name}", "must be an object")
    return value or {}
