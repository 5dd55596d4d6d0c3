"""A recipe in words and numbers, made from the data itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .recipe import (
    Activation,
    Asks,
    Contradiction,
    Depth,
    Diversify,
    Factor,
    Frequency,
    Fuse,
    Gate,
    Graph,
    KindBoost,
    Later,
    Lexical,
    MaximalMarginalRelevance,
    Recency,
    Recipe,
    ReciprocalRank,
    Relevance,
    Role,
    Route,
    SameMeaning,
    SameText,
    Scaled,
    ScoreSum,
    SessionFirst,
    SessionPrior,
    Speaker,
    Spread,
    Standing,
    StatusPenalty,
    Stored,
    TagSignature,
    Telling,
    Then,
    TurnNeighbours,
    Vector,
    When,
)

_RULES = {
    "R1": "no memory holds all the question's words and the best cosine is below {tau}",
    "R2": "the best cosine is below {tau}",
    "R3": "no memory holds all the question's words",
    "R4": "no memory holds all the question's words, or the best cosine is below {tau}",
    "R5": "no memory holds all the question's words and the best cosine is below 0.55",
    "confidence": "the calibrated confidence is below {tau}, or less where the nearest memory stands out",
}


def explain(recipe: Recipe) -> str:
    """One line per stage that the recipe uses, in the order of the read path."""
    return "\n".join(f"{stage + ':':<11} {text}" for stage, text in lines(recipe))


def lines(recipe: Recipe) -> Iterator[tuple[str, str]]:
    yield "sees", f"memories that are {', '.join(recipe.statuses)}"
    if recipe.compares:
        yield "asks", "a question that compares also for each of its sides: the best score counts, the least evidence"
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
    if recipe.reject:
        yield "reject", _reject(recipe.reject)
    for how in recipe.diversify:
        yield "diversify", _diversify(how)
    yield "pack", _pack(recipe)
    yield "record", f"{recipe.record.counts} count and time of what is returned"
    yield "write", _write(recipe)


def _conflict(conflicts: Contradiction) -> str:
    rate, by, outdated = conflicts.rate_per_day, conflicts.multiplier, conflicts.outdated
    text = f"of two that contradict, less strength * confidence * exp(-{rate:g} * days) means score * {by:g}"
    return text + (f"; what another candidate supersedes: score * {outdated:g}" if outdated < 1 else "")


def _depth(depth: Depth) -> str:
    return f"{depth.times} * limit" if not depth.least else f"max({depth.times} * limit, {depth.least})"


def _route(route: Route) -> str:
    first = f"the first {_depth(route.depth)}"
    match route:
        case Lexical():
            fields = ", ".join(f"{name} {weight:g}" for name, weight in route.fields.items() if weight)
            words = "all content words" if route.match == "all" else "a content word"
            stop = f"; stop-words {route.stop_weight:g}" if route.stop_weight < 1 else ""
            return f"{route.name}: {first} with {words} by BM25 (k1 {route.k1:g}, b {route.b:g}; {fields}{stop})"
        case Vector():
            floor = f", at least {route.floor:g}" if route.floor > -1 else ""
            return f"{route.name}: {first} by cosine to the view '{route.view}'{floor}"
        case Graph():
            return f"{route.name}: {first} that name the question's entities, or lie within {route.hops} links of those"
        case Then():
            days = f"give or take {route.slack_days:g} days"
            return f"{route.name}: where the question names a time, {first} by cosine of that time, {days}"


def _fuse(fuse: Fuse) -> str:
    keep = f", the best {_depth(fuse.keep)} go on" if fuse.keep else ""
    match fuse:
        case ReciprocalRank():
            weights = f" (weights {_pairs(fuse.weights)})" if fuse.weights else ""
            return f"relevance = sum of 1 / ({fuse.k:g} + rank) over the routes{weights}{keep}"
        case ScoreSum():
            shares = " + ".join(_share(name, scaled) for name, scaled in fuse.routes.items())
            floor = f"; below {fuse.floor:g} dropped" if fuse.floor is not None else ""
            spared = " (keyword-only hits spared)" if fuse.spare_keyword_only else ""
            return f"relevance = {shares}{floor}{spared}{keep}"


def _share(name: str, scaled: Scaled) -> str:
    weight = "" if scaled.weight == 1 else f"{scaled.weight:g} * "
    if scaled.doubt:
        weight += f"coverage^{scaled.doubt:g} * "
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
            return f"source * link weight * {part.decay:g} per hop, {part.hops} hops, both ways, the highest path wins"
        case TurnNeighbours():
            people = "" if part.between_people is None else f" ({part.between_people:g} where speakers have names)"
            return f"+ {part.share:g}{people} * the relevance of the turns just before and after"
        case SessionPrior():
            return f"+ {part.share:g} * the best relevance in the same session"
        case SessionFirst():
            return (
                f"whole sessions, if any was found: + min({part.cap:g}, {part.factor:g} * the best turn's relevance); "
                "their turns step back"
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
    return _telling(factor) if isinstance(factor, Telling) else _standing(factor)


def _standing(factor: Standing) -> str:
    match factor:
        case Stored():
            return f"({factor.floor:g} + {1 - factor.floor:g} * {factor.field})" if factor.floor else factor.field
        case Recency():
            return _recency(factor)
        case Frequency():
            return f"min(1, ln({factor.count} count + 1) / {factor.divisor:g})"
        case StatusPenalty():
            return f"by status ({_pairs(factor.multipliers)})"
        case KindBoost():
            return f"(1 + by kind ({_pairs(factor.boosts)}))"


def _telling(factor: Telling) -> str:
    match factor:
        case Role():
            unless = f" unless asked with {', '.join(factor.unless)}" if factor.unless else ""
            return f"by role ({_pairs(factor.multipliers)}{unless})"
        case Speaker():
            return f"{factor.others:g} for what others said, when the question names one who speaks"
        case Asks():
            return f"{factor.multiplier:g} for a question under {factor.shorter_than} characters"
        case When():
            return f"(1 + {factor.boost:g} if it happened when the question says, within {factor.slack_days:g} days)"
        case Later():
            return f"{factor.multiplier:g} for what was told over {factor.slack_days:g} days after the question"


def _recency(factor: Recency) -> str:
    spared = ", undated files spared" if factor.spare_undated_documents else ""
    if factor.half_life_days is not None:
        return f"2^(-days since {factor.since} / {factor.half_life_days:g}{spared})"
    return f"exp(-{factor.rate_per_day:g} * days since {factor.since}{spared})"


def _reject(gate: Gate) -> str:
    tau = f"{gate.tau:g}"
    if gate.by_embedder:
        tau += f" ({_pairs(gate.by_embedder)})"
    return f"{gate.rule}: everything, when " + _RULES[gate.rule].format(tau=tau)


def _diversify(how: Diversify) -> str:
    match how:
        case SameText():
            return "of memories with the same text the best stays"
        case TagSignature():
            return "one memory per kind and tag set" + (", untagged ones exempt" if how.exempt_untagged else "")
        case SameMeaning():
            return f"of memories with cosine {how.similarity:g} or more the best stays"
        case MaximalMarginalRelevance():
            between = f"max(cosine, {how.tag_share:g} * tag Jaccard)" if how.tag_share else "cosine"
            scaled = ", both scaled to [0, 1]" if how.scale else ""
            dropped = f"; {how.duplicate:g} or more is left out" if how.duplicate <= 1 else ""
            return (
                f"{how.lambda_:g} * score - {1 - how.lambda_:g} * highest {between} with those chosen{scaled}{dropped}"
            )


def _pack(recipe: Recipe) -> str:
    budget = recipe.pack.budget_tokens
    text = "best first up to the limit"
    if budget:
        text += f" and {budget:,} tokens of {recipe.pack.chars_per_token:g} characters"
    if recipe.pack.neighbours:
        text += f"; with {recipe.pack.neighbours} turn before and after, where no whole session was found"
    return text


def _write(recipe: Recipe) -> str:
    rules = recipe.write
    return (
        f"duplicates from cosine {rules.duplicate:g}, clusters from {rules.cluster:g}, "
        f"reinforce + {rules.reinforcement:g}, strength * exp(-{rules.decay_per_day:g} * days)"
    )


def _pairs(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in values.items())
