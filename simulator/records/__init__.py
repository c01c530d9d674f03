"""Runs that can be looked at, simulated or read from a log, through one interface."""

from .reading import CanonicalRun, RecordError, open_canonical
from .record import TOKEN_NUMBERS, Header, Prompt, Response, RunRecord, Update
from .simulated import SimulatedRun, record_of
from .writing import SUFFIXES, write_canonical

__all__ = [
    "SUFFIXES",
    "TOKEN_NUMBERS",
    "CanonicalRun",
    "Header",
    "Prompt",
    "RecordError",
    "Response",
    "RunRecord",
    "SimulatedRun",
    "Update",
    "open_canonical",
    "record_of",
    "write_canonical",
]
