"""Dates in German."""

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

_MONTHS = numbered("januar/janner februar marz april mai juni juli august september oktober november dezember", 1)
_SHORT_MONTHS = numbered("jan feb mrz apr _ jun jul aug sep/sept okt nov dez", 1)
_WEEKDAYS = numbered("montag dienstag mittwoch donnerstag freitag samstag/sonnabend sonntag")
_TIMES_OF_DAY = ("abend", "morgen", "nachmittag", "vormittag", "mittag", "nacht", "fruh")
_UNITS = {
    "minute": "minute", "minuten": "minute", "stunde": "hour", "stunden": "hour", "tag": "day", "tage": "day",
    "tagen": "day", "woche": "week", "wochen": "week", "wochenende": "weekend", "wochenenden": "weekend",
    "monat": "month", "monats": "month", "monate": "month", "monaten": "month", "quartal": "quarter",
    "quartals": "quarter", "halben jahr": "half-year", "jahr": "year", "jahres": "year", "jahre": "year",
    "jahren": "year",
}  # fmt: skip
_OFFSETS = {
    "vorgestern": -2, "gestern": -1, "heute": 0, "heut": 0, "morgen": 1, "ubermorgen": 2, "uebermorgen": 2,
}  # fmt: skip
_STEMS = {
    "vorletzt": -2, "letzt": -1, "vorig": -1, "vergangen": -1, "dies": 0,
    "nachst": 1, "naechst": 1, "kommend": 1, "folgend": 1, "ubernachst": 2,
}  # fmt: skip
_SHIFTS = {f"{stem}{ending}": shift for stem, shift in _STEMS.items() for ending in ("e", "en", "er", "es", "em")}
_NUMBERS = numbered(
    "_ ein/eine/einem/einen/einer zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn"
) | {"zwanzig": 20, "dreissig": 30}
_FEW = (2, 6)
_COUNTS = {
    "ein paar": _FEW, "n paar": _FEW, "paar": _FEW, "einigen": _FEW, "einige": _FEW, "wenigen": _FEW, "wenige": _FEW,
    "mehreren": (3, 7), "mehrere": (3, 7),
    "zweite": (2, 2), "zweiten": (2, 2), "zweites": (2, 2), "dritte": (3, 3), "dritten": (3, 3), "drittes": (3, 3),
}  # fmt: skip
_ORDINALS = numbered("ersten/1. zweiten/2. dritten/3. vierten/4. funften/5.", 1) | {"letzten": -1}
_HOLIDAYS = {
    "heiligabend": (12, 24), "weihnachten": (12, 25), "silvester": (12, 31), "neujahr": (1, 1),
    "nikolaus": (12, 6), "valentinstag": (2, 14), "halloween": (10, 31),
}  # fmt: skip
_PARTS = {"anfang": "early", "mitte": "mid", "ende": "late"}
_SEASONS = {"fruhling": "spring", "fruhjahr": "spring", "sommer": "summer", "herbst": "autumn", "winter": "winter"}

