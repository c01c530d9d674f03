"""Compiled functions ("kernels") and the folder in which they are kept.

Compiling all kernels takes many seconds, loading them from a folder a fraction of one. The compiler looks for changes
only in the file of a function, not in what the file imports; the folder is therefore named after a digest of all
sources of the engine, so that a kernel that is out of date is never found.
"""

from __future__ import annotations

import atexit
import hashlib
import logging
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import config

ENVIRONMENT_VARIABLE = "UNIPO_KERNEL_CACHE"

_ENGINE = Path(__file__).resolve().parent
# Like Python's own compiled files: beside the sources, made again when they are missing, in no backup.
DEFAULT_ROOT = _ENGINE / "__pycache__" / "kernels"

_PREFIX = "kernels-"
_KEPT_DAYS = 7

log = logging.getLogger(__name__)

Function = TypeVar("Function", bound=Callable[..., object])


def kernel(function: Function) -> Function:
    """Compile a function at its first call, or load it from the cache folder.

    Kernels are plain loops over NumPy arrays. They hold no lock of the interpreter, so threads run them side by side;
    they divide as NumPy does (x/0 is infinite or nan); and they never reorder additions, so that the same numbers come
    out on every machine of the same kind.
    """
    return _compiled(function)


def inner_kernel(function: Function) -> Function:
    """A kernel that only other kernels call. It has no entry from Python, which for one that takes dozens of arrays is
    a good part of what there is to compile."""
    return _compiled(function, no_cpython_wrapper=True)


def small_kernel(function: Function) -> Function:
    """A kernel that becomes part of those that call it: for what is done to every single token, where a call would
    take as long as the work."""
    return _compiled(function, forceinline=True)


def _compiled(function: Function, **options: Any) -> Function:
    return cast(Function, numba.njit(cache=True, nogil=True, error_model="numpy", **options)(function))


def source_digest() -> str:
    """What the engine's kernels are made of, as 16 hexadecimal digits."""
    digest = hashlib.sha256(numba.__version__.encode("ascii"))
    for path in sorted(_ENGINE.rglob("*.py")):
        if "candidates" not in path.relative_to(_ENGINE).parts:  # that world has no kernels
            digest.update(path.relative_to(_ENGINE).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """The folder in which this process keeps compiled kernels."""
    return _folder


def is_private() -> bool:
    """Whether that folder is deleted at the end of this process, because the proper one can't be written to."""
    return not _folder.name.startswith(_PREFIX)


def open_cache(root: Path, digest: str) -> Path:
    """The folder of one state of the sources below ``root``, ready to be written to.

    When that cannot be written to, it is a private folder that is deleted at the end of the process, filled with what
    could be read, and a warning is logged.
    """
    folder = root / (_PREFIX + digest)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        private = Path(tempfile.mkdtemp(prefix="unipo-" + _PREFIX))
        atexit.register(_remove_own, private, os.getpid())
        log.warning(
            "Compiled simulation code can't be kept in %s (%s), so it may have to be compiled anew at every start, "
            "which takes about 20 seconds. Make that folder writable, or name another one in %s.",
            root,
            error.strerror or error,
            ENVIRONMENT_VARIABLE,
        )
        _copy_files(folder, private)
        return private
    _remove_outdated(root, folder)
    return folder


def _copy_files(source: Path, target: Path) -> None:
    """Copy what can be read, without permissions: those of an unwritable folder would make the copy unwritable."""
    try:
        for path in source.rglob("*"):
            if path.is_file():
                copy = target / path.relative_to(source)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, copy)
    except OSError:
        log.debug("Not everything in %s can be read", source)


def _remove_own(folder: Path, process: int) -> None:
    if os.getpid() == process:  # a forked child must not take its parent's folder away
        shutil.rmtree(folder, ignore_errors=True)


def _remove_outdated(root: Path, current: Path) -> None:
    """Delete the folders of sources that nobody has started with for a week."""
    try:
        os.utime(current)
        for folder in root.glob(_PREFIX + "*"):
            if folder != current and folder.stat().st_mtime < time.time() - _KEPT_DAYS * 86400:
                shutil.rmtree(folder, ignore_errors=True)
    except OSError:
        log.debug("Outdated kernels in %s stay", root)


_chosen = os.environ.get(ENVIRONMENT_VARIABLE, "").strip()
_folder = open_cache(Path(_chosen).expanduser().resolve() if _chosen else DEFAULT_ROOT, source_digest())
# Read when a kernel is made, so it must be set before the first one is.
config.CACHE_DIR = str(_folder)  # type: ignore[attr-defined]
