"""The version of the engine: raised whenever a run's numbers change."""

ENGINE_VERSION = "1.0"
