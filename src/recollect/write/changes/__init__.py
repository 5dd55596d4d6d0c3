"""How are stored memories changed, and how are changes undone?"""
