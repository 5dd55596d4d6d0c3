"""How is it used over HTTP? Handlers that check a body, ask a desk and write the answer down."""
