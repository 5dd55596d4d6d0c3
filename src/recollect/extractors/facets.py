"""The facets of an English sentence: personal information, preferences, events."""

from __future__ import annotations

from functools import cache

from recollect.extractors.protocol import Facet
from recollect.extractors.statements import without_opening_capital
from recollect.text.needed import Guarded

_KIN = (
    "wife|husband|partner|spouse|girlfriend|boyfriend|fianc[ée]e?|mother|mom|mum|father|dad|parents|brother|sister|"
    "siblings?|son|daughter|kids?|child|children|baby|uncle|aunt|cousin|nephew|niece|grand(?:mother|father|ma|pa|parents)|"
    "roommate|flatmate|neighbou?r|boss|landlord|family|dog|cat|kitten|puppy|pet|in-laws"
)
_ADVERBS = (
    r"(?:(?:really|also|just|always|absolutely|still|usually|never|often|now|finally|recently|actually|do|currently) )*"
)
# A capital at the start of a sentence is not always a name.
_NAME = (
    r"(?!(?:Would|Could|Should|Will|If|When|While|Since|After|Before|The|This|That|It|You|There|What|How|Also|Just|"
    r"Some|Many|Most|Sounds|Looks|Seems|Feels|Anyone|Everyone|People|And|But|So)\b)"
    r"[A-Z][a-z]+"
)
# The subject of a personal sentence: a pronoun, a relative or a name.
_WHO = rf"(?:\b(?:I|we|he|she|they|(?:my|our|his|her) (?:{_KIN})(?: [A-Z]\w+)?),?|\b{_NAME}(?: and I)?) "
_JOB = (
    r"(?!other|number|paper|matter|member of|rather|never|ever)"
    r"(?:\w{2,}(?:er|or|ist|ian|yst|eer|ant|man|woman|tect|dent|path)|nurse|chef|cook|coach|clerk|"
    r"judge|pilot|host|vegan|diabetic|smoker|widow|parent|mom|mother|dad|father|fan of)"
)

