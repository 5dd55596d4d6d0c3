"""Dates in French.

"Le mardi" without a number is a habit (every Tuesday); "mardi" is one day.
"""

from __future__ import annotations

from . import resolvers as r
from .language import (
    LAST_YEAR,
    WEEKEND,
    WORKDAYS,
    YEAR,
    YEAR_FIRST,
    Cues,
    Joints,
    Language,
    Patterns,
    Repeat,
    either,
    numbered,
    one_of,
    words,
)

_MONTHS = numbered("janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre", 1)
_SHORT_MONTHS = numbered("janv fevr/fev _ avr _ _ juil _ sept oct nov dec", 1)
_WEEKDAYS = numbered("lundi mardi mercredi jeudi vendredi samedi dimanche")
_UNITS = {
    "minute": "minute", "minutes": "minute", "heure": "hour", "heures": "hour", "jour": "day", "jours": "day",
    "semaine": "week", "semaines": "week", "week-end": "weekend", "weekend": "weekend", "week end": "weekend",
    "mois": "month", "trimestre": "quarter", "an": "year", "ans": "year", "annee": "year", "annees": "year",
}  # fmt: skip
_OFFSETS = {
    "avant-hier": -2, "avant hier": -2, "hier": -1,
    "aujourd'hui": 0, "ce matin": 0, "cet apres-midi": 0, "cet aprem": 0, "ce soir": 0, "cette nuit": 0,
    "demain": 1, "apres-demain": 2, "apres demain": 2,
}  # fmt: skip
_SHIFTS = {
    "dernier": -1, "derniere": -1, "passe": -1, "passee": -1, "ce": 0, "cet": 0, "cette": 0,
    "prochain": 1, "prochaine": 1, "qui vient": 1, "suivant": 1, "suivante": 1,
}  # fmt: skip
_NUMBERS = numbered(
    "_ un/une/1er/premier deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze"
) | {"vingt": 20, "trente": 30}
_FEW = (2, 6)
_COUNTS = {"quelques": _FEW, "une poignee de": _FEW, "une paire de": (2, 2), "plusieurs": (3, 7)}
_ORDINALS = numbered("premier deuxieme/second troisieme quatrieme cinquieme", 1) | {"dernier": -1}
_HOLIDAYS = {
    "reveillon de noel": (12, 24), "noel": (12, 25), "la saint-sylvestre": (12, 31), "reveillon": (12, 31),
    "nouvel an": (1, 1), "jour de l'an": (1, 1), "la saint-valentin": (2, 14), "halloween": (10, 31),
    "la toussaint": (11, 1),
}  # fmt: skip
_PARTS = {"debut": "early", "mi": "mid", "courant": "mid", "milieu": "mid", "fin": "late"}
_SEASONS = {"printemps": "spring", "ete": "summer", "automne": "autumn", "hiver": "winter"}

