"""Formulas: what is printed is well formed, what is read is words, and differences are those a reader would name."""

import re
from itertools import combinations
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.engine.algorithms import ALGORITHMS, CHOICES, definitions, objective_formula, push_formula
from simulator.engine.formula import (
    Add,
    MissingValue,
    Negative,
    Number,
    Over,
    Position,
    Product,
    Symbol,
    Term,
    cases,
    clip,
    compare,
    difference,
    exp,
    hold,
    minimum,
)

X = Term("x", "x", "X", "the x", "A number.")
Y = Term("y", "y", "Y", "the y", "Another number.", label="old", hat=True)
ODD = Term("odd", "<&>", 'Odd "<&>"', "an odd one", "Its letter is markup.")
x, y = X.at("i"), Y.at()

TREES = [choice.equation for choices in CHOICES.values() for choice in choices.values()]
TREES += [choice.derivative for choices in CHOICES.values() for choice in choices.values() if choice.derivative]
for algorithm in ALGORITHMS.values():
    TREES += [objective_formula(algorithm), push_formula(algorithm), *definitions(algorithm)]
TREES = list(dict.fromkeys(TREES))

ELEMENTS = {"mrow", "mi", "mn", "mo", "mtext", "mfrac", "msub", "msup", "mover", "munder", "munderover"}
ELEMENTS |= {"math", "mtable", "mtr", "mtd"}
CHILDREN = {"mfrac": 2, "msub": 2, "msup": 2, "mover": 2, "munder": 2, "munderover": 3}
OPERATORS = set("+−=<>≤≠()[]{|,∑^…\u2061\u2062")
MACROS = {"frac", "left", "right", "min", "exp", "log", "sum", "hat", "text", "mathrm", "operatorname", "lvert"}
MACROS |= {"rvert", "pi", "theta", "epsilon", "beta", "gamma", "lambda", "delta", "Delta", "rho", "le", "ne"}
MACROS |= {"ldots", "begin", "end"}

expressions = st.recursive(
    st.sampled_from([x, y, Number(2.0), Number(0.5), Number(1e-6), Position("i")]),
    lambda parts: st.one_of(
        st.builds(lambda a, b: a + b, parts, parts),
        st.builds(lambda a, b: a - b, parts, parts),
        st.builds(lambda a, b: a * b, parts, parts),
        st.builds(lambda a, b: a / b, parts, parts),
        st.builds(lambda a: a**2, parts),
        st.builds(lambda a: -a, parts),
        st.builds(minimum, parts, parts),
        st.builds(lambda a: clip(a, 0, 1), parts),
        st.builds(lambda a: Over("sum", "i", Number(2.0), a, "both"), parts),
        st.builds(lambda a, b: cases((a, compare(a, "<", b)), otherwise=b), parts, parts),
    ),
    max_leaves=12,
)


def elements(markup):
    return list(ElementTree.fromstring(markup).iter())


@settings(max_examples=100, deadline=None)
@given(expressions)
def test_mathml_is_well_formed_with_the_right_number_of_children(tree):
    check_mathml(tree)


@pytest.mark.parametrize("tree", TREES, ids=lambda tree: tree.latex()[:40])
def test_what_pages_print(tree):
    check_mathml(tree)
    check_latex(tree.latex())
    check_words(tree.spoken())


def check_mathml(tree):
    markup = tree.mathml()
    found = elements(markup)
    assert {element.tag for element in found} <= ELEMENTS
    for element in found:
        if element.tag in CHILDREN:
            assert len(element) == CHILDREN[element.tag], markup
        if element.tag == "mo":
            assert element.text in OPERATORS
        if element.tag in {"mi", "mn", "mo", "mtext"}:
            assert element.text and not len(element)
        else:
            assert not (element.text or "").strip()
    linked = [element.get("data-term") for element in found if element.get("class") == "term"]
    assert set(linked) == {term.id for term in tree.terms()}


def check_latex(text):
    assert text.count("{") == text.count("}")
    assert text.count(r"\left") == text.count(r"\right")
    assert text.count(r"\begin") == text.count(r"\end")
    assert set(re.findall(r"\\([a-zA-Z]+)", text)) <= MACROS
    assert text.isascii()


def check_words(text):
    assert re.fullmatch(r"[A-Za-z0-9 ,.;:-]+", text), text
    assert "  " not in text and " ," not in text and text[-1] not in ".,; "


