"""May a sentence be cut between two clauses? Only if each half can be understood without the other."""

from __future__ import annotations

import re

from recollect.text.analyze import analyze_query

_HAN = re.compile("[\u4e00-\u9fff]")
_SHORTEST_CHINESE = 4
_SUBORDINATE = re.compile(
    r"^(?:and |but |so )?(?:if|when|whenever|while|because|since|although|though|even|unless|until|till|once|after|"
    r"before|as|whether|not that|in case|wherever|that|which|who|imagine|suppose|in|on|at)\b",
    re.IGNORECASE,
)
_SPEECH = re.compile(
    r"\b(?:sa(?:y|ys|id)|tells?|told|asks?|asked|writes?|wrote|repl(?:y|ies|ied)|answer(?:s|ed)?|shout(?:s|ed)|goes|"
    r"reads?|heard?|quot(?:e|es|ed)|sings?|sang|texted|messaged)(?: (?:me|us|him|her|them|[A-Z]\w+))?$",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:I|[Ww]e|[Yy]ou|[Hh]e|[Ss]he|[Ii]t|[Tt]hey)(?:['’]\w+)? (?!and\b|or\b|nor\b|,)\w+"
    r"|\b(?:am|is|are|was|were|has|have|had|does|did|will|would|can|could|should|must|might|went|got|came|made|took|"
    r"bought|met|saw|gave|left|ran|wrote|sold|lost|found|felt|kept|told|thought|brought|began|broke|built|caught|chose|"
    r"drew|drank|drove|ate|fell|flew|forgot|grew|heard|held|hurt|knew|led|paid|quit|rode|rang|sang|sat|sent|slept|spoke|"
    r"spent|stood|stole|swam|taught|threw|woke|wore|won|said|ended|\w{2,}ed)\b|n['’]t\b"
    r"|\w['’]s (?:gone|been|got|done|had|made|\w+ing|\w+ed|not|on|in|at|off|out|back|away|an?|the|my|so|very|too)\b"
    r"|\b(?:(?!(?:The|My|Our|His|Her|Their|This|These|Those|Both|All)\b)[A-Z]\w+|"
    r"(?:[Mm]y|[Oo]ur|[Tt]he|[Hh]is|[Hh]er|[Tt]heir|[Tt]his) \w+) [a-z]{2,}s\b"
)
"""A pronoun with a word behind it, an auxiliary, a past form, or a third person."""
_FIRST_PERSON_VERB = re.compile(r"\b(?:I|we)(?:['’]\w+)? \w+", re.IGNORECASE)
_HEDGE = re.compile(
    r"^(?:I|we)(?:['’]d| would| do| just| can)? (?:think|guess|suppose|hope|believe|mean|swear|know|wonder|bet|say|"
    r"imagine|assume|reckon|promise|agree)\b",
    re.IGNORECASE,
)
# The object of these words is often in the half before them.
_NEEDS_MORE = re.compile(
    r"\b(?:allergic|afraid|scared|proud|sure|aware|excited|worried|nervous|keen|fond|jealous|ready|happy|sad|sorry|glad|"
    r"angry|tired|used to|stop(?:ped)?|quit|start(?:ed)?|finish(?:ed)?|tr(?:y|ied)|fail(?:ed)?|refused?|regret(?:ted)?|"
    r"it|him|them|either|neither|of|to|for|with|about)"
    r"(?: (?:\w+ly|again|too|now|already|myself|ourselves|\([^)]*\)))*[.!)]*$",
    re.IGNORECASE,
)
_NOT_EITHER = re.compile(r"n['’]t .*either")
_INSTEAD = re.compile(r"\binstead\b(?! of)", re.IGNORECASE)
_LEAST_WORDS = 2


def can_be_cut(before: str, between: str, after: str) -> bool:
    """Whether both halves have a subject and a verb, and the second one does not lean on the first."""
    if _HAN.search(before):
        return min(len(before), len(after)) >= _SHORTEST_CHINESE
    if _SUBORDINATE.search(before) or _SPEECH.search(before.rstrip()) or not _VERB.search(before):
        return False
    if ":" in between and not _FIRST_PERSON_VERB.search(before):
        return False
    return _says_enough(after)


def _says_enough(after: str) -> bool:
    """ "I live in Milan" says enough. "I love him", "I quit" and "I think so" need what was said before."""
    first = re.split(r"[,;]| (?:and|but) (?:I|we|my|our)\b", after, maxsplit=1)[0]
    if _HEDGE.search(first) or _INSTEAD.search(first):
        return False
    if _NEEDS_MORE.search(first) and not _NOT_EITHER.search(first):
        return False
    words = analyze_query(first).content
    return len(words) >= _LEAST_WORDS or any(word.isdigit() for word in words)
