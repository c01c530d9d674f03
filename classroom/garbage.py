"""How often a server process looks for garbage.

Python looks after every 700 new objects, and now and then through all there are. Pages of a large class make objects by
the 10,000, none of them garbage before the page is sent; looking took a quarter of the time.
"""

import gc

NEW_OBJECTS = 50_000


def look_less_often() -> None:
    """Leave alone what is loaded by now, which stays, and look through the rest more rarely."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, 20, 20)
