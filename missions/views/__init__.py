"""Pages of the missions: parse, ask the domain, render."""
