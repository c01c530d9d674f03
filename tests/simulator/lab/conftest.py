"""What the lab's tests share."""

import pytest

from simulator.engine.warm import warm


@pytest.fixture(scope="session", autouse=True)
def warmed() -> None:
    """Load the compiled engine first, as a server does; else the first run is long enough to be trained in parts."""
    warm()