_ANY = one_of(_MONTHS | _SHORT_MONTHS)
_MONTH = rf"(?P<month>{one_of(_MONTHS)})\b"
_ANY_MONTH = rf"(?P<month>{_ANY})\b\.?"
_LAST_MONTH = rf"(?P<last_month>{one_of(_MONTHS)})\b"
_NAMED = f"(?:{one_of(_WEEKDAYS)})"
_WEEKDAY = rf"(?P<weekday>{one_of(_WEEKDAYS)})\b"
_DAY = r"(?P<day>\d\d?|1er|premier)"
_FROM_TO = rf"\b(?:du|entre le|le)(?: {_NAMED})? {_DAY} (?:au|et le|ou(?: le)?)(?: {_NAMED})? (?P<last>\d\d?)"
_COUNT = rf"(?P<count>\d{{1,3}}|{one_of((*_COUNTS, *_NUMBERS))})"
_UNIT = r"(?P<unit>minutes?|heures?|jours?|semaines?|mois|ans?|annees?)\b"
_SHIFTED = "(?P<unit>semaine|mois|trimestre|annee|an|week-?end|week end)"
_BEFORE_SHIFT = "(?P<shift>ce|cet|cette)"
_AFTER_SHIFT = "(?P<shift>derniere?|passee?|prochaine?|qui vient|suivante?)"
_YEAR_SHIFT = "(?:de )?l'an(?:nee)? (?P<year_shift>derniere?|passee?|prochaine?|suivante?)"
_PART = "(?P<part>debut|mi|fin|courant|milieu)[ -]"
_NTH = rf"\b(?:le )?(?P<ordinal>{one_of(_ORDINALS)}) {_WEEKDAY} "
_HOLIDAY = rf"(?P<holiday>{one_of(_HOLIDAYS)})"
_SEASON = rf"(?P<season>{one_of(_SEASONS)})"
_BEFORE_MONTH = "en|au mois de|depuis|jusqu'en|jusqu'a|d'ici|des|a partir de|pour|avant|apres|vers|entre|et|ou|courant"
_BEFORE_YEAR = "en|depuis|jusqu'en|avant|apres|vers|annee|de|fin|debut|des"
_NOT_A_DAY = (
    r"(?!\d|[.,:/]\d| ?(?:%|h\b|heures?|euros?|ans\b|personnes|minutes|km|eme|e\b))"
    rf"(?! (?:{_ANY})\b)(?! de chaque)"
)
_NOT_EVERY = "(?<!le )(?<!chaque )(?<!les )(?<!un )"

_ABSOLUTE: Patterns = (
    (YEAR_FIRST, r.full_date),
    (r"(?<![\d/.])(?P<first>\d\d?)[/.-](?P<second>\d\d?)[/.-](?P<year>\d{4}|\d\d)(?![\d/])", r.slashed_date),
    (rf"\b{_DAY} {_ANY_MONTH} {YEAR}\b", r.named_day),
    (rf"{_FROM_TO} {_ANY_MONTH} {YEAR}\b", r.named_day),
    (rf"\b(?:{_PART})?{_ANY_MONTH} {YEAR}\b", r.named_month),
    (rf"\b{_MONTH} (?:a|et|ou|jusqu'en) {_LAST_MONTH} {YEAR}\b", r.months),
    (rf"\b(?:{_BEFORE_YEAR}) {YEAR}\b(?![-.,]\d)", r.whole_year),
    (rf"\b(?:de|entre|depuis) {YEAR} (?:a|et|jusqu'en|jusqu'a) {LAST_YEAR}\b", r.years),
    (rf"\b(?:l'|au |en )?{_SEASON} {YEAR}\b", r.season),
    (rf"\b{_HOLIDAY} {YEAR}\b", r.holiday),
)

_PARTIAL: Patterns = (
    (rf"\b(?:le )?(?:{_NAMED} )?{_DAY} {_ANY_MONTH}", r.named_day),
    (rf"{_FROM_TO} {_ANY_MONTH}", r.named_day),
    (r"\ble (?P<first>\d\d?)/(?P<second>\d\d?)\b(?!/)", r.slashed_day),
    (rf"(?<!chaque )\b(?:{_BEFORE_MONTH}) {_MONTH}", r.named_month),
    (rf"\b{_PART}{_MONTH}", r.named_month),
    (rf"\b(?:de |d'|entre )?{_MONTH} (?:a|et|ou|jusqu'en) {_LAST_MONTH}", r.months),
    (rf"\b(?:en )?{_MONTH} {_AFTER_SHIFT}\b", r.shifted_month),
    (
        r"(?<!chaque )\b(?P<month>janvier|fevrier|juillet|septembre|octobre|novembre|decembre)\b",
        r.named_month,
    ),
    (rf"\b(?:cet |l'|en |au |pour l'){_SEASON}\b", r.season),
    (rf"\b(?:le|du|au)(?: {_NAMED})? {_DAY}{_NOT_A_DAY}", r.day_alone),
    (rf"{_FROM_TO}{_NOT_A_DAY}", r.day_alone),
    (rf"(?<!chaque )\b(?:a |pour |au |le |le jour de )?{_HOLIDAY}\b(?: {_AFTER_SHIFT}\b)?", r.holiday),
)

