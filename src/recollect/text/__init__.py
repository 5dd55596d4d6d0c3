"""Finds terms, names, dates, numbers and sizes in text. Pure functions, no model."""
