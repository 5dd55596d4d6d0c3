"""What the handlers of one server share."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime

from ...recollect import Recollect
from ..keys import Keys
from ..scope import Caller
from .cursors import Cursors
from .idempotency import Replays
from .metrics import Meter
from .models import Model
from .options import Options
from .rates import Rates
from .sessions import Sessions, Tickets

_SECRET = "serve/secret"


class Services:
    def __init__(self, mind: Recollect, options: Options) -> None:
        self.mind, self.options = mind, options
        self.keys = Keys(mind)
        self.tickets = Tickets(mind, options.ticket_seconds)
        self.sessions = Sessions(self.keys, options.session_hours)
        self.replays = Replays(mind)
        self.cursors = Cursors(_secret(mind))
        self.meter = Meter()
        self.rates = Rates(options.requests_per_second, options.request_burst)
        self.model = Model(mind)

    def who(self, token: str) -> Caller:
        return self.keys.who(token, datetime.now(UTC))


def _secret(mind: Recollect) -> bytes:
    """Signs cursors; kept in the store, so that they outlive a restart."""
    with mind.store.transaction():
        held = mind.store.setting(_SECRET)
        if held is None:
            held = secrets.token_hex(32)
            mind.store.set_setting(_SECRET, held)
    return bytes.fromhex(held)