_RELATIVE: Patterns = (
    (rf"\b(?P<word>{one_of(_OFFSETS)})\b", r.offset),
    (r"\ble lendemain\b|\ble jour (?:(?:d')?apres|suivant)\b", r.next_day),
    (rf"\b(?:il y a|ca fait) {_COUNT} {_UNIT}", r.ago),
    (rf"\bd(?:ans|'ici) {_COUNT} {_UNIT}", r.from_now),
    (r"\bil y a (?:une quinzaine|quinze jours)\b", r.weeks_from_now(-2)),
    (r"\bd(?:ans|'ici) huit jours\b", r.weeks_from_now(1)),
    (r"\bd(?:ans|'ici) (?:une quinzaine|quinze jours)\b", r.weeks_from_now(2)),
    (rf"\b(?:les|ces) {_COUNT} derni(?:ers|eres) {_UNIT}", r.until_now),
    (rf"\b(?:{_PART}(?:de )?)?(?:la |le |l'|du |au )?{_SHIFTED} {_AFTER_SHIFT}\b", r.unit),
    (rf"\b{_BEFORE_SHIFT} {_SHIFTED}\b", r.unit),
    (rf"\b(?:a la |en )?{_PART}(?:de la |du |de l'|de )?(?P<unit>semaine|mois|annee|trimestre)\b", r.unit),
    (rf"{_NOT_EVERY}\b(?:{_BEFORE_SHIFT} )?{_WEEKDAY}(?! \d)", r.weekday),
    (rf"\b(?:du |le )?{_WEEKDAY} {_AFTER_SHIFT}\b", r.weekday),
    (rf"\b(?:du |au |entre le |et le ){_WEEKDAY}(?! \d)", r.weekday),
    (rf"\b{_WEEKDAY},? (?:de )?la semaine {_AFTER_SHIFT}\b", r.weekday_of_week),
    (rf"\bla semaine {_AFTER_SHIFT},? (?:le )?{_WEEKDAY}", r.weekday_of_week),
    (rf"{_NTH}(?:de |d'){_MONTH}(?: {YEAR}\b)?", r.nth_weekday),
    (rf"{_NTH}(?:du|de ce) (?P<unit>mois)\b(?: {_AFTER_SHIFT}\b)?", r.nth_weekday),
    (rf"\b{_WEEKDAY} en huit\b", r.weekday_in_weeks(1)),
    (rf"\b{_WEEKDAY} en quinze\b", r.weekday_in_weeks(2)),
    (rf"\b(?:le )?{_DAY} du mois (?P<month_shift>dernier|prochain|passe)\b", r.day_alone),
    (rf"\b(?:l'|le ){_SEASON} {_AFTER_SHIFT}\b", r.season),
    (rf"\b(?:en )?{_MONTH},? {_YEAR_SHIFT}", r.named_month),
)

