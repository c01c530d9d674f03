"""What is known of the setup behind an update: that of a simulated run, or what the header of a log says."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.engine import SetupError, parse_setup
from simulator.engine.reasoning.setup import FIELDS, ReasoningSetup
from simulator.explorer.exploration import Exploration


@dataclass(frozen=True)
class Setting:
    """The setup, or None for a log that another program wrote; then ``words`` and what follows are cautious."""

    setup: ReasoningSetup | None

    @property
    def is_held(self) -> bool:
        """The clip holds a token's weight at the bound and never takes its push."""
        return self.setup is not None and self.setup.clip == "cispo" and self.has_ratio

    @property
    def has_ratio(self) -> bool:
        return self.setup is None or self.setup.importance_ratio != "none"

    @property
    def has_critic(self) -> bool:
        return self.setup is not None and self.setup.advantage == "gae"

    @property
    def beta_in_loss(self) -> float:
        if self.setup is None or self.setup.kl == "none" or self.setup.kl_in != "loss":
            return 0.0
        return self.setup.beta

    @property
    def compares_group(self) -> bool:
        """The advantage goes by the other responses of the group."""
        return self.setup is not None and self.setup.advantage in ("group_normalized", "group_mean", "leave_one_out")


def setting_of(x: Exploration) -> Setting:
    """The setup behind a view. A log that this program wrote says it in its header."""
    if x.run is not None:
        return Setting(x.run.setup if isinstance(x.run.setup, ReasoningSetup) else None)
    known = {name: value for name, value in x.hparams.items() if name in FIELDS}
    if known.get("world") != "reasoning" or known.keys() != FIELDS.keys():
        return Setting(None)
    try:
        found = parse_setup(known)
    except SetupError:
        return Setting(None)
    return Setting(found if isinstance(found, ReasoningSetup) else None)
