"""Text to terms, names, dates and sizes; pure functions, no model."""
