"""The words for settings, metrics and choices, the same on every page: one file a world.

`candidates.METRICS["win_rate"].label`, `reasoning.SETTINGS["beta"].help`. Names of what trains come from the engine, so
that a page can't call a method something else. `simulator.worlds` finds the words of a setup's world.
"""

from simulator.labels.parts import ChoiceLabel, MetricLabel, SettingLabel, by_name, in_sentence, number

__all__ = ["ChoiceLabel", "MetricLabel", "SettingLabel", "by_name", "in_sentence", "number"]
