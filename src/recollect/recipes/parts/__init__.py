"""The data types that a recipe is made of: frozen dataclasses of constants, one module for each kind of stage."""
