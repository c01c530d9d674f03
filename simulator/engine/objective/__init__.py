"""The objective in six slots, one file each: what is sampled, advantage, ratio, clip, aggregation, KL.

Every choice of a slot is one :class:`~.choice.Choice`, which pages print and compare; beside the choices of a slot
stands the one compiled function that trains with them, told apart by the choice's integer code.
"""
