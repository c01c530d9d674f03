"""The libraries whose sources the notes of the choices describe, at the version that was read."""

from __future__ import annotations

from .choice import Note

_VERSIONS = {
    "TRL": "1.16.0",
    "verl": "0.10.0.dev (1dda039)",
    "OpenRLHF": "0.11.0 (3c3be62)",
    "open-instruct": "main (e6c3044)",
    "cleanrl": "main (fe8d8a0)",
    "Dr. GRPO authors' code": "",
}


def note(library: str, statement: str) -> Note:
    """A note on a library at the version that was read.

    Raises:
        KeyError: the library is not one of those that were read.
    """
    return Note(library, _VERSIONS[library], statement)
