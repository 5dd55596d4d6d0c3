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

FITTED_COUNT = 20
"""How many memories were read for each question that the reader's confidence model was fitted on."""
LEAST_SHARE, FEW = 0.6, 4
"""The share of the threshold that an empty store would have. From a few memories on, the whole threshold counts."""
USUAL_SPEAKER, USUAL_SPEAKER_EVIDENCE = 3.3, 0.86
"""The means of `read_speaker` and `evidence` for questions that name a speaker and have an answer."""
FAR = 0.64
"""Evidence below this means that even the nearest memory is about something else."""
MOST_UNKNOWN = 0.5
"""From this share of known words on, words that occur nowhere say nothing."""
R5_TAU = 0.55
"""MemX, Table 10."""


def judge(embedder: str | None, recipe: Recipe, signals: Signals) -> str | None:
    """The name of the confidence model: the embedder's, with the reader's if something was read. None if neither was
    used."""
    if recipe.read is not None and signals.read is not None:
        return f"{embedder}+{recipe.read.reader}"
    return None if signals.top_similarity is None else embedder


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
        + model.read_mean * signals.read_mean
        + model.read_first * signals.read_first
        + model.read_among * signals.read_among
        + _by_speaker(signals, model)
        + model.unknown * _unknown(signals)
        + model.far * max(0.0, FAR - (FAR if signals.evidence is None else signals.evidence))
        + model.unknown_code * signals.unknown_code
    )
    return 1 / (1 + math.exp(-z))


def confidence_of(signals: Signals, topics: Sequence[Signals | None], model: Confidence) -> float:
    """The confidence of a question; with several topics, the mean of theirs. The whole question tells less: it is near
    to something for many lists of things that were never told, and far from what answers one topic of it."""
    counted = topics or (signals,)
    return math.fsum(confidence(each, model) for each in counted if each is not None) / len(counted)


def _by_speaker(signals: Signals, model: Confidence) -> float:
    """A question about somebody is seldom answered by what another person says of themselves."""
    if signals.read_speaker is None:
        return 0.0
    own = model.speaker * (signals.read_speaker - USUAL_SPEAKER)
    return model.speaker_bias + own + model.speaker_evidence * ((signals.evidence or 0.0) - USUAL_SPEAKER_EVIDENCE)


def _unknown(signals: Signals) -> float:
    """How far the known words are below one half. In a store of a few memories most words are unknown anyway."""
    return _fullness(signals) * max(0.0, MOST_UNKNOWN - signals.known)


def _fullness(signals: Signals) -> float:
    """1 if as many memories were read as the models were fitted with, less in a smaller store."""
    return min(1.0, _count(signals) / FITTED_COUNT)


def _count(signals: Signals) -> int:
    """How many memories were read; without a reader, as many as usual."""
    return FITTED_COUNT if signals.read is None else signals.read_count


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
    tau *= LEAST_SHARE + (1 - LEAST_SHARE) * min(1.0, _count(signals) / FEW)  # few chances to be wrong
    allowed = model.allowance * lead(signals, model.background)
    return tau / (tau + (1 - tau) * math.exp(allowed)) if allowed > 0 and tau > 0 else tau
