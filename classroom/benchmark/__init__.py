"""How long the pages of a large class take: a class in a database of its own, and the measuring of its pages."""
