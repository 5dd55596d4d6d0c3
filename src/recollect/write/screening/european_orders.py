"""Orders to ignore instructions, in languages other than English and Chinese.

The text is lower-case; Latin letters have no accents. Every repetition is bounded.
"""

from __future__ import annotations

import re

_SOME = r"(?:\w+\s+){0,4}?"


def _order(verbs: str, before: str, things: str) -> str:
    """The verb, then a word for what came before and one for instructions, in any order."""
    return (
        rf"\b(?:{verbs})\s+{_SOME}(?:(?:{before})\s+{_SOME}(?:{things})|(?:{things})\s+{_SOME}(?:{before}))\b"
        rf"|\b(?:{verbs})\s+{_SOME}(?:tus|tes|vos|tuas|deine[rn]?|ihre[rn]?|tue|le tue|твои|ваши)\s+(?:{things})\b"
    )


_ORDERS = (
    # Spanish and Portuguese
    _order(
        r"ignora|ignore|ignorad|ignorar|olvida|olvide|olvidar|descarta|omite|desobedece|esqueca|esquece|desconsidere",
        r"anterior(?:es)?|previ[ao]s|precedentes|anteriormente|de antes",
        r"instruccion(?:es)?|indicaciones|ordenes|reglas|normas|directrices|instrucoes|ordens|regras|diretrizes",
    ),
    # French
    _order(
        r"ignore[zr]?|oublie[zr]?|neglige[zr]?|contourne[zr]?|desobeis(?:sez)?|ne (?:suis|suivez) (?:pas|plus)",
        r"precedent(?:e?s)?|anterieur(?:e?s)?|ci-dessus|d'avant|recues",
        r"instructions?|consignes?|directives?|regles?|ordres?",
    ),
    # German
    _order(
        r"ignorier(?:e|en|t)|vergiss|vergesst|vergessen sie|missachte|missachten sie|umgeh(?:e|en sie)|befolge nicht",
        r"bisherigen?|vorherigen?|vorigen?|fruheren?|obigen?|vorangegangenen?|vorstehenden?",
        r"anweisung(?:en)?|anleitung(?:en)?|instruktion(?:en)?|vorgaben?|regeln?|befehle?|richtlinien?",
    ),
    # Italian
    _order(
        r"ignora|ignorate|ignorare|dimentica|dimenticate|trascura",
        r"precedent[ei]|anterior[ei]|di prima|ricevute",
        r"istruzion[ei]|indicazion[ei]|regol[ae]|direttiv[ae]|ordin[ei]",
    ),
    # Russian
    _order(
        r"игнорируй(?:те)?|проигнорируй(?:те)?|забудь(?:те)?|отбрось(?:те)?|не (?:следуй|выполняй)(?:те)?",
        r"предыдущ(?:ие|их|ую)|прежние|прежних|прошлые|ранние|вышеуказанные",
        r"инструкци[июй]|указани[яй]|правила?|команды?|приказы?",
    ),
    # Japanese and Korean: the verb comes last
    r"(?:以前|これまで|上記|前|過去)の[^。\n]{0,10}?(?:指示|命令|ルール|指令|プロンプト)[^。\n]{0,8}?(?:無視|忘れ)",
    r"(?:이전|앞선|위의|기존)[^.\n]{0,10}?(?:지시|명령|지침|규칙|프롬프트)[^.\n]{0,10}?(?:무시|잊)",
)
_ORDER = re.compile("|".join(_ORDERS))
_STEMS = (
    *("ignor", "olvid", "descart", "omit", "desobe", "esque", "desconsider", "oubli", "neglig", "contourn", "ne sui"),
    *(
        "verg",
        "missacht",
        "umgeh",
        "befolg",
        "dimentic",
        "trascur",
        "игнор",
        "забуд",
        "отброс",
        "не следуй",
        "не выполня",
    ),
    *("無視", "忘れ", "무시", "잊"),
)
"""Each order has one of them. Looking for them is faster than the pattern."""


def is_european_order(text: str) -> bool:
    return any(stem in text for stem in _STEMS) and _ORDER.search(text) is not None
