"""Does a text contain orders to the model, hidden characters or a secret? Pure: takes a text, returns reasons.

A memory is shown to a model later. So a text that addresses the model is an attack, or looks like one. The patterns
match orders only (imperatives about the model's own instructions), because people also talk about instructions, roles
and passwords. A text that the patterns miss is still marked as data in every context.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from .european_orders import is_european_order
from .secrets import secrets

ORDERS = "orders to ignore instructions"
ROLE = "gives the model another role"
SYSTEM = "imitates a system prompt"
TOOL = "imitates a tool call"
EXFILTRATION = "orders to give data away"
SECRECY = "asks to keep the user in the dark"
ADDRESS = "speaks to the model"
HIDDEN = "hidden characters"

_I = re.IGNORECASE

# The beginnings of an order. A sentence that only reports something does not begin like this.
_BEGINS = (
    r"(?:^|[.!?:;,\"“'(\[{>*#\-\n]\s{0,4}|\b(?:please|now|and|then|you|must|should|immediately|simply|just|instead|"
    r"assistant|ai)\s+(?:should\s+|must\s+|will\s+|now\s+|to\s+|please\s+)?)"
)
_OWN = r"(?:all|any|every|previous|prior|above|earlier|preceding|foregoing|existing|original|your|system|safety)"
_ORDERED = r"(?:instructions?|prompts?|directives?|commands?|guidelines?|rules|guardrails|polic(?:y|ies)|programming)"
_MACHINE = r"(?:AI|A\.I\.|assistant|chat ?bot|bot|language model|LLM|DAN|jailbroken|unrestricted|uncensored|unfiltered)"

_SENSITIVE = (
    r"(?:passwords?|passphrases?|credentials?|secrets?|api[ _-]?keys?|access tokens?|auth(?:entication)? tokens?|"
    r"private keys?|ssh keys?|session cookies?|system prompt|chat (?:history|logs?)|conversation(?: history| logs?)?|"
    r"(?:stored |all |your )memor(?:y|ies)|environment variables|\.env\b|personal (?:data|information))"
)
_ELSEWHERE = (
    r"(?:https?://|www\.|ftp://|\S{1,64}@\S{1,64}\.\w|webhook|(?:this|my|the following|an external) (?:url|server))"
)
_GIVES = r"(?:send|e-?mail|forward|post|upload|transmit|leak|exfiltrate|submit|append|deliver|copy)"


@dataclass(frozen=True, slots=True)
class _Sign:
    reason: str
    pattern: re.Pattern[str]


def _signs(reason: str, *patterns: str, flags: re.RegexFlag = _I) -> list[_Sign]:
    return [_Sign(reason, re.compile(pattern, flags)) for pattern in patterns]


# Every repetition is bounded: the patterns run on every text, so none may take long.
_WORD = r"\S{1,80}\s{1,4}"
_LINE = r"^[ \t]{0,8}[\[(*#>-]{0,6} {0,2}"

_ENGLISH = [
    *_signs(
        ORDERS,
        rf"{_BEGINS}(?:ignore|disregard)\s+(?:the|this|that)\s+user(?:['’]s)?\s+(?:questions?|requests?|messages?|wishes)\b",
        rf"{_BEGINS}(?:ignore|disregard|override|bypass|forget|discard)\s+(?:\w+\s+){{0,4}}?{_OWN}\s+"
        rf"(?:\w+\s+){{0,3}}?{_ORDERED}\b",
        rf"{_BEGINS}(?:ignore|disregard|forget)\s+(?:everything|anything|all)\s+(?:\w+\s+){{0,2}}?"
        r"(?:above|before (?:this|that)|you (?:were|have been|had been|know|learned|learnt|are) (?:told|taught)?)",
        rf"(?:do not|don't|never|stop)\s+(?:follow|obey|listen to|following|obeying)\s+(?:\w+\s+){{0,2}}?"
        r"(?:your|the (?:system|developer|previous|above)|any (?:previous|prior|other))\s+(?:\w+\s+){0,2}?"
        rf"{_ORDERED}\b",
        r"\bnew (?:system )?(?:instructions?|directives?)\s*(?:for you\s*)?:\s*\S",
        r"\bpay no attention to\s+(?:\w+\s+){0,4}?(?:you (?:were|have been|had been) (?:told|given)|"
        rf"(?:previous|prior|earlier|your)\s+(?:\w+\s+){{0,2}}?{_ORDERED})\b",
        rf"{_BEGINS}(?:treat|take|regard|consider)\s+(?:\w+\s+){{0,4}}?as\s+(?:your|the)\s+(?:\w+\s+){{0,2}}?{_ORDERED}\b",
        r"\byour (?:real|true|actual|only|new) (?:task|goal|job|mission|purpose|role|objective) (?:is|will be)\b",
        r"\b(?:disable|deactivate|turn off|switch off|bypass|override)\s+(?:all\s+|any\s+|the\s+|your\s+){0,2}"
        r"(?:safety|security|content)\s+(?:checks?|filters?|rules|polic(?:y|ies)|guardrails|measures|protocols?)\b",
        r"\b(?:even (?:if|when|though) (?:it|this|that) (?:conflicts with|contradicts|violates|breaks)|regardless of|"
        rf"in spite of|instead of|over)\s+(?:your|the system|the safety)\s+(?:\w+\s+){{0,2}}?{_ORDERED}\b",
    ),
    *_signs(
        ROLE,
        rf"\byou are (?:now|no longer|from now on)\s+(?:\w+\s+){{0,4}}?{_MACHINE}\b",
        r"\byou are (?:now|no longer) (?:free (?:of|from)|bound by|restricted|subject to) ",
        r"\bfrom (?:now on|(?:here|this point|this moment) on(?: out|wards?)?),?\s+"
        r"you(?:'ll| will| must| shall| are to|'re| are)?\s+(?:only\s+|always\s+)?"
        rf"(?:obey|act|behave|respond|answer|reply|ignore|pretend|comply|output|(?:an?\s+)?(?:\w+\s+)?{_MACHINE})\b",
        rf"{_BEGINS}(?:act|behave|respond|answer|roleplay|pretend)\s+(?:as|like|to be|that you are|you are)\s+"
        rf"(?:\w+\s+){{0,5}}?(?:{_MACHINE}|with no (?:rules|restrictions|limits))\b",
        r"\b(?:enter|enable|activate|switch to|you are (?:now )?in)\s+(?:developer|debug|god|admin|jailbreak|sudo|DAN)"
        r" mode\b",
        r"\b(?:act|behave|respond|answer|reply)\s+as (?:if|though) (?:you (?:have|had)|there (?:are|were)) no\s+"
        r"(?:\w+\s+){0,2}?(?:restrictions|rules|limits|limitations|filters|guidelines)\b",
        r"\bdo anything now\b",
    ),
    *_signs(
        SYSTEM,
        r"<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id|begin_of_text)\|>",
        r"\[/?INST\]|<<\s*/?SYS\s*>>",
        r"</?(?:system|system[_-](?:prompt|message|reminder|instructions?)|developer[_-](?:prompt|message))\s*>",
        r"</?memories\b",
        r"^#{2,4}\s{0,4}(?:system|instructions?|system (?:prompt|message))\s{0,4}:",
        _LINE + r"(?:(?:begin|end|new|updated) )?(?:system|developer) (?:prompt|message|override|instructions?)\s{0,4}"
        r"[\])*]{0,4}\s{0,4}:",
        _LINE + r"(?:system|developer|root|admin)[\])*]{0,4}\s{0,4}:\s{0,4}(?:you (?:are|must|will|should)|ignore|"
        r"override|disregard|the assistant|from now|new instructions?|the user (?:is|has))\b",
        r"\bBEGIN (?:NEW|SYSTEM|ADMIN|DEVELOPER) (?:PROMPT|OVERRIDE|INSTRUCTIONS?|MESSAGE)\b",
        flags=_I | re.MULTILINE,
    ),
    *_signs(
        TOOL,
        r"</?(?:\w{1,12}:)?(?:(?:tool|function)_(?:calls?|use|results?|response)|invoke)\b[^<>]{0,80}>",
        r"<\|(?:tool|python_tag|function)[\w▁ ]{0,20}\|>|\[TOOL_CALLS\]",
        r"\"(?:tool_calls|function_call|tool_use)\"\s*:\s*[\[{]",
        r"\"name\"\s*:\s*\"[\w./-]{1,80}\"\s*,\s*\"(?:arguments|parameters|input)\"\s*:\s*[{\"]",
        r"\bwhen(?:ever)? you (?:read|see|find|retrieve|recall|process) this\b[^.\n]{0,40}?\b(?:run|execute|call|send|"
        r"reply|respond|answer|delete|say|open|visit|download|forward|e-?mail|tell|approve)\b",
        r"^[ \t]{0,8}Action\s{0,4}:\s{0,4}\S.{0,80}\n[ \t]{0,8}Action Input\s{0,4}:",
        flags=_I | re.MULTILINE,
    ),
    *_signs(
        EXFILTRATION,
        rf"{_BEGINS}{_GIVES}\s+(?:{_WORD}){{0,8}}?{_SENSITIVE}\s{{1,4}}(?:{_WORD}){{0,10}}?(?:to|at|via|into|in)\s{{1,4}}"
        rf"(?:{_WORD}){{0,3}}?{_ELSEWHERE}",
        rf"{_BEGINS}(?:reveal|print|show|repeat|output|display|disclose|tell me|give me)\s+(?:me\s+)?(?:\w+\s+){{0,3}}?"
        r"your\s+(?:\w+\s+){0,2}?(?:system|hidden|initial|original|secret|internal) (?:prompt|instructions)",
        r"!\[[^\]\n]{0,80}\]\(https?://[^)\s]{1,100}[?&/][^)\s]{0,40}(?:\{|%7B|<|\$\{|\[)[^)\n]{0,80}\)",
    ),
    *_signs(
        SECRECY,
        r"\b(?:do not|don't|never)\s+(?:tell|inform|alert|notify|let|mention (?:this|it) to|reveal (?:this|it) to)\s+"
        r"the (?:user|human)\b",
        r"\bwithout (?:telling|informing|asking|alerting|notifying) the (?:user|human)\b",
        r"\bhide (?:this|it|that) from the (?:user|human)\b",
        r"\b(?:assistant|AI|LLM|language model|chat ?bot)\s+(?:must|should|shall|may|will)\s+(?:never|not)\s+"
        r"(?:mention|reveal|disclose|tell|show|report)\b",
    ),
    *_signs(
        ADDRESS,
        r"\b(?:attention|note to|message (?:to|for)|instructions? (?:to|for)|dear)\s+(?:(?:all|any|the)\s+)?"
        r"(?:AI(?: (?:assistants?|agents?|models?|systems?))?|LLMs?|language models?|chatbots?|ChatGPT)\s*[:,!—-]",
        r"\bif you are an? (?:AI|LLM|language model|chat ?bot)\b",
        r"\bthe (?:user|owner|operator|developer) (?:has |have )?(?:authori[sz]ed|allowed|permitted|instructed|"
        r"approved) you\b",
    ),
]

# The beginnings of a Chinese order: the start of a clause, or words that address somebody.
_FROM = r"(?:^|[。！？；，、：:,.!?;\s“\"「『（(【\[]|请|你|您|必须|务必|需要|现在|立即|立刻|马上|并|并且|然后|要)"
_KEPT = (
    r"(?:密码|口令|密钥|私钥|令牌|凭证|凭据|API\s*(?:key|密钥)|聊天记录|对话(?:记录|历史|内容)|(?:所有|全部|你的)记忆|"
    r"系统提示词?|个人信息|环境变量)"
)

_CHINESE = [
    *_signs(
        ORDERS,
        rf"{_FROM}(?:忽略|无视|忘记(?!了)|忘掉(?!了)|不要(?:理会|遵守|遵循|听从)|抛弃|绕过)[^。！？\n]{{0,8}}?"
        r"(?:之前|以上|上述|上面|先前|前面|此前|所有|一切|全部|任何|你的|系统)[^。！？\n]{0,8}?"
        r"(?:指令|指示|提示词?|提示语|规则|设定|限制|命令|约束)",
        r"新的?(?:系统)?指令\s*[:：]",
    ),
    *_signs(
        ROLE,
        r"你(?:现在|从现在起|从现在开始)(?:是|就是|变成|成为)[^。！？\n]{0,12}?(?:助手|人工智能|AI|语言模型|机器人|黑客|DAN)",
        r"你不再(?:是[^。！？\n]{0,8}?(?:助手|AI|人工智能|模型)|受[^。！？\n]{0,8}?(?:限制|约束))",
        r"从现在(?:开始|起)\s*[，,]?\s*你(?:将|要|必须|就|得)?(?:是一?[个名位]|扮演|充当|服从|听从|只能(?:回答|说|输出)|忽略|不再受)",
        rf"{_FROM}(?:扮演|假装你?是)[^。！？\n]{{0,12}}?(?:没有(?:任何)?(?:限制|约束)|不受(?:任何)?(?:限制|约束)|AI|人工智能|DAN)",
        r"(?:进入|开启|启用|切换到)(?:开发者|越狱|上帝|管理员|无限制)模式",
    ),
    *_signs(
        SYSTEM,
        r"^[ \t]{0,8}[【\[（(]?系统(?:提示词?|指令|消息|设定)?[】\]）)]?\s*[:：]\s*"
        r"(?:你(?:是|必须|要|将|现在|应)|请?忽略|从现在|新的)",
        r"【系统(?:提示|指令|消息)[^】\n]{0,8}】",
        flags=_I | re.MULTILINE,
    ),
    *_signs(
        EXFILTRATION,
        rf"{_KEPT}[^。！？\n]{{0,16}}?(?:发送?|上传|转发|提交|泄露|传送?|寄)(?:到|给|至|往)[^。！？\n]{{0,12}}?"
        r"(?:https?://|\S{1,64}@\S{1,64}|网址|服务器|邮箱|外部)",
        rf"{_FROM}(?:发送|上传|转发|提交|泄露)[^。！？\n]{{0,12}}?{_KEPT}[^。！？\n]{{0,8}}?(?:到|给|至)[^。！？\n]{{0,12}}?"
        r"(?:https?://|\S{1,64}@\S{1,64}|网址|服务器|邮箱|外部)",
        rf"{_FROM}(?:输出|告诉我|显示|重复|透露|泄露|打印|说出)[^。！？\n]{{0,4}}?你的(?:系统提示词?|(?:初始|隐藏|原始|内部)(?:指令|提示词?)|提示词)",
    ),
    *_signs(SECRECY, r"不要(?:告诉|告知|让|通知|提醒)用户", r"(?:瞒着|不能让)用户"),
    *_signs(
        ADDRESS,
        r"(?:致|告诉?|请注意[，,]?)\s*(?:所有|各位)?(?:AI|人工智能|语言模型|大模型)(?:助手|模型|代理)?\s*[:：，,]",
    ),
]

_ZERO_WIDTH = "\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\u180e\ufeff"
_ZERO_WIDTHS = re.compile(f"[{_ZERO_WIDTH}\u00ad]")
"""Removed before the patterns are searched. A soft hyphen alone is not suspicious: text from web pages has them."""
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕһԁԛԝАВЕКМНОРСТУХІЈЅ" + "οανιτκυρχγωΑΒΕΖΗΙΚΜΝΟΡΤΥΧ" + "ꓐꓑꓓꓔꓖꓗꓙꓚꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴꓜ"
    "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢɡıɑ",
    "aeopcyxijshdqwABEKMHOPCTYXIJS" + "oavitkupxywABEZHIKMNOPTYX" + "BPDTGKJCFMNLSRVHWXYAEIOUZ"
    "abcdefghijklmnoprstuvwyzgia",
)
"""Cyrillic, Greek and Lisu letters that look like Latin ones, and small capitals."""
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f")
"""The flags of England, Scotland and Wales are spelt with tag characters."""
_HIDDEN = re.compile(
    "[\U000e0000-\U000e007f]"
    "|[\u202d\u202e]"
    f"|[{_ZERO_WIDTH}]{{3,}}"
    "|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{3,}"
    f"|(?:[A-Za-z][{_ZERO_WIDTH}]){{2,}}[A-Za-z]"
)
_BLANKS = re.compile("[\u2800\u3164\u115f\u1160\uffa0]")
"""Characters without a shape that do not count as white space."""
_SPELT = re.compile(r"(?<!\S)(?:\S[ .*_~|/-]){5,200}\S(?!\S)")
"""Letters that stand alone: `i g n o r e`."""
_MIXED = re.compile(r"(?<![\w$!])(?=[\w$!]{0,60}[a-zA-Z])(?=[\w$!]{0,60}[013457$!])[\w$!]{2,60}")
_DIGITS = str.maketrans("013457$!", "oieastsi")
"""Digits in the place of letters: `1gn0re`."""
_TURNS = re.compile("[\u202a\u202b\u2066-\u2068]")
"""Direction marks. They are normal in Arabic or Hebrew text; in other text they can hide something."""
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")


def suspicions(text: str) -> tuple[str, ...]:
    """The reasons why a person should read this text before a model does; empty for almost all texts."""
    reasons = chain(_hidden(text), _orders(text), (f"secret: {secret.kind}" for secret in secrets(text)))
    return tuple(dict.fromkeys(reasons))


def suspicions_in(*values: object) -> tuple[str, ...]:
    """The reasons for all texts in these values, such as the fields of a memory with its metadata."""
    return tuple(dict.fromkeys(reason for text in _texts(values) for reason in suspicions(text)))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from _texts([*value.keys(), *value.values()])
    elif isinstance(value, Sequence):
        for part in value:
            yield from _texts(part)


def _hidden(text: str) -> Iterator[str]:
    if text.isascii():
        return
    if _HIDDEN.search(_FLAG.sub("", text)) or (_TURNS.search(text) and not _RIGHT_TO_LEFT.search(text)):
        yield HIDDEN


def _orders(text: str) -> Iterator[str]:
    """The reasons from the patterns. Invisible characters are removed and letter variants normalised first. Letters of
    other scripts that look like Latin ones are read as these too."""
    plain = text if text.isascii() else unicodedata.normalize("NFKC", _BLANKS.sub(" ", _ZERO_WIDTHS.sub("", text)))
    signs = _ENGLISH if text.isascii() else [*_ENGLISH, *_CHINESE]
    yield from (sign.reason for sign in signs if sign.pattern.search(plain))
    folded = plain if text.isascii() else _as_latin(plain)
    if is_european_order(folded.casefold()) or (not text.isascii() and is_european_order(plain.casefold())):
        yield ORDERS
    for other in {folded, _spelt_out(folded), _in_letters(folded)} - {plain}:
        yield from (sign.reason for sign in _ENGLISH if sign.pattern.search(other))


def _as_latin(text: str) -> str:
    """Letters without their accents, and Latin letters in the place of those that look like them."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return bare.translate(_LOOKALIKES)


def _in_letters(text: str) -> str:
    """Letters in the place of the digits within words."""
    mixed = _MIXED.findall(text)
    return _MIXED.sub(lambda found: found[0].translate(_DIGITS), text) if len(mixed) > 1 else text


def _spelt_out(text: str) -> str:
    """Words whose letters stand alone, with the letters together. Two blanks are between words."""
    if not _SPELT.search(text):
        return text
    words = re.split(r"\s{2,}", text)
    return " ".join(word[::2] if not word[1::2].strip(" .*_~|/-") else word for word in words)