_AND = "(?:,|,? et|,? ou) "
_TIMES = r"\w+ fois par"
_YEARLY = f"annee|ete|hiver|printemps|automne|noel|{one_of(_MONTHS)}"
_REPEATS = (
    Repeat(words("du lundi au vendredi|en semaine|jours? (?:ouvres?|ouvrables?|de semaine)"), "weekly", WORKDAYS),
    Repeat(rf"\b(?:tous les|chaque|les) {_NAMED}s?(?:{_AND}(?:tous les |chaque |les )?{_NAMED}s?)*\b", "weekly"),
    Repeat(
        rf"(?<!depuis )(?<!avant )(?<!entre )\ble {_NAMED}(?:{_AND}(?:le )?{_NAMED})*\b"
        r"(?! (?:\d|1er|dernier|prochain|suivant|passe|d'apres|de la semaine))",
        "weekly",
    ),
    Repeat(rf"\bun {_NAMED} sur (?P<count>deux|trois)\b", "weekly"),
    Repeat(r"\b(?:tous les|les|chaque|le) week-?ends?\b(?! (?:dernier|prochain|passe|qui))", "weekly", WEEKEND),
    Repeat(words("tous les (?:jours|matins|soirs|midis)|chaque (?:jour|matin|soir|midi|nuit)"), "daily"),
    Repeat(words("toutes les nuits|quotidien(?:nement|ne)?"), "daily"),
    Repeat(words(f"toutes les semaines|chaque semaine|hebdo(?:madaire(?:ment)?)?|{_TIMES} semaine"), "weekly"),
    Repeat(words(f"tous les mois|chaque mois|mensuel(?:lement|le)?|{_TIMES} mois"), "monthly"),
    Repeat(words(f"tous les (?:ans|etes|hivers)|toutes les annees|chaque (?:{_YEARLY})|{_TIMES} an"), "yearly"),
    Repeat(rf"\btou(?:te)?s les (?P<count>\d{{1,2}}|{one_of(_NUMBERS)}) (?P<unit>jours|semaines|mois|ans)\b", "weekly"),
    Repeat(r"\bune? (?P<unit>semaine|mois|jour|an) sur (?P<count>deux|trois)\b", "weekly"),
)

