"""Removes what is not part of a message's text: JSON envelopes, markup, heartbeats and injected context."""

from __future__ import annotations

import html
import json
import re

_INJECTED = re.compile(
    r"<(memories|system-reminder|system_reminder|context|tool_result|tool_call|function_calls|function_results|"
    r"command-name|command-message|command-args|local-command-\w+|user-prompt-submit-hook|ide_\w+)\b"
    r"[^>]*>.*?</\1>",
    re.DOTALL | re.IGNORECASE,
)
_HEARTBEAT = re.compile(
    r"[\W_]*(heart[ _-]?beat([ _-]?ok)?|ping|pong|keep[ _-]?alive|no[ _-]?reply)[\W_]*", re.IGNORECASE
)
_MARKUP = re.compile(
    r"</?(?:html|body|div|span|p|br|ul|ol|li|b|i|strong|em|h[1-6]|table|tr|td|a)\b[^>]*>", re.IGNORECASE
)
_FENCED = re.compile(r"(```.*?(?:```|$))", re.DOTALL)
"""Fenced code is not changed."""
_UNSEEN = re.compile(r"<(script|style|head)\b[^>]*>.*?</\1>", re.DOTALL | re.IGNORECASE)
_LEAST_TAGS = 2
"""A text with at least this many tags counts as markup. A single tag may be the topic of the text."""
_ENVELOPE_KEYS = ("text", "content", "message", "body")


def strip(content: str) -> str:
    """The text of a message; empty if nothing remains."""
    opened = _INJECTED.sub("", _opened(content))
    text = _FENCED.sub("", opened)
    if len(_MARKUP.findall(text)) >= _LEAST_TAGS:
        opened = "".join(part if part.startswith("```") else _unmarked(part) for part in _FENCED.split(opened))
    text = opened.strip()
    return "" if _HEARTBEAT.fullmatch(text) else text


def _unmarked(text: str) -> str:
    return re.sub(r"[ \t]+", " ", html.unescape(_MARKUP.sub(" ", _UNSEEN.sub("", text))))


def _opened(content: str) -> str:
    """The text inside a JSON envelope such as {"type": "message", "text": "…"}."""
    stripped = content.strip()
    if not (stripped.startswith("{") and stripped.endswith("}")):
        return content
    try:
        envelope = json.loads(stripped)
    except (ValueError, RecursionError):
        return content
    inner = next((envelope[key] for key in _ENVELOPE_KEYS if isinstance(envelope.get(key), str)), None)
    return content if inner is None else inner
