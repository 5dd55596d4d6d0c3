"""The façade: every call checks its arguments and hands over to the module that does the work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from datetime import date
from functools import partial
from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from . import chat, checks, config, keep, read, tend, wide_calls
from . import recipes as known_recipes
from .checks import at_or_now as _moment
from .embedders.protocol import Embedder
from .embedders.slot import EmbedderSlot
from .extractors.loaded import ExtractorChoice, LoadedExtractors
from .ids import new_id
from .progress import progress as bar
from .read import ids, question, select
from .read import path as read_path
from .read.record import fitted_model, record
from .recipes.recipe import Recipe
from .store import open_store
from .store.call import answered_by_replicas
from .store.copying import check_whole
from .store.protocol import Store
from .store.settings import held_embedder
from .store.values import Counts, Finding, RecallHit
from .types import VISIBLE, Brief, Context, Event, Filter, Link, Memory, Profile, Recall, Retention, Tended
from .write.changes import edit, revise
from .write.items import remember_many
from .write.screening.quarantine import OWNER
from .write.stamp import Stamp

if TYPE_CHECKING:
    from .checks.keywords import Asked, Fields, Filters, Moment
    from .keep.confidence_fit import Example
    from .keep.doctor import Advice
    from .keep.model_choice import Calibration
    from .read.compare import Comparison
    from .tend.summary import Summarise
    from .write.conversations.ingest import Ingested
    from .write.documents.ingest import Documents
    from .write.tools import Tools


@answered_by_replicas(*"recall compare profile brief assemble get list history recalls neighbours stats growth".split())
class Recollect:
    """Long-term memory in one file (or `:memory:`), for one namespace and all below it.

    A filter such as `kinds` or `tags` is a list; one string means a list of one. An id may be given by its beginning,
    of at least 8 characters, when no other id begins like that.
    """

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        namespace: str | None = None,
        embedder: str | Embedder | None = None,
        recipe: str | Path | Recipe | None = None,
        actor: str | None = None,
        read_url: str | Sequence[str] | None = None,
        settings: config.Settings | None = None,
    ) -> None:
        self.settings = settings or config.load()
        self._zone = self.settings.zone
        self.namespace = checks.path(self.settings.namespace if namespace is None else namespace)
        self.recipe = known_recipes.load(recipe or self.settings.recipe)
        self.actor = actor or self.settings.actor
        self.origin: str | None = None
        self.trust = OWNER
        self._within: str | None = None
        where, replicas = path or self.settings.db, self.settings.read_url if read_url is None else read_url
        where = fspath(where or config.default_db())
        self._store = open_store(where, synchronous=self.settings.synchronous, read_urls=replicas)
        self._extractors = LoadedExtractors(self._store.url, self.settings)
        try:
            check_whole(self._store)
            held, wanted = partial(held_embedder, self._store), embedder or self.settings.embedder or None
            self._embedders = EmbedderSlot(self._store.url, held, wanted)
        except BaseException:
            self._store.close()
            raise

    @property
    def url(self) -> str:
        return self._store.url

    @property
    def embedder(self) -> Embedder:
        return self._embedders.current.embedder

    @property
    def store(self) -> Store:
        """The store itself, for programs that build on it. What is written there is not checked."""
        return self._store

    def acting(
        self, *, actor: str, namespace: str | None = None, trust: str = "user", within: str | None = None
    ) -> Recollect:
        """The same memory for somebody else: their name, trust class and namespace. With `within`, contexts take in
        nothing from above it. Closing it closes both."""
        other = copy(self)
        other.actor = other.origin = checks.label("actor", actor)
        other.namespace = self._place(namespace)
        other.trust = checks.label("trust", trust)
        other._within = within
        return other

    # Remembering ----------------------------------------------------------------------------------

    def remember(
        self,
        text: str,
        *,
        kind: str = "fact",
        tags: Sequence[str] | None = None,
        entities: Sequence[str] | None = None,
        gist: str | None = None,
        importance: float = 0.5,
        confidence: float = 1.0,
        metadata: Mapping[str, Any] | None = None,
        namespace: str | None = None,
        session_id: str | None = None,
        at: Moment = None,
        occurred_at: Moment = None,
        expires_at: Moment = None,
        source: str | None = None,
        dedup: bool = True,
    ) -> Memory:
        """Stores one memory. A duplicate is merged: `merged_into` then names the memory that stays."""
        return self.remember_many([checks.arguments(locals())])[0]

    def remember_many(self, items: Iterable[Mapping[str, Any]], *, progress: bool = False) -> list[Memory]:
        """Stores many, each a dict of `remember`'s arguments; batches are atomic."""
        items = keep.languages.noticed(self._store, self._embedders, items)
        return remember_many(items=items, namespace=self.namespace, show=progress, **self._tools())

    def ingest(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        session_id: str | None = None,
        at: Moment = None,
        namespace: str | None = None,
        granularity: str = "hybrid",
        extractor: ExtractorChoice = None,
        progress: bool = False,
    ) -> Ingested:
        """Stores a conversation, a list of `{"role": …, "content": …}`. The same session again, or a longer version of
        it, adds only what is new."""
        given = [{"messages": messages, "session_id": session_id, "at": at}]
        many = partial(self.ingest_many, namespace=namespace, granularity=granularity, extractor=extractor)
        return many(given, progress=progress)[0]

    def ingest_many(
        self,
        conversations: Iterable[Mapping[str, Any]],
        *,
        namespace: str | None = None,
        granularity: str = "hybrid",
        extractor: ExtractorChoice = None,
        progress: bool = False,
    ) -> list[Ingested]:
        """Stores many conversations, each a dict of `messages`, `session_id` and `at`. Each is stored whole or not at
        all. After an error or a crash, the same call continues where it stopped."""
        from .write.conversations.many import ingest_many

        place, reads = self._place(namespace), self._extractors.get(extractor)
        given = keep.languages.noticed(self._store, self._embedders, conversations)
        return ingest_many(given, reads, granularity, place, self._zone, show=progress, **self._tools())

    def ingest_documents(
        self, paths: str | Path | Sequence[str | Path], *, namespace: str | None = None, progress: bool = False
    ) -> Documents:
        """Stores text and Markdown files, and folders of them, as chunks. Unchanged files are skipped."""
        from .write.documents.ingest import files, ingest_documents

        place = self._place(namespace or None)
        found = files([paths] if isinstance(paths, str | Path) else paths)
        with bar("reading", len(found), progress) as advance:
            return ingest_documents(paths=found, namespace=place, advance=advance, **self._tools())

    # Recalling ------------------------------------------------------------------------------------

    def recall(
        self,
        query: str,
        *,
        limit: int = 5,
        namespace: str | None = None,
        namespaces: Sequence[str] | None = None,
        recipe: str | Path | Recipe | None = None,
        granularity: str | None = None,
        budget_tokens: int | None = None,
        at: Moment = None,
        since: Moment = None,
        until: Moment = None,
        as_of: Moment = None,
        kinds: str | Sequence[str] | None = None,
        tags: str | Sequence[str] | None = None,
        where: Mapping[str, Any] | None = None,
        session_id: str | None = None,
        include: str | Sequence[str] | None = None,
        track: bool = True,
    ) -> Recall:
        """The few memories that answer a question, each with an explanation of its score."""
        given, chosen = checks.arguments(locals()), self._recipe(recipe)
        asked = question.ask(given, own=self.namespace, recipe=chosen, at=_moment(at), zone=self._zone)
        embedder = self._embedders.checked() if chosen.vector_routes else self._embedders.current
        model = partial(fitted_model, self._store, embedder)
        found = read_path.recall(self._store, embedder, chosen, asked, id=new_id(), model=model)
        if track:
            record(self._store, chosen, asked, found, actor=self.actor, settings=self.settings)
        return found

    def compare(
        self, /, query: str, recipes: Sequence[str | Path | Recipe] | None = None, **arguments: Unpack[Asked]
    ) -> Comparison:
        """Asks the same question with several recipes (by default all), with `recall`'s arguments. Logs nothing."""
        asked: dict[str, Any] = {"at": _moment(), **arguments, "track": False}
        chosen = [known_recipes.load(name) for name in recipes or known_recipes.names()]
        return read.compare.compare(query, chosen, lambda recipe: self.recall(query, recipe=recipe, **asked))

    def profile(
        self, subject: str | None = None, *, namespace: str | None = None, as_of: Moment = None, at: Moment = None
    ) -> Profile:
        """What holds now, or held at `as_of`, about a person or thing ("user" is the owner); without a subject, about
        those with the most statements. Grouped, with sources and what each statement replaced."""
        from .read.profile.fetch import profile  # loads patterns that other calls don't need

        held = checks.moment("as_of", as_of)
        return profile(self._store, self._place(namespace), subject, as_of=held, at=_moment(at))

    def brief(
        self, session_id: str, *, namespace: str | None = None, extractor: ExtractorChoice = None, at: Moment = None
    ) -> Brief:
        """What a session told, what that replaced or contradicts, and what is to come. A model adds a summary."""
        place, reads = self._place(namespace), self._extractors.get(extractor)
        return read.brief.brief(self._store, place, session_id, reads, at=_moment(at))

    def conversation(self, *, user: str | None = None, session_id: str | None = None, limit: int = 5) -> chat.Chat:
        """A chat that recalls before each message and remembers after it. A user has the namespace `users/NAME`."""
        return chat.Chat(self, user=user, session_id=session_id, limit=checks.count("limit", limit))

    # Reading and changing -------------------------------------------------------------------------

    def get(self, id: str) -> Memory:
        """One memory. Counts as an access, never as a retrieval."""
        return select.accessed(self._store, id, _moment())

    list = wide_calls.listed

    def update(self, /, id: str, **fields: Unpack[Fields]) -> Memory:
        """Changes fields of a memory. The former values stay in its history. None empties a field."""
        return edit.update(memory_id=self._id(id), fields=fields, **self._tools())

    def forget(
        self, /, id: str | None = None, *, preview: bool = False, **filters: Unpack[Filters]
    ) -> Sequence[Memory]:
        """Hides memories and what was made from them; `restore` brings all back. Returns what it hid, or would hide."""
        chosen = [m for m in self._chosen(id, filters) if m.status != "forgotten"]
        return edit.forget(self._store, self._embedders.current, chosen, self._stamp(), preview=preview)

    def restore(self, id: str) -> Memory:
        """Takes a `forget` back with all that followed from it, or releases a quarantined memory with its facts."""
        return edit.restore(self._store, self._id(id), self._stamp())

    def purge(self, /, id: str | None = None, *, preview: bool = False, **filters: Unpack[Filters]) -> Sequence[Memory]:
        """Removes memories and what was made from them for good, with text, vectors and history. Returns what goes."""
        chosen, letters = self._chosen(id, filters), self._extractors.dead_letters
        return edit.purge(self._store, self._embedders.checked(), chosen, letters, self._stamp(), preview=preview)

    def history(self, id: str) -> Sequence[Event]:
        """What happened to a memory, oldest first. A purged one still has its events; give its whole id."""
        return select.history(self._store, id)

    def recalls(self, id: str, *, limit: int = 100) -> Sequence[RecallHit]:
        """The questions that found a memory, newest first, and the feedback given on it."""
        return select.recalls(self._store, self._id(id), checks.count("limit", limit))

    graph = wide_calls.graph
    matching = wide_calls.matching
    recall_log = wide_calls.recall_log
    recall_days = wide_calls.recall_days
    change_many = wide_calls.change_many

    def undo(self, event_id: str) -> Event:
        """Takes one event of the log back, with the earlier pages of the same change."""
        return edit.undo(self._store, self._embedders.checked(), ids.event_id(self._store, event_id), self._stamp())

    # Links and life -------------------------------------------------------------------------------

    def link(self, a: str, b: str, kind: str = "related", weight: float = 0.5) -> Link:
        return revise.link(
            self._store, self._embedders.checked(), self._id(a), self._id(b), kind, weight, self._stamp()
        )

    def unlink(self, a: str, b: str, kind: str | None = None) -> Sequence[Link]:
        """Removes the link from a to b of that kind, or all of them."""
        return revise.unlink(self._store, self._embedders.checked(), self._id(a), self._id(b), kind, self._stamp())

    def neighbours(self, id: str) -> Sequence[tuple[Link, Memory]]:
        """The memories linked with this one, in either direction, heaviest first; forgotten ones left out."""
        return select.neighbours(self._store, id)

    def supersede(self, old: str, new: str | None = None, *, text: str | None = None, since: Moment = None) -> Memory:
        """The new memory, or a new text that holds `since` then, replaces the old one, whose validity ends; returns the
        old one. What was never right: `update`."""
        given, moment = None if new is None else self._id(new), checks.moment("since", since)
        return edit.supersede(old=self._id(old), new=given, text=text, since=moment, **self._tools())

    def contradict(self, a: str, b: str) -> Link:
        """Notes that two memories can't both be true; recall then prefers the stronger."""
        return self.link(a, b, "contradicts", revise.CONTRADICTS_WEIGHT)

    def reinforce(self, id: str) -> Memory:
        """Raises a memory's strength by one step."""
        return tend.strength.reinforce(self._store, self._id(id), self.recipe.write, self._stamp())

    def decay(self, *, at: Moment = None, namespace: str | None = None, force: bool = False) -> int:
        """Lowers strength by the time that has passed. `force`: also if the moment is more than a year ahead."""
        within = Filter(namespaces=(self._place(namespace),), statuses=VISIBLE)
        return tend.strength.decay(self._store, within, self.recipe.write, self._stamp(at), force=force)

    def pin(self, id: str, pinned: bool = True) -> Memory:
        """Pinned memories are part of every context; refused when those of a namespace would exceed 4,000 tokens."""
        return self.update(id, tier="pinned" if pinned else "searchable")

    def archive(
        self, /, id: str | None = None, *, preview: bool = False, **filters: Unpack[Filters]
    ) -> Sequence[Memory]:
        """Archives memories: `default` finds them last, others with `include`. Filters leave pinned ones alone."""
        archive = partial(tend.tiers.archive, named=id is not None, preview=preview)
        return archive(self._store, self._chosen(id, filters), self._stamp())

    def consolidate(
        self,
        *,
        namespace: str | None = None,
        summarise: Summarise | None = None,
        at: Moment = None,
        preview: bool = False,
    ) -> Sequence[Memory]:
        """Replaces groups of memories that say much the same by summaries, and returns the summaries."""
        place, tools = self._place(namespace), self._tools(at)
        return tend.consolidate.consolidate(namespace=place, summarise=summarise, preview=preview, **tools)

    def tend(
        self,
        *,
        namespace: str | None = None,
        at: Moment = None,
        summarise: Summarise | None = None,
        preview: bool = False,
        force: bool = False,
    ) -> Tended:
        """Runs what is due: expires, completes, decays, archives, consolidates, links. `force` as in `decay`."""
        letters = tend.dead_letters.queue_of(self._extractors.get(), self._extractors.dead_letters)
        run = partial(tend.tend.tend, summarise=summarise, letters=letters, preview=preview, force=force)
        return run(namespace=self._place(namespace), **self._tools(at))

    def retention(self, namespace: str | None = None) -> Retention:
        """A namespace's own limits. Where it has none, those of the namespaces above it hold."""
        return tend.retention.rules(self._store).get(self._place(namespace), Retention())

    def set_retention(
        self, namespace: str | None = None, *, expires_after_days: int | None = None, most_memories: int | None = None
    ) -> Retention:
        """Limits how long and how many memories a namespace keeps; `tend(preview=True)` shows the effect."""
        return tend.retention.limited(self._store, self._place(namespace), expires_after_days, most_memories)

    def feedback(
        self, recall_id: str, used: Sequence[str] = (), outcome: str | float | None = None
    ) -> Sequence[Memory]:
        """Says which hits of a recall were used and whether it helped. Feedback given again replaces the former."""
        return tend.feedback.feedback(self._store, recall_id, used, outcome, self._stamp())

    def assemble(
        self,
        query: str,
        *,
        budget_tokens: int = 16_000,
        namespace: str | None = None,
        team: str | None = None,
        recipe: str | Path | Recipe | None = None,
        at: Moment = None,
        track: bool = True,
    ) -> Context:
        """A prompt's context in layers: pinned, the team's pinned, recent days, recalled, documents."""
        moment, budget = _moment(at), checks.count("budget_tokens", budget_tokens)
        ask = partial(self.recall, recipe=recipe, at=moment, track=track)
        place, teams = self._place(namespace), None if team is None else checks.path(team, "team")
        return tend.assemble.Assembly(self._store, ask, place, teams, moment, budget, self._within).assemble(query)

    # Namespaces and keeping -----------------------------------------------------------------------

    def namespaces(self) -> dict[str, int]:
        """Every namespace of the store, with the number of its memories (forgotten ones left out)."""
        return self._store.namespaces()

    def move(self, old: str, new: str, *, id: str | None = None, **filters: Unpack[Filters]) -> int:
        """Renames or merges a namespace with all below it; or, with an id or filters, moves only those memories."""
        whole = id is None and not any(filters.values())
        chosen = select.inside(self._store, old, id, filters)
        return edit.move(old=old, new=new, memories=chosen, whole=whole, **self._tools())

    def backup(self, path: str | Path) -> Path:
        """A consistent copy, made while others go on writing. It is checked before it gets its name."""
        self._store.backup(target := Path(path))
        return target

    def export(
        self, path: str | Path, *, namespace: str | None = None, overwrite: bool = False, progress: bool = False
    ) -> int:
        """Writes memories, links, history and recalls as JSON lines (without a namespace: all); returns how many."""
        inside = None if namespace is None else checks.path(namespace)
        return keep.exporting.export(self._store, Path(path), inside, overwrite=overwrite, show=progress)

    def import_(self, path: str | Path, *, progress: bool = False) -> int:
        """Reads an export; returns how many memories are new. If it was interrupted, the same call continues."""
        return keep.importing.import_(self._store, self._embedders.checked(), Path(path), self._stamp(), show=progress)

    def reembed(self, embedder: str | Embedder | None = None, *, progress: bool = False) -> int:
        """Fills in missing vectors. Another embedder makes all vectors anew, and is used from then on."""
        wanted = self._embedders.candidate(embedder)
        done = keep.reembed.change_over(self._store, wanted, show=progress)
        self._embedders.replace(wanted)
        return done

    def calibrate(
        self,
        examples: Sequence[Example] | None = None,
        *,
        namespace: str | None = None,
        recipe: str | Path | Recipe | None = None,
        preview: bool = False,
        progress: bool = False,
    ) -> Calibration:
        """Fits `Recall.confidence` to this store. The model is kept in it only if it is better than the built-in one.
        Without `examples`, questions come from the recall log or the memories; at least 50 are needed."""
        tools, place = (self._store, self._embedders.checked(), self._recipe(recipe)), self._place(namespace)
        asked = keep.calibrate.questions(examples, *tools, place, self._stamp(), show=progress)
        return keep.calibrate.calibrate(*tools, asked, preview=preview)

    def clear_calibration(self) -> None:
        """Removes the model that `calibrate` keeps; the built-in one is used again."""
        keep.calibrate.clear(self._store)

    def stats(self, namespace: str | None = None) -> Counts:
        return self._store.counts(checks.paths(namespace))

    def growth(self, namespace: str | None = None) -> Sequence[tuple[date, int]]:
        """How many memories were made on each day (UTC), oldest first; forgotten ones left out."""
        return self._store.growth(checks.paths(namespace))

    def check(self, *, chain_head: str | None = None) -> Sequence[Finding]:
        """What is wrong with the store; empty when nothing is. `chain_head`: what `chain` returned before."""
        return self._store.check(chain_head=chain_head)

    def chain(self, on: bool | None = None) -> str | None:
        """Turns the hash chain of the event log on or off for all programs; returns its last hash, None if off."""
        return keep.chain.switched(self._store, on)

    def doctor(self) -> Sequence[Advice]:
        """Which store, model, settings and versions are in use, and what to do about each problem."""
        return keep.doctor.examine(self._store, self.embedder, self.settings)

    def close(self) -> None:
        self._store.close()

    def __enter__(self) -> Recollect:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _stamp(self, at: Moment = None) -> Stamp:
        made = partial(Stamp, actor=self.actor, origin=self.origin, trust=self.trust, within=self._within)
        return made(at=_moment(at), redacts=self.settings.redact_secrets)

    def _tools(self, at: Moment = None) -> Tools:
        embedder, stamp = self._embedders.checked(), self._stamp(at)
        return {"store": self._store, "embedder": embedder, "rules": self.recipe.write, "stamp": stamp}

    def _place(self, namespace: str | None) -> str:
        return self.namespace if namespace is None else checks.path(namespace)

    def _recipe(self, recipe: str | Path | Recipe | None) -> Recipe:
        return self.recipe if recipe is None else known_recipes.load(recipe)

    def _id(self, id: str) -> str:
        return ids.memory_id(self._store, id)

    def _chosen(self, id: str | None, filters: Filters) -> Sequence[Memory]:
        return select.chosen(self._store, self.namespace, id, filters)
