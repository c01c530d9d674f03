"""Missions that are answered by looking at a run: questions made from real runs, one for every student and try.

Pure: setups and chances in, questions out. A question is a place in a run (setup, seed, step ...) that a rule chose so
that its answer is unambiguous; nothing in it is written down beforehand.
"""

from missions.looking.clipped import Clipped
from missions.looking.paid import Paid
from missions.looking.question import Choice, Generator, Material, Question
from missions.looking.spoke import Spoke
from missions.looking.whose import Whose

GENERATORS: dict[str, Generator] = {one.name: one for one in (Spoke(), Paid(), Clipped(), Whose())}
"""What makes questions, by the name that a mission file says."""

__all__ = ["GENERATORS", "Choice", "Generator", "Material", "Question"]
