"""Charts as data: simulations in, geometry and numbers out. Pure functions, no web framework.

`bars` draws the ten answers, `curves` prepares line charts, `tiles` compares final values, `cost` shows what a setup
samples. The templates in templates/charts render what these modules return.
"""
