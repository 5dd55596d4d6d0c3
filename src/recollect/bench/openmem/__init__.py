"""OpenMem's document: its constants, and a scenario suite in its form, written for this project."""
