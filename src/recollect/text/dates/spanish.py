"""Dates in Spanish."""

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

_MONTHS = numbered(
    "enero febrero marzo abril mayo junio julio agosto septiembre/setiembre octubre noviembre diciembre", 1
)
_SHORT_MONTHS = numbered("ene feb mar abr may jun jul ago sep/sept oct nov dic", 1)
_WEEKDAYS = numbered("lunes martes miercoles jueves viernes sabado domingo")
_UNITS = {
    "minuto": "minute", "minutos": "minute", "hora": "hour", "horas": "hour", "dia": "day", "dias": "day",
    "semana": "week", "semanas": "week", "fin de semana": "weekend", "finde": "weekend", "quincena": "fortnight",
    "quincenas": "fortnight", "mes": "month", "meses": "month", "trimestre": "quarter", "medio ano": "half-year",
    "ano": "year", "anos": "year",
}  # fmt: skip
_OFFSETS = {
    "antes de ayer": -2, "anteayer": -2, "antier": -2, "antenoche": -2, "anteanoche": -2, "ayer": -1, "anoche": -1,
    "hoy": 0, "esta manana": 0, "esta tarde": 0, "esta noche": 0, "manana": 1, "pasado manana": 2,
}  # fmt: skip
_SHIFTS = {
    "antepasado": -2, "antepasada": -2, "pasado": -1, "pasada": -1, "ultimo": -1, "ultima": -1, "este": 0, "esta": 0,
    "proximo": 1, "proxima": 1, "que viene": 1, "que entra": 1, "siguiente": 1, "entrante": 1,
}  # fmt: skip
_NUMBERS = numbered(
    "_ un/una/uno/primero dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince"
) | {"veinte": 20, "treinta": 30}
_FEW = (2, 6)
_COUNTS = {
    "unos": _FEW, "unas": _FEW, "unos pocos": _FEW, "unas pocas": _FEW, "algunos": _FEW, "algunas": _FEW,
    "pocos": _FEW, "pocas": _FEW, "un par de": (2, 2), "varios": (3, 7), "varias": (3, 7),
}  # fmt: skip
_ORDINALS = numbered("primer segundo tercer cuarto quinto", 1) | {"ultimo": -1}
_HOLIDAYS = {
    "nochebuena": (12, 24), "navidad": (12, 25), "nochevieja": (12, 31), "fin de ano": (12, 31), "ano nuevo": (1, 1),
    "reyes": (1, 6), "san valentin": (2, 14), "halloween": (10, 31),
}  # fmt: skip
_PARTS = {
    "principios de": "early", "comienzos de": "early", "inicios de": "early", "primeros de": "early",
    "mediados de": "mid", "finales de": "late", "fines de": "late", "final de": "late", "ultimos de": "late",
}  # fmt: skip
_SEASONS = {"primavera": "spring", "verano": "summer", "otono": "autumn", "invierno": "winter"}

_ANY = one_of(_MONTHS | _SHORT_MONTHS)
_MONTH = rf"(?P<month>{one_of(_MONTHS)})\b"
_ANY_MONTH = rf"(?P<month>{_ANY})\b\.?"
_LAST_MONTH = rf"(?P<last_month>{one_of(_MONTHS)})\b"
_WEEKDAY = rf"(?P<weekday>{one_of(_WEEKDAYS)})\b"
_DAY = r"(?P<day>\d\d?|primero)"
_FROM_TO = rf"\b(?:del?|desde el|entre el|el)(?: dia)? {_DAY} (?:al?|hasta el|y el|o el|o)(?: dia)? (?P<last>\d\d?)"
_COUNT = rf"(?P<count>\d{{1,3}}|{one_of((*_COUNTS, *_NUMBERS))})"
_UNIT = r"(?P<unit>minutos?|horas?|dias?|semanas?|quincenas?|mes(?:es)?|anos?|medio ano)\b"
_SHIFTED = "(?P<unit>semana|mes|trimestre|ano|fin de semana|finde)"
_BEFORE_SHIFT = "(?P<shift>proximo|proxima|pasado|pasada|ultimo|ultima|este|esta|siguiente)"
_AFTER_SHIFT = "(?P<shift>pasado|pasada|proximo|proxima|que viene|que entra|siguiente|entrante|antepasado|antepasada)"
_YEAR_SHIFT = "(?:(?:de|del|el) )?ano (?P<year_shift>pasado|que viene|proximo|siguiente)"
_PART = rf"(?:a )?(?P<part>{one_of(_PARTS)})"
_NTH = rf"\b(?:el )?(?P<ordinal>{one_of(_ORDINALS)}) {_WEEKDAY} "
_HOLIDAY = rf"(?P<holiday>{one_of(_HOLIDAYS)})"
_SEASON = rf"(?P<season>{one_of(_SEASONS)})"
_BEFORE_MONTH = "en|desde|hasta|para|de|a|durante|hacia|por|antes de|despues de|a partir de|entre|y|o|quizas?|tal vez"
_BEFORE_YEAR = "en|desde|hasta|del?|durante|para|hacia|ano|antes de|despues de"
_NOT_A_DAY = (
    r"(?!\d|[.,:/]\d| ?(?:%|por|euros?|dolares|horas?|de la|de las|personas|grados|kilos|anos|minutos|puntos))"
    rf"(?! de (?:cada|{_ANY})\b)"
)
_NOT_EVERY = "(?<!los )(?<!cada )(?<!un )"
_THE_MORNING = ("la", "esta", "cada", "una", "de", "toda", "pasado", "las", "ayer")
_NOT_TOMORROW = "".join(f"(?<!{word} )" for word in _THE_MORNING)

