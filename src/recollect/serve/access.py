"""The façade for one caller: checks what the caller may see and do before it calls the façade.

A namespace that is left out is the caller's own. One outside the caller's scope is refused. An id outside gives the
same NotFound as an unknown id. Links and events that refer to memories outside are left out of answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import wraps
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeAlias, TypeVar

from .. import checks
from .. import recipes as known_recipes
from ..checks.keywords import Moment
from ..errors import Forbidden, InvalidInput, UnknownName
from ..keep import exporting
from ..read import event_log, ids
from ..read import sessions as told
from ..read.compare import Comparison
from ..read.log import logged
from ..recipes.recipe import Recipe
from ..recollect import Recollect
from ..store.call import limited_lines, limited_to
from ..store.values import Counts, RecallHit
from ..tend.feedback import no_recall
from ..types import (
    Changed,
    Context,
    Event,
    Filter,
    Graph,
    Link,
    LoggedRecall,
    Memory,
    Profile,
    Recall,
    RecallDay,
    RecallLog,
    Tended,
)
from ..write.changes.pages import events_of
from ..write.changes.revise import no_memory
from ..write.changes.undo import no_event
from . import visibility
from .arguments import check_recipe, known, recipe_names
from .scope import Caller, Role

if TYPE_CHECKING:
    from ..write.conversations.ingest import Ingested

OUTSIDE = "the namespace is outside of what this key may see"
_MOST_ID_CHARS = 128
_SET_BY_KEY = ("origin", "trust")
"""Fields of a memory that come from the key and that a writer can't set."""
_AUDIT_PAGE = 100

P = ParamSpec("P")
R = TypeVar("R")
# defined here, because inside the class `list` is a method
Memories: TypeAlias = list[Memory]
Events: TypeAlias = list[Event]
Recalls: TypeAlias = list[RecallHit]
Days: TypeAlias = list[RecallDay]


def _needs(role: Role) -> Callable[[Callable[Concatenate[Access, P], R]], Callable[Concatenate[Access, P], R]]:
    """Refuses callers whose role is too low, before anything is read."""

    def guard(call: Callable[Concatenate[Access, P], R]) -> Callable[Concatenate[Access, P], R]:
        @wraps(call)
        def guarded(access: Access, /, *args: P.args, **kwargs: P.kwargs) -> R:
            access._check_role(role)
            with limited_to(access._scope.namespace):
                return call(access, *args, **kwargs)

        return guarded

    return guard


