"""What a store keeps of recalls: the log, and the confidence model fitted to it."""

from __future__ import annotations

from ..config import Settings
from ..embedders.optional import OptionalEmbedder
from ..namespaces import common
from ..recipes.confidence import Confidence, model_for
from ..recipes.fitted import SETTING, load_fitted
from ..recipes.recipe import Recipe
from ..store.protocol import Store
from ..store.settings import setting
from ..store.values import RecallEntry
from ..types import Query, Recall


def record(store: Store, recipe: Recipe, query: Query, found: Recall, *, actor: str, settings: Settings) -> None:
    """Logs a recall and counts its hits. Does nothing where the store can't be written."""
    if store.read_only:
        return
    store.record(
        RecallEntry(
            id=found.id,
            at=query.at,
            actor=actor,
            namespace=common(query.filter.namespaces),
            query=_loggable(query.text, settings),
            recipe=recipe.name,
            rejected=found.rejected,
            confidence=found.confidence,
            hits=[(hit.memory.id, hit.score) for hit in found.hits],
            counts=recipe.record.counts,
            ms=round(sum(step.ms for step in found.trace), 1),
        )
    )


def fitted_model(store: Store, embedder: OptionalEmbedder, name: str | None) -> Confidence:
    """The model that `calibrate` fitted on this store instead of the built-in one of that name, or the built-in one.

    `name` is None when nothing was read and no vectors were compared."""
    if name is None:
        return model_for(None)
    found = load_fitted(setting(store, SETTING), embedder.embedder.fingerprint)
    replaces = found and (found.judged_by or embedder.name)
    return found.model if found and replaces == name else model_for(name)


def _loggable(text: str, settings: Settings) -> str:
    """The question's text as the settings allow it in the log."""
    if not settings.log_queries:
        return ""
    if not settings.redact_secrets:
        return text
    from ..write.screening.secrets import redacted

    return redacted(text)