_ABSOLUTE: Patterns = (
    (YEAR_FIRST, r.full_date),
    (r"(?<![\d/.])(?P<first>\d\d?)[/.-](?P<second>\d\d?)[/.-](?P<year>\d{4}|\d\d)(?![\d/])", r.slashed_date),
    (rf"\b(?:el )?(?:dia )?{_DAY} de {_ANY_MONTH},?(?: del?)? {YEAR}\b", r.named_day),
    (rf"{_FROM_TO} de {_ANY_MONTH},?(?: del?)? {YEAR}\b", r.named_day),
    (rf"\b(?:{_PART} )?{_ANY_MONTH}(?: del?)? {YEAR}\b", r.named_month),
    (rf"\b{_MONTH} (?:a|y|o|hasta) {_LAST_MONTH} del? {YEAR}\b", r.months),
    (rf"\b(?:{_BEFORE_YEAR}) {YEAR}\b(?![-.,]\d)", r.whole_year),
    (rf"\b(?:del?|desde|entre)(?: el)? {YEAR} (?:al?|hasta|y)(?: el)? {LAST_YEAR}\b", r.years),
    (rf"\b{_SEASON} del? {YEAR}\b", r.season),
    (rf"\b{_HOLIDAY} del? {YEAR}\b", r.holiday),
)

_PARTIAL: Patterns = (
    (rf"\b(?:el )?(?:dia )?{_DAY} de {_ANY_MONTH}", r.named_day),
    (rf"{_FROM_TO} de {_ANY_MONTH}", r.named_day),
    (r"\bel (?P<first>\d\d?)/(?P<second>\d\d?)\b(?!/)", r.slashed_day),
    (rf"(?<!cada )\b(?:{_BEFORE_MONTH}) {_MONTH}", r.named_month),
    (rf"\b{_PART} {_MONTH}", r.named_month),
    (rf"\b(?:de |desde |entre )?{_MONTH} (?:a|hasta|y|o) {_LAST_MONTH}", r.months),
    (rf"\b(?:el |en )?{_BEFORE_SHIFT} {_MONTH}", r.shifted_month),
    (rf"\b(?:en|este|el|durante el|para el) {_SEASON}\b", r.season),
    (rf"\b(?:el|del|al)(?: dia)? {_DAY}{_NOT_A_DAY}", r.day_alone),
    (rf"{_FROM_TO}{_NOT_A_DAY}", r.day_alone),
    (rf"(?<!cada )\b(?:en |por |para |esta |el dia de )?{_HOLIDAY}\b", r.holiday),
)