class Access:
    """The calls of one caller. It is cheap to make: one per request."""

    def __init__(self, mind: Recollect, caller: Caller) -> None:
        self.caller = caller
        self._scope = caller.scope
        namespace = caller.scope.namespace
        self._mind = mind.acting(actor=caller.name, namespace=namespace, trust=caller.trust, within=namespace)
        self._store = mind.store
        self._within = Filter(namespaces=(namespace,))

    # Remembering ----------------------------------------------------------------------------------

    @_needs("write")
    def remember(self, /, text: str, **arguments: Any) -> Memory:  # noqa: ANN401 - the façade's
        return self._mind.remember(text, **self._inside(known(Recollect.remember, arguments)))

    @_needs("write")
    def remember_many(self, items: Iterable[Mapping[str, Any]]) -> Memories:
        return self._mind.remember_many([self._item(item) for item in items])

    def _item(self, item: Mapping[str, Any]) -> Mapping[str, Any]:
        if not isinstance(item, Mapping):
            return item  # the façade names the wrong item in its error
        for name in _SET_BY_KEY:
            if name in item:
                raise InvalidInput(f"{name} can't be set by the writer, it comes from the key: leave it out")
        return self._inside(item)

    @_needs("write")
    def ingest(self, /, messages: Sequence[Mapping[str, Any]], **arguments: Any) -> Ingested:  # noqa: ANN401
        return self._mind.ingest(messages, **self._ingesting(known(Recollect.ingest, arguments)))

    @_needs("write")
    def ingest_many(self, /, conversations: Iterable[Mapping[str, Any]], **arguments: Any) -> Sequence[Ingested]:  # noqa: ANN401
        return self._mind.ingest_many(conversations, **self._ingesting(known(Recollect.ingest_many, arguments)))

    def _ingesting(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Admits only the server's own extractors: a name can contain an address that the text would be sent to."""
        offered = sorted({"rules", self._mind.settings.extractor})
        if arguments.get("extractor") not in (None, *offered):
            raise UnknownName("extractor", arguments["extractor"], offered)
        return self._inside(arguments)

    # Recalling ------------------------------------------------------------------------------------

    @_needs("read")
    def recall(self, /, query: str, **arguments: Any) -> Recall:  # noqa: ANN401 - the façade's
        return self._mind.recall(query, **self._question(known(Recollect.recall, arguments)))

    @_needs("read")
    def compare(self, /, query: str, recipes: Sequence[str] | None = None, **arguments: Any) -> Comparison:  # noqa: ANN401
        question = self._question(known(Recollect.recall, arguments, barred=("recipe", "track")))
        return self._mind.compare(query, recipe_names(recipes), **question)

    @_needs("read")
    def assemble(self, /, query: str, **arguments: Any) -> Context:  # noqa: ANN401 - the façade's
        self._check_namespace(arguments.get("team"), "team")
        return self._mind.assemble(query, **self._question(known(Recollect.assemble, arguments)))

    @_needs("read")
    def profile(self, /, subject: str | None = None, **arguments: Any) -> Profile:  # noqa: ANN401 - the façade's
        return self._mind.profile(subject, **self._inside(known(Recollect.profile, arguments, barred=("subject",))))

    @_needs("read")
    def graph(self, /, name: str, **arguments: Any) -> Graph:  # noqa: ANN401 - the façade's
        return self._mind.graph(name, **self._inside(known(Recollect.graph, arguments, barred=("name",))))

    def _question(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        check_recipe(arguments.get("recipe"))
        if "quarantined" in checks.choice("include", arguments.get("include")):  # read as the façade reads it
            self._check_role("admin")
        return self._inside(arguments)

    @_needs("read")
    def recipes(self) -> Sequence[Recipe]:
        return [known_recipes.load(name) for name in known_recipes.names()]

    @_needs("read")
    def recipe(self, name: str) -> Recipe:
        check_recipe(name)
        return known_recipes.load(name)

    @_needs("write")
    def feedback(self, recall_id: str, used: Sequence[str] = (), outcome: str | float | None = None) -> Memories:
        self._check_recall(recall_id)
        return list(self._mind.feedback(recall_id, used, outcome))

    def _check_recall(self, recall_id: str) -> None:
        found = self._store.recalls(id=recall_id) if _is_an_id(recall_id) else []
        if not found or not self._scope.admits(found[0].entry.namespace):
            raise no_recall(recall_id)
        with limited_to(None):
            hits = self._store.get(memory_id for memory_id, _ in found[0].entry.hits)
        if not all(self._scope.admits(memory.namespace) for memory in hits.values()):
            raise no_recall(recall_id)

    # Reading and changing -------------------------------------------------------------------------

    @_needs("read")
    def get(self, id: str) -> Memory:
        return self._mind.get(self._memory(id).id)

    @_needs("read")
    def list(self, /, *, after: str | None = None, **asked: Any) -> Memories:  # noqa: ANN401
        if after is not None:  # the page after an id outside would reveal when that memory was made
            after = self._memory(after).id
        return list(self._mind.list(after=after, **self._inside(asked)))

    @_needs("read")
    def matching(self, /, words: str, *, limit: int = 100, **filters: Any) -> Memories:  # noqa: ANN401
        return list(self._mind.matching(words, limit=limit, **self._inside(filters)))

    @_needs("write")
    def update(self, /, id: str, **fields: Any) -> Memory:  # noqa: ANN401 - a memory's fields
        memory = self._memory(id)
        if _releases(memory, fields.get("status")):
            self._check_role("admin")
        return self._mind.update(memory.id, **fields)

    @_needs("write")
    def forget(self, /, id: str | None = None, *, preview: bool = False, **filters: Any) -> Memories:  # noqa: ANN401
        return list(self._mind.forget(self._checked_id(id), preview=preview, **self._inside(filters)))

    @_needs("admin")
    def purge(self, /, id: str | None = None, *, preview: bool = False, **filters: Any) -> Memories:  # noqa: ANN401
        return list(self._mind.purge(self._checked_id(id), preview=preview, **self._inside(filters)))

    @_needs("write")
    def archive(self, /, id: str | None = None, *, preview: bool = False, **filters: Any) -> Memories:  # noqa: ANN401
        return list(self._mind.archive(self._checked_id(id), preview=preview, **self._inside(filters)))

    @_needs("write")
    def restore(self, id: str) -> Memory:
        """Undoes a `forget`, or releases a quarantined memory, which needs an admin key."""
        memory = self._memory(id)
        if memory.status == "quarantined":
            self._check_role("admin")
        return self._mind.restore(memory.id)

    @_needs("write")
    def pin(self, id: str, pinned: bool = True) -> Memory:
        return self._mind.pin(self._memory(id).id, pinned)

    @_needs("write")
    def reinforce(self, id: str) -> Memory:
        return self._mind.reinforce(self._memory(id).id)

    @_needs("write")
    def supersede(self, /, old: str, new: str | None = None, **given: Any) -> Memory:  # noqa: ANN401
        return self._mind.supersede(self._memory(old).id, self._checked_id(new), **given)

    @_needs("write")
    def contradict(self, a: str, b: str) -> Link:
        return self._mind.contradict(self._memory(a).id, self._memory(b).id)

    @_needs("write")
    def link(self, a: str, b: str, kind: str = "related", weight: float = 0.5) -> Link:
        return self._mind.link(self._memory(a).id, self._memory(b).id, kind, weight)

    @_needs("write")
    def unlink(self, a: str, b: str, kind: str | None = None) -> Sequence[Link]:
        return self._mind.unlink(self._memory(a).id, self._memory(b).id, kind)

    @_needs("read")
    def neighbours(self, id: str) -> Sequence[tuple[Link, Memory]]:
        around = self._mind.neighbours(self._memory(id).id)
        return [(link, other) for link, other in around if self._scope.admits(other.namespace)]

    # Conversations --------------------------------------------------------------------------------

    @_needs("read")
    def sessions(self, *, namespace: str | None = None, limit: int = 50, after: str | None = None) -> Memories:
        """The first message of each session, newest first. `after` is the last id of the page before."""
        place = self._check_namespace(namespace) or self._scope.namespace
        beyond = None if after is None else self._memory(after).id
        return told.sessions(self._store, place, limit=checks.count("limit", limit), after=beyond)

    @_needs("read")
    def conversation(
        self, session_id: str, *, namespace: str | None = None, start: int = 0, limit: int = 50, text: str | None = None
    ) -> told.Conversation:
        """Messages of a session, each with the statements that were taken from it."""
        place = self._check_namespace(namespace) or self._scope.namespace
        most = checks.count("limit", limit)
        return told.conversation(self._store, place, session_id, start=start, limit=most, text=text)

    # The log --------------------------------------------------------------------------------------

    @_needs("read")
    def history(self, id: str) -> Events:
        """What happened to a memory, oldest first. A purged memory still has its events."""
        whole = ids.memory_id(self._store, id, self._within) if _is_an_id(id) else ""
        if not self._owned([whole]):
            raise no_memory(id)
        return self._visible(self._mind.history(whole))

    @_needs("read")
    def recalls(self, id: str, *, limit: int = 100) -> Recalls:
        """The recalls that returned a memory, newest first. Only recalls inside the caller's scope are listed."""
        whole, inside = self._memory(id).id, (self._scope.namespace,)
        found = self._store.recalls(memory_id=whole, namespaces=inside, limit=checks.count("limit", limit))
        return [record.hit(whole) for record in found]

    @_needs("read")
    def recall_log(self, /, *, limit: int = 50, before: str | None = None, **filters: Any) -> RecallLog:  # noqa: ANN401
        """What was asked, newest first. Who is not an admin sees only what they asked themselves."""
        found = self._mind.recall_log(limit=limit, before=before, **self._inside({**filters, **self._own(filters)}))
        return replace(found, recalls=tuple(self._trimmed(found.recalls)))

    @_needs("read")
    def recall_days(self, *, namespace: str | None = None, actor: str | None = None) -> Days:
        place, own = self._check_namespace(namespace), self._own({"actor": actor})
        return list(self._mind.recall_days(namespace=place, actor=own.get("actor", actor)))

    def _own(self, filters: Mapping[str, Any]) -> dict[str, str]:
        if self._scope.may("admin"):
            return {}
        if filters.get("actor") not in (None, self.caller.name):
            raise Forbidden("only an admin key may read what others asked")
        return {"actor": self.caller.name}

    @_needs("read")
    def logged_recall(self, id: str) -> tuple[LoggedRecall, Memories]:
        """One recall of the log, and those of its hits that are still stored, as they are now."""
        found = self._store.recalls(id=id) if _is_an_id(id) else []
        inside = bool(found) and self._scope.admits(found[0].entry.namespace)
        if not inside or found[0].entry.actor != self.caller.name:
            self._check_role("admin")
        if not inside:
            raise no_recall(id)
        (entry,) = self._trimmed([logged(found[0])])
        held = self._store.get([hit.memory_id for hit in entry.hits], self._within)
        return entry, [held[hit.memory_id] for hit in entry.hits if hit.memory_id in held]

    def _trimmed(self, recalls: Iterable[LoggedRecall]) -> Sequence[LoggedRecall]:
        """The recalls without hits on memories outside, which were moved there since."""
        listed = list(recalls)
        owned = self._owned(hit.memory_id for recall in listed for hit in recall.hits)
        return [replace(each, hits=tuple(hit for hit in each.hits if hit.memory_id in owned)) for each in listed]

    @_needs("write")
    def undo(self, event_id: str) -> Event:
        """Undoes an event, if everything it changed is inside the caller's scope."""
        found = self._store.events(id=event_id) if _is_an_id(event_id) else []
        run = events_of(self._store, found[0]) if found else []
        if not run or not all(map(self._stays_within, run)):
            raise no_event(event_id)
        if any(event.action == "move" or self._would_release(event) for event in run):
            self._check_role("admin")
        return self._mind.undo(event_id)

    @_needs("write")
    def change_many(self, /, ids: Sequence[str], action: str, **arguments: Any) -> Changed:  # noqa: ANN401
        if action == "move":
            self._check_role("admin")
            self._check_namespace(arguments.get("to"), "to")
        if missing := sorted(set(ids) - self.known(ids)):
            raise no_memory(missing[0])
        if previous := arguments.get("previous"):
            self._check_continued(previous)
        return self._mind.change_many(ids, action, **known(Recollect.change_many, arguments))

    def _check_continued(self, event_id: str) -> None:
        """A change continues only one of the same caller, because undoing it undoes that one too."""
        if self.event(event_id).actor != self.caller.name:
            raise no_event(event_id)

    @_needs("read")
    def known(self, ids: Iterable[str] = ()) -> set[str]:
        """Those of these ids that are memories inside."""
        return set(self._store.get([id for id in ids if _is_an_id(id)], self._within))

    def _stays_within(self, event: Event) -> bool:
        return visibility.stays_within(event, self._owned(visibility.mentioned(event)), self._scope)

    def _would_release(self, event: Event) -> bool:
        """Whether undoing the event would release a quarantined memory and leave its text as it is."""
        former = {c.memory_id: c.before for c in event.changes if c.before and "text" not in c.before}
        held = self._store.get(former)
        return any(_releases(memory, former[id].get("status")) for id, memory in held.items())

    @_needs("read")
    def event(self, id: str) -> Event:
        """One event of the log, without what refers to memories outside."""
        found = self._visible(self._store.events(id=id)) if _is_an_id(id) else []
        if not found:
            raise no_event(id)
        return found[0]

    @_needs("admin")
    def audit(self, *, limit: int = _AUDIT_PAGE, after: str | None = None) -> Events:
        """Who wrote and who asked what, newest first. `after` is the last id of the page before."""
        wanted = checks.count("limit", limit)
        page = min(wanted, _AUDIT_PAGE)
        before = None if after is None else checks.label("after", after)
        found: list[Event] = []
        while len(found) < wanted:
            entries = event_log.entries(self._store, self._scope.namespace, page, before)
            found += self._visible(entries)
            if len(entries) < page:
                break
            before = entries[-1].id
        return found[:wanted]

    @_needs("admin")
    def changes(self, *, limit: int = _AUDIT_PAGE, after: str | None = None) -> Events:
        """What was changed, newest first, each event with its first memories and their number."""
        before = None if after is None else checks.label("after", after)
        made = event_log.changes(self._store, self._scope.namespace, before)
        shown = chain.from_iterable(self._visible([event]) for event in made)
        return event_log.with_words(self._store, islice(shown, checks.count("limit", limit)))

    def _visible(self, events: Iterable[Event]) -> Events:
        """The events that the caller may see, without what refers to memories outside."""
        listed = [event for event in events if self._scope.admits(event.namespace)]
        owned = self._owned(id for event in listed for id in visibility.mentioned(event))
        shown = (visibility.trimmed(event, owned, self._scope) for event in listed)
        return [event for event in shown if event is not None]

    # Maintenance ----------------------------------------------------------------------------------

    @_needs("admin")
    def tend(
        self, *, namespace: str | None = None, at: Moment = None, preview: bool = False, force: bool = False
    ) -> Tended:
        return self._mind.tend(namespace=self._check_namespace(namespace), at=at, preview=preview, force=force)

    @_needs("admin")
    def decay(self, *, namespace: str | None = None, at: Moment = None, force: bool = False) -> int:
        return self._mind.decay(namespace=self._check_namespace(namespace), at=at, force=force)

    @_needs("admin")
    def consolidate(self, *, namespace: str | None = None, at: Moment = None, preview: bool = False) -> Memories:
        return list(self._mind.consolidate(namespace=self._check_namespace(namespace), at=at, preview=preview))

    # Namespaces and statistics --------------------------------------------------------------------

    @_needs("admin")
    def move(self, /, old: str, new: str, *, id: str | None = None, **filters: Any) -> int:  # noqa: ANN401
        for path in (old, new):
            self._check_namespace(path)
        return self._mind.move(old, new, id=self._checked_id(id), **self._inside(filters))

    @_needs("admin")
    def export_lines(self, namespace: str | None = None) -> Iterator[str]:
        """The lines of an export, as they are read."""
        lines = exporting.lines(self._store, self._check_namespace(namespace) or self._scope.namespace)
        return limited_lines(self._scope.namespace, lines)

    @_needs("read")
    def namespaces(self) -> dict[str, int]:
        return {path: count for path, count in self._mind.namespaces().items() if self._scope.admits(path)}

    @_needs("read")
    def stats(self, namespace: str | None = None) -> Counts:
        return self._mind.stats(self._check_namespace(namespace) or self._scope.namespace)

    @_needs("read")
    def growth(self, namespace: str | None = None) -> Sequence[tuple[date, int]]:
        return self._mind.growth(self._check_namespace(namespace) or self._scope.namespace)

    # Checks ---------------------------------------------------------------------------------------

    def _check_role(self, role: Role) -> None:
        if not self._scope.may(role):
            raise Forbidden(f"this needs a key with the role {role!r}; this key has {self._scope.role!r}")

    def _check_namespace(self, namespace: str | None, field: str = "namespace") -> str | None:
        if namespace is not None and not self._scope.admits(checks.path(namespace, field)):
            raise Forbidden(OUTSIDE)
        return namespace

    def _inside(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments, after a check of their namespaces. The façade fills in one that is missing."""
        self._check_namespace(arguments.get("namespace"))
        several = arguments.get("namespaces")
        if isinstance(several, Sequence):
            for path in [several] if isinstance(several, str) else several:
                self._check_namespace(path)
        return arguments

    def _memory(self, id: str) -> Memory:
        """The memory with this id, or with the only id inside that begins like this."""
        whole = ids.memory_id(self._store, id, self._within) if _is_an_id(id) else ""
        found = self._store.get([whole], self._within).get(whole)
        if found is None:
            raise no_memory(id)
        return found

    def _checked_id(self, id: str | None) -> str | None:
        return None if id is None else self._memory(id).id

    def _owned(self, ids: Iterable[str]) -> set[str]:
        """Which of these memories are inside, or were inside until they were purged."""
        wanted = set(ids)
        with limited_to(None):  # what is outside has to be known, to be left out
            held = self._store.get(wanted)
            inside = {id for id, memory in held.items() if self._scope.admits(memory.namespace)}
            return inside | {id for id in wanted - held.keys() if self._was_inside(id)}

    def _was_inside(self, id: str) -> bool:
        events = self._store.events(memory_id=id)
        return bool(events) and all(self._scope.admits(event.namespace) for event in events)


def _is_an_id(value: object) -> bool:
    """Whether this could be an id. Anything else is not passed on to the store."""
    return isinstance(value, str) and 0 < len(value) <= _MOST_ID_CHARS and value.isprintable()


def _releases(memory: Memory, status: object) -> bool:
    """Whether this status would release a memory that is quarantined, or was before it was forgotten."""
    held = memory.status == "quarantined" or "quarantine" in memory.metadata
    return held and status not in (None, "quarantined", "forgotten")
