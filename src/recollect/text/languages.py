"""Which language is a text in? Told by its letters, or by its commonest words."""

from __future__ import annotations

import re
from collections.abc import Iterable

_SCRIPTS = {
    "Japanese": "\u3040-\u30ff",
    "Korean": "\uac00-\ud7af\u1100-\u11ff",
    "Chinese": "\u3400-\u9fff",
    "Russian": "\u0400-\u04ff",
    "Arabic": "\u0600-\u06ff",
    "Thai": "\u0e00-\u0e7f",
    "Greek": "\u0370-\u03ff",
    "Hebrew": "\u0590-\u05ff",
    "Hindi": "\u0900-\u097f",
}
"""The usual language of each script. Japanese comes before Chinese, because it uses Chinese characters too."""
_LETTERS = {language: re.compile(f"[{letters}]") for language, letters in _SCRIPTS.items()}
_FEW_LETTERS = 0.3
"""A script's share of the letters from which on the text is in that script."""
_JAPANESE_SHARE = 0.1
"""Kana are a part of the letters of a Japanese text; Chinese texts have none."""

_COMMON = {
    "English": "the and of to is that it was for with my you i have this be are on but not what we they at from so "
    "just can do will your about would there been had she he his her all when how which who our them if "
    "or as an in a no me i'm it's",
    "Spanish": "que el la los las un una de y en es por para con mi se lo pero como más yo está muy ya si tengo hoy "
    "también del al le su nos fue ha son ser qué cuál dónde cuándo quién esta este eso porque hasta sin "
    "me te",
    "German": "der die das und ist nicht ich ein eine zu mit auf für von dem den im es wir sie er aber auch noch "
    "wie war bei mein meine hab habe haben wird nur mal schon jetzt dass heute nach aus oder wenn wann "
    "welche welcher wer wo mir",
    "French": "le la les des un une et est que qui je ne pas pour dans sur avec mon ma mes il elle nous vous ce "
    "cette mais du au aux plus ai été être sont c'est j'ai y à où quand quel quelle chez se sa son déjà "
    "très",
    "Italian": "il lo la gli le un una di e che è non per con sono mi ho della del nel alla questo anche più come ma "
    "se quando dove chi quale oggi mia mio abbiamo ha",
    "Portuguese": "o a os as um uma de e que não é por para com meu minha eu está muito já também do da no na em foi "
    "são mas como mais quando onde quem qual hoje tenho você",
    "Dutch": "de het een en van ik is niet dat op te voor met zijn mijn maar ook nog wel er naar aan was heb heeft "
    "we je wat waar wanneer wie deze vandaag om bij ons",
    "Polish": "i w na z nie się że to jest do jak ale już mam co dla po czy moja mój od był była są kiedy gdzie kto "
    "dziś",
    "Turkish": "ve bir bu da de için çok ama ne ben var değil gibi daha sonra mi mı benim olarak kadar nerede kim "
    "bugün",
}
_ENGLISH = frozenset(_COMMON["English"].split())
_WORDS = {
    name: frozenset(words.split()) - (_ENGLISH if name != "English" else frozenset()) for name, words in _COMMON.items()
}
"""A word that English has too tells English only. If as many words tell another language, it is the other one."""
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_LEAST_WORDS = 2
"""So many common words of a language are needed to tell it."""


def language(text: str) -> str | None:
    """The English name of the text's language; None if the text does not tell."""
    return _by_script(text) or _by_words(text)


def _by_script(text: str) -> str | None:
    letters = sum(character.isalpha() for character in text)
    for name, pattern in _LETTERS.items():
        share = _JAPANESE_SHARE if name == "Japanese" else _FEW_LETTERS
        if letters and len(pattern.findall(text)) >= share * letters:
            return name
    return None


def _by_words(text: str) -> str | None:
    words = _WORD.findall(text.lower().replace("\u2019", "'"))
    counts = {name: sum(word in common for word in words) for name, common in _WORDS.items()}
    best = max(counts, key=lambda name: (counts[name], name != "English"))
    return best if counts[best] >= _LEAST_WORDS else None


def languages(texts: Iterable[str]) -> dict[str, int]:
    """How many of the texts are in each language, the commonest first. Texts that do not tell are left out."""
    counts: dict[str, int] = {}
    for text in texts:
        if (name := language(text)) is not None:
            counts[name] = counts.get(name, 0) + 1
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))