_RELATIVE: Patterns = (
    (rf"\b(?P<word>{one_of(_OFFSETS.keys() - {'manana'})})\b", r.offset),
    (rf"{_NOT_TOMORROW}\b(?P<word>manana)\b", r.offset),
    (r"\bal (?:dia siguiente|otro dia)\b|\bel dia (?:despues|siguiente)\b", r.next_day),
    (rf"\bhace (?:como )?{_COUNT} {_UNIT}", r.ago),
    (rf"\b{_COUNT} {_UNIT} atras\b", r.ago),
    (rf"\bdentro de {_COUNT} {_UNIT}", r.from_now),
    (rf"\ben {_COUNT} {_UNIT}", r.in_some_time),
    (rf"\b(?:en )?l[oa]s ultim[oa]s {_COUNT} {_UNIT}", r.until_now),
    (rf"\b(?:{_PART} )?(?:la|el|del|de la|al|l) {_SHIFTED} {_AFTER_SHIFT}\b", r.unit),
    (rf"\b(?:{_PART} )?(?:(?:la|el|del|de la) )?{_BEFORE_SHIFT} {_SHIFTED}\b", r.unit),
    (rf"\b{_PART}l? (?P<unit>mes|ano|trimestre)\b(?: {_AFTER_SHIFT}\b)?", r.unit),
    (r"\b(?:el|del|al) (?P<unit>fin de semana|finde)\b", r.weekend),
    (rf"{_NOT_EVERY}\b(?:(?:el )?{_BEFORE_SHIFT} |el |al |del )?{_WEEKDAY}", r.weekday),
    (rf"\b(?:el )?{_WEEKDAY} {_AFTER_SHIFT}\b", r.weekday),
    (rf"\b(?:el )?{_WEEKDAY},? de (?:la )?semana {_AFTER_SHIFT}\b", r.weekday_of_week),
    (rf"\b(?:el )?{_WEEKDAY},? de (?:la )?{_BEFORE_SHIFT} semana\b", r.weekday_of_week),
    (rf"\bla semana {_AFTER_SHIFT},? el {_WEEKDAY}", r.weekday_of_week),
    (rf"{_NTH}de {_MONTH}(?:(?: del?)? {YEAR}\b)?", r.nth_weekday),
    (rf"{_NTH}(?:del|de este) (?P<unit>mes)\b(?: {_AFTER_SHIFT}\b)?", r.nth_weekday),
    (rf"\b(?:el )?{_WEEKDAY} en ocho(?: dias)?\b", r.weekday_in_weeks(1)),
    (rf"\b(?:el )?(?:dia )?{_DAY} del mes (?P<month_shift>pasado|que viene|proximo)\b", r.day_alone),
    (rf"\b(?:el |la )?{_SEASON} {_AFTER_SHIFT}\b", r.season),
    (rf"\b(?:el |la )?{_BEFORE_SHIFT} {_SEASON}\b", r.season),
    (rf"\b(?:en )?{_MONTH},? {_YEAR_SHIFT}", r.named_month),
    (rf"\b(?:en |el )?{_MONTH} {_AFTER_SHIFT}\b", r.shifted_month),
)

_AND = "(?:,|,? y|,? e|,? o) "
_NAMED = rf"(?:{one_of(_WEEKDAYS)})s?"
_TIMES = r"(?:una vez|\w+ veces)"
_YEARLY = f"ano|{one_of(_MONTHS)}|{one_of(_SEASONS)}|navidad"
_REPEATS = (
    Repeat(words("de lunes a viernes|entre semana|dias? (?:laborables?|de semana)"), "weekly", WORKDAYS),
    Repeat(rf"\b(?:todos los|cada|los) {_NAMED}(?:{_AND}(?:todos los |cada |los )?{_NAMED})*\b", "weekly"),
    Repeat(words("(?:todos )?los (?:fines de semana|findes)|cada (?:fin de semana|finde)"), "weekly", WEEKEND),
    Repeat(words("todos los dias|cada dia|a diario|diariamente"), "daily"),
    Repeat(words("(?:cada|todas las) (?:mananas?|tardes?|noches?)"), "daily"),
    Repeat(words(f"cada semana|todas las semanas|semanal(?:mente)?|{_TIMES} (?:a la|por) semana"), "weekly"),
    Repeat(words(f"cada mes|todos los meses|mensual(?:mente)?|{_TIMES} (?:al|por) mes"), "monthly"),
    Repeat(words(f"cada (?:{_YEARLY})|todos los (?:{_YEARLY})s?|anualmente|{_TIMES} (?:al|por) ano"), "yearly"),
    Repeat(rf"\bcada (?P<count>\d{{1,2}}|{one_of(_NUMBERS)}) (?P<unit>dias|semanas|meses|anos)\b", "weekly"),
)

