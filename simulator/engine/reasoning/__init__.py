"""The token world: a small policy that writes short calculations, token by token."""
