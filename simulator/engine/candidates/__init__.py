"""The ten-answers world: forty prompts with ten fixed answers each."""
