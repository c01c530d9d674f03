"""Formulas as trees: one definition that is printed, read aloud, evaluated and compared.

>>> from simulator.engine.algorithms import ALGORITHMS, objective_formula
>>> tree = objective_formula(ALGORITHMS["grpo"].settings)
>>> tree.mathml(), tree.latex(), tree.spoken()          # doctest: +SKIP
"""

from .build import cases, clip, compare, equation, exp, hold, log_sigmoid, minimum, sigmoid
from .difference import Change, Difference, difference
from .evaluation import MissingValue
from .tree import (
    Add,
    Apply,
    Both,
    Cases,
    Compare,
    Equation,
    Expression,
    Fraction,
    Negative,
    Number,
    Over,
    Path,
    Position,
    Power,
    Product,
    Symbol,
    Term,
)

__all__ = [
    "Add",
    "Apply",
    "Both",
    "Cases",
    "Change",
    "Compare",
    "Difference",
    "Equation",
    "Expression",
    "Fraction",
    "MissingValue",
    "Negative",
    "Number",
    "Over",
    "Path",
    "Position",
    "Power",
    "Product",
    "Symbol",
    "Term",
    "cases",
    "clip",
    "compare",
    "difference",
    "equation",
    "exp",
    "hold",
    "log_sigmoid",
    "minimum",
    "sigmoid",
]
