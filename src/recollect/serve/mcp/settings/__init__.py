"""How is one entry changed in a settings file without changing the rest? `json_text` and `toml_text` edit the text."""
