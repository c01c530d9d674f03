"""The three views of a run: training explorer, step inspector and algorithm explainer, and what they compare."""