_PERSONAL = (
    r"\bmy (?:full |first |last )?name(?: is|'s)\b|\b(?:people|friends) call me\b|['’]s name is\b",
    r"\bI(?:['’]m| am|['’]ve been) (?:an?|the) (?!fan|big fan|huge fan|bit|lot|little)(?:[\w\-]+ ){0,3}?"
    + _JOB + r"\b",
    r"\bI(?:['’]m| am) the (?:youngest|oldest|eldest|middle|only|mother|father|owner|founder|head)\b",
    rf"\b{_NAME} is an? (?:[\w\-]+ ){{0,2}}?" + _JOB + r"\b",
    r"\b(?:I|she|he)(?:['’]m|['’]s| am| is) (?:\w+ )?(?:married|single|divorced|engaged|widowed|retired|pregnant|"
    r"vegetarian|vegan|allergic|diabetic|left-handed|right-handed|bilingual|unemployed|self-employed|colou?r-?blind|"
    r"deaf|from|originally|\d{1,3} years? old)\b",
    rf"\b(?:I|my (?:{_KIN})(?: [A-Z]\w+)?) turned \d+\b|\b\d+[- ]years?[- ]old (?:{_KIN}|beagle|\w+ (?:dog|cat))\b",
    rf"{_WHO}(?:\w+ )?(?:lives?|am living|are living|resides?)"
    r"(?= (?:in|at|on|near|with|alone|here|together|close|just)\b)",
    r"\bI['’]m living\b|\b(?:my|our) (?:home|house|flat|apartment|hometown)(?: is| in)\b",
    rf"{_WHO}(?:\w+ )?(?:work|works|teach|teaches|study|studies) (?!on\b|out\b|with you)\w+",
    r"\bI(?:['’]ve| have) been (?:working|living|teaching|studying)\b|\bI work\b",
    r"\bas an? (?:[\w\-]+ ){0,3}?" + _JOB + r", I\b",
    r"\b(?:was|were) (?:born|raised)\b|\bgr[eo]w up\b",
    rf"\b(?:I|we|he|she) (?:have|has|['’]ve got|own|owns) (?:an? |no |only )?(?:\w+ ){{0,3}}(?:{_KIN}|"
    r"bicycles?|cars?|house|allergy|diabetes|asthma|migraines|arthritis|ADHD|degree|PhD|dogs|cats|brothers|sisters|sons|"
    r"daughters|nephews|nieces)\b",
    r"\bI (?:own|drive|ride) (?:an? |my |two |three |the )",
    r"\bI (?:run|manage|own|lead) (?:an? |my |the )(?:\w+ ){0,3}"
    r"(?:shop|bakery|company|business|team|restaurant|studio|farm|cafe|café)\b",
    r"\bI (?:speak|studied|majored|graduated|hold a|wear (?:a )?(?:size|glasses))\b",
    rf"\b(?:my|our) (?:{_KIN})(?:[’']s \w+)?(?: [A-Z]\w+)? "
    r"(?:is|are|has|have|works?|lives?|teaches|goes|studies|runs|plays|owns|loves)\b",
    r"\bmy (?:\w+ )?(?:birthday|phone(?: number)?|number|email|e-mail|address|age|job|degree|major|hometown|"
    r"nationality|religion|blood type|doctor|dentist|employer|salary|height|weight) (?:is|was|are)\b",
    r"\bI(?:['’]m| am) \d[\d.]* ?(?:m|cm|feet|ft)\b|\bI weigh\b",
    r"\b(?:moved|relocated) (?:to|from)\b|\bgot (?:married|divorced|engaged)\b|\bpassed away\b|"
    r"\bnew job\b|\bI adopted\b",
    r"\bnon-smoker\b",
)  # fmt: skip
_PREFERENCE = (
    rf"{_WHO}{_ADVERBS}(?:don['’]?t |doesn['’]t |didn['’]t |do not |does not )?{_ADVERBS}"
    r"(?:loves?|loved|likes?|liked|enjoys?|enjoyed|adores?|hates?|hated|dislikes?|prefers?|detests?|loathes?)\b"
    # Praise for a proposal just made is small talk.
    r"(?! (?:the|your|this|that|these|those|all)(?: \w+){0,2} (?:ideas?|sounds?|suggestions?|tips?|options?|you)\b)",
    r"\band (?:I )?(?:really )?(?:loved|enjoyed|hated|liked) (?:it|them|the|every)\b",
    r"(?:\b(?:my|our|his|her)|['’]s)(?: \w+){0,2} favou?rites?\b",
    r"\bI(?:['’]d| would) (?:much )?(?:rather|prefer)\b|"
    r"\bI(?:['’]d| would) love (?:it if|you to|to have \w+ (?:answers|replies))|"
    r"\bI wish you\b|\bI want you to always\b|\bfrom now on\b",
    r"\b(?:fan of|fond of|keen on|obsessed with|crazy about|passionate about|addicted to|partial to)\b",
    r"\b(?:I['’]m|I am|(?:he|she) is) (?:\w+ ){0,2}interested in (?!\w+ing\b|the\b|this\b|that\b|your\b)",
    r"\bI(?:['’]m| am|['’]ve been) (?:\w+ )?(?:really |very |so )?into (?!the\b|a\b|trouble)",
    r"\b(?:can['’]?t|cannot|can not) (?:stand|bear|get enough)\b|\bnot (?:my thing|a fan)\b",
    r"\bI find (?:\w+ ){1,4}(?:relaxing|boring|soothing|annoying|exciting|fun|fascinating|tedious|calming|stressful)\b",
    r"\b(?:I|we) (?:tend to|usually|generally|typically|always|never|rarely|only|avoid|mostly) "
    r"(?!used|been|knew|thought|want|need|have to|said|saw|had|went|was|know)\w+",
    r"\bwhat I (?:enjoy|like|love)\b|\bprefer(?:s|ence)?\b",
)  # fmt: skip

