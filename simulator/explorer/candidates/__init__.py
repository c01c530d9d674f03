"""The step inspector and the explainer of the ten-answers world, where one looks at answers instead of tokens."""
