"""Where compiled functions are kept."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from simulator.engine import compiled
from simulator.engine.compiled import ENVIRONMENT_VARIABLE, cache_folder, open_cache, source_digest

ROOT = Path(__file__).parents[4]
SCRIPT = """
from simulator.engine.compiled import cache_folder, source_digest
from simulator.engine.reasoning.draws import unit
print(cache_folder(), source_digest(), unit(5 << 61))
"""


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """A copy of three sources, in place of the engine's."""
    for name in ("one.py", "reasoning/two.py", "candidates/three.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("LIMIT = 1")
    monkeypatch.setattr(compiled, "_ENGINE", tmp_path)
    return tmp_path


def run_with_cache(folder):
    """A process of its own that runs a kernel and keeps it below `folder`."""
    return subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=ROOT,
        env=os.environ | {ENVIRONMENT_VARIABLE: str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )


def test_this_process_keeps_its_kernels():
    assert cache_folder().name.startswith("kernels-")
    assert cache_folder().is_dir()


def test_another_source_is_another_folder(sources):
    before = source_digest()
    assert source_digest() == before
    (sources / "candidates/three.py").write_text("LIMIT = 2")  # that world has no kernels
    assert source_digest() == before
    (sources / "reasoning/two.py").write_text("LIMIT = 2")
    changed = source_digest()
    (sources / "reasoning/two.py").rename(sources / "reasoning/four.py")
    assert len({before, changed, source_digest()}) == 3


def test_kernels_are_kept_where_the_environment_says(tmp_path):
    done = run_with_cache(tmp_path)
    folder, digest, value = done.stdout.split()
    assert Path(folder) == tmp_path / ("kernels-" + digest)
    assert float(value) == 0.625
    assert done.stderr == ""
    assert list(Path(folder).rglob("*.nbi"))


def test_an_unwritable_folder_is_a_warning_and_a_private_folder(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    done = run_with_cache(file / "cache")
    folder, _, value = done.stdout.split()
    assert float(value) == 0.625
    assert not Path(folder).exists(), "a private folder goes with its process"
    assert done.stderr.count("\n") == 1
    assert str(file / "cache") in done.stderr and ENVIRONMENT_VARIABLE in done.stderr


def test_what_can_be_read_of_an_unwritable_folder_is_used(tmp_path, monkeypatch, caplog):
    kept = open_cache(tmp_path, "0123")
    (kept / "kernel.nbi").write_text("compiled")

    def refuse(**options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(compiled.tempfile, "TemporaryFile", refuse)
    private = open_cache(tmp_path, "0123")
    assert private != kept
    assert (private / "kernel.nbi").read_text() == "compiled"
    assert private.stat().st_mode & 0o077 == 0
    assert "Permission denied" in caplog.text


def test_folders_of_sources_long_gone_are_removed_and_nothing_else(tmp_path):
    old = time.time() - 30 * 86400
    for name in ("kernels-old", "somebody-else-s"):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (old, old))
    (tmp_path / "kernels-recent").mkdir()
    open_cache(tmp_path, "now")
    assert {path.name for path in tmp_path.iterdir()} == {"kernels-now", "kernels-recent", "somebody-else-s"}
