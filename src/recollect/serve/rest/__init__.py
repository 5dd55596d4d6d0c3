"""The REST interface: routes that check a request, call `Access` and write the answer."""
