"""What every test may use."""

import pytest

from accounts.models import User

pytest_plugins = ["tests.catalogue"]

# These run in an environment of their own: make parity.
collect_ignore = ["parity"]

PASSWORD = "four unrelated words"


@pytest.fixture
def password() -> str:
    """Return the password that `student`, `other_student` and `operator` share."""
    return PASSWORD


@pytest.fixture
def student(db: None) -> User:
    return User.objects.create_user("maya.rossi", "maya@uni.example", PASSWORD)


@pytest.fixture
def other_student(db: None) -> User:
    return User.objects.create_user("liam", "", PASSWORD)


@pytest.fixture
def operator(db: None) -> User:
    return User.objects.create_superuser("operator", "", PASSWORD)
