"""Describes a recipe in words and numbers, from its data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .recipe import (
    Activation,
    Contradiction,
    Depth,
    Diversify,
    Factor,
    Frequency,
    Fuse,
    FuturePenalty,
    Gate,
    Graph,
    KindBoost,
    Lexical,
    MaximalMarginalRelevance,
    MemoryFactor,
    OnePerMessage,
    QueryFactor,
    QuestionPenalty,
    Read,
    Recency,
    Recipe,
    ReciprocalRank,
    Relevance,
    Role,
    Route,
    SameMeaning,
    SameStatement,
    SameText,
    Scaled,
    ScoreSum,
    SessionFirst,
    SessionPrior,
    SpeakerMatch,
    Spread,
    StatusPenalty,
    Stored,
    TagSignature,
    TierPenalty,
    TimeMatch,
    TimeWindow,
    TurnNeighbours,
    Vector,
)

_RULES = {
    "R1": "no memory contains all the question's words and the best cosine is below {tau}",
    "R2": "the best cosine is below {tau}",
    "R3": "no memory contains all the question's words",
    "R4": "no memory contains all the question's words, or the best cosine is below {tau}",
    "R5": "no memory contains all the question's words and the best cosine is below 0.55",
    "confidence": "the calibrated confidence is below {tau}; the threshold is lower if the nearest memory stands out",
}

_MERGED = {
    "same_statement": "duplicates that say the same from cosine {threshold}",
    "cosine": "duplicates from cosine {threshold}",
    "keep": "duplicates only word for word",
}


def explain(recipe: Recipe) -> str:
    """One line per stage that the recipe uses, in the order of the read path."""
    return "\n".join(f"{stage + ':':<12} {text}" for stage, text in lines(recipe))


def lines(recipe: Recipe) -> Iterator[tuple[str, str]]:
    yield from _question(recipe)
    for route in recipe.routes:
        yield "route", _route(route)
    yield "fuse", _fuse(recipe.fuse)
    for part in recipe.spread:
        yield "spread", _spread(part)
    yield "score", _score(recipe)
    if recipe.normalise:
        least = recipe.normalise.least_deviation
        yield "normalise", f"1 / (1 + exp(-(score - mean) / deviation)), unless deviation < {least:g}"
    if recipe.conflicts:
        yield "conflict", _conflict(recipe.conflicts)
    if recipe.read:
        yield "read", _read(recipe.read)
    if recipe.reject:
        yield "reject", _reject(recipe.reject)
    for how in recipe.diversify:
        yield "diversify", _diversify(how)
    yield "pack", _pack(recipe)
    yield "record", f"{recipe.record.counts} count and time of the returned memories"
    yield "write", _write(recipe)


def _question(recipe: Recipe) -> Iterator[tuple[str, str]]:
    yield "statuses", ", ".join(recipe.statuses)
    if recipe.second_look:
        yield "archived", "searched if nothing else is found"
    if recipe.split_comparisons:
        yield "comparisons", "each side is also searched on its own; the best score and the least evidence count"
    if recipe.split_topics:
        yield (
            "topics",
            "each is also searched and read on its own; the best of each has a place, confidence is their mean",
        )


def _read(read: Read) -> str:
    return (
        f"{read.reader} reads the question with the best {read.candidates}: score = 1 / (1 + exp(-({read.bias:g} + "
        f"{read.answers:g} * its log-odds + {read.ranked:g} * score so far - {read.place:g} * log of its place - "
        f"{read.newer:g} if the question asks for the present (for a date: * {read.newer_date:g} at least) and a newer "
        f"one gives a value (about the past: - {read.older:g} if an older one does) - {read.alike:g} if a newer "
        f"one of the same form has another value - {read.not_meant:g} if the question names what only another one of "
        "the same form has)))"
    )


def _conflict(conflicts: Contradiction) -> str:
    rate, by, superseded = conflicts.rate_per_day, conflicts.multiplier, conflicts.superseded_multiplier
    least = conflicts.superseded_relevance
    text = f"of two that contradict, the one with less strength * confidence * exp(-{rate:g} * days): score * {by:g}"
    return text + (
        f"; superseded by another candidate of at least {least:g} of its score: score * {superseded:g}"
        if superseded < 1
        else ""
    )


def _depth(depth: Depth) -> str:
    return f"{depth.times} * limit" if not depth.least else f"max({depth.times} * limit, {depth.least})"


def _route(route: Route) -> str:
    first = f"the first {_depth(route.depth)}"
    match route:
        case Lexical():
            fields = ", ".join(f"{name} {weight:g}" for name, weight in route.fields.items() if weight)
            words = "all content words" if route.match == "all" else "a content word"
            if route.stopwords_match:
                words = words.replace("content ", "")
            stop = f"; stop-words {route.stopword_weight:g}" if route.stopword_weight < 1 else ""
            stop += f"; FTS5's {route.analyzer}" if route.analyzer != "recollect" else ""
            return f"{route.name}: {first} with {words} by BM25 (k1 {route.k1:g}, b {route.b:g}; {fields}{stop})"
        case Vector():
            floor = f", at least {route.floor:g}" if route.floor > -1 else ""
            return f"{route.name}: {first} by cosine to the view '{route.view}'{floor}"
        case Graph():
            linked = f"within {route.hops} links of those{_not_followed(route.excluded_link_kinds)}"
            return f"{route.name}: {first} that mention the question's entities or are {linked}"
        case TimeWindow():
            days = f"plus or minus {route.slack_days:g} days"
            return f"{route.name}: if the question names a time, {first} by cosine within that time, {days}"


def _fuse(fuse: Fuse) -> str:
    keep = f"; the best {_depth(fuse.keep)} are kept" if fuse.keep else ""
    match fuse:
        case ReciprocalRank():
            weights = f" (weights {_pairs(fuse.weights)})" if fuse.weights else ""
            return f"relevance = sum of 1 / ({fuse.k:g} + rank) over the routes{weights}{keep}"
        case ScoreSum():
            shares = " + ".join(_share(name, scaled) for name, scaled in fuse.routes.items())
            floor = f"; candidates below {fuse.floor:g} are dropped" if fuse.floor is not None else ""
            exempt = " (except keyword-only ones)" if fuse.exempt_keyword_only else ""
            return f"relevance = {shares}{floor}{exempt}{_by_rank(fuse)}{keep}"


def _by_rank(fuse: ScoreSum) -> str:
    if not fuse.rank_fusion_below_range:
        return ""
    k, limits = fuse.rank_fusion_k, _pairs(fuse.rank_fusion_below_range)
    return f"; if all cosines are within a small range ({limits}), routes count by rank: {1 + k:g} / ({k:g} + rank)"


def _share(name: str, scaled: Scaled) -> str:
    weight = "" if scaled.weight == 1 else f"{scaled.weight:g} * "
    if scaled.coverage_exponent:
        weight += f"coverage^{scaled.coverage_exponent:g} * "
    forms = {
        "raw": name,
        "max": f"{name} / best {name}",
        "minmax": f"min-max({name})",
        "saturate": f"{name} / (1 + {name})",
    }
    return weight + forms[scaled.scale]


def _spread(part: Spread) -> str:
    match part:
        case Activation():
            followed = f"{part.hops} hops{_not_followed(part.excluded_link_kinds)}"
            return f"source * link weight * {part.decay:g} per hop, {followed}, both ways, the highest path wins"
        case TurnNeighbours():
            named = part.named_speaker_share
            share = f"{part.share:g}" if named is None else f"{part.share:g} (named speakers: {named:g})"
            return f"+ {share} * the relevance of the turns just before and after"
        case SessionPrior():
            return f"+ {part.share:g} * the best relevance in the same session"
        case SessionFirst():
            return (
                f"if whole sessions were found, only they stay: + min({part.cap:g}, {part.factor:g} * the relevance of "
                "their best turn)"
            )


def _score(recipe: Recipe) -> str:
    added = " + ".join(f"{_weight(factor)}{_factor(factor)}" for factor in recipe.factors.add)
    multiplied = "".join(f" * {_factor(factor)}" for factor in recipe.factors.multiply)
    return f"({added}){multiplied}" if multiplied and len(recipe.factors.add) > 1 else added + multiplied


def _weight(factor: Factor) -> str:
    weight = getattr(factor, "weight", 1.0)
    return "" if weight == 1 else f"{weight:g} * "


def _factor(factor: Factor) -> str:
    if isinstance(factor, Relevance):
        return "relevance" if factor.scale == "raw" else "relevance / best relevance"
    return _query_factor(factor) if isinstance(factor, QueryFactor) else _memory_factor(factor)


def _memory_factor(factor: MemoryFactor) -> str:
    match factor:
        case Stored():
            return f"({factor.floor:g} + {1 - factor.floor:g} * {factor.field})" if factor.floor else factor.field
        case Recency():
            return _recency(factor)
        case Frequency():
            return f"min(1, ln({factor.count} count + 1) / {factor.divisor:g})"
        case TierPenalty():
            return f"by tier ({_pairs(factor.multipliers)})"
        case KindBoost():
            return f"(1 + by kind ({_pairs(factor.boosts)}))"
        case QuestionPenalty():
            return (
                f"question_penalty ({factor.multiplier:g} if a question under {factor.shorter_than_chars} characters)"
            )
        case FuturePenalty():
            return f"future_penalty ({factor.multiplier:g} if told over {factor.slack_days:g} days after the question)"


def _query_factor(factor: QueryFactor) -> str:
    match factor:
        case Role():
            unless = f" unless the question says {' or '.join(factor.unless_words)}" if factor.unless_words else ""
            return f"by role ({_pairs(factor.multipliers)}{unless})"
        case SpeakerMatch():
            return f"speaker_match ({factor.other_speakers:g} if the question names another speaker)"
        case TimeMatch():
            return f"time_match (1 + {factor.boost:g} if within {factor.slack_days:g} days of the time in the question)"
        case StatusPenalty():
            return f"by status ({_pairs(factor.multipliers)})"


def _recency(factor: Recency) -> str:
    exempt = ", except undated files" if factor.exempt_undated_documents else ""
    if factor.half_life_days is not None:
        half_life = _by_name(factor.half_life_days, factor.half_life_days_by_kind)
        return f"2^(-days since {factor.since} / {half_life}{exempt})"
    return f"exp(-{factor.rate_per_day:g} * days since {factor.since}{exempt})"


def _reject(gate: Gate) -> str:
    tau = _by_name(gate.tau, gate.by_embedder)
    codes = ", or if the question names a code that no memory contains" if gate.refuse_unknown_codes else ""
    nearest = "; what comes nearest is returned apart from the hits" if gate.show_nearest else ""
    return f"{gate.rule}: returns nothing if {_RULES[gate.rule].format(tau=tau)}{codes}{nearest}"


def _diversify(how: Diversify) -> str:
    match how:
        case SameText():
            return "only the best of memories with the same text"
        case TagSignature():
            return "one memory per kind and set of tags" + (", except untagged ones" if how.exempt_untagged else "")
        case SameMeaning():
            same = "the same names and numbers"
            return f"only the best of memories with {same} and a cosine of {how.similarity:g} or more"
        case SameStatement():
            return "a memory that adds no word to a better one is left out"
        case OnePerMessage():
            return "a message and the facts taken from it are one hit"
        case MaximalMarginalRelevance():
            between = f"max(cosine, {how.tag_share:g} * tag Jaccard)" if how.tag_share else "cosine"
            scaled = ", both scaled to [0, 1]" if how.scale else ""
            dropped = f"; redundancy of {how.duplicate:g} or more is left out" if how.duplicate <= 1 else ""
            redundancy = f"highest {between} to a chosen memory"
            return f"{how.lambda_:g} * score - {1 - how.lambda_:g} * redundancy ({redundancy}){scaled}{dropped}"


def _pack(recipe: Recipe) -> str:
    budget = recipe.pack.budget_tokens
    text = "best first up to the limit"
    if budget:
        parts = "" if recipe.pack.whole_tokens else ", parts of tokens counted"
        text += f" and {budget:,} tokens of {recipe.pack.chars_per_token:g} characters{parts}"
    if recipe.pack.neighbours:
        text += f"; with {recipe.pack.neighbours} turn before and after, if no whole session was found"
    if recipe.pack.above is not None:
        text += f"; only scores above {recipe.pack.above:g}"
    return text


def _write(recipe: Recipe) -> str:
    rules = recipe.write
    duplicate = _by_name(rules.duplicate, rules.duplicate_by_embedder)
    cluster = _by_name(rules.cluster, rules.cluster_by_embedder)
    merged = _MERGED[rules.near_duplicates].format(threshold=duplicate)
    alike = "" if rules.clusters == "cosine" else " that say the same"
    clusters = "nothing is consolidated" if rules.clusters == "keep" else f"clusters{alike} from {cluster}"
    updates = ", updates are recognised" if rules.recognise_updates else ""
    return (
        f"{merged}, {clusters}{updates}, "
        f"reinforce + {rules.reinforcement:g}, strength * exp(-{rules.decay_per_day:g} * days)"
    )


def _not_followed(kinds: Sequence[str]) -> str:
    return f" (not over {', '.join(kinds)})" if kinds else ""


def _by_name(value: float, others: Mapping[str, float]) -> str:
    return f"{value:g} ({_pairs(others)})" if others else f"{value:g}"


def _pairs(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in values.items())
