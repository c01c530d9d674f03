"""Writing missions: one text in TOML, which a form shows in fields; read by the same parser as the catalogue."""
