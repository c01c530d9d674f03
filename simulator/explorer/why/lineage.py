"""The family of the algorithms: which is an edit of which."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from simulator.engine.algorithms import ALGORITHMS


@dataclass(frozen=True)
class Node:
    """An algorithm in the tree: how many edits it is away from the first (`depth`), and its `lane` among others."""

    name: str
    label: str
    year: int
    sentence: str
    depth: int
    lane: int
    parent: str


@dataclass(frozen=True)
class Edge:
    """A line from an algorithm to its edit, in hundredths of the drawing, sideways (`x`) and downwards (`y`)."""

    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True)
class Lineage:
    """The tree. The lines `across` are for a drawing in which time goes to the right, `down` for one in which it goes
    down."""

    nodes: tuple[Node, ...]
    across: tuple[Edge, ...]
    down: tuple[Edge, ...]
    depths: int
    lanes: int


@lru_cache(maxsize=1)
def lineage() -> Lineage:
    """All named algorithms. Each stands in its parent's lane if it can, else in the next one that is free."""
    named = [algorithm for algorithm in ALGORITHMS.values() if algorithm.source]
    depth: dict[str, int] = {}
    for algorithm in named:
        chain, one = 0, algorithm
        while one.builds_on:
            chain, one = chain + 1, ALGORITHMS[one.builds_on]
        depth[algorithm.name] = chain
    lane: dict[str, int] = {}
    taken: set[tuple[int, int]] = set()
    ordered = sorted(named, key=lambda one: (depth[one.name], one.year))
    for algorithm in ordered:
        free = lane.get(algorithm.builds_on, 0)
        while (depth[algorithm.name], free) in taken:
            free += 1
        lane[algorithm.name] = free
        taken.add((depth[algorithm.name], free))
    nodes = tuple(
        Node(one.name, one.label, one.year, one.sentence, depth[one.name], lane[one.name], one.builds_on)
        for one in ordered
    )
    depths, lanes = max(depth.values()) + 1, max(lane.values()) + 1
    at = {node.name: node for node in nodes}

    def ends(node: Node) -> tuple[float, float, float, float]:
        parent = at[node.parent]
        return (
            round(100 * (parent.depth + 0.5) / depths, 2),
            round(100 * (parent.lane + 0.5) / lanes, 2),
            round(100 * (node.depth + 0.5) / depths, 2),
            round(100 * (node.lane + 0.5) / lanes, 2),
        )

    found = [ends(node) for node in nodes if node.parent]
    across = tuple(Edge(x1, y1, x2, y2) for x1, y1, x2, y2 in found)
    down = tuple(Edge(y1, x1, y2, x2) for x1, y1, x2, y2 in found)
    return Lineage(nodes, across, down, depths, lanes)
