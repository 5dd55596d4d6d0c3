"""How is one entry put into a settings file without touching the rest? `json_text` and `toml_text` change text."""
