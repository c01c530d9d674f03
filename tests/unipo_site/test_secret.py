"""An installation makes its own signing key, once."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest
from django.core.exceptions import ImproperlyConfigured

from unipo_site.secret import read_or_create_secret


def test_a_key_is_made_once_for_this_user_only(tmp_path):
    path = tmp_path / "data" / "secret_key"
    key = read_or_create_secret(path)
    assert len(key) >= 50
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_or_create_secret(path) == key
    assert [file.name for file in path.parent.iterdir()] == ["secret_key"]


def test_eight_processes_starting_at_once_agree(tmp_path):
    paths = [tmp_path / str(number) / "secret_key" for number in range(10) for _ in range(8)]
    with ProcessPoolExecutor(8, mp_context=get_context("spawn")) as pool:
        keys = list(pool.map(read_or_create_secret, paths))
    assert [len(set(keys[start : start + 8])) for start in range(0, 80, 8)] == [1] * 10
    assert len(set(keys)) == 10


def test_an_empty_file_is_not_a_key(tmp_path):
    path = tmp_path / "secret_key"
    path.touch()
    with pytest.raises(ImproperlyConfigured, match="is empty"):
        read_or_create_secret(path)


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ImproperlyConfigured, match="Set SECRET_KEY"):
        read_or_create_secret(tmp_path / "file" / "secret_key")
