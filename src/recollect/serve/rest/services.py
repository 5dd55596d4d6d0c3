"""What all requests of one server share."""

from __future__ import annotations

from datetime import UTC, datetime

from ...recollect import Recollect
from ..keys import Keys
from ..scope import Caller
from ..storage import ServerStorage
from .cursors import Cursors
from .idempotency import Replies
from .jobs import Jobs
from .login_links import LoginLinks
from .metrics import Meter
from .models import Model
from .options import Options
from .rates import Rates
from .sessions import Sessions


class Services:
    def __init__(self, mind: Recollect, options: Options) -> None:
        self.mind, self.options = mind, options
        self.storage = ServerStorage(mind)
        self.keys = Keys(mind)
        self.login_links = LoginLinks(self.storage, options.login_link_seconds)
        self.sessions = Sessions(self.keys, options.session_hours)
        self.replies = Replies(self.storage)
        self.cursors = Cursors(self.storage.secret())
        self.meter = Meter()
        self.jobs = Jobs()
        self.rates = Rates(options.requests_per_second, options.request_burst)
        self.model = Model(mind)

    def who(self, token: str) -> Caller:
        """The caller a key's token belongs to; raises Unauthorized."""
        return self.keys.who(token, datetime.now(UTC))