def test_markup_in_a_letter_is_escaped():
    (letter,) = [element for element in elements(ODD.at().mathml()) if element.tag == "mi"]
    assert letter.text == "<&>"


def test_marks_and_display():
    tree = x * (1 - y)
    markup = tree.mathml({(1, 1), (0,)}, inline=True)
    marked = [element for element in elements(markup) if element.get("class") == "differs"]
    assert ["".join(element.itertext()) for element in marked] == ["xi", "−y^old"]
    assert 'display="block"' in tree.mathml() and "display" not in markup


def test_brackets_stand_where_they_are_needed():
    assert (x * (x + y)).latex() == r"x_{i} \, \left(x_{i} + \hat{y}_{\text{old}}\right)"
    assert (x - (x - y)).latex() == r"x_{i} - \left(x_{i} - \hat{y}_{\text{old}}\right)"
    assert ((x + y) ** 2).latex() == r"{\left(x_{i} + \hat{y}_{\text{old}}\right)}^{2}"
    assert (x + x * y).latex() == r"x_{i} + x_{i} \, \hat{y}_{\text{old}}"


def test_values():
    assert (3 * X.at("i+1")).evaluate({"x": [1, 2, 4], "i": 2}) == 12
    assert X.at("i").evaluate({"x": 5}) == 5
    total = Over("sum", "j", Number(3.0), X.at("j"), "all", except_="i")
    assert total.evaluate({"x": [1, 2, 4], "i": 2}) == 5
    assert Over("std", "j", Number(3.0), X.at("j"), "all").evaluate({"x": [1, 2, 3]}) == 1
    assert hold(exp(Number(0.0))).evaluate({}) == 1
    assert compare(0, "<", x, "<=", 2).evaluate({"x": 2}) == 1
    with pytest.raises(MissingValue, match="y") as missing:
        (x + y).evaluate({"x": 1})
    assert missing.value.name == "y"


def test_substitution_tells_indices_apart():
    tree = X.at("i") + X.at("j")
    assert tree.substitute({X.at("j"): Number(2.0)}) == Add((X.at("i"), Number(2.0)))
    assert tree.rename("j", "k") == Add((X.at("i"), X.at("k")))


def test_paths_lead_to_their_parts():
    tree = objective_formula(ALGORITHMS["dapo"])
    for path, part in tree.walk():
        assert tree.part(path) is part
    assert tree.with_children(tree.children) == tree


def test_the_objective_of_grpo_is_read_like_this():
    assert objective_formula(ALGORITHMS["grpo"]).spoken() == (
        "one over the number of responses times the sum over all responses of one over the length of the response "
        "times the sum over the tokens of the response of the quantity: the smaller of the ratio times the advantage, "
        "and the advantage times the ratio clipped to between one minus epsilon and one plus epsilon, minus beta times "
        "the KL estimate of the token"
    )


@settings(max_examples=100, deadline=None)
@given(expressions, expressions)
def test_differences_mark_parts_that_exist(first, second):
    found = difference(first, second)
    assert bool(found) == (first != second)
    for path in found.first_marks:
        first.part(path)
    for path in found.second_marks:
        second.part(path)
    assert all(change.first_words and change.second_words for change in found.changes)


def test_differences_of_all_objectives_leave_out_what_is_equal():
    trees = [objective_formula(algorithm) for algorithm in ALGORITHMS.values()]
    for first, second in combinations(trees, 2):
        found = difference(first, second)
        marked = [first.part(path) for path in found.first_marks] + [second.part(path) for path in found.second_marks]
        shared = set(first.symbols()) & set(second.symbols())
        assert first == second or marked
        assert not [part for part in marked if isinstance(part, Symbol) and part in shared and part.term.id == "ratio"]


def test_differences_in_words():
    whole = (x - y) / (y + 1)
    (change,) = difference(whole, x - y).changes
    assert (change.first, change.second) == ((1,), None)
    assert (change.first_words, change.second_words) == ("divides by the y plus one", "does not divide")
    (change,) = difference(x, x - 2 * y).changes or (None,)
    assert change.second_words == "the x minus two times the y"
    (change,) = difference(x * y, x * y - 2 * y).changes
    assert (change.first_words, change.second_words) == ("does not subtract", "subtracts two times the y")
    (change,) = difference(Product((x, y, X.at("j"))), Product((x, X.at("j")))).changes
    assert (change.first, change.first_words) == ((1,), "multiplies by the y")
    assert difference(Negative(x), Negative(x)).changes == ()
