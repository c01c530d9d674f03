"""What was calculated lately, up to a given size in memory: the thing longest not asked for goes first."""

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import fields, is_dataclass
from threading import Lock
from typing import Any, Generic, TypeVar

import numpy as np

Found = TypeVar("Found")

# About what a small object takes.
_SMALL = 64


class Kept(Generic[Found]):
    """Things under their keys, for all threads of a process. What alone is larger than `most_bytes` isn’t kept."""

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self.bytes = 0
        self._kept: OrderedDict[Hashable, tuple[Found, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable) -> Found | None:
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key][0]

    def put(self, key: Hashable, found: Found) -> None:
        size = size_of(found)
        if size > self.most_bytes:
            return
        with self._lock:
            if key in self._kept:
                self.bytes -= self._kept.pop(key)[1]
            self._kept[key] = found, size
            self.bytes += size
            while self.bytes > self.most_bytes:
                self.bytes -= self._kept.popitem(last=False)[1][1]

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
            self.bytes = 0


def size_of(found: Any) -> int:
    """About how many bytes something takes: exact for arrays, which are nearly all of it."""
    if isinstance(found, np.ndarray):
        return found.nbytes
    if isinstance(found, Mapping):
        return sum(map(size_of, found.values()))
    if isinstance(found, tuple | list):
        return sum(map(size_of, found))
    if is_dataclass(found):
        return sum(size_of(getattr(found, field.name)) for field in fields(found))
    return _SMALL
