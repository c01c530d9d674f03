"""No network, and a table of the worst errors at the end."""

import os

# Before anything imports the libraries that read them.
os.environ |= {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "HF_DATASETS_OFFLINE": "1", "DO_NOT_TRACK": "1"}

import socket
from collections.abc import Callable

import numpy as np
import pytest

TOLERANCE = 1e-12

_worst: dict[str, tuple[int, float]] = {}

Agree = Callable[[str, np.ndarray | float, np.ndarray | float], None]


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise AssertionError(f"parity needs no network, yet something connects to {arguments[1:]}")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture
def agree() -> Agree:
    """Assert that two results are equal up to rounding, and keep the worst error under a name for the table."""

    def check(name: str, ours: np.ndarray | float, theirs: np.ndarray | float) -> None:
        assert np.shape(ours) == np.shape(theirs)
        assert np.isfinite(ours).all()
        error = float(np.max(np.abs(np.subtract(ours, theirs)), initial=0.0))
        number, before = _worst.get(name, (0, 0.0))
        _worst[name] = number + np.size(ours), max(before, error)
        assert error <= TOLERANCE, f"{name}: off by {error}"

    return check


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not _worst:
        return
    import torch
    import trl

    terminalreporter.section(f"the engine against TRL {trl.__version__}, torch {torch.__version__}: worst differences")
    rows: dict[str, list[str]] = {}
    for name, (number, error) in _worst.items():
        row, _, column = name.partition(": ")
        rows.setdefault(row, []).append(f"{column or 'value':<9} {error:7.1e} of {number:<5}")
    for row, columns in rows.items():
        terminalreporter.write_line(f"{row:<50} {'  '.join(columns)}")
