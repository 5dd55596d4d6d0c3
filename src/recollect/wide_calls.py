"""Methods of the façade about many memories at once: the log of recalls, names, words, and changes of many.

They are functions here because the façade's module would be too long with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack, get_args

from . import checks, read
from .checks.keywords import Listing
from .store.call import reads
from .types import Changed, Graph, Memory, RecallDay, RecallLog
from .write.changes import edit

if TYPE_CHECKING:
    from .checks.keywords import Filters, LogFilters, Moment
    from .recollect import Recollect


@reads
def graph(
    self: Recollect,
    /,
    name: str,
    *,
    namespace: str | None = None,
    as_of: Moment = None,
    kinds: str | Sequence[str] | None = None,
    limit: int = 12,
    at: Moment = None,
) -> Graph:
    """The people and things that are named together with one ("user" is the owner), now or at `as_of`."""
    place, held, most = self._place(namespace), checks.moment("as_of", as_of), checks.count("limit", limit)
    of_kinds = checks.choice("kinds", kinds)
    return read.graph.graph(self._store, place, name, as_of=held, at=checks.at_or_now(at), kinds=of_kinds, limit=most)


@reads
def matching(self: Recollect, /, words: str, *, limit: int = 100, **filters: Unpack[Filters]) -> Sequence[Memory]:
    """The memories that contain all of these words, newest first; at most 1,000."""
    return read.matching.matching(self._store, self.namespace, words, filters, checks.count("limit", limit))


@reads
def recall_log(
    self: Recollect, /, *, limit: int = 50, before: str | None = None, **filters: Unpack[LogFilters]
) -> RecallLog:
    """What was asked and what was returned, newest first. `before` continues a page."""
    most, last = checks.count("limit", limit), checks.optional("before", before)
    return read.log.page(self._store, self.namespace, filters, before=last, limit=most)


@reads
def recall_days(self: Recollect, *, namespace: str | None = None, actor: str | None = None) -> Sequence[RecallDay]:
    """The newest 2,000 recalls by day: how many were asked and refused, and how many hits were not used."""
    return read.log.days(self._store, self._place(namespace), actor)


def listed(
    self: Recollect,
    /,
    *,
    limit: int | None = None,
    after: str | None = None,
    order: Listing = "newest",
    **filters: Unpack[Filters],
) -> Sequence[Memory]:
    """Memories, newest first or oldest first; forgotten ones only when `statuses` asks for them."""
    checked: Listing = checks.one_of("order", order, get_args(Listing))
    return read.select.listed(self._store, self.namespace, filters, limit, after, checked)


def change_many(
    self: Recollect,
    /,
    ids: Sequence[str],
    action: str,
    *,
    to: str | None = None,
    add_tags: Sequence[str] | None = None,
    remove_tags: Sequence[str] | None = None,
    previous: str | None = None,
) -> Changed:
    """Does "forget", "move" or "tag" to up to 256 memories. `previous` is the event of the call that this one
    continues: undoing the last event takes back all of them."""
    change = edit.many(action, to, add_tags, remove_tags)
    named, last = checks.labels("ids", ids), checks.optional("previous", previous)
    return change(ids=named, previous=last, **self._tools())