_IRREGULAR = """
    été|eu|fait|dit|vu|revu|pris|appris|compris|mis|remis|permis|venu|revenu|devenu|parti|sorti|fini|choisi|réussi|reçu|
    lu|bu|perdu|vendu|rendu|couru|vécu|connu|voulu|pu|dû|su|cru|plu|ouvert|offert|découvert|écrit|inscrit|mort|dormi|
    servi|senti|menti|tenu|obtenu|attendu|entendu|répondu|descendu|mordu|battu|conduit|produit|traduit|construit|cuit|
    peint|éteint|rejoint|craint|assis|acquis|rempli|grandi|grossi|vieilli|guéri|suivi|ri|souri|couvert|souffert
"""
_PARTICIPLE = rf"(?:\w+é|{words(_IRREGULAR, whole=False)})e?s?\b"
_ADVERB = words(
    """
    pas|déjà|enfin|tous|tout|bien|mal|vraiment|complètement|toujours|jamais|encore|aussi|même|finalement|juste|rien|
    trop|beaucoup|un peu|y|en|presque|totalement
    """
)
_HAVE = r"(?:\b|(?<=[’']))(?:ai|as|a|avons|avez|ont)"
# These take "être", like reflexive verbs. Other participles after it describe a state: "est fermé".
_MOVED = """
    allé|arrivé|parti|venu|revenu|entré|rentré|resté|tombé|né|mort|monté|descendu|passé|sorti|devenu|retourné|reparti|
    décédé
"""
_REFLEXIVE = r"(?:\b(?:me suis|t[’']es|se sont|nous sommes|vous êtes)|\bs[’']est)"
_NOT_IMPERFECT = words(
    """
    mais|jamais|désormais|fais|refais|sais|vais|lait|palais|mauvais|frais|français|anglais|japonais|irlandais|portugais|
    connais|reconnais|parais|plais|tais|essais|relais|rabais|ouais|biais|balais|satisfait|parfait|fait|refait|sait|plait|
    plaît|souhait|connait|connaît|hais|hait|naît|nait|trait|extrait|portrait|retrait|distrait|attrait|abstrait
    """
)
_FUTURE = either(
    rf"{_HAVE} (?:\w+ )?(?:réservé|prévu|planifié|booké|programmé|calé|fixé)\b",
    words("prévue?s?|réservée?s?|fixée?s?|invitée?s?"),
    r"\b(?:vais|vas|va|allons|allez|vont) (?:\w+ )?(?:me |te |se |le |la |les |y |nous |vous )?\w+(?:er|ir|re|oir)\b",
    r"\b\w{2,}(?:er|ir|vr|dr)(?:ais|ait|aient|ions)\b",
    r"\b(?!(?:opéra|caméra|extra|embarras)\b)\w{2,}(?:rai|ras|ra|rons|rez|ront)\b",
    words("faut|doit|dois|doivent|devons|rendez-vous|rdv|expire|rappelle|au plus tard|comptons?|à payer|à rendre"),
)
_PAST = either(
    rf"{_HAVE} (?:{_ADVERB} )*{_PARTICIPLE}",
    rf"\b(?:suis|es|est|sommes|êtes|sont) (?:{_ADVERB} )*{words(_MOVED, whole=False)}e?s?\b",
    rf"{_REFLEXIVE} (?:{_ADVERB} )*{_PARTICIPLE}",
    rf"(?!{_NOT_IMPERFECT})\b[a-zéèêçôîûà]{{2,}}(?<!r)(?:ais|ait|aient)\b",
    words("étions|avions|allions|vivions|habitions"),
)
_CUES = Cues(
    clause=either(
        r"[,;:()?!–—]|\.{2,}|…| - ",
        words("et|mais|donc|car|parce que|puisque|alors que|du coup|sinon"),
    ),
    tenses=(
        ("future", _FUTURE),
        ("past", _PAST),
        ("present", words("est|suis|sont|sommes|ai|a|ont|avons")),
    ),
    past_before=r"\bdepuis(?: le)? *$",
    future_before=r"\b(?:d[’']ici|au plus tard|à partir d[eu]|dès|avant)(?: le| en)? *$",
    uncertain=words(
        """
        peut-être|sans doute|probablement|possible que|se peut|se pourrait|éventuellement|environ|à peu près|je crois|
        je pense|pas sûre?|je sais pas|sais plus|pourrai[st]|soit
        """
    ),
    around=r"\b(?:vers|aux alentours|autour|aux environs|environ)(?: le| du| de)? *$",
    around_after=r"^ ?(?:environ|a peu pres|ou par la)\b",
)
_JOINTS = Joints(
    span=r",? *(?:au|a|jusqu'au|jusqu'a|-|–) *(?:le )?",
    choice=r",? *(?:ou|/) *(?:peut-etre |meme |bien )?(?:le |en |au )?",
    between=r"\bentre (?:le )?$",
    both=r" *et (?:le )?",
    since=r"\b(?:depuis|a partir de|a partir du|des)(?: le)? *$",
    until=r"\bjusqu'(?:au|a|en) *$",
)
_HINTS = """
    hier demain aujourd matin soir nuit aprem midi noel reveillon valentin toussaint sylvestre nouvel halloween
    lendemain quotidien quotidienne quotidiennement hebdo hebdomadaire mensuel mensuelle mensuellement quinzaine week
    weekend weekends
"""
_COMMON = """
    le la les un une des et je tu il elle on nous vous ils est pas que qui dans pour sur au du avec ce cette ces mon ma
    mes ton ta tes son sa ses leur en y se me te j c d l n s qu m t suis es sont ai a ont fait va vais faut mais ou donc
    si plus tout tous toute toutes chez sans par aux moi toi ca quand comme bien rien ne de
"""

FRENCH = Language(
    months=_MONTHS | _SHORT_MONTHS,
    weekdays=_WEEKDAYS,
    units=_UNITS,
    offsets=_OFFSETS,
    shifts=_SHIFTS,
    nearest=frozenset(word for word in _SHIFTS if _SHIFTS[word]),
    counts=_COUNTS,
    numbers=_NUMBERS,
    ordinals=_ORDINALS,
    seasons=_SEASONS,
    holidays=_HOLIDAYS,
    parts=_PARTS,
    lower_case=True,
    absolute=_ABSOLUTE,
    partial=_PARTIAL,
    relative=_RELATIVE,
    repeats=_REPEATS,
    cues=_CUES,
    joints=_JOINTS,
    hints=frozenset([*_MONTHS, *_WEEKDAYS, *_SEASONS, *_UNITS, *_HINTS.split()] + [f"{day}s" for day in _WEEKDAYS]),
    common=frozenset(_COMMON.split()),
)
