"""Runs that can be looked at, simulated or read from a log, through one interface."""

from .candidates import CandidateRun
from .reading import CanonicalRun, RecordError, open_canonical
from .record import TOKEN_NUMBERS, Header, Prompt, Response, RunRecord, Update
from .simulated import SimulatedRun, record_of
from .writing import SUFFIXES, canonical_text, write_canonical

__all__ = [
    "SUFFIXES",
    "TOKEN_NUMBERS",
    "CandidateRun",
    "CanonicalRun",
    "Header",
    "Prompt",
    "RecordError",
    "Response",
    "RunRecord",
    "SimulatedRun",
    "Update",
    "canonical_text",
    "open_canonical",
    "record_of",
    "write_canonical",
]
