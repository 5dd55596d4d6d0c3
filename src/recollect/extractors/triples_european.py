"""The subject, attribute and value of a German, French or Spanish sentence that gives a single-valued attribute.

Only the commonest forms, said by the speaker about himself. The attributes have the same names as in English.
"""

from __future__ import annotations

import re
from functools import cache

from recollect.extractors.triples import USER, Triple
from recollect.text.needed import Guarded, Several

_WORD = r"[A-ZÀ-ÖØ-Þ][\w'’.-]*"
_JOINED = r"(?: (?:de|del|la|las|los|le|les|sur|en|an der|am|im|ob der|[A-ZÀ-ÖØ-Þ][\w'’-]*))*"
_NAMED = rf"(?P<value>{_WORD}(?:{_JOINED} {_WORD})?)"
_GERMAN_NOW = r"(?: jetzt| inzwischen| mittlerweile| nun| seit [^,.]+?)*"
_FRENCH_NOW = r"(?: maintenant| désormais| actuellement| aujourd['’]hui)*"
_SPANISH_NOW = r"(?: ahora| actualmente| desde [^,.]+?)*"
_GERMAN_ROLE = (
    r"(?P<thing>Chef(?:in)?|Vorgesetzte[rn]?|Vermieter(?:in)?|Hausarzt|Hausärztin|Arzt|Ärztin|Zahnarzt|Zahnärztin|"
    r"Telefonnummer|Handynummer|Nummer|Adresse|E-Mail(?:-Adresse)?|Passwort|Lieblings\w+)"
)
_FRENCH_ROLE = (
    r"(?P<thing>chef(?:fe)?|patron(?:ne)?|responsable|propriétaire|médecin|dentiste|numéro(?: de téléphone)?|adresse|"
    r"e-?mail|mot de passe|\w+ préférée?)"
)
_SPANISH_ROLE = (
    r"(?P<thing>jef[ea]|caser[oa]|médic[oa]|dentista|número(?: de teléfono)?|teléfono|dirección|correo|contraseña|"
    r"\w+ favorit[oa])"
)
_RULES: tuple[tuple[str, str], ...] = (
    ("live in", rf"(?:ich (?:wohne|lebe)|wir (?:wohnen|leben)){_GERMAN_NOW} in {_NAMED}"),
    ("live in", rf"(?:ich bin|wir sind) (?:[^,.]+ )?nach {_NAMED} (?:um)?gezogen"),
    ("work at", rf"ich arbeite{_GERMAN_NOW} (?:bei|für) {_NAMED}"),
    ("age", rf"ich bin{_GERMAN_NOW} (?P<value>\d{{1,3}})(?: Jahre alt)?(?=$|[,.!])"),
    ("", rf"meine? {_GERMAN_ROLE} (?:ist|heißt|lautet){_GERMAN_NOW} (?P<value>[^,.!]+)"),
    ("live in", rf"(?:j['’]habite|nous habitons|on habite|je vis){_FRENCH_NOW} (?:à|en|au) {_NAMED}"),
    ("live in", rf"(?:j['’]ai|nous avons|on a) déménagé{_FRENCH_NOW} (?:à|en|au) {_NAMED}"),
    ("work at", rf"je travaille{_FRENCH_NOW} (?:chez|pour) {_NAMED}"),
    ("age", r"j['’]ai(?: maintenant)? (?P<value>\d{1,3}) ans"),
    ("", rf"(?:mon|ma) {_FRENCH_ROLE} (?:est|s['’]appelle){_FRENCH_NOW} (?P<value>[^,.!]+)"),
    ("live in", rf"(?:yo )?(?:vivo|vivimos){_SPANISH_NOW} en {_NAMED}"),
    ("live in", rf"(?:me (?:he mudado|mudé)|nos (?:hemos mudado|mudamos)){_SPANISH_NOW} a {_NAMED}"),
    ("work at", rf"(?:yo )?trabajo{_SPANISH_NOW} (?:en|para) {_NAMED}"),
    ("age", r"tengo(?: ya)? (?P<value>\d{1,3}) años"),
    ("", rf"mi {_SPANISH_ROLE} (?:es|se llama){_SPANISH_NOW} (?P<value>[^,.!]+)"),
)  # fmt: skip
_OPENING = re.compile(
    r"^(?:(?:also|übrigens|ja|so|und|hallo|hey|neuigkeiten|alors|au fait|bon|oui|et|salut|grande nouvelle|bueno|oye|"
    r"por cierto|sí|y|hola|gran noticia|noticias)[,:!]* +)+",
    re.IGNORECASE,
)
_BEGINS = re.compile(
    r"(?:ich|wir|meine?|nous|on|je|mon|ma|yo|vivo|vivimos|me|nos|trabajo|tengo|mi)\b|j['’]", re.IGNORECASE
)
"""How every rule begins. Most sentences are other ones, and need not be tried against each rule."""
_NOT_SO = re.compile(
    r"\b(?:wenn|würde|möchte|vielleicht|nicht|nie|früher|damals|hätte|kein\w*|fast|bald|si|voudrais|aimerais|peut-être|ne|"
    r"jamais|avant|autrefois|serais|presque|quisiera|querría|ojalá|quizás?|tal vez|no|nunca|antes|casi)\b|\bn['’]",
    re.IGNORECASE,
)


@cache
def _rules() -> tuple[tuple[str, ...], Several]:
    attributes, sources = zip(*_RULES, strict=True)
    return attributes, Several(Guarded(f"^(?i:{_first(source)}){_rest(source)}") for source in sources)


def _first(source: str) -> str:
    """The first words may be written with a capital; a name must have one."""
    return source.partition("(?P<value>")[0]


def _rest(source: str) -> str:
    _, mark, rest = source.partition("(?P<value>")
    return mark + rest


def european_triple(sentence: str, speaker: str | None = None) -> Triple | None:
    """The triple that holds now, or None. Wishes, negations and the past give None."""
    attributes, patterns = _rules()
    likely = patterns.likely(sentence)
    if not likely:
        return None
    bare = sentence.strip().rstrip(".!")
    if opening := _OPENING.match(bare):
        bare = bare[opening.end() :]
    if not _BEGINS.match(bare) or _NOT_SO.search(bare):
        return None
    for n in likely:
        if match := patterns[n].match(bare):
            return Triple((speaker or USER).lower(), attributes[n] or match["thing"].lower(), match["value"].strip())
    return None


def may_state(text: str) -> bool:
    """Whether a triple may be found in the text, or in a part of it."""
    return bool(_rules()[1].likely(text))