_ANY = one_of(_MONTHS)
_MONTH = rf"(?P<month>{_ANY})\b"
_ANY_MONTH = rf"(?P<month>{one_of(_MONTHS | _SHORT_MONTHS)})\b\.?"
_LAST_MONTH = rf"(?P<last_month>{_ANY})\b"
_TIME_OF_DAY = f"(?:{'|'.join(_TIMES_OF_DAY)})"
_WEEKDAY = rf"(?P<weekday>{one_of(_WEEKDAYS)}){_TIME_OF_DAY}?\b"
_DAY = r"(?P<day>\d\d?)\."
_LAST = r"(?P<last>\d\d?)\."
_DAYS = rf"(?<!\d){_DAY}(?: ?(?:bis(?: zum)?|oder|-|–) ?{_LAST})? ?{_ANY_MONTH}"
_COUNT = rf"(?P<count>\d{{1,3}}|{one_of((*_COUNTS, *_NUMBERS))})"
_UNIT = r"(?P<unit>minuten?|stunden?|tage?n?|wochen?|monate?n?|jahre?n?|halben jahr)\b"
_SHIFT = rf"(?P<shift>{one_of(_SHIFTS)})"
_YEAR_SHIFT = rf"(?P<year_shift>{one_of(_SHIFTS)}) jahres?"
_PART = rf"(?P<part>{one_of(_PARTS)}) "
_NTH = rf"\b(?:am |den |der )?(?P<ordinal>ersten|zweiten|dritten|vierten|funften|letzten|[1-5]\.) {_WEEKDAY} "
_HOLIDAY = rf"(?P<holiday>{one_of(_HOLIDAYS)})"
_SEASON = rf"(?P<season>{one_of(_SEASONS)})"
_BEFORE_DAY = "am|vom|zum|bis(?: zum)?|bis spatestens|ab|(?:ab|seit|nach|vor) dem|(?:so )?um den|den|dem|der|und|oder"
_NOT_A_DAY = rf"(?! ?(?:{_ANY}|\d|stock|etage|klasse|platz|mal|geburtstag|jahrestag|lebensjahr)\b)"
_BEFORE_MONTH = "im|ab|seit|bis|von|vom|nach|vor|gegen|zwischen|und|oder|fur"
_BEFORE_YEAR = "in|im jahre?|seit|bis|ab|von|vor|nach|um|jahr|anfang|mitte|ende"
_NOT_EVERY = "(?<!jeden )(?<!jede )(?<!jedes )(?<!jedem )"
# "Morgen" with a capital is the morning, except at the beginning of a sentence.
_NOT_TOMORROW = "".join(f"(?<!{word} )" for word in ("guten", "heute", "auf", "jeden", "am", "gestern", "diesen"))

_ABSOLUTE: Patterns = (
    (YEAR_FIRST, r.full_date),
    (r"(?<![\d.])(?P<day>\d\d?)\. ?(?P<number>\d\d?)\. ?(?P<year>\d{4})(?!\.?\d)", r.full_date),
    (r"(?<![\d/.])(?P<first>\d\d?)[./](?P<second>\d\d?)[./](?P<year>\d{4}|\d\d)(?![\d/])", r.slashed_date),
    (rf"{_DAYS} {YEAR}\b", r.named_day),
    (rf"\b(?:{_PART})?{_ANY_MONTH} {YEAR}\b", r.named_month),
    (rf"\b{_MONTH} (?:bis|und|oder|-|–) {_LAST_MONTH} {YEAR}\b", r.months),
    (rf"\b(?:{_BEFORE_YEAR}) {YEAR}\b(?![-.,]\d)", r.whole_year),
    (rf"\b(?:von|zwischen) {YEAR} (?:bis|und) {LAST_YEAR}\b", r.years),
    (rf"\b{_SEASON} {YEAR}\b", r.season),
    (rf"\b{_HOLIDAY} {YEAR}\b", r.holiday),
)

_PARTIAL: Patterns = (
    (_DAYS, r.named_day),
    (rf"\b(?:{_BEFORE_DAY}) (?P<first>\d\d?)\. ?(?P<second>\d\d?)\.(?! ?\d)", r.slashed_day),
    (rf"\b(?:{_BEFORE_MONTH}) {_MONTH}", r.named_month),
    (rf"\b{_PART}{_MONTH}", r.named_month),
    (rf"\b(?:von |zwischen )?{_MONTH} (?:bis|und|oder|-|–) {_LAST_MONTH}", r.months),
    (rf"\b(?:im )?{_SHIFT} {_MONTH}", r.shifted_month),
    (
        r"(?<!frau )(?<!herr )(?<!jeden )\b(?P<month>januar|februar|september|oktober|november|dezember)\b",
        r.named_month,
    ),
    (rf"\b(?:im|in diesem|den|ab|seit) {_SEASON}\b", r.season),
    (rf"\b(?:{_BEFORE_DAY}) {_DAY}{_NOT_A_DAY}", r.day_alone),
    (rf"\b(?:vom|zwischen dem) {_DAY} ?(?:bis(?: zum)?|und(?: dem)?|-|–) {_LAST}{_NOT_A_DAY}", r.day_alone),
    (rf"{_NOT_EVERY}\b(?:{_SHIFT} )?{_HOLIDAY}\b", r.holiday),
)

