"""Decides whether the answer is in memory at all, and rejects the question when it is not."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

from ..recipes.confidence import Confidence, model_for
from ..recipes.recipe import Gate, Recipe
from ..types import Signals

Model: TypeAlias = Callable[[str | None], Confidence]
"""Gives the confidence model for an embedder's name. None means that no vectors were compared."""

R5_TAU = 0.55
"""MemX, Table 10."""


def judge(embedder: str | None, recipe: Recipe, signals: Signals) -> str | None:
    """The name of the confidence model: the embedder's, with the reader's if something was read. None if no vectors
    were compared."""
    if signals.top_similarity is None:
        return None
    return f"{embedder}+{recipe.read.reader}" if recipe.read and signals.read is not None else embedder


def confidence(signals: Signals, model: Confidence) -> float:
    """How likely the answer is in memory, from 0 to 1: a logistic model over the signals of the routes."""
    z = (
        model.bias
        + model.similarity * (signals.top_similarity or 0.0)
        + model.coverage * signals.coverage
        + model.agreement * signals.agreement
        + model.margin * signals.margin
        + model.lead * lead(signals, model.background)
        + model.evidence * (signals.evidence or 0.0)
        + model.read * (signals.read or 0.0)
        + model.read_next * signals.read_next
        + model.read_total * signals.read_total
        + model.read_first * signals.read_first
        + model.concerns * signals.concerns
        + model.unknown_code * signals.unknown_code
    )
    return 1 / (1 + math.exp(-z))


def lead(signals: Signals, usual_background: float) -> float:
    """How much closer the nearest memory is than unrelated ones; 0 without vectors."""
    if signals.top_similarity is None:
        return 0.0
    return signals.top_similarity - (usual_background if signals.background is None else signals.background)


def reject(
    signals: Signals, sure: float, gate: Gate, embedder: str | None, model: Confidence | None = None
) -> str | None:
    """The reason to return nothing, or None. The limit of the question has no influence."""
    if gate.rule == "confidence":
        if gate.refuse_unknown_codes and signals.unknown_codes:
            return _names_unknown(signals.unknown_codes)
        tau = _threshold(signals, gate, embedder, model or model_for(embedder))
        return f"confidence {sure:.3f} is below {tau:.3f}" if sure < tau else None
    tau = R5_TAU if gate.rule == "R5" else gate.threshold(embedder)
    similarity = signals.top_similarity
    weak = similarity is None or similarity < tau
    seen = "no vector" if similarity is None else f"best similarity {similarity:.3f}"
    no_keyword, low = "no memory holds all the question's words", f"{seen} is below {tau:g}"
    match gate.rule:
        case "R1" | "R5":
            failed = not signals.keyword_match and weak
            reason = f"{no_keyword} and {low}"
        case "R2":
            failed, reason = weak, low
        case "R3":
            failed, reason = not signals.keyword_match, no_keyword
        case "R4":
            failed = not signals.keyword_match or weak
            reason = low if signals.keyword_match else no_keyword
    return f"{gate.rule}: {reason}" if failed else None


def _names_unknown(codes: Sequence[str]) -> str:
    return f"{' and '.join(codes)} {'occurs' if len(codes) == 1 else 'occur'} in no memory"


def _threshold(signals: Signals, gate: Gate, embedder: str | None, model: Confidence) -> float:
    """The gate's threshold, lowered when the nearest memory stands out. A threshold set for one embedder is only used
    with the built-in model of that embedder."""
    tau = gate.threshold(embedder) if model == model_for(embedder) else gate.tau
    allowed = model.allowance * lead(signals, model.background)
    return tau / (tau + (1 - tau) * math.exp(allowed)) if allowed > 0 and tau > 0 else tau
