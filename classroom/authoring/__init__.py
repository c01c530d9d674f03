"""Writing missions: who may, what their pages show, and how a text comes to be played in courses."""