_RELATIVE: Patterns = (
    (rf"\b(?P<word>heute?|gestern|vorgestern|ue?bermorgen)\b(?! auf morgen)(?: {_TIME_OF_DAY})?", r.offset),
    (rf"{_NOT_TOMORROW}\b(?P<word>(?-i:morgen)|(?-i:^Morgen(?! ?[,!.])))\b", r.offset),
    (r"\b(?:den|einen) tag (?:danach|drauf|darauf|spater)\b|\btags darauf\b", r.next_day),
    (rf"\bvor {_COUNT} {_UNIT}", r.ago),
    (rf"\b(?:heute )?in {_COUNT} {_UNIT}", r.in_some_time),
    (rf"\b(?:die |in den |den )?(?:letzten|vergangenen) {_COUNT} {_UNIT}", r.until_now),
    (
        rf"\b(?:{_PART})?(?:am |im |in der |in die |die |das |der )?{_SHIFT} "
        r"(?P<unit>wochenende|woche|monats?|quartals?|jahr(?:es)?)\b",
        r.unit,
    ),
    (rf"\b{_PART}(?:des |der )?(?P<unit>monats|woche|jahres|quartals)\b", r.unit),
    (r"\b(?:am|ubers|furs) (?P<unit>wochenende)\b", r.weekend),
    (rf"{_NOT_EVERY}\b(?:(?:am |den )?{_SHIFT} |am |den |der )?{_WEEKDAY}", r.weekday),
    (rf"\b{_WEEKDAY},? (?:der )?{_SHIFT} woche\b", r.weekday_of_week),
    (rf"\b{_SHIFT} woche,? (?:am )?{_WEEKDAY}", r.weekday_of_week),
    (rf"\b(?:am )?{_WEEKDAY},? vor {_COUNT} {_UNIT}", r.weekday_ago),
    (rf"{_NTH}(?:im |des )?{_MONTH}(?: {YEAR}\b)?", r.nth_weekday),
    (rf"{_NTH}(?:im |des |in diesem )?(?:{_SHIFT} )?(?P<unit>monats?)\b", r.nth_weekday),
    (rf"\b(?:am )?{_WEEKDAY},? in (?:einer|1) woche\b", r.weekday_in_weeks(1)),
    (rf"\b(?:am )?{_WEEKDAY},? in (?:zwei|2) wochen\b", r.weekday_in_weeks(2)),
    (rf"\b(?:am )?{_DAY} (?:des )?(?P<month_shift>{one_of(_SHIFTS)}) monats\b", r.day_alone),
    (rf"\b(?:im )?{_SHIFT} {_SEASON}\b", r.season),
    (rf"\b(?:im )?{_MONTH} {_YEAR_SHIFT}\b", r.named_month),
    (rf"\b{_YEAR_SHIFT},? im {_MONTH}", r.named_month),
)

