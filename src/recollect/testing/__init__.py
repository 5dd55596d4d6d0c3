"""What a store must do, as functions anybody can run over their own: see `conformance`."""
