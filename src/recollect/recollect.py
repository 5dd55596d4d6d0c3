"""The façade: every call checks its arguments and hands over to the path that does the work."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from copy import copy
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from . import checks, config, embedders, recipes
from .embedders.optional import OptionalEmbedder
from .embedders.outdated import OutdatedEmbedder
from .embedders.protocol import Embedder
from .errors import EmbedderMismatch, InvalidInput, NotFound, RecollectError, UnknownName
from .ids import new_id
from .namespaces import common
from .read import path as read_path
from .read import question
from .read.compare import Comparison
from .recipes.confidence import Confidence, model_for
from .recipes.fitted import load_fitted
from .recipes.recipe import Recipe
from .store import open_store
from .store.protocol import Counts, Finding, RecallEntry, RecallHit, Store
from .types import STATUSES, Context, Event, Filter, Link, Memory, Query, Recall, Retention, Status, Tended
from .write import path as write_path
from .write.build.draft import stated
from .write.changes import revise
from .write.screening.quarantine import OWNER
from .write.stamp import Stamp

if TYPE_CHECKING:
    from .extractors.dead_letters import DeadLetters
    from .extractors.protocol import Extractor
    from .write.conversations.ingest import Conversation, Ingested
    from .write.documents.ingest import Documents

Moment = str | datetime | None


class Recollect:
    """Long-term memory in one file (or `:memory:`), for one namespace and all below it."""

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        namespace: str | None = None,
        embedder: str | Embedder | None = None,
        recipe: str | Path | Recipe | None = None,
        actor: str | None = None,
        settings: config.Settings | None = None,
    ) -> None:
        self.settings = settings or config.load()
        self.namespace = checks.path(self.settings.namespace if namespace is None else namespace)
        self.recipe = recipes.load(recipe or self.settings.recipe)
        self.actor = actor or self.settings.actor
        self.origin: str | None = None
        self.trust = OWNER
        self._within: str | None = None
        url = str(path or self.settings.db or config.default_db())
        self._store = open_store(url, synchronous=self.settings.synchronous)
        try:
            self._extractors: dict[str, Extractor] = {}
            wanted = embedder or self.settings.embedder or None
            self._voice = _Voice(wanted, OptionalEmbedder(self._choose(wanted)))
        except BaseException:
            self._store.close()
            raise

    def _choose(self, wanted: str | Embedder | None) -> Embedder:
        """The store's own embedder, or a first one for a store that has none yet."""
        held, name = self._store.setting("fingerprint"), self._store.setting("embedder")
        if wanted is None and name is not None and not _loadable(name):
            raise EmbedderMismatch(f"this store speaks the embedder {name!r}: pass it as embedder=…")
        chosen = wanted or name or embedders.DEFAULT
        embedder = embedders.load(chosen) if isinstance(chosen, str) else chosen
        if held is not None and embedder.fingerprint != held:
            if embedder.name == name and isinstance(chosen, str):
                return OutdatedEmbedder(embedder, held)
            raise EmbedderMismatch(
                f"{self._store.url} holds vectors of {name!r}, not of {embedder.name!r}: open it with {name!r}, "
                f"or change over with `recollect reembed --embedder {embedder.name}`"
            )
        return embedder

    def _speaking(self) -> OptionalEmbedder:
        """The embedder; chosen again when another process gave the store its first vectors, or other ones."""
        held = self._store.setting("fingerprint")
        if held is not None and held != self._voice.speaks.embedder.fingerprint:
            self._voice.speaks = OptionalEmbedder(self._choose(self._voice.wanted))
        return self._voice.speaks

    @property
    def url(self) -> str:
        return self._store.url

    @property
    def embedder(self) -> Embedder:
        return self._voice.speaks.embedder

    @property
    def store(self) -> Store:
        """Where it is kept, for those who build on this; what goes in here is not checked."""
        return self._store

    def acting(
        self, *, actor: str, namespace: str | None = None, trust: str = "user", within: str | None = None
    ) -> Recollect:
        """The same memory in somebody's hands: their name in the log and on what they write, their trust class,
        their namespace. With `within`, contexts take in nothing from above it. Light; closing it closes both."""
        other = copy(self)
        other.actor = other.origin = checks.label("actor", actor)
        other.namespace = self.namespace if namespace is None else checks.path(namespace)
        other.trust = checks.label("trust", trust)
        other._within = within
        other._letters = self._letters
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
        item = {
            "text": text,
            "kind": kind,
            "tags": tags,
            "entities": entities,
            "gist": gist,
            "importance": importance,
            "confidence": confidence,
            "metadata": metadata,
            "namespace": namespace,
            "session_id": session_id,
            "at": at,
            "occurred_at": occurred_at,
            "expires_at": expires_at,
            "source": source,
            "dedup": dedup,
        }
        return self.remember_many([item])[0]

    def remember_many(self, items: Iterable[Mapping[str, Any]], *, progress: bool = False) -> list[Memory]:
        """Stores many, each a dict of `remember`'s arguments; batches are atomic."""
        stamp = self._stamp()
        listed = list(items)
        drafts = [
            stated(_numbered(n, item, self, stamp.at), merge=bool(item.get("dedup", True)))
            for n, item in enumerate(listed)
        ]
        stored: list[Memory] = []
        with _progress("remembering", len(drafts), progress) as advance:
            for batch in write_path.remember(
                self._store, self._speaking(), drafts, rules=self.recipe.write, stamp=stamp
            ):
                stored += batch
                advance(len(batch))
        return stored

    def ingest(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        session_id: str | None = None,
        at: Moment = None,
        namespace: str | None = None,
        granularity: str = "hybrid",
        extractor: str | Extractor | None = None,
        progress: bool = False,
    ) -> Ingested:
        """Takes in a conversation, a list of `{"role": …, "content": …}`. The same session again, or a longer
        version of it, adds only what is new."""
        given = {"messages": messages, "session_id": session_id, "at": at}
        return self.ingest_many(
            [given], namespace=namespace, granularity=granularity, extractor=extractor, progress=progress
        )[0]

    def ingest_many(
        self,
        conversations: Iterable[Mapping[str, Any]],
        *,
        namespace: str | None = None,
        granularity: str = "hybrid",
        extractor: str | Extractor | None = None,
        progress: bool = False,
    ) -> list[Ingested]:
        """Takes in many, fast, each a dict of `messages`, `session_id` and `at`. Every conversation is stored
        whole; after an error or a crash the same call goes on where it stopped."""
        from .write.conversations.ingest import HOWS, Ingest

        stamp = self._stamp()
        listed = [_conversation(n, given, stamp.at) for n, given in enumerate(conversations)]
        ingest = Ingest(
            store=self._store,
            embedder=self._speaking(),
            extractor=self._extractor(extractor),
            rules=self.recipe.write,
            namespace=checks.path(self.namespace if namespace is None else namespace),
            how=checks.one_of("granularity", granularity, HOWS),
            stamp=stamp,
        )
        total = sum(len(conversation.messages) for conversation in listed)
        with _progress("ingesting", total, progress) as advance:
            return list(ingest.run(listed, advance))

    def _extractor(self, wanted: str | Extractor | None) -> Extractor:
        from . import extractors
        from .extractors.limits import Limits

        if wanted is not None and not isinstance(wanted, str):
            return wanted
        name, settings = wanted or self.settings.extractor or extractors.DEFAULT, self.settings
        if name not in self._extractors:  # kept, so that its budget is one for all that is ingested
            limits = Limits(
                budget_tokens=settings.extractor_budget_tokens or None,
                budget_cost=settings.extractor_budget_cost or None,
                input_price_per_million=settings.extractor_input_price,
                output_price_per_million=settings.extractor_output_price,
            )
            self._extractors.setdefault(name, extractors.load(name, limits=limits, letters=self._letters))
        return self._extractors[name]

    @cached_property
    def _letters(self) -> DeadLetters:
        """What a model did not manage, kept beside the store."""
        from .extractors.dead_letter_file import DeadLetterFile
        from .extractors.dead_letters import DeadLetterList

        in_a_file = self.url != ":memory:" and "://" not in self.url
        return DeadLetterFile(f"{self.url}.letters.jsonl") if in_a_file else DeadLetterList()

    def ingest_documents(
        self, paths: str | Path | Sequence[str | Path], *, namespace: str | None = None, progress: bool = False
    ) -> Documents:
        """Takes in text and Markdown files, and folders of them, as chunks; unchanged files are passed over."""
        from .write.documents.ingest import files, ingest_documents

        found = files([paths] if isinstance(paths, str | Path) else paths)
        with _progress("reading", len(found), progress) as advance:
            return ingest_documents(
                self._store,
                self._speaking(),
                found,
                namespace=checks.path(namespace or self.namespace),
                rules=self.recipe.write,
                stamp=self._stamp(),
                advance=advance,
            )

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
        kinds: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        where: Mapping[str, Any] | None = None,
        session_id: str | None = None,
        include: Sequence[str] | None = None,
        track: bool = True,
    ) -> Recall:
        """The few memories that answer a question, with the arithmetic that put them there."""
        chosen = recipes.load(recipe) if recipe is not None else self.recipe
        asked = question.query(
            query,
            recipe=chosen,
            filter=question.filter_from(
                namespaces=self._namespaces(namespace, namespaces),
                kinds=kinds,
                tags=tags,
                session_id=session_id,
                since=since,
                until=until,
                as_of=as_of,
                where=where,
            ),
            at=checks.moment("at", at) or _now(),
            limit=limit,
            budget_tokens=budget_tokens,
            include=include,
            granularity=granularity,
        )
        embedder = self._speaking() if chosen.vector_routes else self._voice.speaks
        found = read_path.recall(self._store, embedder, chosen, asked, id=new_id(), model=self._confidence)
        if track and not self._store.read_only:
            self._record(chosen, asked, found)
        return found

    def _confidence(self, embedder: str | None) -> Confidence:
        """The model that `calibrate` fitted on this store, or the one that comes along."""
        if embedder is None:
            return model_for(None)
        fitted = load_fitted(self._store.setting("confidence"), self.embedder.fingerprint)
        return fitted or model_for(embedder)

    def _record(self, recipe: Recipe, query: Query, found: Recall) -> None:
        self._store.record(
            RecallEntry(
                id=found.id,
                at=query.at,
                actor=self.actor,
                namespace=common(query.filter.namespaces),
                query=self._loggable(query.text),
                recipe=recipe.name,
                rejected=found.rejected,
                confidence=found.confidence,
                hits=[(hit.memory.id, hit.score) for hit in found.hits],
                counts=recipe.record.counts,
            )
        )

    def _loggable(self, text: str) -> str:
        if self.settings.redact_secrets:
            from .write.screening.secrets import redacted

            text = redacted(text)
        return text if self.settings.log_queries else ""

    def compare(
        self,
        /,
        query: str,
        recipes: Sequence[str | Path | Recipe] | None = None,
        **arguments: Any,  # noqa: ANN401 - recall's
    ) -> Comparison:
        """The same question through several recipes (all of them by default); leaves no trace."""
        from . import recipes as known

        chosen = [known.load(name) for name in recipes or known.names()]
        names = [recipe.name for recipe in chosen]
        if twice := next((name for n, name in enumerate(names) if name in names[:n]), None):
            raise InvalidInput(f"two of the recipes are called {twice!r}: give one of them another `name`")
        arguments = {"at": _now(), **arguments, "track": False}
        found = {recipe.name: self.recall(query, recipe=recipe, **arguments) for recipe in chosen}
        return Comparison(query=query, recalls=found)

    # Reading and changing -------------------------------------------------------------------------

    def get(self, id: str) -> Memory:
        """One memory. Counts as an access, never as a retrieval."""
        memory = revise.one(self._store, id)
        if not self._store.read_only:
            self._store.touch(id, _now())
            memory = revise.one(self._store, id)
        return memory

    def list(self, /, *, limit: int | None = None, after: str | None = None, **filters: Any) -> Sequence[Memory]:  # noqa: ANN401
        """Memories, newest first; forgotten ones only when `statuses` asks for them."""
        within = self._filter(**filters)
        if not within.statuses:
            within = self._filter(**filters, statuses=_VISIBLE)
        limit = None if limit is None else checks.count("limit", limit)
        return self._store.scan(within, limit=limit, after=checks.optional("after", after))

    def update(self, /, id: str, **fields: Any) -> Memory:  # noqa: ANN401 - a memory's fields
        """Changes fields of a memory; what they were stays in its history."""
        from .tend.tiers import check_update

        with self._store.transaction() if "tier" in fields else nullcontext():
            check_update(self._store, id, fields)
            return revise.update(self._store, self._speaking(), id, fields, self._stamp())

    def forget(self, /, id: str | None = None, *, preview: bool = False, **filters: Any) -> Sequence[Memory]:  # noqa: ANN401
        """Makes memories invisible (`restore` brings them back). With `preview` only says which."""
        with self._store.transaction():
            chosen = [m for m in self._chosen(id, filters) if m.status != "forgotten"]
            if preview or not chosen:
                return chosen
            return revise.change(self._store, chosen, "forget", self._stamp(), status="forgotten")

    def restore(self, id: str) -> Memory:
        """Takes a `forget` back, or lets go what is quarantined."""
        return revise.restore(self._store, id, self._stamp())

    def purge(self, /, id: str | None = None, *, preview: bool = False, **filters: Any) -> Sequence[Memory]:  # noqa: ANN401
        """Removes memories for good, text and vectors and history. With `preview` only says which."""
        from .write.conversations.restate import drop_letters

        chosen = self._chosen(id, filters)
        if not preview:
            revise.purge(self._store, self._speaking(), chosen, self._stamp())
            drop_letters(self._letters, chosen)
        return chosen

    def _chosen(self, id: str | None, filters: Mapping[str, Any]) -> Sequence[Memory]:
        if id is not None:
            return [revise.one(self._store, id)]
        if not filters:
            raise InvalidInput("name an id or at least one filter (such as namespace=… for all of a namespace)")
        return self._store.scan(self._filter(**filters), order="id")

    def history(self, id: str) -> Sequence[Event]:
        """What happened to a memory, oldest first; a purged one still has its events."""
        events = self._store.events(memory_id=id)
        if not events:
            revise.one(self._store, id)
        return events

    def recalls(self, id: str, *, limit: int = 100) -> Sequence[RecallHit]:
        """The questions that found a memory, newest first, and what was said of it then."""
        return self._store.recalls_of(id, (), limit=checks.count("limit", limit))

    def undo(self, event_id: str) -> Event:
        """Takes one event of the log back."""
        from .write.changes.undo import undo

        return undo(self._store, self._speaking(), event_id, self._stamp())

    # Links and life -------------------------------------------------------------------------------

    def link(self, a: str, b: str, kind: str = "related", weight: float = 0.5) -> Link:
        return revise.link(self._store, self._speaking(), a, b, kind, weight, self._stamp())

    def unlink(self, a: str, b: str, kind: str | None = None) -> Sequence[Link]:
        """Removes the link from a to b of that kind, or all of them."""
        return revise.unlink(self._store, self._speaking(), a, b, kind, self._stamp())

    def neighbours(self, id: str) -> Sequence[tuple[Link, Memory]]:
        """What a memory is linked with, in either direction, heaviest first; forgotten ones left out."""
        revise.one(self._store, id)
        links = sorted(self._store.links([id]), key=lambda link: (-link.weight, link.other(id)))
        memories = self._store.get({link.other(id) for link in links}, Filter(statuses=_VISIBLE))
        return [(link, memories[link.other(id)]) for link in links if link.other(id) in memories]

    def supersede(self, old: str, new: str) -> Memory:
        """The new memory replaces the old one, whose validity ends; returns the old one."""
        return revise.supersede(self._store, old, new, self._stamp())

    def contradict(self, a: str, b: str) -> Link:
        """Notes that two memories can't both be true; recall then prefers the stronger."""
        return revise.link(self._store, self._speaking(), a, b, "contradicts", revise.CONTRADICTS_WEIGHT, self._stamp())

    def reinforce(self, id: str) -> Memory:
        from .tend.strength import reinforce

        with self._store.transaction():
            return reinforce(self._store, revise.one(self._store, id), self.recipe.write, self._stamp())

    def decay(self, *, at: Moment = None, namespace: str | None = None) -> int:
        """Lets strength fade up to a moment; twice for one moment is once."""
        from .tend.strength import decay

        within = self._filter(namespace=namespace, statuses=_VISIBLE)
        return decay(self._store, within, self.recipe.write, self._stamp(at))

    def pin(self, id: str, pinned: bool = True) -> Memory:
        """Pinned memories are loaded into every context; refused when a namespace's would pass 4,000 tokens."""
        return self.update(id, tier="pinned" if pinned else "searchable")

    def archive(self, /, id: str | None = None, *, preview: bool = False, **filters: Any) -> Sequence[Memory]:  # noqa: ANN401
        """Puts memories out of the way: found only with `include=["archived"]`. Filters pass over pinned ones."""
        from .tend.tiers import archive

        spared = ("archived",) if id is not None else ("archived", "pinned")
        with self._store.transaction():
            chosen = [m for m in self._chosen(id, filters) if m.tier not in spared and m.status != "forgotten"]
            return chosen if preview else archive(self._store, chosen, self._stamp())

    def consolidate(
        self,
        *,
        namespace: str | None = None,
        summarise: Callable[[Sequence[Memory]], str] | None = None,
        at: Moment = None,
        preview: bool = False,
    ) -> Sequence[Memory]:
        """Replaces groups of memories that say much the same by summaries, which it returns."""
        from .tend.consolidate import Consolidator
        from .tend.tend import within

        work = Consolidator(
            store=self._store,
            embedder=self._speaking(),
            rules=self.recipe.write,
            stamp=self._stamp(at),
            summarise=summarise,
        )
        paths = within(self._store, self.namespace if namespace is None else checks.path(namespace))
        return [made for path in paths for made in (work.preview(path) if preview else work.run(path))]

    def tend(
        self,
        *,
        namespace: str | None = None,
        at: Moment = None,
        summarise: Callable[[Sequence[Memory]], str] | None = None,
        preview: bool = False,
    ) -> Tended:
        """Does what is due: expires, completes, fades, archives, consolidates, links. Nothing is deleted."""
        from .extractors.dead_letters import Askable
        from .tend.dead_letters import Unread
        from .tend.tend import tend

        extractor = self._extractor(None)

        return tend(
            self._store,
            self._speaking(),
            self.namespace if namespace is None else checks.path(namespace),
            rules=self.recipe.write,
            stamp=self._stamp(at),
            summarise=summarise,
            letters=Unread(extractor, self._letters) if isinstance(extractor, Askable) else None,
            preview=preview,
        )

    def retention(self, namespace: str | None = None) -> Retention:
        """The limits of a namespace's own; those of the namespaces above it hold where it has none."""
        from .tend.retention import rules

        return rules(self._store).get(self.namespace if namespace is None else checks.path(namespace), Retention())

    def set_retention(
        self,
        namespace: str | None = None,
        *,
        expires_after_days: int | None = None,
        most_memories: int | None = None,
    ) -> Retention:
        """Sets how long and how much a namespace keeps in sight; `tend(preview=True)` shows what that means."""
        from .tend.retention import set_rule

        rule = Retention(
            expires_after_days=None
            if expires_after_days is None
            else checks.count("expires_after_days", expires_after_days),
            most_memories=None if most_memories is None else checks.count("most_memories", most_memories),
        )
        set_rule(self._store, self.namespace if namespace is None else checks.path(namespace), rule)
        return rule

    def feedback(
        self, recall_id: str, used: Sequence[str] = (), outcome: str | float | None = None
    ) -> Sequence[Memory]:
        """Says which hits of a recall were used and whether it helped; said again, it replaces the former."""
        from .tend.feedback import feedback

        return feedback(self._store, recall_id, used, outcome, self._stamp())

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
        from .tend.assemble import Assembly

        moment = checks.moment("at", at) or _now()
        return Assembly(
            store=self._store,
            ask=partial(self.recall, recipe=recipe, at=moment, track=track),
            namespace=self.namespace if namespace is None else checks.path(namespace),
            team=None if team is None else checks.path(team, "team"),
            at=moment,
            budget_tokens=checks.count("budget_tokens", budget_tokens),
            within=self._within,
        ).assemble(query)

    # Namespaces -----------------------------------------------------------------------------------

    def namespaces(self) -> dict[str, int]:
        """Every namespace of the store, with the number of its memories (forgotten ones left out)."""
        return self._store.namespaces()

    def move(self, old: str, new: str) -> int:
        """Renames a namespace with all below it, or merges it into one that is there."""
        checks.path(old)
        checks.path(new)
        if new == old or new.startswith(f"{old}/"):
            raise InvalidInput(f"{old!r} can't be moved into itself ({new!r})")
        with self._store.transaction():
            inside = self._store.scan(Filter(namespaces=(old,)), order="id")
            if not inside:
                raise NotFound(f"no namespace is called {old!r}: `recollect namespaces` lists them")
            return revise.move(self._store, inside, old, new, self._stamp())

    # Keeping --------------------------------------------------------------------------------------

    def backup(self, path: str | Path) -> Path:
        """A consistent copy, made while others go on writing."""
        target = Path(path)
        self._store.backup(target)
        return target

    def export(
        self, path: str | Path, *, namespace: str | None = None, overwrite: bool = False, progress: bool = False
    ) -> int:
        """Writes memories with their links, history and recalls as JSON lines (without a namespace: all); says how
        many memories. A file that exists is only replaced with `overwrite`."""
        from .keep.exporting import export

        inside = None if namespace is None else checks.path(namespace)
        total = self._store.counts(() if inside is None else (inside,)).memories if progress else None
        with _progress("exporting", total, progress) as advance:
            return export(self._store, Path(path), inside, overwrite=overwrite, advance=advance)

    def import_(self, path: str | Path, *, progress: bool = False) -> int:
        """Reads an export, whole or not at all; says how many memories are new."""
        from .keep.importing import import_

        with _progress("importing", None, progress) as advance:
            return import_(self._store, self._speaking(), Path(path), self._stamp(), advance)

    def reembed(self, embedder: str | Embedder | None = None, *, progress: bool = False) -> int:
        """Fills in missing vectors; naming another embedder changes over to it."""
        from .keep.reembed import reembed

        wanted = embedders.load(embedder) if isinstance(embedder, str) else embedder or self.embedder
        wanted = wanted.present if isinstance(wanted, OutdatedEmbedder) else wanted
        held = self._store.setting("fingerprint")
        anew = held is not None and wanted.fingerprint != held
        counts = self._store.counts(())
        total = counts.memories if anew else counts.without_vector
        with _progress("embedding", total, progress) as advance:
            done = reembed(self._store, wanted, anew=anew, advance=advance)
        self._voice.wanted, self._voice.speaks = wanted, OptionalEmbedder(wanted)
        return done

    def stats(self, namespace: str | None = None) -> Counts:
        return self._store.counts(() if namespace is None else (checks.path(namespace),))

    def growth(self, namespace: str | None = None) -> Sequence[tuple[date, int]]:
        """How many memories came on each day (UTC), oldest first; forgotten ones left out."""
        return self._store.growth(() if namespace is None else (checks.path(namespace),))

    def check(self) -> Sequence[Finding]:
        """What is wrong with the store; nothing when all is well."""
        return self._store.check()

    def doctor(self) -> Sequence[Any]:
        """Which store, model, settings and versions are live, and what to do about what is not well."""
        from .keep.doctor import examine

        return examine(self._store, self.embedder, self.settings)

    def close(self) -> None:
        self._store.close()

    def __enter__(self) -> Recollect:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # ----------------------------------------------------------------------------------------------

    def _stamp(self, at: Moment = None) -> Stamp:
        return Stamp(
            at=checks.moment("at", at) or _now(),
            actor=self.actor,
            origin=self.origin,
            trust=self.trust,
            redacts=self.settings.redact_secrets,
        )

    def _namespaces(self, namespace: str | None, namespaces: Sequence[str] | None) -> Sequence[str]:
        if namespace is not None and namespaces is not None:
            raise InvalidInput("give namespace or namespaces, not both")
        if isinstance(namespaces, str) or not isinstance(namespaces or (), Sequence):
            raise InvalidInput(f"namespaces must be a list of paths, not {namespaces!r}")
        if len(namespaces or ()) > checks.MOST_TAGS:
            raise InvalidInput(f"namespaces has {len(namespaces or ())} entries, more than {checks.MOST_TAGS}")
        return namespaces or (self.namespace if namespace is None else namespace,)

    def _filter(
        self,
        *,
        namespace: str | None = None,
        namespaces: Sequence[str] | None = None,
        **filters: Any,  # noqa: ANN401 - question.filter_from's
    ) -> Filter:
        known = question.filter_from.__kwdefaults__ or {}
        for name in filters:
            if name not in known:
                raise UnknownName("filter", name, known)
        return question.filter_from(namespaces=self._namespaces(namespace, namespaces), **filters)