# Past tense, first person of verbs in -rar; it looks like a future.
_STEMS_IN_R = "prepar|compar|separ|repar|declar|esper|super|recuper|oper|mir|tir|retir|gir|admir|respir|par|dispar"
_PRETERITE = words(
    rf"""
    fui|fuiste|fue|fuimos|fueron|era|eran|éramos|estuve|estuvo|estuvimos|estuvieron|estaba\w*|había\w*|hubo|tuve|
    tuvo|tuvimos|tuvieron|tenía\w*|hice|hizo|hicimos|hicieron|dije|dijo|dijeron|vi|vio|vimos|vieron|di|dio|dimos|
    dieron|puse|puso|pusieron|pude|pudo|pudimos|quise|quiso|vine|vino|vinimos|vinieron|supe|supo|traje|trajo|anduve|
    iba|iban|íbamos|nací|(?:viv|quer|pod|sab|hac|dec|ven|sal|com|cre|conoc)ía\w*|(?:{_STEMS_IN_R})é|
    (?:com|beb|corr|aprend|conoc|vend|perd|volv|nac|respond|entend|met|romp|cog|recog|cre|le)[ií]mos
    """
)
_NOT_PAST = words(
    r"""
    sé|qué|té|café|así|aquí|allí|ahí|sí|mí|porqué|josé|bebé|comité|paté|chalé|esté|dé|acaba|acaban|graba|traba|alaba|
    existe|insiste|asiste|consiste|chiste|triste|contraste|desgaste|rubí|\w*[aei]ré
    """
)
_FUTURE = either(
    words(r"(?:voy|vas|va|vamos|vais|van) a \w+|(?:tengo|tienes|tiene|tenemos|tienen|hay|habrá) que"),
    rf"\b(?!(?:{_STEMS_IN_R})é\b)\w*(?:[aei]r|dr|br|rr)(?:é|ás|á|emos|éis|án)\b",
    words(r"har(?:é|ás|á|emos|án)|reserv\w+|apunt\w+|inscrib\w+|compr\w+ (?:\w+ ){0,2}(?:entradas|billetes|boletos)"),
    r"\b\w+(?:[aei]r|dr|br|rr)ía(?:s|n|mos)?\b",
    words("quiero|queremos|pienso|pensamos|planeo|espero|debo|vence|vencen|caduca|cita|toca|recuérdame|acuérdate"),
    words("a más tardar|cumple|cumplo|qued(?:é|amos|aron) (?:con|en|para)"),
)
_PAST = either(
    _PRETERITE,
    r"\b(?:he|has|ha|hemos|habéis|han) (?:\w+ )?\w+(?:ado|ido|ído|to|cho|sto)\b",
    rf"(?!{_NOT_PAST})\b\w{{2,}}(?:ó|aste|iste|aron|ieron|eron|aba|abas|aban|ábamos|é|í)\b",
)
_CUES = Cues(
    clause=either(
        r"[,;:()¿?¡!–—]|\.{2,}|…| - ", words("y|e|pero|porque|así que|aunque|mientras|pues|o sea")
    ),
    tenses=(
        ("future", _FUTURE),
        ("past", _PAST),
        ("present", words("es|está|están|estoy|estamos|soy|son|somos|tengo|tiene|tenemos|hay|voy|viene|vienen|llega")),
    ),
    past_before=r"\bdesde(?: el| la)? *$",
    future_before=r"\b(?:antes del?|a más tardar(?: el)?|a partir del?) *$",
    uncertain=words(
        r"""
        quizás?|tal vez|a lo mejor|puede que|puede ser|podría\w*|probablemente|posiblemente|seguramente|igual|
        más o menos|aproximadamente|creo|no sé|no estoy segur[oa]|en algún momento|alrededor
        """
    ),
    around=r"\b(?:por el|(?:sobre|alrededor de|hacia|cerca de|aproximadamente|mas o menos)(?: el|l)?)(?: dia)? *$",
    around_after=r"^ ?(?:mas o menos|aproximadamente|o asi)\b",
)  # fmt: skip
_JOINTS = Joints(
    span=r",? *(?:al|a|hasta|-|–) *(?:el |la )?(?:dia )?",
    choice=r",? *(?:o|u|/) *(?:quizas? |tal vez |a lo mejor |incluso )?(?:el |en |al )?(?:dia )?",
    between=r"\bentre (?:el )?(?:dia )?$",
    both=r" *(?:y|e) (?:el )?(?:dia )?",
    since=r"\b(?:desde|a partir de|a partir)(?: el|l)? *$",
    until=r"\bhasta(?: el)? *$",
)
_HINTS = """
    hoy ayer anoche anteayer antier antenoche anteanoche manana finde findes nochebuena navidad nochevieja reyes
    valentin halloween diario diariamente semanal semanalmente mensual mensualmente anualmente nuevo sabados domingos
    ocho atras tarde noche laborable laborables
"""
_COMMON = """
    el la los las un una de que y en es por con para mi me se no lo al del te tu su nos les le a o pero como ya si muy
    esta estoy tengo tiene hay fue era son mas cuando porque todo toda todos todas nada yo ella ellos nosotros vamos
    voy va hace sin sobre desde hasta este ese eso esto mis sus tus casa bien aqui alli asi entre ni
"""

SPANISH = Language(
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
    hints=frozenset([*_MONTHS, *_WEEKDAYS, *_SEASONS, *_UNITS, *_HINTS.split()]),
    common=frozenset(_COMMON.split()),
)
