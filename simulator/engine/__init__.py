"""The simulation engine: training runs as pure functions of a setup and seeds.

Needs NumPy, Numba and the standard library only; no web framework. From a notebook::

    from simulator.engine import parse_setup, simulate

    runs = simulate(parse_setup({"method": "dpo", "steps": 400}), range(8))
    runs.final["win_rate"].mean()
"""

from .candidates.setup import CandidateSetup
from .fields import SetupError
from .reasoning.inspection import inspect_step
from .reasoning.setup import ReasoningSetup
from .reasoning.step_record import StepRecord
from .results import ReasoningSimulation, Simulation
from .setup import Setup, check_setup, parse_setup, read_form
from .simulation import simulate
from .version import ENGINE_VERSION

__all__ = [
    "ENGINE_VERSION",
    "CandidateSetup",
    "ReasoningSetup",
    "ReasoningSimulation",
    "Setup",
    "SetupError",
    "Simulation",
    "StepRecord",
    "check_setup",
    "inspect_step",
    "parse_setup",
    "read_form",
    "simulate",
]