_AND = "(?:,|,? und|,? oder| ?/) "
_NAMED = rf"(?:{one_of(_WEEKDAYS)})"
_YEARLY = f"{_ANY}|{one_of(_SEASONS)}|weihnachten|silvester"
_REPEATS = (
    Repeat(rf"\bjede[nrms]? {_NAMED}{_TIME_OF_DAY}?(?:{_AND}(?:jeden )?{_NAMED})*\b", "weekly"),
    Repeat(rf"\bjede[nrms]? (?P<count>zweiten?|dritten?) {_NAMED}\b", "weekly"),
    Repeat(words("montags bis freitags|werktags|unter der woche|an (?:jedem )?werktag(?:en)?"), "weekly", WORKDAYS),
    Repeat(rf"\b{_NAMED}s(?:{_AND}{_NAMED}s)*\b", "weekly"),
    Repeat(rf"\bimmer (?:am )?{_NAMED}(?:{_AND}(?:am )?{_NAMED})*\b", "weekly"),
    Repeat(words("jedes wochenende|an (?:den )?wochenenden|immer am wochenende"), "weekly", WEEKEND),
    Repeat(words("jeden (?:tag|morgen|abend|mittag|nachmittag|vormittag)|jede nacht|taglich"), "daily"),
    Repeat(words("immer (?:morgens|abends|nachts|mittags)"), "daily"),
    Repeat(words(r"jede woche|wochentlich|\w+mal (?:in der|die|pro) woche"), "weekly"),
    Repeat(words(r"jeden monat|monatlich|\w+mal im monat"), "monthly"),
    Repeat(r"(?<!ende )(?<!anfang )(?<!mitte )\b(?:jedes|des|jeden) monats\b", "monthly"),
    Repeat(words(rf"jedes jahr|jahrlich|alljahrlich|\w+mal im jahr|jede[ns]? (?:{_YEARLY})"), "yearly"),
    Repeat(rf"\balle (?P<count>\d{{1,2}}|{one_of(_NUMBERS)}) (?P<unit>tage|wochen|monate|jahre)\b", "weekly"),
    Repeat(r"\bjede[ns]? (?P<count>zweite[ns]?|dritte[ns]?) (?P<unit>woche|tag|monat|jahr)\b", "weekly"),
)

