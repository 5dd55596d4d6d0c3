"""Is the value of "I live in …" or "I moved to …" a place where somebody lives?"""

from __future__ import annotations

import re

_TOOLS = frozenset(
    """
    android angular ansible asana aws azure bitbucket chrome clickup confluence debian discord django docker dynamodb
    elasticsearch emacs excel fedora figma firebase firefox flask gcp git github gitlab gmail go grafana hubspot ios
    java javascript jenkins jira kafka kotlin kubernetes linear linux macos mastodon mongodb mysql neovim nginx node
    notion obsidian outlook pandas postgres postgresql postman pycharm python pytorch react redis ruby rust safari
    salesforce sentry signal slack snowflake spotify sqlite stripe svelte swift teams telegram tensorflow terraform
    threads todoist trello typescript ubuntu vercel vim vscode vue webpack whatsapp windows wordpress zoom zsh
    """.split()
)
_NOT_A_PLACE = re.compile(
    r"^(?:the |a |an |my |our |his |her )?(?:team|row|seat|desk|room|level|chapter|page|section|group|class|grade|line|"
    r"plan|tab|step|part|marketing|sales|finance|hr|engineering|product|support|legal|design|research|front|back|next|other|"
    r"another|new|bigger|smaller|larger|nicer|better|different|part-time|full-time|night|day|nights|days)\b",
    re.IGNORECASE,
)
_COUNTRIES = frozenset(
    """
    argentina australia austria bangladesh belgium brazil britain bulgaria cameroon canada chile china colombia croatia
    cuba cyprus czechia denmark ecuador egypt england estonia ethiopia europe finland france germany ghana greece
    hungary iceland india indonesia iran iraq ireland israel italy japan jordan kenya korea kuwait latvia lebanon
    lithuania luxembourg malaysia malta mexico morocco nepal netherlands nigeria norway pakistan peru philippines poland
    portugal qatar romania russia scotland senegal serbia singapore slovakia slovenia spain sweden switzerland taiwan
    tanzania thailand tunisia turkey uganda uk ukraine us usa venezuela vietnam wales
    """.split()
)


_PEOPLES = frozenset(
    """
    african american arab asian australian austrian belgian brazilian british buddhist bulgarian canadian catholic
    chilean chinese christian colombian croatian cuban czech danish dutch egyptian english estonian european finnish
    french german greek hindu hungarian icelandic indian indonesian iranian iraqi irish israeli italian jamaican
    japanese jewish kenyan korean latvian lebanese lithuanian malaysian mexican moroccan muslim nigerian norwegian
    pakistani persian peruvian polish portuguese protestant romanian russian scottish serbian slovak spanish swedish
    swiss syrian taiwanese thai turkish ukrainian vietnamese welsh
    """.split()
)
_WITHIN = re.compile(r"^(?:[a-z][\w-]* ){1,4}?in (?=[A-Z])")
_THEN = re.compile(r"(?<=\w) (?:on|in|at|near|by|around|for|during|together|again) .*$")


def place(value: str, *, is_small: bool, only_names: bool) -> str | None:
    """The place in the value of "live in", without what follows it; None if nobody can live there.

    "A flat in Lyon" is Lyon. After "moved to", only a name is a place: "the front row" is none. "Fear" is none either.
    """
    where = _THEN.sub("", _WITHIN.sub("", value))
    if where.split()[0].lower() in _TOOLS or any(character.isdigit() for character in where):
        return None
    if is_small or any(word[0].isupper() for word in where.split()):
        return None if _NOT_A_PLACE.match(where) else where
    return where if " " in where and not only_names else None


def is_of_a_people(value: str) -> bool:
    """Whether it says where somebody is from, or what they believe: "Dutch" is not a name."""
    return value.lower() in _PEOPLES


def is_country(value: str) -> bool:
    return value.lower().removeprefix("the ") in _COUNTRIES
