"""From what was said to statements worth remembering."""
