"""Finds passwords and keys in a text, and removes them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Secret:
    """The position and kind of a secret in a text."""

    kind: str
    start: int
    end: int


_KINDS: Mapping[str, str] = {
    "private key": r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    r"[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}-----|\Z)",
    "AWS key": r"\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b",
    "AWS secret key": r"(?i:aws[_ ]?secret[_ ]?(?:access[_ ]?)?key)\W{1,5}"
    r"(?P<secret>[A-Za-z0-9/+=]{40})(?![A-Za-z0-9/+=])",
    "Google key": r"\bAIza[0-9A-Za-z_-]{35}(?![0-9A-Za-z_-])",
    "GitHub token": r"\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})",
    "GitLab token": r"\bglpat-[A-Za-z0-9_-]{20,255}",
    "Slack token": r"\bxox[abeoprs]-[A-Za-z0-9-]{10,255}|hooks\.slack\.com/services/[A-Za-z0-9/]{20,100}",
    "Stripe key": r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}",
    "model key": r"\bsk-(?:proj-|ant-|or-|svcacct-)?(?=[A-Za-z_-]{0,60}[0-9])[A-Za-z0-9_-]{20,255}",
    "recollect key": r"\brk_[0-9a-f]{12}_[A-Za-z0-9_-]{43}",
    "package token": r"\b(?:npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,255}|hf_[A-Za-z0-9]{30,64}|dop_v1_[0-9a-f]{64})",
    "mail token": r"\bSG\.[A-Za-z0-9_-]{20,32}\.[A-Za-z0-9_-]{40,50}",
    "storage key": r"\bAccountKey=(?P<secret>[A-Za-z0-9+/]{60,100}={0,2})",
    "web token": r"\beyJ[A-Za-z0-9_-]{8,500}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,1000}",
    "bearer token": r"(?i:\bbearer)\s{1,4}(?P<secret>(?=[A-Za-z._~+/=-]{0,80}[0-9])[A-Za-z0-9._~+/=-]{20,4000})",
    "password in a URL": r"\b[A-Za-z][A-Za-z0-9+.-]{1,15}://[^\s:/@]{1,100}:(?P<secret>[^\s/@]{3,100})@",
    "password": r"(?i:\b(?:[\w-]{0,24}[_-])?(?:password|passwd|passphrase|passcode|pwd|secret|api[ _-]?key|"
    r"access[ _-]?key|(?:access|auth|api|bearer|refresh)[ _-]?token|client[ _-]?secret)\b)[\"'`]?\s{0,3}"
    r"(?::=|=>|[=:：]|\bis\b)\s{0,3}[\"'`“]?(?P<secret>[^\s\"'`“”,;<>()]{6,200})",
    "密码": r"(?:密码|口令|密钥|令牌)(?:是|为|[:：=])\s{0,3}[\"'“「]?(?P<secret>[A-Za-z0-9!@#$%^&*_+=?.~-]{6,200})",
}
_PATTERNS = {kind: re.compile(pattern) for kind, pattern in _KINDS.items()}
_NAMES = {"密码": "password"}
_JUDGED = ("password", "密码", "password in a URL")
"""Kinds that are found by the words before the value. The value must look like a secret as well."""

_PLACEHOLDER = re.compile(
    r"^(?:[x*•.…_-]+|<.*|\$.*|\{.*|%.*|\[.*|(?:your|my|the|some|any|example|sample|test|dummy|fake|placeholder|changeme|"
    r"change[-_]me|redacted|hidden|secret|password|passw?or[dt]|null|none|true|false|undefined|required|optional|"
    r"process\.env|os\.environ|env\.|config\.|settings\.|vault:).*)$",
    re.IGNORECASE,
)
_MEASURED = re.compile(
    r"^\d+(?:[.,]\d+)?[-–]?(?:bits?|digits?|chars?|characters?|bytes?|words?|days?|hours?|minutes?)?\.?$|^\d+-\w+$"
)
"""Matches quantities, as in "the key is 2048-bit"."""
_DATE = re.compile(r"^\d{2,4}[-/.]\d{1,2}[-/.]\d{1,4}\.?$")
_MIXED = re.compile(r"(?=.*[A-Za-z])(?=.*\d)|(?=.*\w)(?=.*[!@#$%^&*+=?~])(?!.*://)")
_DIGITS = re.compile(r"^\d{6,}$")


def secrets(text: str) -> list[Secret]:
    """All secrets in a text, in order and without overlaps."""
    found = sorted(_found(text), key=lambda secret: (secret.start, -secret.end))
    apart: list[Secret] = []
    for secret in found:
        if not apart or secret.start >= apart[-1].end:
            apart.append(secret)
    return apart


def _found(text: str) -> Iterator[Secret]:
    for kind, pattern in _PATTERNS.items():
        for match in pattern.finditer(text):
            start, end = match.span("secret" if "secret" in pattern.groupindex else 0)
            if kind not in _JUDGED or _looks_secret(text[start:end]):
                yield Secret(_NAMES.get(kind, kind), start, end)


def _looks_secret(value: str) -> bool:
    """Whether it looks like a secret: not a plain word, a quantity, a date or a placeholder."""
    bare = value.rstrip(".,:!?")
    if len(bare) < 6 or _PLACEHOLDER.match(bare) or _DATE.match(bare):
        return False
    return bool(_DIGITS.match(bare)) or bool(_MIXED.match(bare) and not _MEASURED.match(bare))


def redacted(text: str) -> str:
    """The text with each secret replaced by its kind."""
    for secret in reversed(secrets(text)):
        text = f"{text[: secret.start]}[redacted {secret.kind}]{text[secret.end :]}"
    return text


def redacted_in(value: Any) -> Any:  # noqa: ANN401 - any JSON value in, the same out
    """The value with the secrets in all its texts replaced."""
    match value:
        case str():
            return redacted(value)
        case Mapping():
            return {key: redacted_in(part) for key, part in value.items()}
        case tuple():
            return tuple(redacted_in(part) for part in value)
        case Sequence():
            return [redacted_in(part) for part in value]
    return value