_PAST_VERB = (
    "went|bought|met|visited|attended|finished|started|moved|lost|broke|passed|signed|returned|ran|saw|watched|cooked|made|"
    "planted|got|flew|drove|took|tried|celebrated|volunteered|gave|shipped|released|deployed|launched|adopted|graduated|"
    "joined|left|quit|won|sold|found|booked|ordered|received|painted|repaired|fixed|built|completed|hosted|called|"
    "cancelled|canceled|died|crashed|failed|presented|published|submitted|interviewed|travel+ed|hiked|climbed|swam|sang|"
    "played|danced|baked|read|wrote|learned|began|had|ate|drank|stayed|arrived|came|spent|picked|sent|spoke|discussed|"
    "married|divorced|fell|hurt|injured|stole|was|were|happened|announced|upgraded|migrated|replaced|installed|"
    "participated|organi[sz]ed|registered|enrolled|renewed|donated|scheduled|decided|agreed|merged|closed|opened"
)
_SURE_EVENT_VERB = (
    "went to|bought|met|visited|attended|lost my|broke (?:my|his|her|down)|signed up|returned|watched|got back|"
    "got married|"
    "graduated|flew|won|crashed|moved to|just got|ordered|celebrated|volunteered|passed my|passed away|"
    "finished|started learning|was cancelled|was canceled|got engaged|got divorced|sold (?:my|our)|"
    "registered for|enrolled|booked|inherited|replaced|planted|hosted|repaired|baked|hiked|cooked|adopted|painted"
)
_PLANNED = (
    r"\b(?:will|['’]ll|going to|gonna|planning to|plan to|(?:['’]m|am|['’]re|are|is) (?:\w+ )?(?:flying|"
    r"visiting|taking|going|travel+ing|leaving|starting|hosting|moving|meeting|getting|seeing|running|having|attending|presenting|"
    r"camping|cooking|driving))\b"
)
_APPOINTMENT = (
    r"\b(?:appointment|meeting|exam|interview|flight|wedding|concert|surgery|reservation|party|conference|deadline)\b"
)
_UNREAL = (
    r"\b(?:if|whether|thinking (?:of|about)|meaning to|would|could|should|might|wish|according to|imagine|suppose)\b"
)
_HABIT = r"\b(?:every|each|usually|always|on (?:mon|tues|wednes|thurs|fri|satur|sun)days|weekends)\b|\bsince\b"
_STATE = r"\b(?:birthday|anniversary) is\b|\b(?:was|were) born\b"


@cache
def _patterns() -> dict[str, Guarded]:
    """Compiled at first use. Case matters: "I", names and months have capitals."""
    sources = {
        "personal_info": "|".join(f"(?:{pattern})" for pattern in _PERSONAL),
        "preferences": "|".join(f"(?:{pattern})" for pattern in _PREFERENCE),
        "past": rf"\b(?:{_PAST_VERB}|[a-z]{{3,}}ed)\b",
        "sure_event": rf"{_WHO}(?:\w+ )?(?:{_SURE_EVENT_VERB})\b(?!['’])|"
        rf"\b(?:I|we) (?:just|recently|finally) (?:{_PAST_VERB}|[a-z]{{3,}}ed)\b|"
        rf"\bour (?:\w+ ){{1,2}}(?:was|were) \w+ed\b",
        "planned": _PLANNED,
        "appointment": _APPOINTMENT,
        "unreal": f"(?i:{_UNREAL})",
        "habit": _HABIT,
        "state": _STATE,
    }
    return {name: Guarded(source) for name, source in sources.items()}


def english_facets(sentence: str, dated: bool) -> tuple[Facet, ...]:
    """The facets of a statement. `dated`: whether it names a time."""
    patterns = _patterns()
    sentence = without_opening_capital(sentence)
    found: list[Facet] = []
    if patterns["personal_info"].search(sentence):
        found.append("personal_info")
    if patterns["preferences"].search(sentence):
        found.append("preferences")
    if _is_event(sentence, dated):
        found.append("events")
    return tuple(found)


def _is_event(sentence: str, dated: bool) -> bool:
    """Whether it says that something happened or is planned, or names an action with a date."""
    patterns = _patterns()
    if patterns["state"].search(sentence) or patterns["unreal"].search(sentence):
        return False
    if patterns["sure_event"].search(sentence):
        return True
    if not dated or patterns["habit"].search(sentence):
        return False
    return any(patterns[name].search(sentence) for name in ("past", "planned", "appointment"))
