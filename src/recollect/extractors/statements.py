"""Separates statements from questions, requests, small talk and quotations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from recollect.extractors.clauses import can_be_cut
from recollect.text.sentences import sentences

_LIST_MARK = re.compile(r"^\s*(?:[-*•·>#]+|\d{1,2}[.)、])\s+")
# A new clause about the speaker is a separate statement if both sides can stand alone (clauses.py).
_CLAUSE = re.compile(
    r"(?:[,;:] ?(?:and |but |so )?| and | but )"
    r"(?=(?:I|we)(?:['’]\w+)? |(?:my|our) \w+(?: \w+)? (?:is|are|was|has|had|lives?|works?)\b)|，(?=我|我们)"
)
_MAY_BE_CUT = re.compile("[,;: ](?:I|we|my|our)|，")
# The smallest share of letters, digits and spaces. Prose has more than 0.9.
_LEAST_WORDS = 0.7
_CODE_ENDS = ("{", "}", ";")
_NO_SYMBOLS = bytes(byte for byte in range(128) if chr(byte).isalnum() or chr(byte) == " ")
_CODE = re.compile(r"\s*(?:[\w.]+ = .*[(\[{]|import |from \w+ import|def |class \w+[(:]|return |//|/\*|<\w+)")
_QUOTATION = re.compile(r'"[^"]*"|“[^”]*”|«[^»]*»|„[^“”]*[“”]|「[^」]*」|^ *>.*$', re.MULTILINE)
_QUOTATION_MARK = re.compile('["“«„「>]')

_ASKED = re.compile(r"[?？]\W*$")
_ASKED_IN_CHINESE = re.compile(r"[吗呢][。！]?$")
_QUESTION = re.compile(
    r"(?:what|who|whom|whose|which|why|how|can|could|would you|will you|do|does|did|is there|"
    r"are there|is it|are you|should|shall|may i|"
    r"(?:when|where) (?:is|are|was|were|do|does|did|can|could|should|would|will|to))\b"
    r"|(?:怎么|如何|为什么|什么|哪|谁|请问|能不能|可不可以|是不是)",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"^(?:please|pls|kindly|tell|write|give|explain|summari[sz]e|show|list|help|set|let|make|create|translate|generate|"
    r"describe|find|suggest|recommend|add|remove|use|try|check|fix|compare|draft|provide|convert|rewrite|continue|"
    r"go on|imagine|act|consider|look|see|note|remind|you are|you['’]re|here (?:is|are))\b"
    r"|^(?:请|帮我|给我|告诉我|写|讲|列出|解释|总结|翻译|推荐|麻烦)",
    re.IGNORECASE,
)
# A decision that is worded as a request.
_DECISION = re.compile(r"^let['’]s (?:go|proceed|stick) with .+ for ", re.IGNORECASE)
# A lasting wish that is worded as a request.
_LASTING_WISH = re.compile(r"\b(?:always|never|from now on|prefer|in future)\b|以后|一直|总是|希望", re.IGNORECASE)
_SMALL_TALK = re.compile(
    r"^(?:thanks?|thank you|great|cool|nice|wow|yeah right|sounds good|got it|interesting|"
    r"(?:ok(?:ay)?|sure|yes|no|yeah|hi|hello|hey)(?! \w+ (?:for me|please))|"
    r"perfect|that (?:makes|sounds|helps|is|was|would)|that['’]s|it depends|it['’]s|i see\b|i understand|i get it|"
    r"i have a question|i['’]m not sure|i am not sure|i need (?:help|to know|your|some help|a hand)|"
    r"i(?:['’]d| would) like (?:to (?:know|ask|see|understand|learn|get|hear)|you|some|a)|"
    r"i (?:think|wonder|guess|agree|believe|hope|appreciate|mean)\b|"
    r"i was wondering|i(?:['’]m| am) (?:looking|trying|wondering|asking|curious|thinking)|"
    r"i want to (?:know|ask|understand)|"
    r"i(?:['’]ll| will) (?:try|check|do|look|give|let|keep|consider|definitely)|there (?:is|are))\b"
    r"|^(?:好的|谢谢|没问题|明白|我明白|我知道|我懂|我想(?:问|知道|了解|请)|嗯|哈哈|对[，。]|是的|你好)",
    re.IGNORECASE,
)
# The first word of a sentence always has a capital, and many people write "i" for "I".
_OPENING = re.compile(r"^(?:My|Our|We|He|She|They|His|Her|As|What)\b")
_TYPED_I = re.compile(r"\bi(?=\b(?!\.\w))")


def without_opening_capital(sentence: str) -> str:
    """The sentence with a lower-case first pronoun, and with "i" as "I"."""
    return _TYPED_I.sub("I", _OPENING.sub(lambda match: match[0].lower(), sentence))


def find_statements(text: str) -> Iterator[tuple[int, str]]:
    """Position and words of each statement in `text`, clause by clause. Quotations are left out."""
    quoted = _quotations(text)
    for start, sentence in sentences(text):
        mark = _LIST_MARK.match(sentence)
        bare = sentence[mark.end() if mark else 0 :].strip()
        position = start + sentence.index(bare)
        if bare and is_statement(bare) and not _is_cut_by(quoted, position, position + len(bare)):
            yield from _clauses(position, bare)


def _quotations(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in _QUOTATION.finditer(text)] if _QUOTATION_MARK.search(text) else []


def _is_cut_by(quoted: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Whether the start or the end of this part is inside a quotation."""
    return any(opens <= start < closes or opens < end < closes for opens, closes in quoted)


def is_statement(sentence: str) -> bool:
    if _is_question(sentence) or _SMALL_TALK.match(sentence):
        return False
    if _REQUEST.match(sentence):
        return bool(_LASTING_WISH.search(sentence) or _DECISION.search(sentence))
    return not _is_code(sentence)


def _is_question(sentence: str) -> bool:
    ends = _ASKED.search(sentence) or (not sentence.isascii() and _ASKED_IN_CHINESE.search(sentence))
    return bool(ends or _QUESTION.match(sentence))


def _is_code(line: str) -> bool:
    """Whether a line has more symbols than prose: code, tables, logs."""
    words = len(line) - _symbols(line)
    return words < _LEAST_WORDS * len(line) or line.rstrip().endswith(_CODE_ENDS) or _CODE.match(line) is not None


def _symbols(line: str) -> int:
    """How many characters are neither letters nor digits nor blanks."""
    if line.isascii():
        return len(line.encode().translate(None, _NO_SYMBOLS))
    return len(line) - sum(map(str.isalnum, line)) - line.count(" ")


def _clauses(position: int, sentence: str) -> Iterator[tuple[int, str]]:
    """The clauses of a sentence as far as each can stand alone, else the sentence."""
    if not _MAY_BE_CUT.search(sentence):
        yield position, sentence
        return
    quoted = _quotations(sentence)
    start = 0
    for match in _CLAUSE.finditer(sentence):
        before, after = sentence[start : match.start()], sentence[match.end() :]
        if can_be_cut(before, match[0], after) and not _is_cut_by(quoted, match.start(), match.end()):
            yield position + start, before
            start = match.end()
    yield position + start, sentence[start:]
