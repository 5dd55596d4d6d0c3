"""How does a text file become chunks?"""
