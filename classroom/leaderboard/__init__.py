"""The leaderboard of a course: off unless it is switched on, and of those alone who chose a name for it."""