@dataclass(slots=True)
class _Voice:
    """The embedder in use, one for all who act on a store."""

    wanted: str | Embedder | None
    speaks: OptionalEmbedder


_VISIBLE: tuple[Status, ...] = tuple(status for status in STATUSES if status != "forgotten")


def _now() -> datetime:
    return datetime.now(UTC)


def _loadable(name: str) -> bool:
    try:
        embedders.load(name)
    except RecollectError:
        return False
    return True


def _numbered(n: int, item: Mapping[str, Any], writer: Recollect, now: datetime) -> Memory:
    """Errors in a list say which entry is meant."""
    if not isinstance(item, Mapping):
        raise InvalidInput(f"item {n}: must be a dict of remember's arguments, not {type(item).__name__}")
    try:
        return checks.memory(
            item, namespace=writer.namespace, now=now, origin=writer.origin or OWNER, trust=writer.trust
        )
    except InvalidInput as error:
        if n == 0:
            raise
        raise InvalidInput(f"item {n}: {error}") from None


def _conversation(n: int, given: Mapping[str, Any], now: datetime) -> Conversation:
    """Errors in a list say which conversation is meant."""
    from .write.conversations.ingest import Conversation
    from .write.conversations.messages import check

    try:
        if not isinstance(given, Mapping):
            raise InvalidInput(f"must be a dict of messages, session_id and at, not {type(given).__name__}")
        for name in given:
            if name not in ("messages", "session_id", "at"):
                raise UnknownName("field", name, ("messages", "session_id", "at"))
        return Conversation(
            messages=check(given.get("messages")),
            session_id=checks.optional("session_id", given.get("session_id")) or new_id(),
            at=checks.moment("at", given.get("at")) or now,
        )
    except InvalidInput as error:
        if n == 0:
            raise
        raise InvalidInput(f"conversation {n}: {error}") from None


@contextmanager
def _progress(what: str, total: int | None, wanted: bool) -> Iterator[Callable[[int], None]]:
    """A bar on stderr with rate and time left, or nothing."""
    if not wanted or not sys.stderr.isatty():
        yield lambda count: None
        return
    from .progress import bar

    with bar(what, total) as advance:
        yield advance
