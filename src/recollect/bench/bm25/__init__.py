"""The article on BM25: its tables and formulas, printed and measured side by side."""
