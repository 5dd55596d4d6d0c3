"""The MemX paper: its tables 3 to 13 and figure 2, printed and measured side by side."""