_PLANNED = "gebucht|geplant|angesetzt|vorgesehen|eingeladen|verabredet|reserviert|angemeldet|bestellt|ausgemacht|fällig"
_NOT_A_PARTICIPLE = words(
    f"""
    gehen|geben|gelten|genießen|gewinnen|gehören|gefallen|geschehen|gern|gesamt|gegen|genau|geschlossen|geöffnet|
    bereit|bekannt|bestimmt|verliebt|verrückt|erst|erwartet|überhaupt|unterwegs|{_PLANNED}
    """
)
_PREFIX = (
    "an|auf|aus|ab|ein|vor|mit|zu|weg|hin|her|los|nach|um|zurück|fest|fern|statt|da|rum|raus|rein|vorbei|kennen|"
    "heim|bei|hoch|runter|teil"
)
# Participles have no capital, nouns such as "Geburt" do.
_PARTICIPLE = (
    rf"(?-i:\b(?!{_NOT_A_PARTICIPLE})(?:(?:{_PREFIX})?ge[a-zäöüß]{{2,}}(?:t|en)|[a-zäöüß]{{2,}}iert|"
    r"(?:ver|be|er|ent|zer|über|unter|wieder)[a-zäöüß]{3,}(?:t|en))\b)"
)
_AUXILIARY = words("habe?|hab[’']s|hast|hat|haben|habt|bin|bist|ist|sind|seid")
_PRETERITE = words(
    """
    war|waren|warst|wart|hatte|hatten|hattest|ging|gingen|kam|kamen|gab|sah|sahen|machte|machten|wollte|wollten|
    musste|mussten|konnte|konnten|durfte|wurde|wurden|sagte|meinte|lag|lagen|stand|fand|fanden|blieb|blieben|fuhr|
    fuhren|flog|flogen|aß|aßen|trank|traf|trafen|rief|schrieb|nahm|bekam|bekamen|kaufte|wohnte|wohnten|lebte|lebten|
    arbeitete|besuchte|feierte|feierten|spielte|dachte|wusste|brachte|starb|verlor|begann|fing|hieß|schlief|lief|
    zog|zogen|fiel|hielt|ließ|passierte|regnete|schneite
    """
)
_FUTURE = words(
    rf"""
    werd(?:e|en|et)|wirst|wird|will|wollen|wollt|willst|möcht\w*|muss|müssen|musst|soll(?:en|t|st)?|{_PLANNED}|
    termin|demnächst|vorhabe|freu\w* mich|läuft|endet|beginnt|startet
    """
)
_CUES = Cues(
    clause=either(
        r"[,;:()–—!?]|\.{2,}|…| - ",
        words("und|aber|weil|denn|sondern|obwohl|während|nachdem|bevor|deshalb|sonst|sorry"),
    ),
    tenses=(
        ("future", _FUTURE),
        (
            "past",
            either(
                rf"{_AUXILIARY}[^,;:]*?{_PARTICIPLE}(?! werden)",
                rf"{_PARTICIPLE} (?:{_AUXILIARY}|worden|hatte\w*|war\w*)\b",
                _PRETERITE,
            ),
        ),
        ("present", _AUXILIARY),
    ),
    past_before=r"\bseit(?: dem)? *$",
    future_before=r"\b(?:bis spätestens|spätestens|ab)(?: am| zum| dem)? *$",
    uncertain=words(
        r"""
        vielleicht|eventuell|evtl|möglicherweise|wahrscheinlich|vermutlich|wohl|ungefähr|etwa|circa|ca|irgendwann|
        womöglich|könnte\w*|glaube? ich|ich glaube?|nicht sicher|weiß (?:noch )?nicht|entweder|oder so
        """
    ),
    around=r"\b(?:(?:so |rund )?um den|(?:etwa|ungefahr|circa|ca\.?) am|gegen den) *$",
    around_after=r"^ ?(?:rum|herum|oder so)\b",
)
_JOINTS = Joints(
    span=r",? *(?:bis(?: zum)?|-|–) *(?:zum |einschliesslich |inklusive |am |den )?",
    choice=r",? *(?:oder|bzw\.?|/) *(?:vielleicht |auch )?(?:am |im |den |erst am |erst )?",
    between=r"\bzwischen (?:dem )?$",
    both=r" *und (?:dem )?",
    since=r"\b(?:seit|ab|von|vom)(?: dem| am)? *$",
    until=r"\bbis(?: zum| ende)? *$",
)
_HINTS = """
    heute heut gestern vorgestern morgen ubermorgen uebermorgen taglich wochentlich monatlich jahrlich alljahrlich
    werktags werktag morgens abends nachts mittags woche wochen wochenende wochenenden ersten
"""
_COMMON = """
    der die das und ich ist nicht ein eine einen einem zu den dem mit auf fur im am vom von wir ihr sie er es hab habe
    hat haben bin war sind bei uns mir mich dir dich mein meine meinen meiner unser noch schon auch nur aber wenn dass
    als wie was wer wo da so mal halt doch ja nein kein keine nach vor bis ab um aus zum zur uber unter sich wird
    werden kann muss soll will geht gibt immer jeden jede jedes beim ins
"""

GERMAN = Language(
    months=_MONTHS | _SHORT_MONTHS,
    weekdays=_WEEKDAYS,
    units=_UNITS,
    offsets=_OFFSETS,
    shifts=_SHIFTS,
    nearest=frozenset(word for word in _SHIFTS if word.startswith(("letzt", "vorig", "vergangen", "kommend"))),
    counts=_COUNTS,
    numbers=_NUMBERS,
    ordinals=_ORDINALS,
    seasons=_SEASONS,
    holidays=_HOLIDAYS,
    parts=_PARTS,
    absolute=_ABSOLUTE,
    partial=_PARTIAL,
    relative=_RELATIVE,
    repeats=_REPEATS,
    cues=_CUES,
    joints=_JOINTS,
    hints=frozenset(
        [*_MONTHS, *_WEEKDAYS, *_SEASONS, *_UNITS, *_HOLIDAYS, *_HINTS.split()]
        + [f"{day}{ending}" for day in _WEEKDAYS for ending in ("s", *_TIMES_OF_DAY)]
    ),
    common=frozenset(_COMMON.split()),
)
